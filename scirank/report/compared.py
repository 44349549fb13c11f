"""A comparison as CSV, JSON, LaTeX and Markdown."""

import csv
import io
import json
from dataclasses import asdict, fields, replace

from ..analysis.comparison import AVERAGE, Comparison
from ..results import Result
from ..statistics import Difference
from . import formats
from .comparing import LEVEL
from .formats import Emphasis, Emphasise

MARKS = f"bold: the highest of its row; *: above every other, p < {LEVEL} after Holm's correction"


def as_csv(comparison: Comparison) -> str:
    """A row a model, measure and group, then a row a pair, measure and group; numbers in full."""
    out = io.StringIO()
    names = ["kind", *("value" if field.name == "difference" else field.name for field in fields(Difference))]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    statistics = comparison.statistics
    means = (
        {"kind": "mean", "a": row.pop("model"), "value": row.pop("mean"), **row}
        for row in map(asdict, statistics.estimates)
    )
    differences = (
        {"kind": "difference", "value": row.pop("difference"), **row} for row in map(asdict, statistics.differences)
    )
    writer.writerows({**row, "group": row["group"] or AVERAGE} for row in (*means, *differences))
    return out.getvalue()


def as_json(comparison: Comparison) -> str:
    """One object: the results, each mean, each difference, and how they were made."""
    found = {
        "results": {name: result.to_dict() for name, result in comparison.results.items()},
        "cautions": list(comparison.cautions),
        **asdict(comparison.statistics),
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def as_markdown(comparison: Comparison) -> str:
    """The table of results, and what its marks mean."""
    return formats.as_markdown(_named(comparison), _emphasis(comparison), comparison.measures) + f"\n{MARKS}\n"


def as_latex(comparison: Comparison) -> str:
    """The booktabs table of results; what its marks mean stands in a comment."""
    table = formats.as_latex(_named(comparison), _emphasis(comparison), comparison.measures)
    return f"% {MARKS}\n{table}"


def _named(comparison: Comparison) -> list[Result]:
    return [replace(result, model=name) for name, result in comparison.results.items()]


def _emphasis(comparison: Comparison) -> Emphasise:
    """The highest number of a row and measure, as it is printed, and whether it is surely above all others."""
    names, statistics = list(comparison.results), comparison.statistics
    tables = [dict(result.sections) for result in comparison.results.values()]
    average = comparison.first.average_name

    def sure(place: int, group: str | None, measure: str) -> bool:
        for at, other in enumerate(names):
            a, b = (names[place], other) if place < at else (other, names[place])
            if at != place and statistics.difference(a, b, measure, group).p_holm >= LEVEL:
                return False
        return True

    def emphasise(place: int, kind: str, row: str, measure: str) -> Emphasis:
        printed = [round(table[kind][row][measure], 2) for table in tables]
        if len(printed) < 2 or printed[place] < max(printed):
            return Emphasis()
        untested = kind == "discipline" or (kind == "average" and row != average)
        if untested or printed.count(max(printed)) > 1:
            return Emphasis(best=True)
        return Emphasis(best=True, sure=sure(place, None if kind == "average" else row, measure))

    return emphasise


FORMATS = {"csv": as_csv, "json": as_json, "latex": as_latex, "markdown": as_markdown}
