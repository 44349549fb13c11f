"""OAG-QA's files as tasks."""

import os
from collections.abc import Iterator, Sequence

from oagqa_dataset import DISCIPLINES, data_folder, discipline_named, discipline_of, find_topics
from oagqa_dataset.files import discarding_bad_download, download
from oagqa_dataset.tables import told
from oagqa_dataset.topic import Topic, answering, question_id, read_topic

from ..errors import ScirankError, counted, shown
from .corpus import Corpus, Document
from .task import Benchmark, Task


def load_oagqa(
    name: str,
    topics: str | Sequence[str] | None,
    disciplines: str | Sequence[str] | None,
    data_dir: str | os.PathLike[str] | None,
    top_k: int,
    quotes: str,
) -> Benchmark:
    """Read topics; see `load_benchmark`."""
    if top_k < 1:
        raise ScirankError(f"top_k {top_k} is out of range; at least one paper has to be ranked")
    source, downloaded = locate(data_dir)
    with discarding_bad_download(source, downloaded):
        found = find_topics(source)
    chosen = select_topics(tuple(found.topics), topics, disciplines, source)
    tasks, notes, digests = [], [], {}
    for topic in chosen:
        with discarding_bad_download(source, downloaded):
            read = read_topic(found.topics[topic], quotes)
        digests[topic] = read.sha256
        tasks.append(_task(read, top_k))
        notes += [f"{topic}: {line}" for line in told(read.counts)]
    if found.incomplete:
        notes.append(f"files without their partner, not used: {shown(found.incomplete)}")
    return Benchmark(
        name=name,
        split="test",
        groups=tuple(chosen),
        tasks=tuple(tasks),
        data_sha256=digests,
        settings={"split": "test", "groups": chosen, "top_k": top_k, "quotes": quotes},
        notes=(*notes, *_without_paper(tasks)),
        held=tuple(found.topics),
    )


def locate(data_dir: str | os.PathLike[str] | None) -> tuple[str, bool]:
    """The folder or zip to read, and whether it was downloaded."""
    source = data_folder(data_dir)
    if source is not None:
        return str(source), False
    import datasets

    return download(datasets.config.DOWNLOADED_DATASETS_PATH), True


def select_topics(
    held: Sequence[str], topics: str | Sequence[str] | None, disciplines: str | Sequence[str] | None, source: str
) -> list[str]:
    """The topics wanted of those that a source holds, in its order: those named, and those of the disciplines named."""
    if topics is None and disciplines is None:
        return list(held)
    named = [topics] if isinstance(topics, str) else list(topics or [])
    of = [disciplines] if isinstance(disciplines, str) else list(disciplines or [])
    of = [discipline_named(discipline) for discipline in of]
    if absent := [topic for topic in named if topic not in held]:
        raise ScirankError(f"{source}: no topic {shown(absent)}; it has {', '.join(held)}")
    present = dict.fromkeys(discipline_of(topic) for topic in held)
    if absent := [discipline for discipline in of if discipline not in present]:
        known = "" if set(absent) <= set(DISCIPLINES) else f" (all are {', '.join(DISCIPLINES)})"
        raise ScirankError(
            f"{source}: no topic of discipline {shown(absent)}; it has some of {', '.join(present)}{known}"
        )
    if not named and not of:
        raise ScirankError(f"no topic was named; {source} has {', '.join(held)}")
    return [topic for topic in held if topic in named or discipline_of(topic) in of]


def _task(topic: Topic, top_k: int) -> Task:
    papers = topic.papers_by_title()
    questions = {question_id(topic.name, row): question for row, question in enumerate(topic.questions)}
    return Task(
        group=topic.name,
        queries={query: Document("", question.question) for query, question in questions.items()},
        corpus=Corpus(topic.papers, "text"),
        candidates=None,
        relevant={query: frozenset(answering(question.answers, papers)) for query, question in questions.items()},
        answers={query: tuple(question.answers) for query, question in questions.items()},
        depth=top_k,
        part_of=discipline_of(topic.name),
    )


def _without_paper(tasks: Sequence[Task]) -> Iterator[str]:
    without = [query for task in tasks for query, papers in task.relevant.items() if not papers]
    if without:
        found = counted(len(without), "question has", "questions have")
        yield f"{found} no answer among the papers, which is 0 in recall: {shown(without)}"
