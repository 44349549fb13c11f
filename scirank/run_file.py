"""Rankings in files: TREC runs, and JSON lines with a question a line."""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mdcr_metric import LARGEST_SCORE

from .errors import ScirankError, counted
from .ranking import ranked

Run = dict[str, dict[str, float]]
"""Question id (`topic/row`) -> paper id -> score, best first."""


class RunFile(NamedTuple):
    """A file's rankings, and whether it has scores; without them, scores only keep the order."""

    run: Run
    scored: bool


def read_run(path: str | os.PathLike[str], topics: Iterable[str], only_topic: str | None = None) -> RunFile:
    """Read rankings of OAG-QA's questions.

    A TREC run has lines `topic/row Q0 topic/paper rank score tag`; papers are ordered by score, equal
    ones by id, as trec_eval does. JSON lines have a question each: `question` (`topic/row`, or the
    row alone), `ids`, best first, and maybe `scores` and `topic`; the order is the file's.

    Args:
        path: the file.
        topics: the names of all topics. Questions given by row alone are of the one in `topic`, else
            of the one that the file's name begins with, else of
        only_topic: the topic that is evaluated, if it is one.

    Raises:
        ScirankError: naming the line.
    """
    name = os.fspath(path)
    try:
        lines = Path(path).read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise ScirankError(f"the run file {name!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScirankError(f"{name}: not UTF-8 ({error.reason} at byte {error.start})") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise ScirankError(f"{name}: nothing is in it; expected a TREC run or JSON lines")
    topic = _topic_of_name(name, topics) or only_topic
    if numbered[0][1].lstrip().startswith("{"):
        return _json_lines(numbered, name, topic)
    return _trec(numbered, name, topic)


def _topic_of_name(name: str, topics: Iterable[str]) -> str | None:
    """The longest topic that a file's name begins with, as in `optics-bm25.jsonl`."""
    file = os.path.basename(name)
    begun = [topic for topic in topics if file == topic or file.startswith((f"{topic}-", f"{topic}.", f"{topic}_"))]
    return max(begun, key=len, default=None)


def _trec(lines: list[tuple[int, str]], name: str, topic: str | None) -> RunFile:
    run: Run = {}
    for number, line in lines:
        where = f"{name}, line {number}"
        parts = line.split()
        if len(parts) != 6:
            raise ScirankError(
                f"{where}: expected 'topic/row Q0 topic/paper rank score tag', found {len(parts)} parts: {line[:80]!r}"
                "; a file of JSON lines begins with '{'"
            )
        row, _, document, _, score, _ = parts
        question = _question({"question": row}, topic, where)
        paper = document.removeprefix(question.rpartition("/")[0] + "/")
        if paper in run.setdefault(question, {}):
            raise ScirankError(f"{where}: paper {document} is ranked twice for {question}")
        run[question][paper] = _number(score, where)
    return RunFile({question: ranked(papers, None).run for question, papers in run.items()}, True)


def _json_lines(lines: list[tuple[int, str]], name: str, topic: str | None) -> RunFile:
    run: Run = {}
    with_scores = 0
    for number, line in lines:
        where = f"{name}, line {number}"
        record = _record(line, where)
        question = _question(record, topic, where)
        ids = record.get("ids")
        if not isinstance(ids, list) or not all(isinstance(paper, str | int) for paper in ids):
            raise ScirankError(f"{where}: expected 'ids', a list of papers, best first, found {ids!r:.80}")
        papers = [str(paper) for paper in ids]
        if len(set(papers)) != len(papers):
            twice = next(paper for paper in papers if papers.count(paper) > 1)
            raise ScirankError(f"{where}: paper {twice} is ranked twice for {question}")
        if question in run:
            raise ScirankError(f"{where}: question {question} stands twice in this file")
        scores = record.get("scores")
        with_scores += scores is not None
        run[question] = dict(zip(papers, _scores(scores, len(papers), where), strict=True))
    if 0 < with_scores < len(lines):
        raise ScirankError(
            f"{name}: {counted(with_scores, 'line has', 'lines have')} scores, others none; give all or none"
        )
    return RunFile(run, with_scores > 0)


def _record(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ScirankError(f"{where}: not valid JSON ({error})") from error
    if not isinstance(record, dict) or "question" not in record:
        raise ScirankError(f"{where}: expected an object with 'question' and 'ids', found {line[:80]!r}")
    return record


def _question(record: Mapping[str, Any], topic: str | None, where: str) -> str:
    question = record["question"]
    if isinstance(question, str) and "/" in question:
        return question
    topic = record.get("topic", topic)
    if type(question) not in (int, str) or not isinstance(topic, str):
        raise ScirankError(
            f"{where}: cannot tell the topic of question {question!r}. Write topic/row, add 'topic', begin the file's "
            "name with the topic and '-', or choose one topic (--topics)"
        )
    return f"{topic}/{question}"


def _scores(scores: Any, papers: int, where: str) -> Iterator[float]:
    """Scores that keep the file's order; where there are none, minus the rank."""
    if scores is None:
        yield from (-float(rank) for rank in range(papers))
        return
    if not isinstance(scores, list) or len(scores) != papers:
        found = len(scores) if isinstance(scores, list) else repr(scores)[:40]
        raise ScirankError(f"{where}: {papers} ids but scores are {found}; give one for each")
    last = math.inf
    for rank, score in enumerate(scores, 1):
        value = _number(score, where)
        if value > last:
            raise ScirankError(f"{where}: the score at rank {rank} is above that before it; ids should be best first")
        last = value
        yield value


def _number(text: Any, where: str) -> float:
    try:
        value = math.nan if isinstance(text, bool) else float(text)
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not abs(value) <= LARGEST_SCORE:
        raise ScirankError(f"{where}: expected a finite number as score, found {text!r:.40}")
    return value
