"""A comparison for the eye: averages with intervals, every pair, groups; and what else was asked for."""

import io
from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from ..analysis.comparison import AVERAGE, Comparison
from ..analysis.subsets import Subset
from ..errors import counted
from ..statistics import Difference, Estimate, Statistics
from .formats import fitted, label
from .terminal import WIDTH

LEVEL = 0.05
"""Below this, after Holm's correction, a difference is called one."""
MODEL = 28
"""Characters of a column of a model's means with their intervals."""
LAST = ("difference", "interval", "p, Holm", "wins", "losses", "ties", "p", "effect", "detectable")
"""Columns in the order in which they are kept where not all fit; any other comes before."""
Rows = dict[str, dict[str, str]]
"""A row's name -> column -> cell."""


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the averages, each pair's differences, and for the headline measure each pair by group."""
    statistics = comparison.statistics
    console.print(comparison.first.title, style="bold", soft_wrap=True)
    for caution in comparison.cautions:
        console.print(f"note: {caution}", soft_wrap=True)
    interval = f"{statistics.confidence:.0%} intervals"
    console.print(f"Averages, {interval} by the bootstrap within groups", style="bold")
    for models in _fitting(list(comparison.results), 16, console):
        console.print(_averages(comparison, models))
    for a, b in comparison.pairs:
        console.print(verdict(comparison, a, b), style="bold", soft_wrap=True)
        console.print(_that_fit("measure", _measures(comparison, a, b), console))
        console.print(f"{label(comparison.headline)} by group", style="bold")
        console.print(_that_fit("group", _groups(comparison, a, b), console))
    if comparison.pairs:
        console.print(_how(statistics, len(comparison.pairs)), style="dim", soft_wrap=True)


def as_text(comparison: Comparison) -> str:
    """The same as a string, without colours."""
    out = io.StringIO()
    print_comparison(comparison, Console(file=out, width=WIDTH, no_color=True, markup=False, emoji=False))
    return out.getvalue()


def verdict(comparison: Comparison, a: str, b: str) -> str:
    """What the headline measure's average says of two models, in a sentence."""
    measure = comparison.headline
    found = comparison.statistics.difference(a, b, measure)
    better, worse = (a, b) if found.difference >= 0 else (b, a)
    size = f"{abs(found.difference):.2f} points of {label(measure)}"
    if found.p_holm < LEVEL:
        return f"{better} is above {worse} by {size} (p = {p_value(found.p_holm)})"
    told = f"{a} and {b}: no difference could be shown ({size} in favour of {better}, p = {p_value(found.p_holm)})"
    if found.detectable is None:
        return told
    return f"{told}; with these queries, differences from {found.detectable:.1f} points on would be seen"


def print_confusion(found: Mapping[str, Statistics], console: Console) -> None:
    """Print how often negatives of each source stand above a true citation."""
    names = list(dict.fromkeys(each.model for statistics in found.values() for each in statistics.estimates))
    console.print("How often a negative stands above a true citation, of all pairs; lower is better", style="bold")
    for models in _fitting(names, 24, console):
        table = Table(box=box.SIMPLE, pad_edge=False)
        table.add_column("negatives\nfrom", no_wrap=True)
        table.add_column("\nqueries", justify="right", no_wrap=True)
        for model in models:
            table.add_column(f"{fitted(model, MODEL)}\n% above", justify="right", no_wrap=True)
        for source, statistics in found.items():
            estimates = [statistics.estimate(model, "above") for model in models]
            table.add_row(source, f"{estimates[0].queries:,}", *map(_with_interval, estimates))
        console.print(table)


