"""BM25 over the whole corpus, by bm25s."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..benchmarks import Corpus, Task
from ..progress import Progress
from .ranker import Ranking
from .text import paper_text, template_name


class BM25Ranker:
    """bm25s's defaults (Lucene's variant, k1 1.5, b 0.75), English stop words, Snowball's English stemmer.

    Term weights come from all papers of the corpus, not from a query's candidates alone, so a
    group's scores do not depend on which other groups are ranked.
    """

    name = "bm25"

    def __init__(self, template: str | None = None, notes: Sequence[str] = ()) -> None:
        self.template = template
        self.notes = tuple(notes)
        self._text = paper_text(template, None)

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; a corpus that tasks share is indexed once."""
        for _, sharing in groupby(tasks, key=lambda task: id(task.corpus)):
            together = list(sharing)
            corpus = together[0].corpus
            index = self._index(corpus, progress)
            rows = {paper: row for row, paper in enumerate(corpus)}
            with progress.counting(sum(len(task.queries) for task in together), "ranking queries") as advance:
                for task in together:
                    yield Ranking(task.group, {query: self._scores(task, query, index, rows) for query in task.queries})
                    advance(len(task.queries))

    def provenance(self) -> Mapping[str, Any]:
        """The variant and the text."""
        text = template_name(self.template, None)
        return {"kind": "bm25", "variant": "bm25s defaults", "stopwords": "en", "stemmer": "english", "template": text}

    def _scores(self, task: Task, query: str, index: Any, rows: Mapping[str, int]) -> dict[str, float]:
        words = self._tokens([self._text(task.queries[query])], ids=False)[0]
        found = index.get_scores(words) if index and words else [0.0] * len(rows)
        return {paper: float(found[rows[paper]]) for paper in task.pool(query)}

    def _index(self, corpus: Corpus, progress: Progress) -> Any:
        import bm25s

        with progress.counting(len(corpus), "indexing papers") as advance:
            tokens = self._tokens([self._text(corpus[paper]) for paper in corpus])
            index = bm25s.BM25() if any(tokens.ids) else None  # where no paper has a word, nothing can be indexed
            if index:
                index.index(tokens, show_progress=False)
            advance(len(corpus))
        return index

    def _tokens(self, texts: list[str], ids: bool = True) -> Any:
        import bm25s
        import Stemmer

        stemmer = Stemmer.Stemmer("english")
        return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=ids, show_progress=False)
