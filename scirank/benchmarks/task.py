"""What a model is given."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .corpus import Corpus, Document


@dataclass(frozen=True)
class Task:
    """One group of a benchmark: in MDCR a field, in OAG-QA a topic.

    Attributes:
        group: its name.
        queries: query id -> text.
        corpus: paper id -> text; groups may share one.
        candidates: query id -> the papers to rank, or None where all of the corpus is ranked.
        relevant: query id -> the papers that are right.
        answers: query id -> titles that answer it, where queries are questions; else None.
        depth: how many papers to keep of a ranking; None is all.
        sources: query id -> list -> its papers, where candidates come from lists, as in MDCR; `true` is one of them.
        part_of: what the group is averaged in first: in OAG-QA its discipline.
    """

    group: str
    queries: Mapping[str, Document]
    corpus: Corpus
    candidates: Mapping[str, tuple[str, ...]] | None
    relevant: Mapping[str, frozenset[str]]
    answers: Mapping[str, tuple[str, ...]] | None = None
    depth: int | None = None
    sources: Mapping[str, Mapping[str, Sequence[str]]] | None = None
    part_of: str = ""

    def pool(self, query: str) -> Collection[str]:
        """The papers to rank for a query."""
        return self.corpus if self.candidates is None else self.candidates[query]

    def global_id(self, paper: str) -> str:
        """A paper's id outside of the task: `topic/paper` where each task has a corpus with ids of its own."""
        return paper if self.answers is None else f"{self.group}/{paper}"


@dataclass(frozen=True)
class Benchmark:
    """A split of a benchmark.

    Attributes:
        name: such as `mdcr`.
        split: such as `test`.
        groups: the groups asked for, also those without any query left.
        tasks: a task for each group that has queries.
        data_sha256: of the data files.
        settings: how it was loaded.
        notes: what was noticed in reading.
        held: all groups that the files hold, where that is known without reading them.
    """

    name: str
    split: str
    groups: tuple[str, ...]
    tasks: tuple[Task, ...]
    data_sha256: Mapping[str, str]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    @property
    def asks_questions(self) -> bool:
        """Whether queries are questions, which titles answer, rather than papers."""
        return any(task.answers is not None for task in self.tasks)
