"""One query for the eye: its text, and what models ranked for it."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from ..analysis.queries import Place, QueryView
from .formats import label

TEXT = 600
"""Characters of an abstract that are shown."""


def print_query(view: QueryView, console: Console) -> None:
    """Print the query's text and, for each model, its measures, its first papers, and where the right ones are."""
    console.print(f"query {view.query_id}, {view.group}", style="bold", soft_wrap=True)
    if view.document is not None:
        text = view.document.text
        console.print(view.document.title or text, soft_wrap=True)
        if view.document.title and text:
            console.print(text[:TEXT] + ("…" if len(text) > TEXT else ""), style="dim", soft_wrap=True)
    for answer in view.answers:
        console.print(f"answer: {answer}", soft_wrap=True)
    for model, places in view.rankings.items():
        measures = ", ".join(f"{label(name)} {value:.2f}" for name, value in view.measures[model].items())
        console.print(f"\n{model}", style="bold", soft_wrap=True)
        console.print(measures, soft_wrap=True)
        console.print(_table(places))
        shown = {place.rank for place in places}
        if below := [place for place in view.right[model] if place.rank not in shown]:
            told = (f"{place.rank} ({place.title or place.paper})" for place in below)
            console.print(f"right papers further down: {'; '.join(told)}", soft_wrap=True)


def _table(places: Sequence[Place]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("rank", justify="right")
    table.add_column("right")
    table.add_column("score", justify="right")
    table.add_column("paper", no_wrap=True)
    with_titles, with_sources = (any(each) for each in ([p.title for p in places], [p.sources for p in places]))
    if with_titles:
        table.add_column("title", max_width=100, no_wrap=True, overflow="ellipsis")
    if with_sources:
        table.add_column("from")
    for place in places:
        row = [str(place.rank), "yes" if place.right else "", f"{place.score:.4f}", place.paper]
        row += [place.title or ""] if with_titles else []
        row += [", ".join(place.sources)] if with_sources else []
        table.add_row(*row, style="bold" if place.right else "")
    return table
