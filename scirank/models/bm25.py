"""BM25 over the whole corpus, by bm25s."""

from collections.abc import Iterator, Mapping, Sequence
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
        """A ranking for each task."""
        indexed: Corpus | None = None
        for task in tasks:
            if task.corpus is not indexed:
                indexed = task.corpus
                index = self._index(indexed, progress)
                rows = {paper: row for row, paper in enumerate(indexed)}
            scores = {}
            for query, paper in task.queries.items():
                words = self._tokens([self._text(paper)], ids=False)[0]
                found = index.get_scores(words) if index and words else [0.0] * len(rows)
                candidates = rows if task.candidates is None else task.candidates[query]
                scores[query] = {candidate: float(found[rows[candidate]]) for candidate in candidates}
            yield Ranking(task.group, scores)

    def provenance(self) -> Mapping[str, Any]:
        """The variant and the text."""
        text = template_name(self.template, None)
        return {"kind": "bm25", "variant": "bm25s defaults", "stopwords": "en", "stemmer": "english", "template": text}

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
