"""OAG-QA's results for the eye: topics, disciplines, three averages, both hit rules side by side."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from mdcr_metric.outcomes import EXACT

from ..errors import counted
from ..results import Result
from .formats import fitted, label

CELL = 9  # the width of a number with what is around it
NAMES = 56  # the width that names take
RULES = (
    "Hit@K: an answer stands in a title (rule title_span, upstream's); exact: it is the title (rule exact_title); "
    "false: questions that hit by the first only"
)


def print_questions(results: Sequence[Result], console: Console) -> None:
    """Print topics and disciplines, as many models side by side as fit, then the averages under both rules.

    Of one model all measures are shown, as far as they fit; of several the one that is published.
    """
    main, every = results[0].headline, _of_span(results[0])
    console.print(results[0].title, style="bold", highlight=False, soft_wrap=True)
    console.print(RULES, style="dim", soft_wrap=True)
    measures = _that_fit(every, main, console.width - NAMES - 2 * CELL) if len(results) == 1 else [main]
    per_table = max(1, (console.width - NAMES) // (CELL * (len(measures) + 2)))
    for first in range(0, len(results), per_table):
        console.print(_groups_table(results[first : first + per_table], measures))
        console.print(_disciplines_table(results[first : first + per_table], measures))
    console.print("Averages, under each hit rule", style="bold", highlight=False)
    fitting = _that_fit(every, main, console.width - NAMES - max(len(result.model) for result in results))
    console.print(_averages_table(results, fitting))
    if len(fitting) < len(every):
        left = ", ".join(label(measure) for measure in every if measure not in fitting)
        console.print(f"Not shown, for want of width: {left}; --format csv has all", style="dim", soft_wrap=True)
    for result in results:
        console.print(f"{result.model}: {_false_hits(result)}{_calibration(result)}", soft_wrap=True, highlight=False)
    console.print("No published numbers are shown beside: none could be checked", style="dim", soft_wrap=True)


def _that_fit(measures: Sequence[str], main: str, width: int) -> list[str]:
    """The main measure, and as many of the others, in their order, as there is room for."""
    others = [measure for measure in measures if measure != main][: max(0, width // CELL - 1)]
    return [measure for measure in measures if measure == main or measure in others]


def _of_span(result: Result) -> list[str]:
    return [measure for measure in result.measures if not measure.startswith(EXACT)]


def _groups_table(results: Sequence[Result], measures: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("\ndiscipline", no_wrap=True)
    table.add_column("\ntopic", no_wrap=True)
    table.add_column("\nquestions", justify="right")
    main = results[0].headline
    for result in results:
        both = [f"exact@{main.removeprefix('hit_')}", "false"] if main.startswith("hit_") else []
        _add_columns(table, result.model, [*map(label, measures), *both])
    last = ""
    for topic, row in results[0].summary["groups"].items():
        discipline = row["discipline"]
        cells = [discipline if discipline != last else "", topic, f"{row['queries']:,}"]
        last = discipline
        for result in results:
            there = result.summary["groups"][topic]
            cells += [_number(there[measure]) for measure in measures]
            if main.startswith("hit_"):
                cells += [_number(there[EXACT + main]), f"{there['false_hits'][main]:,}"]
        table.add_row(*cells)
    return table


def _disciplines_table(results: Sequence[Result], measures: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("\ndiscipline", no_wrap=True)
    table.add_column("\ntopics", justify="right")
    for result in results:
        _add_columns(table, result.model, [label(measure) for measure in measures])
    for discipline, row in results[0].summary["disciplines"].items():
        rows = [result.summary["disciplines"][discipline] for result in results]
        table.add_row(discipline, f"{row['topics']}", *(_number(row[measure]) for row in rows for measure in measures))
    return table


def _add_columns(table: Table, model: str, labels: Sequence[str]) -> None:
    """A model's columns, its name over the first."""
    for at, name in enumerate(labels):
        table.add_column(f"{fitted(model, 3 * CELL) if at == 0 else ''}\n{name}", justify="right", min_width=6)


def _averages_table(results: Sequence[Result], measures: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for head in ("model", "average", "rule"):
        table.add_column(head, no_wrap=True)
    for measure in measures:
        table.add_column(label(measure), justify="right", no_wrap=True, min_width=6)
    for result in results:
        model = result.model
        for average, row in result.sections[-1].rows.items():
            exact = [row.get(EXACT + measure, row[measure]) for measure in measures]
            span = [row[m] if EXACT + m in row else None for m in measures]
            table.add_row(model, average, "title_span", *map(_number, span))
            table.add_row("", "", "exact_title", *map(_number, exact))
            model = ""
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _false_hits(result: Result) -> str:
    found = ", ".join(f"{label(measure)} {number:,}" for measure, number in result.summary["false_hits"].items())
    queries = counted(result.summary["queries"], "question", "questions")
    return f"false hits (title_span only), of {queries}: {found}" if found else "no Hit@K asked for"


def _calibration(result: Result) -> str:
    summary: dict[str, Any] = result.summary
    if "ece" not in summary:
        return ""
    return f"; calibration error (ECE) {summary['ece']:.3f}, exact {summary['exact_ece']:.3f}"
