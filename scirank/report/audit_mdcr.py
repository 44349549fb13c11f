"""An audit for the eye."""

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from mdcr_dataset import SOURCES

from ..audit_mdcr import SplitAudit

COLUMNS = {
    "queries": "queries",
    "papers": "papers",
    "repeated_within": "twice in\na list",
    "repeated_across": "in several\nlists",
    "also_true": "true and in\nanother list",
    "no_relevant": "no true\ncitation",
    "own_candidate": "query among\nits own",
    "in_other_group": "query in\ntwo fields",
    "without_record": "ids without\na record",
}


def audit_tables(audit: SplitAudit) -> list[RenderableType]:
    """The audit for the eye: list lengths, oddities, and a line on the papers."""
    lengths = Table("field", box=box.SIMPLE, pad_edge=False, title_justify="left")
    for head in (*SOURCES, "pool"):
        lengths.add_column(head, justify="right")
    oddities = Table("field", box=box.SIMPLE, pad_edge=False, show_footer=True)
    oddities.columns[0].footer = "all"
    for name, head in COLUMNS.items():
        # What can be the same id in two groups is counted over the split.
        total = getattr(audit, name, None)
        total = sum(getattr(group, name) for group in audit.groups) if total is None else total
        oddities.add_column(head, justify="right", footer="" if name == "papers" else f"{total:,}")
    for group in audit.groups:
        lengths.add_row(group.group, *map(_span, (*(group.lists[source] for source in SOURCES), group.pool)))
        oddities.add_row(group.group, *(f"{getattr(group, name):,}" for name in COLUMNS))
    return [
        Text(f"{audit.split}: length of each query's lists; the pool has every candidate once", style="bold"),
        lengths,
        oddities,
        "papers file: "
        + ", ".join(
            [
                f"{audit.records:,} records",
                f"{audit.counts['duplicates']:,} lines that repeat an earlier id",
                f"{audit.counts['no_title']:,} records without a title",
                f"{audit.counts['no_abstract']:,} without an abstract",
                f"{audit.counts['mended']:,} with broken characters",
                f"{audit.unlisted:,} that no query lists",
            ]
        ),
    ]


def _span(lengths: tuple[int, int]) -> str:
    low, high = lengths
    return str(low) if low == high else f"{low}-{high}"
