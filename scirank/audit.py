"""What is in MDCR's files: counts, and what is odd."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mdcr_dataset import SOURCES, SplitFiles, labelled, parse_benchmark

if TYPE_CHECKING:
    from rich.console import RenderableType

Queries = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class GroupAudit:
    """Counts of one group; `lists` has the shortest and longest list of each source."""

    group: str
    queries: int
    papers: int
    pool: tuple[int, int]
    lists: Mapping[str, tuple[int, int]]
    repeated_within: int
    repeated_across: int
    also_true: int
    no_relevant: int
    own_candidate: int
    in_other_group: int
    without_record: int


@dataclass(frozen=True)
class SplitAudit:
    """Counts of one split; `in_other_group` and `without_record` count each id once."""

    split: str
    groups: tuple[GroupAudit, ...]
    in_other_group: int
    without_record: int
    records: int
    counts: Counter[str]
    unlisted: int


def audit_split(split: str, files: SplitFiles) -> SplitAudit:
    """Count what a split's two files hold.

    Raises:
        mdcr_dataset.MdcrDataError: a file cannot be read at all.
    """
    from mdcr_dataset.papers import read_papers

    benchmark = parse_benchmark(Path(files.benchmark).read_bytes(), files.benchmark)
    counts: Counter[str] = Counter()
    records: set[str] = set()
    with open(files.papers, "rb") as file:
        for chunk in read_papers(file, files.papers, counts):
            records.update(chunk["paper_id"].to_pylist())
    homes = Counter(query for queries in benchmark.values() for query in queries)
    groups = tuple(_audit_group(group, queries, records, homes) for group, queries in benchmark.items())
    listed = {paper for queries in benchmark.values() for paper in _listed(queries)}
    in_other_group = sum(count > 1 for count in homes.values())
    return SplitAudit(split, groups, in_other_group, len(listed - records), len(records), counts, len(records - listed))


def _audit_group(group: str, queries: Queries, records: set[str], homes: Mapping[str, int]) -> GroupAudit:
    pools = {query: labelled(lists) for query, lists in queries.items()}
    listed = _listed(queries)
    return GroupAudit(
        group=group,
        queries=len(queries),
        papers=len(listed),
        pool=_range(map(len, pools.values())),
        lists={source: _range(len(lists[source]) for lists in queries.values()) for source in SOURCES},
        repeated_within=sum(len(ids) - len(set(ids)) for lists in queries.values() for ids in lists.values()),
        repeated_across=sum(
            sum(map(len, map(set, lists.values()))) - len(pools[query]) for query, lists in queries.items()
        ),
        also_true=sum(
            len(set(lists["true"]) & {paper for source in SOURCES[:-1] for paper in lists[source]})
            for lists in queries.values()
        ),
        no_relevant=sum(not any(pool.values()) for pool in pools.values()),
        own_candidate=sum(query in pool for query, pool in pools.items()),
        in_other_group=sum(homes[query] > 1 for query in queries),
        without_record=len(listed - records),
    )


def _listed(queries: Queries) -> set[str]:
    return {paper for query, lists in queries.items() for paper in (query, *labelled(lists))}


def _range(lengths: Iterable[int]) -> tuple[int, int]:
    found = list(lengths)
    return (min(found), max(found)) if found else (0, 0)


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


def tables(audit: SplitAudit) -> "list[RenderableType]":
    """The audit for the eye: list lengths, oddities, and a line on the papers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

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
