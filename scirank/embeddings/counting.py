"""How many tokens each text has, before there is a plan; of large jobs the counts are kept and shared."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..progress import Progress
from .job import Encoder, Text
from .shard import Batch, DamagedShardError, Shard, write
from .store import Store, check_name, telling_of_full_disks

if TYPE_CHECKING:
    import numpy as np

CHUNK = 1_024
"""Texts whose tokens are counted at once."""
BLOCK = 2**16
"""Texts whose counts are kept as one file; a smaller job is counted anew each time, which takes seconds."""
FOLDER = "counts"

Take = Callable[["np.ndarray"], list[Text]]


class Counting:
    """Counts the tokens of a job's different texts.

    Args:
        digests: of the texts, sorted.
        take: gives some of the texts.
        encoder: knows how many tokens they have.
        store: where counts are kept.
        progress: shows how far it is.
    """

    def __init__(self, digests: "np.ndarray", take: Take, encoder: Encoder, store: Store, progress: Progress) -> None:
        self.digests = digests
        self.take = take
        self.encoder = encoder
        self.store = store
        self.progress = progress

    def fill(self, tokens: "np.ndarray", missing: "np.ndarray") -> None:
        """Put the counts of those texts that are missing into `tokens`; processes that share a store share the work."""
        import numpy as np

        if len(self.digests) < BLOCK:
            rows = np.flatnonzero(missing)
            tokens[rows] = self._counted(rows, lambda _: None)
            return
        starts = [at for at in range(0, len(self.digests), BLOCK) if missing[at : at + BLOCK].any()]
        with self.progress.counting(
            sum(len(self.digests[at : at + BLOCK]) for at in starts), "counting tokens"
        ) as done:
            for wait in (False, True):  # what another process counts is waited for at the end
                left = []
                for at in starts:
                    rows = np.arange(at, min(at + BLOCK, len(self.digests)))
                    counts = self._shared(rows, done, wait)
                    if counts is None:
                        left.append(at)
                    else:
                        tokens[rows] = counts
                starts = left

    def _shared(self, rows: "np.ndarray", done: Callable[[int], None], wait: bool) -> "np.ndarray | None":
        """The counts of a block: kept ones, or counted now; None where another process does that."""
        import numpy as np

        digests = self.digests[rows]
        path = self.store.path(digests, FOLDER)
        with telling_of_full_disks(self.store.folder):
            path.parent.mkdir(exist_ok=True)
        with self.store.claim(path, wait) as mine:
            if path.exists():
                try:
                    kept = Shard.open(path)
                    kept.verify()
                    check_name(path, kept.digests())
                    done(len(rows))
                    return kept.tokens()
                except DamagedShardError as error:
                    self.progress.say(f"damaged: {error}; its texts are counted again")
            if not mine:
                return None
            counts = self._counted(rows, done)
            with telling_of_full_disks(self.store.folder):
                write(path, digests, counts, [Batch(np.empty((0, 0), np.float32), "float32")])
            return counts

    def _counted(self, rows: "np.ndarray", done: Callable[[int], None]) -> "np.ndarray":
        import numpy as np

        counts = np.zeros(len(rows), np.int32)
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            counts[start : start + CHUNK] = np.maximum(1, self.encoder.lengths(self.take(chunk)))
            done(len(chunk))
        return counts
