"""What a job would take, before it is carried out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..progress import Progress
from . import plan
from .encode import Encoding, checked
from .job import Job, Text

PROBES = 5
"""Batches that are encoded to measure the speed: the longest, the shortest, and some between."""


@dataclass(frozen=True)
class Estimate:
    """What a job would take.

    Attributes:
        role: what the texts are.
        texts: how many there are.
        different: how many different ones.
        kept: how many of these the store has.
        to_encode: how many of those that it has not would be encoded: all, or those of one part of the plan.
        tokens: of these, as the model gets them.
        shards: files that would be written.
        seconds: to encode them on the device at hand, at the speed that some batches had.
        size: bytes that would be written.
        folder: where; None where nothing is kept.
    """

    role: str
    texts: int
    different: int
    kept: int
    to_encode: int
    tokens: int
    shards: int
    seconds: float
    size: int
    folder: Path | None


def estimate(job: Job, cache: Path | None, progress: Progress, part: plan.Part | None = None) -> Estimate:
    """Count a job's texts and tokens, and encode a few batches of it; no vector is kept."""
    encoding = Encoding(job, cache, progress)
    missing, tokens = encoding.size(part)
    seconds, size = _probe(encoding, part) if missing else (0.0, 0.0)
    return Estimate(
        role=job.role,
        texts=len(job.texts),
        different=len(encoding.digests),
        kept=len(encoding.digests) - int(encoding.found.missing.sum()),
        to_encode=missing,
        tokens=tokens,
        shards=sum(bool(encoding.found.missing[rows].any()) for rows in encoding.of(part)),
        seconds=seconds * tokens,
        size=round(size * missing),
        folder=encoding.folder,
    )


def _probe(encoding: Encoding, part: plan.Part | None) -> tuple[float, float]:
    """Seconds a token, and bytes a text."""
    import numpy as np

    missing = np.concatenate([rows[encoding.found.missing[rows]] for rows in encoding.of(part)])
    tokens = encoding.tokens[missing]
    batches = list(plan.batches(tokens.tolist(), encoding.job.encoder.budget))
    chosen = [batches[place] for place in sorted({round(i * (len(batches) - 1) / (PROBES - 1)) for i in range(PROBES)})]
    texts = [encoding.take(missing[batch]) for batch in chosen]
    _timed(encoding, texts[-1:])  # the first call of a model has more to do
    seconds, size = _timed(encoding, texts)
    counted = sum(int(tokens[batch].sum()) for batch in chosen)
    return seconds / counted, size / sum(map(len, texts))


def _timed(encoding: Encoding, texts: Sequence[list[Text]]) -> tuple[float, int]:
    started = time.perf_counter()
    vectors = [
        checked(encoded, batch) for encoded, batch in zip(encoding.job.encoder.encode(iter(texts)), texts, strict=True)
    ]
    return time.perf_counter() - started, sum(batch.rows.nbytes for batch in vectors)
