"""How well scores say how likely a hit is: expected calibration error, as upstream defines it.

PT-Retrieval's `calibration_ece_openqa.py`: a softmax over the scores of each question's first five
papers, all of them pooled, in ten bins of equal width.
"""

from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TOP = 5
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
    confidence, label = [], []
    for row, ranks in zip(scores, hits, strict=True):
        top = np.asarray(row[:TOP], dtype=np.float64)
        if len(top):
            chances = np.exp(top - top.max())
            confidence += (chances / chances.sum()).tolist()
            label += [float(rank in ranks) for rank in range(len(top))]
    edges = np.linspace(0, 1, BINS + 1)
    place = np.searchsorted(edges[1:-1], confidence)
    count = np.bincount(place, minlength=BINS)
    mean = np.bincount(place, confidence, BINS) / np.maximum(count, 1)
    share = np.bincount(place, label, BINS) / np.maximum(count, 1)
    error = float(np.abs(share - mean) @ count / max(1, count.sum()))
    return Calibration(error, count.tolist(), mean.tolist(), share.tolist())
