"""What is left of p-values when several are looked at."""

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Adjusted p-values by Holm's step-down procedure (Scandinavian Journal of Statistics 6, 1979).

    They keep the order of the p-values and are at most 1. Where those at most alpha are called significant, the chance
    of even one false finding is at most alpha, however the p-values depend on each other.

    Args:
        p: of shape (tests, ...); a family is along the first axis.
    """
    tests = len(p)
    order = np.argsort(p, axis=0, kind="stable")
    left = np.arange(tests, 0, -1).reshape(-1, *[1] * (p.ndim - 1))
    stepped = np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * left, axis=0)
    adjusted = np.empty(p.shape)
    np.put_along_axis(adjusted, order, np.minimum(stepped, 1), axis=0)
    return adjusted
