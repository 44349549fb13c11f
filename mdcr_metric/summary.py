"""From single queries to a table: means of groups, and their macro average, rounded as published."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .queries import PerQuery

DIGITS = 4


def summarise(per_query: PerQuery, groups: Sequence[str]) -> dict[str, Any]:
    """Percentages for each group and their unweighted mean over groups.

    Each group's mean is rounded to 4 decimals, the mean of those is rounded again: that is what
    the published table holds. `unrounded` has both without any rounding. Groups keep the order of
    their first query.

    Args:
        per_query: values from 0 to 1.
        groups: the group of each query.
    """
    rows: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    unrounded = {
        group: {
            str(measure): float(100 * np.mean([values[row] for row in members]))
            for measure, values in per_query.values.items()
        }
        for group, members in rows.items()
    }
    by_group: dict[str, dict[str, Any]] = {
        group: {
            **{name: _round(value) for name, value in unrounded[group].items()},
            "queries": len(members),
            "tied_queries": sum(per_query.tied[row] for row in members),
        }
        for group, members in rows.items()
    }
    names = [str(measure) for measure in per_query.values]
    return {
        **{name: _round(float(np.mean([group[name] for group in by_group.values()]))) for name in names},
        "queries": len(groups),
        "tied_queries": sum(per_query.tied),
        "groups": by_group,
        "unrounded": {
            **{name: float(np.mean([group[name] for group in unrounded.values()])) for name in names},
            "groups": unrounded,
        },
    }


def _round(value: float) -> float:
    return float(np.round(value, DIGITS))
