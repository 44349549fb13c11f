"""Training queries drawn from the benchmarks, and what a model's record says of them."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..benchmarks import Benchmark, Corpus, Document, Task, load_benchmark
from ..choices import Benchmark as Names
from ..choices import MissingText, Source, Split
from ..errors import ScirankError, counted, shown
from ..models.record import text_digest
from ..results import sha256
from .queries import Passage, TrainingData, TrainingQuery

if TYPE_CHECKING:
    from oagqa_dataset.train import Paper, TrainRecord


def training_data(
    benchmark: str = "oagqa",
    *,
    groups: str | Sequence[str] | None = None,
    disciplines: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    quotes: str | None = None,
    missing_text: str = MissingText.ERROR,
    source: str | None = None,
) -> TrainingData:
    """Draw training queries from a benchmark: OAG-QA's questions, or the papers of MDCR's validation split.

    Args:
        benchmark: `oagqa`, `oagqa-mini`, `mdcr` or `mdcr-mini`.
        groups: see `load_benchmark`.
        disciplines: see `load_benchmark`.
        data_dir: see `load_benchmark`.
        quotes: see `load_benchmark`.
        missing_text: see `load_benchmark`.
        source: of OAG-QA: `train`, the files for training, which every topic then has to have, or `questions`, those
            that the benchmark asks; by default a topic's file for training where it can be read, else its questions.
            MDCR has `validation` only: cited candidates are right, the others are its negatives.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was
            found and what to do.
    """
    name, wanted = Names(benchmark), None if source is None else Source(source)
    sources = (Source.TRAIN, Source.QUESTIONS) if name.asks_questions else (Source.VALIDATION,)
    if wanted is not None and wanted not in sources:
        raise ScirankError(f"source {wanted} is not of {name}; it has {' and '.join(sources)}")
    loaded = load_benchmark(
        name,
        split=Split.TEST if name.asks_questions else Split.VALIDATION,
        groups=groups,
        disciplines=disciplines,
        data_dir=data_dir,
        quotes=quotes,
        missing_text=missing_text,
    )
    counts: Counter[str] = Counter()
    if not name.asks_questions:
        drawn = [_Drawn(task, Source.VALIDATION, tuple(_of_field(task, counts))) for task in loaded.tasks]
        return _joined(loaded, drawn, {}, (), counts)
    read = wanted is not Source.QUESTIONS
    files = _train_files(name, data_dir, loaded.groups, wanted) if read else _TrainFiles({}, {}, ())
    drawn = [_of_topic(task, files.records.get(task.group), counts) for task in loaded.tasks]
    return _joined(loaded, drawn, files.sha256, files.notes, counts)


def seen_of(queries: Sequence[TrainingQuery]) -> dict[str, Any]:
    """What a model's record says of queries: how many, their ids, and what stands for their texts."""
    return {
        "queries": len(queries),
        "query_ids": [query.query_id for query in queries],
        "texts": [text_digest(query.query) for query in queries],
    }


def others(papers: Iterable[Passage], positives: Iterable[Passage]) -> list[Passage]:
    """Papers that are none of the positives: by their id, and by their text, or their title where they have none."""
    positives = tuple(positives)
    ids, texts = {paper.id for paper in positives}, {paper.text or paper.title for paper in positives}
    return [paper for paper in papers if paper.id not in ids and (paper.text or paper.title) not in texts]


@dataclass(frozen=True)
class _Drawn:
    """A group's queries, also those without a positive."""

    task: Task
    source: Source
    queries: tuple[TrainingQuery, ...]


def _joined(
    benchmark: Benchmark,
    drawn: Sequence[_Drawn],
    train_sha256: Mapping[str, str],
    notes: Iterable[str],
    counts: Counter[str],
) -> TrainingData:
    kept = {group.task.group: tuple(query for query in group.queries if query.positives) for group in drawn}
    dropped = [query.query_id for group in drawn for query in group.queries if not query.positives]
    if not any(kept.values()):
        raise ScirankError(
            f"{benchmark.name}: nothing to train on in {shown(benchmark.groups)}: "
            f"{counted(len(dropped), 'query', 'queries')}, none with a paper that is right"
        )
    seen = {
        "benchmark": benchmark.name,
        "data_sha256": {**benchmark.data_sha256, **train_sha256},
        "groups": {
            group.task.group: {
                "source": group.source.value,
                **seen_of(kept[group.task.group]),
            }
            for group in drawn
        },
    }
    queries = tuple(query for group in kept.values() for query in group)
    return TrainingData(queries, benchmark, seen, (*notes, *_notes(counts, dropped)))


def _notes(counts: Counter[str], dropped: Sequence[str]) -> Iterator[str]:
    if counts["positives"]:
        found = counted(counts["positives"], "answer is", "answers are")
        yield f"{found} neither the title of a paper of the topic nor given with a text, not used"
    if counts["negatives"]:
        found = counted(counts["negatives"], "given negative is", "given negatives are")
        yield f"{found} neither a paper of the topic nor given with a text, not used"
    if counts["same"]:
        yield f"{counted(counts['same'], 'given negative is', 'given negatives are')} also a positive, not used"
    if dropped:
        yield f"{counted(len(dropped), 'query', 'queries')} without a paper that is right, left out: {shown(dropped)}"


