"""BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels/SPLIT.tsv`, and the candidates where there are some."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...benchmarks import Task
from ...choices import Split
from ...errors import ScirankError, shown
from .exporting import Source
from .repository import free_name
from .rows import candidate_papers, documents, in_two_groups, judgements, query_texts


def write_beir(source: Source, folder: Path, split: Split, whole: bool) -> list[str]:
    """Write a folder a field or topic, or all fields in one; see `export_dataset`. Gives the notes."""
    from .card import Counts, write_beir_card

    notes: list[str] = []
    counts: dict[str, Counts] = {}
    for tasks in _by_folder(source, split, whole, notes):
        if whole:
            _refuse_twice(tasks)
        name = "." if whole else free_name(tasks[0].group, counts)
        counts[name] = Counts(tuple(task.group for task in tasks), *_write(tasks, split, folder / name))
    write_beir_card(source, split, counts, notes, folder)
    return notes


def _by_folder(source: Source, split: Split, whole: bool, notes: list[str]) -> Iterator[Sequence[Task]]:
    """The tasks of each folder; of OAG-QA read topic by topic."""
    if source.kind == "mdcr":
        benchmark = source.of_split(split)
        notes += benchmark.notes
        yield from [benchmark.tasks] if whole else [(task,) for task in benchmark.tasks]
        return

    source, topics = source.located()
    for topic in topics:
        benchmark = source.of_topic(topic)
        notes += [note for note in benchmark.notes if note not in notes]
        yield benchmark.tasks


def _refuse_twice(tasks: Sequence[Task]) -> None:
    if twice := in_two_groups(tasks):
        raise ScirankError(
            f"{shown(twice)}: in two fields, whose judgements one file cannot tell apart; export without whole "
            "(--whole), a folder a field"
        )


def _write(tasks: Sequence[Task], split: Split, folder: Path) -> tuple[int, int, int, int]:
    """Write a folder; gives its numbers of papers, queries, judgements and right ones."""
    papers = {paper: task for task in tasks for paper in candidate_papers(task)}
    corpus = [document for paper, task in papers.items() for document in documents(task, [paper])]
    queries = [query for task in tasks for query in query_texts(task)]
    judged = [line for task in tasks for line in judgements(task)]
    _write_json(folder / "corpus.jsonl", ("_id", "title", "text"), corpus)
    _write_json(folder / "queries.jsonl", ("_id", "text"), queries)
    _write_tsv(folder / "qrels" / f"{split}.tsv", ("query-id", "corpus-id", "score"), judged)
    candidates = [
        (query, paper)
        for task in tasks
        if task.candidates is not None
        for query, pool in task.candidates.items()
        for paper in pool
    ]
    if candidates:
        _write_tsv(folder / "candidates" / f"{split}.tsv", ("query-id", "corpus-id"), candidates)
    return len(corpus), len(queries), len(judged), sum(score for _, _, score in judged)


def _write_json(path: Path, keys: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    import orjson

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.writelines(orjson.dumps(dict(zip(keys, row, strict=True))) + b"\n" for row in rows)


def _write_tsv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
