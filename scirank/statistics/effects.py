"""How large differences are, beside how sure: effect sizes, what could have been seen, and on how many queries."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from .strata import Strata

ALPHA = 0.05
POWER = 0.8
SAME = 1e-12
"""Differences, deviations and errors of at most this are 0 but for rounding."""


@dataclass(frozen=True, eq=False)
class Tally:
    """On how many queries a difference is above 0, is 0, is below: each of shape (groups + 1, columns), all last."""

    wins: np.ndarray
    ties: np.ndarray
    losses: np.ndarray


def effect_sizes(differences: np.ndarray, strata: Strata) -> np.ndarray:
    """Cohen's d_z: the mean difference by the standard deviation of differences (ddof 1).

    The average is divided by the square root of the weighted mean of the groups' variances.

    Args:
        differences: of shape (columns, queries).
        strata: the queries' groups.

    Returns:
        Of shape (groups + 1, columns), the average last. NaN where the deviation is 0 and where a group, or any group
        of the average, has one query.
    """
    deviations = np.sqrt(strata.with_average(_variances(differences, strata)))
    return strata.means(differences) / np.where(deviations > SAME, deviations, np.nan)


def detectable_differences(differences: np.ndarray, strata: Strata) -> np.ndarray:
    """The smallest true difference that a two-sided test at `ALPHA` finds with a chance of `POWER`.

    That is (z of 1 - alpha / 2, plus z of power) times the standard error of the mean difference, which comes from the
    variances within groups. Normal approximation: Cohen, Statistical Power Analysis (1988).

    Args:
        differences: of shape (columns, queries).
        strata: the queries' groups.

    Returns:
        Of shape (groups + 1, columns), the average last. NaN where `effect_sizes` is.
    """
    squares = _variances(differences, strata) / strata.sizes[:-1, None]
    errors = np.sqrt(np.vstack([squares, strata.weights**2 @ squares]))
    normal = NormalDist()
    return (normal.inv_cdf(1 - ALPHA / 2) + normal.inv_cdf(POWER)) * np.where(errors > SAME, errors, np.nan)


def tally(differences: np.ndarray, strata: Strata) -> Tally:
    """Count queries by the sign of their differences, of shape (columns, queries)."""
    return Tally(*(_counts(of, strata) for of in (differences > SAME, abs(differences) <= SAME, differences < -SAME)))


def _variances(differences: np.ndarray, strata: Strata) -> np.ndarray:
    """Of shape (groups, columns); NaN for a group of one query."""
    unknown = np.full(len(differences), np.nan)
    return np.stack([differences[:, rows].var(axis=1, ddof=1) if len(rows) > 1 else unknown for rows in strata.rows])


def _counts(chosen: np.ndarray, strata: Strata) -> np.ndarray:
    by_group = np.stack([chosen[:, rows].sum(axis=1) for rows in strata.rows])
    return np.vstack([by_group, by_group.sum(axis=0)])
