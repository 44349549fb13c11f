"""What is in OAG-QA's files: counts, and what is odd."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from mdcr_metric.titles import title_key
from oagqa_dataset import discipline_of, find_topics
from oagqa_dataset.files import Found, discarding_bad_download
from oagqa_dataset.tables import told
from oagqa_dataset.topic import read_topic

from .benchmarks.oagqa import locate, select_topics

PUBLISHED = 17_948
"""PT-Retrieval's README calls these unique queries, OAG-Bench's question-paper pairs."""


@dataclass(frozen=True)
class TopicAudit:
    """Counts of one topic.

    Attributes:
        topic: its name.
        discipline: its discipline.
        papers: how many there are.
        questions: how many there are.
        answers: how many there are, over all questions.
        answers_without_paper: that are the title of no paper here.
        unanswerable: questions whose answers are all without a paper; they bound Hit@K by exact title.
        repeated_titles: papers with the title of an earlier paper.
        contained_titles: titles that stand in a longer title, so that they give false hits.
        empty_answers: without any token; every title contains them.
        shared_papers: papers (title and text) that are in another topic too.
        told: what was noticed in reading.
    """

    topic: str
    discipline: str
    papers: int
    questions: int
    answers: int
    answers_without_paper: int
    unanswerable: int
    repeated_titles: int
    contained_titles: int
    empty_answers: int
    shared_papers: int
    told: tuple[str, ...]


@dataclass(frozen=True)
class OagqaAudit:
    """All topics, files that are of no whole topic, and questions that stand more than once."""

    topics: tuple[TopicAudit, ...]
    incomplete: tuple[str, ...]
    repeated_questions: int


def audit_oagqa(
    data_dir: str | os.PathLike[str] | None = None,
    groups: str | Sequence[str] | None = None,
    disciplines: str | Sequence[str] | None = None,
) -> OagqaAudit:
    """Count what OAG-QA's files hold. Rows that a stray quote swallows are counted, not refused.

    Args:
        data_dir: a folder or zip; else OAGQA_DATA_DIR, else it is downloaded.
        groups: topics; all by default.
        disciplines: also the topics of these.

    Raises:
        ScirankError, oagqa_dataset.OagqaDataError: what cannot be read at all.
    """
    source, downloaded = locate(data_dir)
    papers_of: dict[str, list[int]] = {}
    topics: list[TopicAudit] = []
    questions: Counter[str] = Counter()
    with discarding_bad_download(source, downloaded):
        found = find_topics(source)
        for name in select_topics(tuple(found.topics), groups, disciplines, source):
            audit, papers_of[name], asked = _audit_topic(name, found)
            topics.append(audit)
            questions.update(asked)
    homes = Counter(paper for papers in papers_of.values() for paper in set(papers))
    shared = {name: sum(homes[paper] > 1 for paper in papers) for name, papers in papers_of.items()}
    return OagqaAudit(
        topics=tuple(replace(audit, shared_papers=shared[audit.topic]) for audit in topics),
        incomplete=found.incomplete,
        repeated_questions=sum(count - 1 for count in questions.values()),
    )


def _audit_topic(name: str, found: Found) -> tuple[TopicAudit, list[int], list[str]]:
    """A topic's counts, without the shared papers; something that stands for each paper; the questions."""
    topic = read_topic(found.topics[name], quotes="upstream")
    titles, texts = topic.papers["title"].to_pylist(), topic.papers["text"].to_pylist()
    by_title = topic.papers_by_title()
    answers = [[title_key(answer) for answer in question.answers] for question in topic.questions]
    audit = TopicAudit(
        topic=name,
        discipline=discipline_of(name),
        papers=len(titles),
        questions=len(answers),
        answers=sum(map(len, answers)),
        answers_without_paper=sum(key not in by_title for keys in answers for key in keys),
        unanswerable=sum(not any(key in by_title for key in keys) for keys in answers),
        repeated_titles=sum(len(papers) - 1 for papers in by_title.values()),
        contained_titles=len(contained(by_title)),
        empty_answers=sum(not key for keys in answers for key in keys),
        shared_papers=0,
        told=tuple(told(topic.counts)),
    )
    return audit, list(map(hash, zip(titles, texts, strict=True))), [question.question for question in topic.questions]


def contained(titles: Collection[str]) -> set[str]:
    """The titles whose tokens stand contiguous in a longer one of them; titles are keys, as `title_key` makes them."""
    lengths = {title.count(" ") - 1 for title in titles}
    found = set()
    for title in titles:
        tokens = title.split()
        for length in lengths:  # a title can be as long as its file, where a stray quote swallows rows
            for start in range(len(tokens) - length + 1 if length < len(tokens) else 0):
                span = f" {' '.join(tokens[start : start + length])} "
                if span in titles:
                    found.add(span)
    return found
