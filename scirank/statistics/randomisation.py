"""The paired randomisation test: were the two models' names exchanged on any query, as much would be found as often.

Fisher's test, for rankings in Smucker, Allan and Carterette, CIKM 2007. Of the sign flips that there are, some are
drawn, and p is (b + 1) / (n + 1), which is valid for any n: Phipson and Smyth, 2010.
"""

import numpy as np

from .strata import Strata

CELLS = 2**16
"""Signs that are drawn at once: half a MB, so that they stay in the processor's cache."""
SAME = 1e-12
"""What rounding may change, relative to the largest mean that any signs give."""


def p_values(differences: np.ndarray, strata: Strata, *, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Two-sided p of each group's mean difference, and of the average's from the same signs.

    Means that equal the observed one but for rounding count as at least as extreme. So p is 1 where all differences
    are 0, and for a group of one query.

    Args:
        differences: of shape (columns, queries).
        strata: the queries' groups.
        resamples: how many times signs are drawn; no p is below 1 / (resamples + 1).
        rng: what draws; the draws depend on the groups' sizes only, and are the same for all columns.

    Returns:
        Of shape (groups + 1, columns), the average last.
    """
    bounds = np.abs(strata.means(differences)) - SAME * strata.means(np.abs(differences))
    extreme = np.empty(bounds.shape)
    average = np.zeros((resamples, len(differences)))
    for place, (rows, weight) in enumerate(zip(strata.rows, strata.weights, strict=True)):
        means = flipped_means(differences[:, rows], resamples, rng)
        extreme[place] = (np.abs(means) >= bounds[place]).sum(axis=0)
        average += weight * means
    extreme[-1] = (np.abs(average) >= bounds[-1]).sum(axis=0)
    return (extreme + 1) / (resamples + 1)


def flipped_means(differences: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Means of one group's differences under random signs: (columns, queries) -> (resamples, columns)."""
    queries = differences.shape[1]
    by_query = np.ascontiguousarray(differences.T)
    flipped = np.empty((resamples, len(differences)))
    batch = max(1, CELLS // queries)
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        words = rng.integers(0, 2**64, (size, -(-queries // 64)), dtype=np.uint64)
        flips = np.unpackbits(words.view(np.uint8), axis=1, count=queries)
        flipped[start : start + size] = flips.astype(np.float64) @ by_query
    means: np.ndarray = (by_query.sum(axis=0) - 2 * flipped) / queries
    return means
