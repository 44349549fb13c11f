"""Numbers as the page prints them, and as its script reads them.

The script gets numbers as they are printed, so that both print the same ones: rounding twice could differ.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mdcr_metric.outcomes import EXACT

from ...analysis.comparison import Comparison
from ...statistics import Difference, Estimate, Statistics
from ..comparing import LEVEL

MINUS = "\u2212"
Number = int | float | None
Cell = tuple[Number, Number, Number]
"""A mean, and its interval."""


def rounded(value: float | None, digits: int = 2) -> Number:
    """A number as it is printed; a whole one as such, which is shorter."""
    if value is None:
        return None
    short = round(value, digits)
    return int(short) if short == int(short) else short


def fixed(value: Number) -> str:
    """Two decimals; nothing for None."""
    return "" if value is None else f"{value:.2f}".replace("-", MINUS)


def signed(value: Number) -> str:
    """The same with its sign, but for 0."""
    return fixed(value) if not value else f"{value:+.2f}".replace("-", MINUS)


def p_value(value: Number) -> str:
    """Four decimals."""
    return "" if value is None else "<0.0001" if value < 0.00005 else f"{value:.4f}"


def script_json(value: Any) -> str:
    """JSON that can stand in a script element: no tag or comment begins in it, and no line ends."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def estimates(comparison: Comparison) -> list[list[list[Cell]]]:
    """Measure -> model -> each group's mean, and last the average."""
    found = comparison.statistics
    return [
        [[cell(found.estimate(name, measure, group)) for group in _groups(comparison)] for name in comparison.results]
        for measure in comparison.measures
    ]


def differences(comparison: Comparison) -> list[list[list[list[Number]]]]:
    """Pair -> measure -> each group's difference, and last the average's; see `_difference`."""
    found = comparison.statistics
    return [
        [
            [_difference(found.difference(a, b, measure, group)) for group in _groups(comparison)]
            for measure in comparison.measures
        ]
        for a, b in comparison.pairs
    ]


def disciplines(comparison: Comparison) -> list[list[list[Number]]]:
    """Of OAG-QA: measure -> model -> each discipline's mean."""
    summaries = [result.summary.get("disciplines", {}) for result in comparison.results.values()]
    return [[[rounded(row[measure]) for row in rows.values()] for rows in summaries] for measure in comparison.measures]


def cell(found: Estimate) -> Cell:
    """A mean, and its interval."""
    return rounded(found.mean), rounded(found.low), rounded(found.high)


def _groups(comparison: Comparison) -> list[str | None]:
    return [*comparison.first.groups, None]


def _difference(found: Difference) -> list[Number]:
    return [
        rounded(found.difference),
        rounded(found.low),
        rounded(found.high),
        rounded(found.p, 4),
        rounded(found.p_holm, 4),
        int(found.p_holm < LEVEL),
        rounded(found.effect),
        found.wins,
        found.ties,
        found.losses,
    ]


def ends(rows: Sequence[Sequence[Number]]) -> tuple[float, float]:
    """Where the lines of differences' intervals begin, and how much they span, 0 included."""
    bounds = [bound or 0 for row in rows for bound in row[1:3]]
    low, high = min(0, *bounds), max(0, *bounds)
    return low, high - low or 1


@dataclass(frozen=True)
class Row:
    """A row of the averages: a model's numbers, each with whether it is the best of its column."""

    model: str
    rule: str
    cells: tuple[tuple[Cell | None, bool], ...]


def averages(comparison: Comparison) -> tuple[list[str], list[Row]]:
    """The averages table: its measures, and its rows, the best model first; of OAG-QA a row a hit rule."""
    columns = list(dict.fromkeys(measure.removeprefix(EXACT) for measure in comparison.measures))
    rules: dict[str, list[str | None]] = {"": [*columns]}
    if comparison.first.asks_questions:
        rules = {
            "title_span": [_of_span(comparison, measure) for measure in columns],
            "exact_title": [_of_exact(comparison, measure) for measure in columns],
        }
    found = comparison.statistics
    order = sorted(comparison.results, key=lambda name: -found.estimate(name, comparison.headline).mean)
    rows = []
    for rule, measures in rules.items():
        table = {
            name: [None if measure is None else cell(found.estimate(name, measure)) for measure in measures]
            for name in order
        }
        columns_of = zip(*table.values(), strict=True)
        best = [max((each[0] or 0 for each in column if each), default=None) for column in columns_of]
        for name, cells in table.items():
            marked = (
                (each, len(order) > 1 and each is not None and each[0] == top)
                for each, top in zip(cells, best, strict=True)
            )
            if any(cells):
                rows.append(Row(name, rule, tuple(marked)))
    return columns, sorted(rows, key=lambda row: order.index(row.model))


def _of_span(comparison: Comparison, measure: str) -> str | None:
    return measure if measure in comparison.measures and not measure.startswith("recall") else None


def _of_exact(comparison: Comparison, measure: str) -> str | None:
    name = measure if measure.startswith("recall") else EXACT + measure  # recall knows the exact rule only
    return name if name in comparison.measures else None


def confusion_rows(found: Mapping[str, Statistics], models: list[str]) -> list[tuple[str, int, list[Cell]]]:
    """A row a source: its name, its queries, and each model's share."""
    rows = []
    for source, statistics in found.items():
        shares = [statistics.estimate(model, "above") for model in models]
        rows.append((source, shares[0].queries, [cell(share) for share in shares]))
    return rows
