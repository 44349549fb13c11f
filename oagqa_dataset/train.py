"""Questions for training, out of `TOPIC-train.json`, which upstream ships and does not use.

Its keys are not documented, so several spellings are read: those of DPR's training files
(`question`, `answers`, `positive_ctxs`), a list or one object around it, or an object a line.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import OagqaDataError
from .tables import Question, checked_titles

QUESTION = ("question", "query", "q")
ANSWERS = ("answers", "answer", "titles")
POSITIVES = ("positive_ctxs", "positive_contexts", "positives", "pos")
NEGATIVES = (
    "hard_negative_ctxs",
    "hard_negative_contexts",
    "hard_negatives",
    "hard_neg",
    "negative_ctxs",
    "negative_contexts",
    "negatives",
    "neg",
)
"""The hard ones first: as in DPR, others are used only where there are none."""
TEXT = ("text", "abstract", "passage", "content")


class Paper(NamedTuple):
    """A paper as a record has it; what is not there is empty."""

    title: str
    text: str


@dataclass(frozen=True)
class TrainRecord:
    """A question for training.

    Attributes:
        question: its text.
        answers: titles that answer it; where the record names none, those of its positives.
        positives: papers that answer it; where the record has none, its answers without a text.
        negatives: papers that do not.
    """

    question: str
    answers: tuple[str, ...]
    positives: tuple[Paper, ...]
    negatives: tuple[Paper, ...] = ()


def parse_train(data: bytes, name: str) -> list[Question]:
    """Questions with their answers' titles, in file order.

    Raises:
        OagqaDataError: naming the record.
    """
    return [Question(record.question, list(record.answers)) for record in parse_train_records(data, name)]


def parse_train_records(data: bytes, name: str) -> list[TrainRecord]:
    """Questions with their papers, in file order. A paper that cannot be read has neither title nor text.

    Args:
        data: the bytes of a file.
        name: what to call it in errors.

    Raises:
        OagqaDataError: naming the record.
    """
    return [_record(record, f"{name}, record {at}") for at, record in enumerate(_records(data, name))]


def _records(data: bytes, name: str) -> list[Any]:
    try:
        content: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        try:
            content = [json.loads(line) for line in data.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise OagqaDataError(f"{name}: neither JSON nor JSON lines ({error})") from error
    if isinstance(content, dict) and not content.keys() & set(QUESTION):
        lists = [value for value in content.values() if isinstance(value, list)]
        content = lists[0] if len(lists) == 1 else content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise OagqaDataError(f"{name}: expected a list of records, found a {type(content).__name__}")
    return content


def _record(record: Any, where: str) -> TrainRecord:
    if not isinstance(record, dict):
        raise OagqaDataError(f"{where}: expected an object, found {record!r:.80}")
    question = next((record[key] for key in QUESTION if isinstance(record.get(key), str)), None)
    titles = _titles(_first(record, (*ANSWERS, *POSITIVES)))
    if question is None or titles is None:
        raise OagqaDataError(
            f"{where}: expected a question under {', '.join(QUESTION)} and its answers' titles under "
            f"{', '.join((*ANSWERS, *POSITIVES))}; found the keys {', '.join(map(str, record))}"
        )
    checked_titles([question, *titles], where)
    return TrainRecord(
        question=question,
        answers=tuple(titles),
        positives=tuple(map(_paper, _first(record, POSITIVES) or titles)),
        negatives=tuple(map(_paper, _first(record, NEGATIVES))),
    )


def _first(record: dict[str, Any], keys: Sequence[str]) -> list[Any]:
    """What stands under the first key that has something; one item alone will do."""
    value: Any = next((record[key] for key in keys if record.get(key)), [])
    return value if isinstance(value, list) else [value]


def _titles(items: list[Any]) -> list[str] | None:
    """Titles, or the titles of papers."""
    titles = [item.get("title") if isinstance(item, dict) else item for item in items]
    known = [title for title in titles if isinstance(title, str)]
    return known if len(known) == len(titles) else None


def _paper(item: Any) -> Paper:
    """A paper, or a title alone."""
    if not isinstance(item, dict):
        return Paper(_mended(item), "")
    return Paper(_mended(item.get("title")), next((text for key in TEXT if (text := _mended(item.get(key)))), ""))


def _mended(value: Any) -> str:
    """A text without half characters: what a question does not need cannot make it unreadable."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
