"""BM25 over the whole corpus, by bm25s."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..benchmarks import Corpus, Task
from ..progress import Progress
from ..ranking import BLOCK, Ranked, by_tie_rule, rank_block
from .ranker import Ranking, ranking_of
from .text import paper_text, question_text, template_name

if TYPE_CHECKING:
    import numpy as np


class BM25Ranker:
    """bm25s's defaults (Lucene's variant, k1 1.5, b 0.75), English stop words, Snowball's English stemmer.

    Term weights come from all papers of the corpus, not from a query's candidates alone, so a
    group's scores do not depend on which other groups are ranked.
    """

    name = "bm25"

    def __init__(
        self, template: str | None = None, query_template: str | None = None, notes: Sequence[str] = ()
    ) -> None:
        self.template = template
        self.query_template = query_template
        self.notes = tuple(notes)
        self._text = paper_text(template, None)
        self._query_text = question_text(query_template)

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; a corpus that tasks share is indexed once."""
        shared = [list(sharing) for _, sharing in groupby(tasks, key=lambda task: id(task.corpus))]
        with progress.counting(sum(len(sharing[0].corpus) for sharing in shared), "indexing papers") as advance:
            for sharing in shared:
                papers = by_tie_rule(sharing[0].corpus)
                index = self._index(sharing[0].corpus, papers)
                advance(len(papers))
                rows = {paper: row for row, paper in enumerate(papers)}
                for task in sharing:
                    yield self._ranking(task, index, papers, rows)

    def provenance(self) -> Mapping[str, Any]:
        """The variant and the text."""
        text = template_name(self.template, None)
        facts = {"kind": "bm25", "variant": "bm25s defaults", "stopwords": "en", "stemmer": "english", "template": text}
        return facts if self.query_template is None else facts | {"query_template": self.query_template}

    def _ranking(self, task: Task, index: Any, papers: Sequence[str], rows: Mapping[str, int]) -> Ranking:
        import numpy as np

        queries = list(task.queries)
        found: dict[str, Ranked] = {}
        together = max(1, BLOCK // max(1, len(papers)))
        for start in range(0, len(queries), together):
            block = queries[start : start + together]
            scores = np.stack([self._scores(task, query, index, len(papers)) for query in block])
            if task.candidates is None:
                found |= dict(zip(block, rank_block(scores, papers, task.depth), strict=True))
            else:
                for query, row in zip(block, scores, strict=True):
                    found[query] = Ranked({paper: float(row[rows[paper]]) for paper in task.pool(query)}, False)
        return ranking_of(task.group, found)

    def _scores(self, task: Task, query: str, index: Any, papers: int) -> "np.ndarray":
        import numpy as np

        text = self._text if task.answers is None else self._query_text
        words = self._tokens([text(task.queries[query])], ids=False)[0]
        return index.get_scores(words) if index and words else np.zeros(papers, dtype=np.float32)

    def _index(self, corpus: Corpus, papers: Sequence[str]) -> Any:
        import bm25s

        tokens = self._tokens([self._text(corpus[paper]) for paper in papers])
        if not any(tokens.ids):  # where no paper has a word, nothing can be indexed
            return None
        index = bm25s.BM25()
        index.index(tokens, show_progress=False)
        return index

    def _tokens(self, texts: list[str], ids: bool = True) -> Any:
        import bm25s
        import Stemmer

        stemmer = Stemmer.Stemmer("english")
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=ids, show_progress=False)
