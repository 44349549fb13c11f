"""MDCR's files as tasks."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from mdcr_dataset import UPSTREAM, SplitFiles, data_folder, find_files, labelled, parse_benchmark, select_groups
from mdcr_dataset import Benchmark as Lists
from mdcr_dataset.files import download, mending
from mdcr_dataset.papers import SCHEMA, read_papers

from ..errors import ScirankError, shown
from ..results.provenance import sha256
from .corpus import Corpus
from .task import Benchmark, Task

MISSING_TEXT = ("error", "empty", "skip")


def load_mdcr(
    name: str,
    split: str,
    groups: str | Sequence[str] | None,
    data_dir: str | os.PathLike[str] | None,
    missing_text: str,
) -> Benchmark:
    """Read a split; see `load_benchmark`."""
    if missing_text not in MISSING_TEXT:
        raise ScirankError(f"unknown policy {missing_text!r} for missing_text; valid are {', '.join(MISSING_TEXT)}")
    files, downloaded = locate(split, data_dir)
    with mending(files.benchmark, downloaded):
        benchmark_bytes = Path(files.benchmark).read_bytes()
        benchmark = parse_benchmark(benchmark_bytes, files.benchmark)
    lists = select_groups(benchmark, groups, files.benchmark)
    counts: Counter[str] = Counter()
    with mending(files.papers, downloaded), open(files.papers, "rb") as file:
        papers = pa.concat_tables([SCHEMA.empty_table(), *read_papers(file, files.papers, counts)])
    corpus = Corpus(papers)
    missing = [paper for paper in _listed(lists) if paper not in corpus]
    if missing and missing_text == "error":
        raise ScirankError(
            f"{len(missing):,} listed papers have no record in {files.papers}: {shown(missing)}. "
            "Choose missing_text (--missing-text): empty takes them with an empty text, skip leaves them out"
        )
    if missing and missing_text == "empty":
        empty = [""] * len(missing)
        corpus = Corpus(pa.concat_tables([papers, pa.table([pa.array(missing), empty, empty], schema=SCHEMA)]))
    tasks = tuple(task for group, queries in lists.items() if (task := _task(group, queries, corpus)).queries)
    return Benchmark(
        name=name,
        split=split,
        groups=tuple(lists),
        tasks=tasks,
        data_sha256={"benchmark": sha256(benchmark_bytes), "papers": _sha256_of(files.papers)},
        settings={"split": split, "groups": list(lists), "missing_text": missing_text},
        notes=tuple(_notes(counts, missing, missing_text, lists, tasks)),
    )


def locate(split: str, data_dir: str | os.PathLike[str] | None) -> tuple[SplitFiles, bool]:
    """A split's files, and whether they were downloaded."""
    if split not in UPSTREAM:
        raise ScirankError(f"unknown split '{split}'; valid are {', '.join(UPSTREAM)}")
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
        query: {paper: label for paper, label in labelled(lists).items() if paper in corpus}
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
    )


def _listed(lists: Lists) -> Iterable[str]:
    """Every paper that occurs, each once: queries and candidates."""
    return dict.fromkeys(
        paper
        for queries in lists.values()
        for query, sources in queries.items()
        for paper in (query, *labelled(sources))
    )


def _notes(
    counts: Counter[str], missing: Sequence[str], missing_text: str, lists: Lists, tasks: Sequence[Task]
) -> Iterable[str]:
    if counts["duplicates"]:
        yield f"{counts['duplicates']:,} lines of the papers file repeat an earlier id; the first was kept"
    if counts["mended"]:
        yield f"{counts['mended']:,} lines of the papers file held broken characters, now '?'"
    if missing:
        fate = "taken with an empty text" if missing_text == "empty" else "not ranked"
        yield f"{len(missing):,} listed papers without a record, {fate}: {shown(missing)}"
    kept = {(task.group, query) for task in tasks for query in task.queries}
    if left_out := [query for group, queries in lists.items() for query in queries if (group, query) not in kept]:
        yield f"{len(left_out):,} queries without a record or without any candidate, left out: {shown(left_out)}"


def _sha256_of(path: str) -> str:
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
