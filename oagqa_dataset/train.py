"""Questions for training, out of `TOPIC-train.json`, which upstream ships and does not use.

Its keys are not documented, so several spellings are read: those of DPR's training files
(`question`, `answers`, `positive_ctxs`), a list or one object around it, or an object a line.
"""

import json
from typing import Any

from .errors import OagqaDataError
from .tables import Question, checked_titles

QUESTION = ("question", "query", "q")
ANSWERS = ("answers", "answer", "titles")
POSITIVES = ("positive_ctxs", "positive_contexts", "positives", "pos")


def parse_train(data: bytes, name: str) -> list[Question]:
    """Questions with their answers' titles, in file order.

    Raises:
        OagqaDataError: naming the record.
    """
    return [_question(record, f"{name}, record {at}") for at, record in enumerate(_records(data, name))]


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


def _question(record: Any, where: str) -> Question:
    if not isinstance(record, dict):
        raise OagqaDataError(f"{where}: expected an object, found {record!r:.80}")
    question = next((record[key] for key in QUESTION if isinstance(record.get(key), str)), None)
    titles = _titles(next((record[key] for key in (*ANSWERS, *POSITIVES) if record.get(key)), []))
    if question is None or titles is None:
        raise OagqaDataError(
            f"{where}: expected a question under {', '.join(QUESTION)} and its answers' titles under "
            f"{', '.join((*ANSWERS, *POSITIVES))}; found the keys {', '.join(map(str, record))}"
        )
    checked_titles([question, *titles], where)
    return Question(question, titles)


def _titles(value: Any) -> list[str] | None:
    """Titles, or the titles of papers; one alone will do."""
    items = value if isinstance(value, list) else [value]
    titles = [item.get("title") if isinstance(item, dict) else item for item in items]
    known = [title for title in titles if isinstance(title, str)]
    return known if len(known) == len(titles) else None
