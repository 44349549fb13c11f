"""The vectors of a job's texts, read from shards as they are asked for."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .store import Found

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Vectors:
    """Vectors by place in a job's texts; equal texts share one.

    Attributes:
        which: int64 of shape (texts,): which different text each is.
        found: where the vectors of the different texts are.
        kept: what holds the files as long as these vectors are used.
    """

    which: "np.ndarray"
    found: Found
    kept: AbstractContextManager[object] | None = None

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 where there are none."""
        return self.found.shards[0].layout["vectors"][1][1] if self.found.shards else 0

    @property
    def several(self) -> bool:
        """Whether a text has several vectors."""
        return any("offsets" in shard.layout for shard in self.found.shards)

    def take(self, places: Sequence[int]) -> "np.ndarray":
        """The vectors of texts, float32 of shape (places, dimensions)."""
        import numpy as np

        taken = np.empty((len(places), self.dimensions), np.float32)
        for shard, rows, into in self._by_shard(places):
            with self.found.shards[shard].vectors() as vectors:
                taken[into] = self.found.shards[shard].widened(vectors[rows])
        return taken

    def take_all(self, places: Sequence[int]) -> "list[np.ndarray]":
        """The vectors of texts that have several, float32 of shape (tokens, dimensions) each."""
        import numpy as np

        taken: list[np.ndarray] = [np.empty(0)] * len(places)
        for shard, rows, into in self._by_shard(places):
            held = self.found.shards[shard]
            offsets = held.offsets()
            assert offsets is not None
            with held.vectors() as vectors:
                for row, place in zip(rows.tolist(), into.tolist(), strict=True):
                    taken[place] = held.widened(vectors[offsets[row] : offsets[row + 1]])
        return taken

    def of_each(self, places: Sequence[int]) -> "list[np.ndarray]":
        """What texts have: float32 of shape (1, dimensions), or (tokens, dimensions)."""
        if self.several:
            return self.take_all(places)
        return list(self.take(places)[:, None])

    def _by_shard(self, places: Sequence[int]) -> "Iterator[tuple[int, np.ndarray, np.ndarray]]":
        """Each shard that holds some of the texts, the rows of these in it, and where they stand in `places`."""
        import numpy as np

        different = self.which[np.asarray(places, np.int64)]
        shards, rows = self.found.shard[different], self.found.row[different]
        order = np.argsort(shards, kind="stable")
        for into in np.split(order, np.flatnonzero(np.diff(shards[order])) + 1):
            if len(into):
                yield int(shards[into[0]]), rows[into], into
