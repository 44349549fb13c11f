"""One topic, read whole: its papers, its questions, and which papers answer which."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from mdcr_metric.titles import title_key

from .files import TopicFiles
from .tables import Question, parse_papers, parse_questions


@dataclass(frozen=True)
class Topic:
    """A topic.

    Attributes:
        name: such as `optics`.
        papers: a table with the columns `paper_id`, `title`, `text`.
        questions: in file order; a question's id is `topic/row`.
        counts: what was noticed in reading; see `tables.told`.
        sha256: of the bytes of both files, papers first.
    """

    name: str
    papers: pa.Table
    questions: list[Question]
    counts: Counter[str]
    sha256: str

    def papers_by_title(self) -> dict[str, list[str]]:
        """Title key -> ids of the papers with that title; papers without any token in their title are left out."""
        found: dict[str, list[str]] = {}
        for paper, title in zip(self.papers["paper_id"].to_pylist(), self.papers["title"].to_pylist(), strict=True):
            if key := title_key(title):
                found.setdefault(key, []).append(paper)
        return found


def read_topic(files: TopicFiles, quotes: str = "error") -> Topic:
    """Read a topic's files.

    Args:
        files: as `find_topics` gives them.
        quotes: one of `tables.QUOTES`.

    Raises:
        OagqaDataError: naming file and line.
    """
    counts: Counter[str] = Counter()
    paper_bytes, question_bytes = files.papers.read(), files.questions.read()
    return Topic(
        name=files.topic,
        papers=parse_papers(paper_bytes, str(files.papers), counts, quotes),
        questions=parse_questions(question_bytes, str(files.questions), counts, quotes),
        counts=counts,
        sha256=hashlib.sha256(paper_bytes + question_bytes).hexdigest(),
    )


def question_id(topic: str, row: int) -> str:
    """The id of a topic's question."""
    return f"{topic}/{row}"


def answering(answers: Iterable[str], papers_by_title: Mapping[str, Sequence[str]]) -> list[str]:
    """Ids of the papers whose title has the same tokens as an answer, each once, in the answers' order."""
    found = (paper for answer in answers for paper in papers_by_title.get(title_key(answer), ()))
    return list(dict.fromkeys(found))
