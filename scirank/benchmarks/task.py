"""What a model is given."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

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

    def pool(self, query: str) -> Collection[str]:
        """The papers to rank for a query."""
        return self.corpus if self.candidates is None else self.candidates[query]


@dataclass(frozen=True)
class Benchmark:
    """A split of a benchmark.

    Attributes:
        name: such as `mdcr`.
        split: such as `test`.
        groups: the groups asked for, also those without any query left.
        tasks: a task for each group that has queries.
        data_sha256: of each data file.
        settings: how it was loaded.
        notes: what was noticed in reading.
    """

    name: str
    split: str
    groups: tuple[str, ...]
    tasks: tuple[Task, ...]
    data_sha256: Mapping[str, str]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
