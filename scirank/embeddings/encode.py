"""Encode a job: each different text once, longest first, shard by shard into a store."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..progress import Progress
from . import plan
from .counting import Counting
from .job import Encoder, Job, Text
from .shard import DTYPES, Batch, write
from .store import Found, Store, telling_of_full_disks
from .vectors import Vectors

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Work:
    """Texts that become one shard, longest first."""

    role: str
    store: Store
    path: Path
    digests: "np.ndarray"
    tokens: "np.ndarray"
    texts: Sequence[Text]


Done = Callable[[int, int], None]
"""Told of texts and tokens that are done."""


class Encoding:
    """A job against its store: what is there, what is missing, how that would be cut.

    Args:
        job: the texts and their encoder.
        cache: the folder of all stores; None keeps nothing beyond this object's life.
        progress: shows the counting of tokens, and what is damaged.
    """

    def __init__(self, job: Job, cache: Path | None, progress: Progress) -> None:
        import numpy as np

        self.job = job
        self.progress = progress
        self._kept = None
        if cache is None or job.encoder.key is None or not len(job.texts):
            self._kept = tempfile.TemporaryDirectory(prefix="scirank-")
            self.store = Store(Path(self._kept.name), job.encoder.key)
        else:
            self.store = Store.of(cache, job.encoder.key)
        digests = np.empty(len(job.texts), "S16")
        for place, text in enumerate(job.texts):
            digests[place] = _digest(text)
        self.digests, self._first, self.which = np.unique(digests, return_index=True, return_inverse=True)

    @property
    def folder(self) -> Path | None:
        """Where the vectors are kept; None where they are not."""
        return None if self._kept else self.store.folder

    @cached_property
    def found(self) -> Found:
        """Which of the different texts the store has."""
        return self.store.find(self.digests, self.progress.say)

    @cached_property
    def tokens(self) -> "np.ndarray":
        """int32, of each different text; counted where the store does not know."""
        tokens = self.found.tokens.copy()
        counting = Counting(self.digests, self.take, self.job.encoder, self.store, self.progress)
        counting.fill(tokens, self.found.missing)
        return tokens

    @cached_property
    def shards(self) -> "list[np.ndarray]":
        """Which different texts each shard of the plan has; none where nothing is missing."""
        return plan.shards(self.tokens, self.digests) if self.found.missing.any() else []

    def size(self, part: plan.Part | None = None) -> tuple[int, int]:
        """How many texts are to be encoded, of one part of the plan, and how many tokens these have."""
        missing = [rows[self.found.missing[rows]] for rows in self.of(part)]
        return sum(map(len, missing)), sum(int(self.tokens[rows].sum()) for rows in missing)

    def work(self, part: plan.Part | None = None) -> Iterator[Work]:
        """What is to be encoded, shard by shard; of one part of the plan."""
        for planned in self.of(part):
            rows = planned[self.found.missing[planned]]
            if len(rows):
                digests = self.digests[rows]
                yield Work(
                    self.job.role, self.store, self.store.path(digests), digests, self.tokens[rows], self.take(rows)
                )

    def vectors(self) -> Vectors:
        """The vectors, once all of them are there."""
        if self.found.missing.any():
            del self.found  # what has been encoded since is looked up
        if self.found.missing.any():
            raise ScirankError(f"{self.store.folder}: vectors vanished while they were used; run again")
        widths = {shard.layout["vectors"][1][1] for shard in self.found.shards}
        if len(widths) > 1:
            found = " and of ".join(map(str, sorted(widths)))
            raise ScirankError(f"the model gave vectors of {found} dimensions; they have to be the same")
        return Vectors(self.which, self.found, self._kept)

    def of(self, part: plan.Part | None) -> "list[np.ndarray]":
        """The shards of one part of the plan."""
        return self.shards if part is None else self.shards[part.index :: part.count]

    def take(self, rows: "np.ndarray") -> list[Text]:
        """Some of the different texts."""
        return [self.job.texts[place] for place in self._first[rows]]


def encode_shard(work: Work, encoder: Encoder, done: Done, wait: bool = False) -> bool:
    """Encode a shard and write it, unless another process has or, where this one does not wait, does.

    Returns:
        Whether it is there.
    """
    with work.store.claim(work.path, wait) as mine:
        if not mine:
            return False
        if work.path.exists():
            done(len(work.texts), int(work.tokens.sum()))
            return True
        slices = list(plan.batches(work.tokens.tolist(), encoder.budget))
        texts = [list(work.texts[part]) for part in slices]
        batches = []
        for part, batch, vectors in zip(slices, texts, encoder.encode(iter(texts)), strict=True):
            batches.append(checked(vectors, batch))
            if batches[-1].rows.shape[1] != batches[0].rows.shape[1]:
                widths = f"{batches[0].rows.shape[1]} and of {batches[-1].rows.shape[1]}"
                raise ScirankError(f"the model gave vectors of {widths} dimensions; they have to be the same")
            if (batches[-1].dtype, batches[-1].counts is None) != (batches[0].dtype, batches[0].counts is None):
                raise ScirankError(
                    "the model gave vectors in several precisions, or one vector for some texts and several for others"
                )
            done(len(batch), int(work.tokens[part].sum()))
        with telling_of_full_disks(work.store.folder):
            write(work.path, work.digests, work.tokens, batches)
        return True


def _digest(text: Text) -> bytes:
    """Of a text, or of a pair, whose parts cannot run into each other."""
    parts = [text] if isinstance(text, str) else text
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    lengths = b"".join(len(part).to_bytes(8, "little") for part in encoded)
    return hashlib.blake2b(lengths + b"".join(encoded), digest_size=16).digest()


def checked(encoded: Any, texts: Sequence[Text]) -> Batch:
    """What a model gave for a batch, as it is kept."""
    import numpy as np

    ragged = isinstance(encoded, list | tuple) and len(encoded) > 0 and getattr(encoded[0], "ndim", 1) == 2
    try:
        dtype = _dtype(encoded[0] if isinstance(encoded, list | tuple) and len(encoded) else encoded)
        if ragged:
            rows = np.concatenate([_plain(vectors) for vectors in encoded])
        elif isinstance(encoded, list | tuple):
            rows = np.asarray([_plain(vector) for vector in encoded], np.float32)
        else:
            rows = np.asarray(_plain(encoded), np.float32)
        rows = rows.astype(np.float32, copy=False)
    except (TypeError, ValueError) as error:
        raise ScirankError(f"the model gave no array of numbers ({error}); expected (texts, dimensions)") from error
    if rows.ndim != 2 or (len(encoded) if ragged else len(rows)) != len(texts):
        raise ScirankError(
            f"the model gave an array of shape {rows.shape} for {len(texts)} texts; expected (texts, dimensions)"
        )
    counts = [len(vectors) for vectors in encoded] if ragged else None
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        if counts is not None:
            bad = int(np.searchsorted(np.cumsum(counts), bad, side="right"))
        raise ScirankError(f"the model gave a vector with NaN or infinity for the text {str(texts[bad])[:80]!r}")
    return Batch(_stored(rows, dtype), dtype, counts)


def _dtype(array: Any) -> str:
    """In what precision something was computed, of those that are kept; others are kept in single."""
    name = str(getattr(array, "dtype", "")).removeprefix("torch.")
    return name if name in DTYPES else "float32"


def _stored(rows: "np.ndarray", dtype: str) -> "np.ndarray":
    """Rows in the precision that they were computed in, which loses nothing."""
    import numpy as np

    if dtype == "bfloat16":
        return (rows.view(np.uint32) >> 16).astype(np.uint16)
    return rows.astype(dtype)


def _plain(vectors: Any) -> Any:
    """Tensors in any precision and on any device, as something NumPy takes."""
    return vectors.detach().float().cpu().numpy() if hasattr(vectors, "detach") else vectors
