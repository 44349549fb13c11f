"""MDCR's files as tasks."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from mdcr_dataset import (
    CandidateLists,
    SplitFiles,
    data_folder,
    find_files,
    listed_papers,
    parse_candidates,
    qrels,
    select_groups,
)
from mdcr_dataset.files import discarding_bad_download, download
from mdcr_dataset.papers import SCHEMA, read_papers

from ..choices import MissingText
from ..errors import ScirankError, counted, shown
from ..results import sha256, sha256_of_file
from .corpus import Corpus
from .task import Benchmark, Task


def load_mdcr(
    name: str,
    split: str,
    groups: str | Sequence[str] | None,
    data_dir: str | os.PathLike[str] | None,
    missing_text: MissingText,
) -> Benchmark:
    """Read a split; see `load_benchmark`."""
    files, downloaded = locate(split, data_dir)
    with discarding_bad_download(files.benchmark, downloaded):
        benchmark_bytes = Path(files.benchmark).read_bytes()
        benchmark = parse_candidates(benchmark_bytes, files.benchmark)
    lists = select_groups(benchmark, groups, files.benchmark)
    counts: Counter[str] = Counter()
    with discarding_bad_download(files.papers, downloaded), open(files.papers, "rb") as file:
        papers = pa.concat_tables([SCHEMA.empty_table(), *read_papers(file, files.papers, counts)])
    corpus = Corpus(papers)
    missing = [paper for paper in listed_papers(lists) if paper not in corpus]
    if missing and missing_text is MissingText.ERROR:
        raise ScirankError(
            f"{counted(len(missing), 'listed paper has', 'listed papers have')} no record in {files.papers}: "
            f"{shown(missing)}. Choose missing_text (--missing-text): empty takes them with an empty text, "
            "skip leaves them out"
        )
    if missing and missing_text is MissingText.EMPTY:
        empty = [""] * len(missing)
        corpus = Corpus(pa.concat_tables([papers, pa.table([pa.array(missing), empty, empty], schema=SCHEMA)]))
    tasks = tuple(task for group, queries in lists.items() if (task := _task(group, queries, corpus)).queries)
    return Benchmark(
        name=name,
        split=split,
        groups=tuple(lists),
        tasks=tasks,
        data_sha256={"benchmark": sha256(benchmark_bytes), "papers": sha256_of_file(files.papers)},
        settings={"split": split, "groups": list(lists), "missing_text": missing_text},
        notes=tuple(_notes(counts, missing, missing_text, lists, tasks)),
    )


def locate(split: str, data_dir: str | os.PathLike[str] | None) -> tuple[SplitFiles, bool]:
    """A split's files, and whether they were downloaded."""
    folder = data_folder(data_dir)
    if folder is None:
        import datasets

        return download(datasets.DownloadManager(), [split])[split], True
    splits = find_files(folder)
    if split not in splits:
        raise ScirankError(f"{folder}: no split '{split}' there; it has {', '.join(splits)}")
    return splits[split], False


def _task(group: str, queries: Mapping[str, Mapping[str, Sequence[str]]], corpus: Corpus) -> Task:
    pools = {
        query: {paper: label for paper, label in qrels(lists).items() if paper in corpus}
        for query, lists in queries.items()
        if query in corpus
    }
    pools = {query: pool for query, pool in pools.items() if pool}
    return Task(
        group=group,
        queries={query: corpus[query] for query in pools},
        corpus=corpus,
        candidates={query: tuple(pool) for query, pool in pools.items()},
        relevant={query: frozenset(paper for paper, label in pool.items() if label) for query, pool in pools.items()},
        sources={query: queries[query] for query in pools},
    )


def _notes(
    counts: Counter[str],
    missing: Sequence[str],
    missing_text: MissingText,
    lists: CandidateLists,
    tasks: Sequence[Task],
) -> Iterable[str]:
    if counts["duplicates"]:
        yield f"{counted(counts['duplicates'], 'line', 'lines')} with an id of an earlier line; the first was kept"
    if counts["mended"]:
        yield f"{counted(counts['mended'], 'line', 'lines')} with broken characters, now '?'"
    if missing:
        fate = "taken with an empty text" if missing_text is MissingText.EMPTY else "not ranked"
        yield f"{counted(len(missing), 'listed paper', 'listed papers')} without a record, {fate}: {shown(missing)}"
    kept = {(task.group, query) for task in tasks for query in task.queries}
    if left_out := [query for group, queries in lists.items() for query in queries if (group, query) not in kept]:
        found = counted(len(left_out), "query", "queries")
        yield f"{found} without a record or without any candidate, left out: {shown(left_out)}"