def print_subsets(found: Sequence[Subset], comparison: Comparison, console: Console) -> None:
    """Print the headline measure of some queries only."""
    measure = comparison.headline
    console.print(f"{label(measure)} of some queries, their mean", style="bold")
    for models in _fitting(list(comparison.results), 64, console):
        table = Table(box=box.SIMPLE, pad_edge=False)
        table.add_column("\nqueries", no_wrap=True)
        table.add_column("\nnumber", justify="right", no_wrap=True)
        for model in models:
            table.add_column(f"{fitted(model, MODEL)}\n{label(measure)}", justify="right", no_wrap=True)
        for subset in found:
            estimates = [subset.statistics.estimate(model, measure) for model in models]
            table.add_row(subset.name, f"{subset.queries:,}", *map(_with_interval, estimates))
        console.print(table)


def p_value(p: float) -> str:
    """A p-value as papers print it."""
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.0e}"


def _fitting(models: Sequence[str], before: int, console: Console) -> Iterator[Sequence[str]]:
    """As many models at a time as stand side by side, behind other columns."""
    most = max(1, (console.width - before) // (MODEL + 2))
    yield from (models[start : start + most] for start in range(0, len(models), most))


def _averages(comparison: Comparison, models: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("measure", no_wrap=True)
    for model in models:
        table.add_column(fitted(model, MODEL), justify="right", no_wrap=True)
    for measure in comparison.measures:
        estimates = [comparison.statistics.estimate(model, measure) for model in models]
        table.add_row(label(measure), *map(_with_interval, estimates))
    return table


def _measures(comparison: Comparison, a: str, b: str) -> Rows:
    found = ((measure, comparison.statistics.difference(a, b, measure)) for measure in comparison.measures)
    return {label(measure): _cells(each) for measure, each in found}


def _groups(comparison: Comparison, a: str, b: str) -> Rows:
    statistics, measure = comparison.statistics, comparison.headline
    rows = {}
    for group in (*comparison.first.groups, None):
        means = {fitted(m, 20): f"{statistics.estimate(m, measure, group).mean:.2f}" for m in (a, b)}
        rows[AVERAGE if group is None else group] = means | _cells(statistics.difference(a, b, measure, group))
    return rows


def _cells(found: Difference) -> dict[str, str]:
    return {
        "difference": f"{found.difference:+.2f}",
        "interval": "" if found.low is None or found.high is None else f"{found.low:+.2f} to {found.high:+.2f}",
        "p": p_value(found.p),
        "p, Holm": p_value(found.p_holm),
        "effect": "" if found.effect is None else f"{found.effect:+.2f}",
        "detectable": "" if found.detectable is None else f"{found.detectable:.2f}",
        "wins": f"{found.wins:,}",
        "ties": f"{found.ties:,}",
        "losses": f"{found.losses:,}",
    }


def _that_fit(what: str, rows: Rows, console: Console) -> Table:
    """A table of rows; where not all columns fit, with those that say most."""
    columns = {head: [head, *(row[head] for row in rows.values())] for head in next(iter(rows.values()))}
    widths = {head: max(map(len, cells)) + 3 for head, cells in columns.items()}
    room = console.width - max(map(len, [what, *rows])) - 2
    kept: list[str] = []
    for head in sorted(columns, key=lambda head: LAST.index(head) if head in LAST else -1):
        room -= widths[head]
        if room >= 0:
            kept.append(head)
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column(what, no_wrap=True)
    for head in columns:
        if head in kept:
            table.add_column(head, justify="right", no_wrap=True)
    for name, row in rows.items():
        if name == AVERAGE:
            table.add_section()
        table.add_row(name, *(cell for head, cell in row.items() if head in kept))
    return table


def _with_interval(found: Estimate) -> str:
    interval = "" if found.low is None or found.high is None else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.mean:.2f}{interval}"


def _how(statistics: Statistics, pairs: int) -> str:
    return (
        f"p: paired randomisation test, {statistics.resamples:,} draws, seed {statistics.seed}; Holm: corrected over "
        f"the groups of a pair, and of averages over {counted(pairs, 'pair', 'pairs')} of models. Effect: mean "
        "difference over its standard deviation. Detectable: the smallest difference found in 4 of 5 repetitions at 5 %"
    )
