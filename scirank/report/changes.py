"""The queries that changed most between two models, for the eye."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from rich import box
from rich.console import Console
from rich.table import Table

from ..analysis.queries import Change, Place, view
from ..benchmarks import Benchmark
from ..errors import counted
from ..results import Result
from .formats import fitted

TOP = 3
"""Papers of each model."""


def print_changes(
    found: Sequence[Change], results: Mapping[str, Result], benchmark: Benchmark | None, console: Console
) -> None:
    """Print queries with a measure of two models and, where their ranked lists are known, the first papers of both.

    Args:
        found: the queries.
        results: the two, by name, in the order that `found` is in.
        benchmark: for titles.
        console: where.
    """
    console.print(f"The {counted(len(found), 'query', 'queries')} that changed most", style="bold")
    if any(result.lists is None for result in results.values()):
        console.print(_table(found, list(results), benchmark))
        return
    for change in found:
        console.print(f"query {change.query_id}, {change.group}: {_title(change, benchmark)}", soft_wrap=True)
        console.print(_first_papers(change, results, benchmark))


def _title(change: Change, benchmark: Benchmark | None) -> str:
    if benchmark is None:
        return ""
    document = next(task for task in benchmark.tasks if task.group == change.group).queries[change.query_id]
    return document.title or document.text


def _table(found: Sequence[Change], names: Sequence[str], benchmark: Benchmark | None) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for head in ("group", "query"):
        table.add_column(f"\n{head}", no_wrap=True)
    for name in names:
        table.add_column(f"{fitted(name, 20)}\n", justify="right")
    table.add_column("\ntitle", max_width=80, no_wrap=True, overflow="ellipsis")
    for each in found:
        table.add_row(each.group, each.query_id, f"{each.a:.2f}", f"{each.b:.2f}", _title(each, benchmark))
    return table


def _first_papers(change: Change, results: Mapping[str, Result], benchmark: Benchmark | None) -> Table:
    """The first papers of both models beside each other, and the first right one where it comes later."""
    found = view(results, change.query_id, change.group, benchmark, TOP)
    shown = [
        [*places, *[place for place in found.right[name][:1] if place.rank > TOP]]
        for name, places in found.rankings.items()
    ]
    table = Table(box=box.SIMPLE, pad_edge=False, expand=True)
    for name, value in zip(results, (change.a, change.b), strict=True):
        table.add_column("rank", no_wrap=True)
        table.add_column(f"{fitted(name, 28)}, {value:.2f}", no_wrap=True, overflow="ellipsis", ratio=1)
    for places in zip_longest(*shown):
        table.add_row(*(text for place in places for text in _cells(place)))
    return table


def _cells(place: Place | None) -> tuple[str, str]:
    if place is None:
        return "", ""
    return f"{place.rank}{', right' if place.right else ''}", place.title or place.paper
