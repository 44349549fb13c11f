"""Scores by chance: what any model has to beat."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..benchmarks import Task
from ..progress import Progress
from ..ranking import ranked
from .ranker import Ranking, ranking_of


class ChanceRanker:
    """A pseudo-random score for each pair, the same on every machine and whatever else is ranked."""

    name = "random"

    def __init__(self, seed: int = 0, notes: Sequence[str] = ()) -> None:
        self.seed = seed
        self.notes = tuple(notes)

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task."""
        for task in tasks:
            found = {}
            for query in task.queries:
                scores = {paper: self._score(query, task.global_id(paper)) for paper in task.pool(query)}
                found[query] = ranked(scores, task.depth)
            yield ranking_of(task.group, found)

    def provenance(self) -> Mapping[str, Any]:
        """The seed."""
        return {"kind": "random", "seed": self.seed}

    def _score(self, query: str, paper: str) -> float:
        digest = hashlib.blake2b(f"{self.seed}\0{query}\0{paper}".encode(), digest_size=3).digest()
        return int.from_bytes(digest, "big") / 2**24  # 24 bits are exact in single precision
