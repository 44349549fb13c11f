"""How well scores say how likely a hit is: expected calibration error, as upstream defines it.

PT-Retrieval's `calibration_ece_openqa.py`: a softmax over the scores of each question's first five
papers, all of them pooled, in ten bins of equal width.
"""

from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOP = 5
LEAST = -1e300  # below any score; stands for the highest of none
BINS = 10


@dataclass(frozen=True)
class Calibration:
    """The error, from 0 to 1, and for each bin the number of papers, mean confidence and share of hits."""

    ece: float
    count: list[int]
    confidence: list[float]
    accuracy: list[float]


def calibrate(scores: Sequence[Sequence[float]], hits: Sequence[Collection[int]]) -> Calibration:
    """The calibration of ranked scores.

    Args:
        scores: for each question, of its ranked papers, best first.
        hits: for each question, the ranks, from 0, of its hits.
    """
    top = np.full((len(scores), TOP), -np.inf)
    label = np.zeros((len(scores), TOP))
    for at, (row, ranks) in enumerate(zip(scores, hits, strict=True)):
        top[at, : len(row)] = row[:TOP]
        label[at, [rank for rank in ranks if rank < TOP]] = 1
    there = top > -np.inf
    chances = np.exp(top - np.maximum(top.max(axis=1, initial=-np.inf), LEAST)[:, None])
    confidence = (chances / np.maximum(chances.sum(axis=1), 1)[:, None])[there]
    label = label[there]
    edges = np.linspace(0, 1, BINS + 1)
    place = np.searchsorted(edges[1:-1], confidence)
    count = np.bincount(place, minlength=BINS)
    mean = np.bincount(place, confidence, BINS) / np.maximum(count, 1)
    share = np.bincount(place, label, BINS) / np.maximum(count, 1)
    error = float(np.abs(share - mean) @ count / max(1, count.sum()))
    return Calibration(error, count.tolist(), mean.tolist(), share.tolist())
