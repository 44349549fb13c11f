"""Results for the eye, with the published rows beside them."""

import io
import sys
from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from ..errors import counted
from ..results import PublishedRow, Result, published_rows
from ..results.published import caveat, published_beside
from .formats import fitted, label
from .questions import print_questions

CELL = 7
WIDTH = 200
Column = tuple[str, Mapping[str, Mapping[str, float]], Mapping[str, float]]


def console() -> Console:
    """Standard output: as wide as the terminal, or wide enough for any table. Text is text, not markup."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, markup=False, emoji=False, highlight=False)


def print_results(results: Sequence[Result], console: Console) -> None:
    """Print a table of groups, as many models side by side as fit, and a table of averages."""
    if results[0].asks_questions:
        print_questions(results, console)
        return
    beside = published_beside(results[0].benchmark, results[0].split, results[0].groups)
    per_table = max(1, (console.width - 24) // (CELL * len(results[0].measures) + 2) - len(beside))
    console.print(results[0].title, style="bold", highlight=False, soft_wrap=True)
    for first in range(0, len(results), per_table):
        console.print(_groups_table(results[first : first + per_table], beside))
    console.print(f"Averages over {counted(len(results[0].groups), 'field', 'fields')}", style="bold", highlight=False)
    console.print(_averages_table(results))
    published = published_rows(results[0].benchmark.removesuffix("-mini"))
    if not published:  # of a benchmark of one's own
        return
    sources = list(dict.fromkeys(row.source for row in published))
    heading = f"Published, 19 fields of MDCR's test split{why_not_comparable(results[0])}"
    console.print(heading, style="bold", highlight=False, soft_wrap=True)
    console.print(_published_table(published, sources, results[0].measures))
    for number, source in enumerate(sources, 1):
        console.print(f"[{number}] {source}", style="dim", soft_wrap=True)


def why_not_comparable(result: Result) -> str:
    """What a heading of published rows says of a result beside them."""
    ties = result.provenance.get("settings", {}).get("ties")
    if why := caveat(result.benchmark, result.split, result.groups, ties):
        return f"; not comparable: {why}"
    return "" if result.split else "; comparable if these scores are of that split"


def as_text(results: Sequence[Result]) -> str:
    """The same as a string, without colours, and the notes."""
    out = io.StringIO()
    print_results(results, Console(file=out, width=WIDTH, no_color=True, markup=False, emoji=False))
    notes = [f"note: {note}\n" for result in results for note in result.notes]
    return out.getvalue() + "".join(notes)


def _groups_table(results: Sequence[Result], published: Sequence[PublishedRow]) -> Table:
    measures = results[0].measures
    columns: list[Column] = [(result.model, result.groups, result.average) for result in results]
    columns += [(f"{row.model}, published", row.groups, row.average) for row in published]
    table = Table(box=box.SIMPLE, pad_edge=False, show_footer=True)
    table.add_column("\nfield", footer="AVG", no_wrap=True)
    for name, _, average in columns:
        # One column a model, so that its name can stand over all its measures.
        width = CELL * len(measures)
        head = f"{fitted(name, width):>{width}}\n{''.join(f'{label(measure):>{CELL}}' for measure in measures)}"
        table.add_column(head, footer=_numbers(average, measures), justify="right", no_wrap=True)
    for group in results[0].groups:
        table.add_row(group, *(_numbers(groups[group], measures) for _, groups, _ in columns))
    return table


def _averages_table(results: Sequence[Result]) -> Table:
    table = _empty_averages(results[0].measures)
    for result in sorted(results, key=lambda result: -result.average[results[0].measures[0]]):
        table.add_row(result.model, *(_number(value) for value in result.average.values()))
    return table


def _published_table(published: Sequence[PublishedRow], sources: Sequence[str], measures: Sequence[str]) -> Table:
    table = _empty_averages(measures)
    table.add_column("source")
    for row in published:
        numbers = [_number(row.average.get(measure)) for measure in measures]
        table.add_row(row.model, *numbers, f"[{sources.index(row.source) + 1}]")
    return table


def _empty_averages(measures: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("model", no_wrap=True, min_width=29)
    for measure in measures:
        table.add_column(label(measure), justify="right", no_wrap=True, min_width=6)
    return table


def _numbers(values: Mapping[str, float], measures: Sequence[str]) -> str:
    return "".join(f"{_number(values.get(measure)):>{CELL}}" for measure in measures)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
