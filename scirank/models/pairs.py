"""Pairs of a query and a paper, as a cross-encoder sees them."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..benchmarks import Document, Task


@dataclass(frozen=True)
class Pairs(Sequence[tuple[str, str]]):
    """Text pairs, each made when it is looked at: a query's text and a paper's.

    Attributes:
        paper: the text of a paper.
        question: the text of a question; where queries are papers, theirs is that of papers.
    """

    paper: Callable[[Document], str]
    question: Callable[[Document], str]
    _starts: list[int] = field(default_factory=list)
    _of: list[tuple[Task, str, Sequence[str]]] = field(default_factory=list)

    def add(self, task: Task, query: str, papers: Sequence[str]) -> range:
        """Add a query's pairs; gives where they stand."""
        start = len(self)
        if papers:
            self._starts.append(start)
            self._of.append((task, query, papers))
        return range(start, start + len(papers))

    def __len__(self) -> int:
        return self._starts[-1] + len(self._of[-1][2]) if self._of else 0

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        at = bisect_right(self._starts, place) - 1
        task, query, papers = self._of[at]
        text = self.paper if task.answers is None else self.question
        return text(task.queries[query]), self.paper(task.corpus[papers[place - self._starts[at]]])
