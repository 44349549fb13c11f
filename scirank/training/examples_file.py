"""Training queries in files: JSON in the form of DPR's training data, a record a line."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..benchmarks import Document
from ..errors import ScirankError, shown
from ..results import sha256_of_file
from ..results.files import whole_file
from .drawing import seen_of
from .queries import Passage, TrainingQuery

PASSAGE_ID = ("passage_id", "psg_id")
"""What DPR calls a passage's id, at the one place and at the other."""


def write_examples(path: str | os.PathLike[str], queries: Iterable[TrainingQuery], dataset: str = "scirank") -> None:
    """Write training queries as JSON lines; the file appears whole or not at all.

    Args:
        path: the file; its folder is made.
        queries: what to write.
        dataset: what each record says that it comes from.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(_record(query, dataset), ensure_ascii=False) + "\n" for query in queries)


def read_examples(path: str | os.PathLike[str]) -> tuple[TrainingQuery, ...]:
    """Read training queries: JSON lines, or one list as DPR's own files are.

    Groups and ids that are not there are made up from the file's name and the record's number, counted from 0.
    `negative_ctxs` are used only where a record has no `hard_negative_ctxs`, as DPR does.

    Raises:
        ScirankError: naming the record.
    """
    name, made = os.fspath(path), Path(path).stem
    try:
        content = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise ScirankError(f"the file {name!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScirankError(f"{name}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from error
    records = _list(content, name) if content.lstrip().startswith("[") else _lines(content, name)
    queries = tuple(_query(record, f"{name}, record {row}", made, row) for row, record in enumerate(records))
    if not queries:
        raise ScirankError(f"{name}: no records; expected one a query, with 'question' and 'positive_ctxs'")
    return queries


def examples_to_train_on(
    path: str | os.PathLike[str], benchmark: str, groups: str | Sequence[str] | None
) -> tuple[tuple[TrainingQuery, ...], dict[str, Any]]:
    """Training queries of a file, as they are, and what a trained model's record has to say of them.

    Args:
        path: the file.
        benchmark: what the model is trained for.
        groups: those wanted; by default all that the file has.

    Raises:
        ScirankError: naming the record; or a group that the file does not have.
    """
    queries = read_examples(path)
    held = list(dict.fromkeys(query.group for query in queries))
    wanted = held if groups is None else [groups] if isinstance(groups, str) else list(groups)
    if absent := [group for group in wanted if group not in held]:
        raise ScirankError(f"{path}: no query of the group {shown(absent)}; it has {shown(held)}")
    kept = tuple(query for query in queries if query.group in wanted)
    by_group = {group: [query for query in kept if query.group == group] for group in wanted}
    return kept, {
        "benchmark": benchmark,
        "examples": {"name": Path(path).name, "sha256": sha256_of_file(path)},
        "groups": {group: {"source": "examples", **seen_of(of)} for group, of in by_group.items()},
    }


def _record(query: TrainingQuery, dataset: str) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "group": query.group,
        "query_id": query.query_id,
        "question": query.query.text,
        **({"query_title": query.query.title} if query.query.title else {}),
        "answers": list(query.answers),
        "positive_ctxs": [_context(paper) for paper in query.positives],
        "negative_ctxs": [],
        "hard_negative_ctxs": [_context(paper) for paper in query.negatives],
    }


def _context(paper: Passage) -> dict[str, str]:
    return {"title": paper.title, "text": paper.text, "passage_id": paper.id}


def _list(content: str, name: str) -> list[Any]:
    try:
        records: list[Any] = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ScirankError(f"{name}: begins as a JSON list but is none ({error})") from error
    return records


def _lines(content: str, name: str) -> Iterator[Any]:
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ScirankError(
                    f"{name}, line {number}: not valid JSON ({error}); expected a record a line, or one list of them"
                ) from error


def _query(record: Any, where: str, file: str, row: int) -> TrainingQuery:
    if not isinstance(record, dict):
        raise ScirankError(f"{where}: expected an object with 'question' and 'positive_ctxs', found {record!r:.80}")
    answers = record.get("answers") or []
    if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
        raise ScirankError(f"{where}: expected 'answers', a list of texts, found {answers!r:.80}")
    positives = _passages(record, "positive_ctxs", where, f"{file}/{row}/positive")
    if not positives:
        raise ScirankError(
            f"{where}: no passage in 'positive_ctxs', found the keys {', '.join(record)}; training needs one that is "
            "right: add it, or leave the record out"
        )
    hard = _passages(record, "hard_negative_ctxs", where, f"{file}/{row}/negative")
    return TrainingQuery(
        group=_text(record, "group", where, file),
        query_id=_text(record, "query_id", where, f"{file}/{row}"),
        query=Document(_text(record, "query_title", where, ""), _text(record, "question", where)),
        answers=tuple(answers),
        positives=positives,
        negatives=hard or _passages(record, "negative_ctxs", where, f"{file}/{row}/negative"),
    )


def _passages(record: dict[str, Any], key: str, where: str, made: str) -> tuple[Passage, ...]:
    contexts = record.get(key) or []
    if not isinstance(contexts, list):
        raise ScirankError(f"{where}: expected '{key}', a list of passages, found {contexts!r:.80}")
    passages = []
    for at, context in enumerate(contexts):
        here = f"{where}, {key} {at}"
        if not isinstance(context, dict):
            raise ScirankError(f"{here}: expected an object with 'title' and 'text', found {context!r:.80}")
        identity = next((context[each] for each in PASSAGE_ID if context.get(each) is not None), f"{made}/{at}")
        passages.append(Passage(str(identity), _text(context, "title", here, ""), _text(context, "text", here)))
    return tuple(passages)


def _text(record: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    """A text; what is absent or null is the default, without which it has to be there."""
    value = default if record.get(key) is None else record[key]
    if not isinstance(value, str):
        raise ScirankError(f"{where}: expected a text under '{key}', found {value!r:.80}")
    return value
