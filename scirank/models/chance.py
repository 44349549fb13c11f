"""Scores by chance: what any model has to beat."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..benchmarks import Task
from ..progress import Progress
from .ranker import Ranking


class ChanceRanker:
    """A pseudo-random score for each pair, the same on every machine and whatever else is ranked."""

    name = "random"

    def __init__(self, seed: int = 0, notes: Sequence[str] = ()) -> None:
        self.seed = seed
        self.notes = tuple(notes)

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task."""
        for task in tasks:
            scores = {query: {paper: self._score(query, paper) for paper in task.pool(query)} for query in task.queries}
            yield Ranking(task.group, scores)

    def provenance(self) -> Mapping[str, Any]:
        """The seed."""
        return {"kind": "random", "seed": self.seed}

    def _score(self, query: str, paper: str) -> float:
        digest = hashlib.blake2b(f"{self.seed}\0{query}\0{paper}".encode(), digest_size=3).digest()
        return int.from_bytes(digest, "big") / 2**24  # 24 bits are exact in single precision