def _of_field(task: Task, counts: Counter[str]) -> Iterator[TrainingQuery]:
    """MDCR's queries of a field."""

    @cache
    def passage(paper: str) -> Passage:
        return Passage(paper, *task.corpus[paper])

    for query, document in task.queries.items():
        pool = {paper: passage(paper) for paper in task.pool(query)}
        right = tuple(found for paper, found in pool.items() if paper in task.relevant[query])
        given = [found for paper, found in pool.items() if paper not in task.relevant[query]]
        negatives = others(given, right)
        counts["same"] += len(given) - len(negatives)
        yield TrainingQuery(task.group, query, document, (), right, tuple(negatives))


@dataclass(frozen=True)
class _TrainFiles:
    """What topics' files for training hold, by topic; their hash; what was noticed."""

    records: "Mapping[str, Sequence[TrainRecord]]"
    sha256: Mapping[str, str]
    notes: tuple[str, ...]


def _train_files(
    name: Names, data_dir: str | os.PathLike[str] | None, topics: Sequence[str], wanted: Source | None
) -> _TrainFiles:
    """Read topics' files for training; where these are not demanded, one that cannot be read is told of only."""
    from oagqa_dataset import MINI, OagqaDataError, find_topics
    from oagqa_dataset.files import discarding_bad_download
    from oagqa_dataset.train import parse_train_records

    from ..benchmarks.oagqa import locate

    source, downloaded = (str(MINI), False) if name is Names.OAGQA_MINI else locate(data_dir)
    records, digests, notes = {}, [], []
    with discarding_bad_download(source, downloaded):
        found = find_topics(source).topics
        for topic in topics:
            file = found[topic].train
            if file is None:
                continue
            data = file.read()
            try:
                read = parse_train_records(data, str(file))
            except OagqaDataError as error:
                if wanted is Source.TRAIN:
                    raise
                notes.append(f"{error}; the file is not used")
                continue
            if read:
                records[topic] = read
                digests.append(f"{topic} {sha256(data)}")
    if without := [topic for topic in topics if topic not in records]:
        topics_have = counted(len(without), "topic has", "topics have")
        if wanted is Source.TRAIN:
            raise ScirankError(
                f"{source}: {topics_have} no questions for training (TOPIC-train.json): {shown(without)}. Choose other "
                "topics, or source questions (--source questions), those that the benchmark asks"
            )
        notes.append(f"{topics_have} no questions for training, so that those of the test are used: {shown(without)}")
    hashes = {"training files": sha256("\n".join(digests).encode())} if digests else {}
    return _TrainFiles(records, hashes, tuple(notes))


def _of_topic(task: Task, given: "Sequence[TrainRecord] | None", counts: Counter[str]) -> _Drawn:
    """OAG-QA's queries of a topic: those of its file for training, or without any its questions."""
    from mdcr_metric.titles import title_key

    by_title: dict[str, list[str]] = {}
    for paper, title in zip(task.corpus, task.corpus.titles(task.corpus), strict=True):
        if key := title_key(title):
            by_title.setdefault(key, []).append(paper)
    queries = []
    for row, record in _numbered(task, given):
        positives, absent = _passages(record.positives, task.corpus, by_title, f"{row}/positive")
        counts["positives"] += absent
        negatives, absent = _passages(record.negatives, task.corpus, by_title, f"{row}/negative")
        counts["negatives"] += absent
        wrong = others(negatives, positives)
        counts["same"] += len(negatives) - len(wrong)
        question = Document("", record.question)
        identity = f"{task.group}/{row}"
        queries.append(TrainingQuery(task.group, identity, question, record.answers, tuple(positives), tuple(wrong)))
    return _Drawn(task, Source.QUESTIONS if given is None else Source.TRAIN, tuple(queries))


def _numbered(task: Task, given: "Sequence[TrainRecord] | None") -> "Iterator[tuple[str, TrainRecord]]":
    """Each record with what its query is called in its topic."""
    from oagqa_dataset.train import Paper, TrainRecord

    if given is not None:
        yield from ((f"train/{row}", record) for row, record in enumerate(given))
        return
    for query, answers in (task.answers or {}).items():
        papers = tuple(Paper(answer, "") for answer in answers)
        yield query.removeprefix(f"{task.group}/"), TrainRecord(task.queries[query].text, answers, papers)


def _passages(
    papers: "Iterable[Paper]", corpus: Corpus, by_title: Mapping[str, Sequence[str]], made: str
) -> tuple[list[Passage], int]:
    """Papers as the corpus has them, else as they are given; and how many are neither there nor given with a text."""
    from mdcr_metric.titles import title_key

    found: dict[Passage, None] = {}
    absent = 0
    for at, paper in enumerate(papers):
        if known := by_title.get(title_key(paper.title)):
            found |= dict.fromkeys(Passage(each, *corpus[each]) for each in known)
        elif paper.text:
            found[Passage(f"{made}/{at}", *paper)] = None
        else:
            absent += 1
    return list(found), absent
