"""What is in MDCR's files: counts, and what is odd."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mdcr_dataset import SOURCES, SplitFiles, data_folder, find_files, listed_papers, parse_candidates, qrels
from mdcr_dataset.files import discarding_bad_download

from .benchmarks.mdcr import locate
from .choices import Split

Queries = dict[str, dict[str, list[str]]]


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


def audit_mdcr(data_dir: str | os.PathLike[str] | None = None, split: str | None = None) -> list[SplitAudit]:
    """Count what MDCR's files hold.

    Args:
        data_dir: a folder with upstream's files; else MDCR_DATA_DIR, else they are downloaded.
        split: one split; by default all that the folder holds.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: a file is not there or cannot be read at all.
    """
    folder = data_folder(data_dir)
    splits = list(Split) if folder is None else [Split(name) for name in find_files(folder)]
    return [_audit_split(name, *locate(name, folder)) for name in (splits if split is None else [Split(split)])]


def _audit_split(split: Split, files: SplitFiles, downloaded: bool) -> SplitAudit:
    from mdcr_dataset.papers import read_papers

    counts: Counter[str] = Counter()
    records: set[str] = set()
    with discarding_bad_download(files.benchmark, downloaded):
        candidates = parse_candidates(Path(files.benchmark).read_bytes(), files.benchmark)
    with discarding_bad_download(files.papers, downloaded), open(files.papers, "rb") as file:
        for chunk in read_papers(file, files.papers, counts):
            records.update(chunk["paper_id"].to_pylist())
    homes = Counter(query for queries in candidates.values() for query in queries)
    listed = listed_papers(candidates).keys()
    return SplitAudit(
        split=split,
        groups=tuple(_audit_group(group, queries, records, homes) for group, queries in candidates.items()),
        in_other_group=sum(count > 1 for count in homes.values()),
        without_record=len(listed - records),
        records=len(records),
        counts=counts,
        unlisted=len(records - listed),
    )


def _audit_group(group: str, queries: Queries, records: set[str], homes: Mapping[str, int]) -> GroupAudit:
    pools = {query: qrels(lists) for query, lists in queries.items()}
    listed = listed_papers({group: queries}).keys()
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


def _range(lengths: Iterable[int]) -> tuple[int, int]:
    found = list(lengths)
    return (min(found), max(found)) if found else (0, 0)
