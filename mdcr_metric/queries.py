"""Measures of single queries under a tie policy."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

from .expected import expected_values
from .measures import Measure
from .measures import trec_values
from .ties import POLICIES
from .ties import has_mixed_tie
from .ties import rename


@dataclass(frozen=True)
class PerQuery:
    """Measures of each query, from 0 to 1, and whether the order of equal scores could change any."""

    values: dict[Measure, list[float]]
    tied: list[bool]


def evaluate_queries(
    runs: Sequence[Mapping[str, float]],
    qrels: Sequence[Mapping[str, int]],
    measures: Sequence[Measure],
    ties: str = "trec",
) -> PerQuery:
    """Evaluate each query.

    Args:
        runs: for each query, candidate id -> score (plain finite float).
        qrels: for each query, the same candidate ids -> 0 or 1.
        measures: what to compute.
        ties: one of `POLICIES`.

    Raises:
        ValueError: no such tie policy.
    """
    if ties not in POLICIES:
        raise ValueError(f"unknown tie policy {ties!r}; valid are {', '.join(POLICIES)}")
    mixed = [row for row, (run, qrel) in enumerate(zip(runs, qrels, strict=True)) if has_mixed_tie(run, qrel)]
    extremes = {first: _renamed_values(runs, qrels, mixed, measures, first) for first in (True, False)} if mixed else {}
    tied = [False] * len(runs)
    for at, row in enumerate(mixed):
        tied[row] = any(extremes[True][m][at] != extremes[False][m][at] for m in measures)
    values = trec_values(runs, qrels, measures)
    if mixed and ties == "expected":
        replacement = [expected_values(runs[row], qrels[row], measures) for row in mixed]
        _replace(values, mixed, dict(zip(measures, map(list, zip(*replacement, strict=True)), strict=True)))
    elif mixed and ties != "trec":
        _replace(values, mixed, extremes[ties == "optimistic"])
    return PerQuery(values, tied)


def _renamed_values(
    runs: Sequence[Mapping[str, float]],
    qrels: Sequence[Mapping[str, int]],
    rows: Sequence[int],
    measures: Sequence[Measure],
    relevant_first: bool,
) -> dict[Measure, list[float]]:
    pairs = [rename(runs[row], qrels[row], relevant_first) for row in rows]
    return trec_values([run for run, _ in pairs], [qrel for _, qrel in pairs], measures)


def _replace(
    values: dict[Measure, list[float]], rows: Sequence[int], replacement: Mapping[Measure, Sequence[float]]
) -> None:
    for measure, column in replacement.items():
        for row, value in zip(rows, column, strict=True):
            values[measure][row] = value
