"""A published table beside the same numbers made here."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from ..reproduce import Comparison
from .formats import label


def comparison_table(rows: Sequence[Comparison]) -> Table:
    """A row a group: each measure here and as published, and whether they are the same."""
    measures = list(rows[0].published)
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("field", no_wrap=True)
    for measure in measures:
        table.add_column(f"{label(measure)}\nhere", justify="right")
        table.add_column(f"{label(measure)}\npublished", justify="right")
    table.add_column("same")
    for row in rows:
        pairs = [((row.here or {}).get(measure, "absent"), row.published[measure]) for measure in measures]
        table.add_row(
            row.group,
            *(str(number) for pair in pairs for number in pair),
            Text("yes" if row.same else "NO", style="" if row.same else "red"),
        )
    return table
