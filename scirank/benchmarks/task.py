"""What a model is given."""

from collections.abc import Mapping
from dataclasses import dataclass

from .corpus import Corpus, Document


@dataclass(frozen=True)
class Task:
    """One group of a benchmark (in MDCR a field).

    Attributes:
        group: its name.
        queries: query id -> text.
        corpus: paper id -> text; groups may share one.
        candidates: query id -> the papers to rank, or None where all of the corpus is ranked.
        relevant: query id -> the papers that are right.
    """

    group: str
    queries: Mapping[str, Document]
    corpus: Corpus
    candidates: Mapping[str, tuple[str, ...]] | None
    relevant: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Benchmark:
    """A split of a benchmark: its tasks, the SHA-256 of each data file, and what was noticed in reading."""

    name: str
    split: str
    tasks: tuple[Task, ...]
    data_sha256: Mapping[str, str]
    notes: tuple[str, ...] = ()
