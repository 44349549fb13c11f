"""Queries to train on: with papers that are right, and papers that are not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..benchmarks import Benchmark, Document


class Passage(NamedTuple):
    """A paper to train on. In OAG-QA its id is its topic's: the same id in another group is another paper."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class TrainingQuery:
    """A query to train on.

    Attributes:
        group: a field or topic.
        query_id: in OAG-QA `topic/row`, or `topic/train/row` where it is out of a file for training.
        query: a question (without a title) or a paper.
        answers: titles that answer it; none of a paper.
        positives: papers that are right, at least one.
        negatives: papers that are not, the hardest first; of MDCR in the order of its file.
    """

    group: str
    query_id: str
    query: Document
    answers: tuple[str, ...]
    positives: tuple[Passage, ...]
    negatives: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class TrainingData:
    """Queries to train on.

    Attributes:
        queries: in the order of the files.
        benchmark: what they come from; its corpora are where negatives are mined.
        seen: what a trained model's record has to say of them: `benchmark`, `data_sha256`, and `groups`, of each its
            `source` and what `drawing.seen_of` gives; after mining also `mining`.
        notes: what was left out, and how often.
    """

    queries: tuple[TrainingQuery, ...]
    benchmark: Benchmark
    seen: Mapping[str, Any]
    notes: tuple[str, ...] = ()
