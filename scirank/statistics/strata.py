"""Queries by group, and how much each group counts in the average."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ScirankError, shown

AVERAGES = ("macro_groups", "macro_disciplines", "over_questions")
"""Of the groups' means; of the disciplines' means, each the mean of its topics'; of all queries."""


@dataclass(frozen=True, eq=False)
class Strata:
    """The groups that an average is over; each is drawn from on its own.

    What is computed from them has a row for each group and, last, one for the average.

    Attributes:
        groups: in the order of their first query.
        rows: the places of each group's queries among all.
        weights: of shape (groups,); they sum to 1, and an average is the sum of weight times group's mean.
    """

    groups: tuple[str, ...]
    rows: tuple[np.ndarray, ...]
    weights: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many queries each group has, and all together: of shape (groups + 1,)."""
        sizes = [len(rows) for rows in self.rows]
        return np.array([*sizes, sum(sizes)])

    def with_average(self, by_group: np.ndarray) -> np.ndarray:
        """Append the weighted mean as a row: (groups, columns) -> (groups + 1, columns)."""
        return np.vstack([by_group, self.weights @ by_group])

    def means(self, values: np.ndarray) -> np.ndarray:
        """Each group's mean, and their average: (columns, queries) -> (groups + 1, columns)."""
        return self.with_average(np.stack([values[:, rows].mean(axis=1) for rows in self.rows]))


def strata(groups: Sequence[str], parts: Mapping[str, str] | None = None, average: str = "macro_groups") -> Strata:
    """Group queries, and weigh the groups as the benchmark's average does.

    Args:
        groups: the group of each query.
        parts: topic -> discipline; only `macro_disciplines` needs it.
        average: one of `AVERAGES`.

    Raises:
        ScirankError: no queries, no such average, or a group of no known discipline.
    """
    if not groups:
        raise ScirankError("there are no queries to average over")
    members: dict[str, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    return Strata(tuple(members), tuple(map(np.array, members.values())), _weights(members, parts or {}, average))


def _weights(members: Mapping[str, Sequence[int]], parts: Mapping[str, str], average: str) -> np.ndarray:
    if average not in AVERAGES:
        raise ScirankError(f"unknown average {average!r}; valid are {', '.join(AVERAGES)}")
    if average == "macro_groups":
        shares = np.ones(len(members))
    elif average == "over_questions":
        shares = np.array([len(rows) for rows in members.values()], dtype=np.float64)
    else:
        if lacking := [group for group in members if group not in parts]:
            raise ScirankError(f"{average} needs the discipline of every topic; it is not known of {shown(lacking)}")
        topics = Counter(parts[group] for group in members)
        shares = np.array([1 / topics[parts[group]] for group in members])
    weights: np.ndarray = shares / shares.sum()
    return weights
