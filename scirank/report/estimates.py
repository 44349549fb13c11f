"""What encoding would take, as a table."""

from collections.abc import Sequence

from rich.table import Table

from ..embeddings.estimate import Estimate
from ..progress import duration
from .terminal import console


def print_estimates(model: str, estimates: Sequence[Estimate]) -> None:
    """Print what jobs would take, a row a job, and where vectors would be kept."""
    table = Table(
        "",
        "texts",
        "different",
        "kept",
        "to encode",
        "tokens",
        "files",
        "time",
        "disk",
        title=model,
        title_justify="left",
        box=None,
    )
    for column in table.columns[1:]:
        column.justify = "right"
    for each in estimates:
        counts = (each.texts, each.different, each.kept, each.to_encode, each.tokens, each.shards)
        table.add_row(each.role, *(f"{count:,}" for count in counts), duration(each.seconds), size(each.size))
    if len(estimates) > 1:
        total = (sum(each.seconds for each in estimates), sum(each.size for each in estimates))
        table.add_row("together", *[""] * 6, duration(total[0]), size(total[1]))
    console().print(table)
    for each in estimates:
        console().print(f"{each.role}: " + (f"kept in {each.folder}" if each.folder else "not kept"), markup=False)


def size(count: float) -> str:
    """Bytes in words: `12 kB`, `340 MB`, `3.1 GB`."""
    if count < 1e9:
        return f"{count / 1e3:,.0f} kB" if count < 1e6 else f"{count / 1e6:,.0f} MB"
    return f"{count / 1e9:,.1f} GB"
