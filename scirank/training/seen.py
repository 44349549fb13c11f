"""What is trained on and what is evaluated, kept apart."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark, Document
from ..benchmarks.oagqa import select_topics
from ..choices import Benchmark as Names
from ..errors import ScirankError, counted, shown
from ..results import sha256_of_file
from .examples_file import read_examples
from .queries import TrainingData, TrainingQuery


def groups_to_train_on(
    name: Names,
    groups: str | Sequence[str] | None,
    disciplines: str | Sequence[str] | None,
    evaluated: Benchmark | None,
    allow_seen: bool,
) -> dict[str, Any]:
    """The groups and disciplines to load: of OAG-QA without topics that are held out.

    Raises:
        ScirankError: a topic that is held out is named, and that is not allowed; or nothing is left.
    """
    if evaluated is None or not name.asks_questions:
        return {"groups": groups, "disciplines": disciplines}
    named = [groups] if isinstance(groups, str) else list(groups or [])
    if (both := [topic for topic in named if topic in evaluated.groups]) and not allow_seen:
        raise ScirankError(
            f"{shown(both)}: held out, and named for training too; choose others, or allow_seen (--allow-seen)"
        )
    wanted = select_topics(evaluated.held, groups, disciplines, evaluated.name)
    left = [topic for topic in wanted if topic not in evaluated.groups or topic in both]
    if not left:
        raise ScirankError(f"nothing is left to train on: {shown(evaluated.groups)} held out; hold out fewer topics")
    return {"groups": left}


def refuse_seen(queries: Sequence[TrainingQuery], evaluated: Benchmark) -> None:
    """Refuse to train on what will be evaluated: the same query by its id, or by its text.

    Raises:
        ScirankError: naming the queries.
    """
    ids = {(query.group, query.query_id) for query in queries}
    texts = {_plain(query.query) for query in queries}
    seen = [
        query
        for task in evaluated.tasks
        for query, document in task.queries.items()
        if (task.group, query) in ids or _plain(document) in texts
    ]
    if seen:
        raise ScirankError(
            f"{counted(len(seen), 'query', 'queries')} that will be evaluated would be trained on: {shown(seen)}. "
            "Hold out other groups, train on others, or choose allow_seen (--allow-seen)"
        )


def examples_data(data: TrainingData, path: str | os.PathLike[str]) -> TrainingData:
    """Training queries out of a file, in place of those of a benchmark."""
    queries = read_examples(path)
    groups: dict[str, list[str]] = {}
    for query in queries:
        groups.setdefault(query.group, []).append(query.query_id)
    file = {"name": Path(path).name, "sha256": sha256_of_file(path)}
    seen = {
        "benchmark": data.benchmark.name,
        "examples": file,
        "groups": {
            group: {"source": "examples", "queries": len(ids), "query_ids": ids} for group, ids in groups.items()
        },
    }
    return replace(data, queries=queries, seen=seen, notes=())


def _plain(query: Document) -> str:
    return " ".join(f"{query.title} {query.text}".casefold().split()).rstrip("? ")
