"""Rankers that encode papers and questions apart: what they share, whatever they do with the vectors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..benchmarks import Document, Task
from ..embeddings import Encoder, Engine, Job, Texts, Vectors
from ..errors import ScirankError
from ..progress import Progress
from .record import Record

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Side:
    """How the texts of papers, or of questions, are made and encoded."""

    text: Callable[[Document], str]
    encoder: Encoder


@dataclass(frozen=True)
class Encoded:
    """The texts of one side, and their vectors."""

    texts: Texts
    vectors: Vectors

    def take(self, documents: Mapping[str, Document], ids: Iterable[str]) -> "np.ndarray":
        """The vectors of documents that have one each, float32 of shape (ids, dimensions)."""
        return self.vectors.take(self.texts.places(documents, ids))

    def take_all(self, documents: Mapping[str, Document], ids: Iterable[str]) -> "list[np.ndarray]":
        """The vectors of documents that have several, float32 of shape (tokens, dimensions) each."""
        return self.vectors.take_all(self.texts.places(documents, ids))


class TwoSidedRanker:
    """Encodes papers on one side and questions on the other.

    Where queries are papers too, as in MDCR, they are encoded as papers.
    """

    kind: str
    several: bool
    """Whether a text has several vectors."""
    record: Record | None = None
    """What the model's folder says of itself."""

    def __init__(
        self,
        name: str,
        papers: Side,
        questions: Side,
        similarity: str,
        facts: Mapping[str, Any],
        notes: Sequence[str] = (),
        engine: Engine | None = None,
    ) -> None:
        self.name = name
        self.notes = tuple(notes)
        self.papers = papers
        self.questions = questions
        self.engine = engine or Engine()
        self.similarity = similarity
        self._facts = facts

    @property
    def encoders(self) -> Mapping[str, Encoder]:
        """By role."""
        return {"papers": self.papers.encoder, "questions": self.questions.encoder}

    def jobs(self, tasks: Sequence[Task]) -> tuple[Job, ...]:
        """The texts to encode, a job a role."""
        return tuple(Job(texts, self.encoders[role], role) for role, texts in self._texts(tasks).items())

    def provenance(self) -> Mapping[str, Any]:
        """Model, weights, text and similarity."""
        made = {} if self.record is None else self.record.facts()
        return {"kind": self.kind, **self._facts, "similarity": self.similarity, **made}

    def encoded(self, tasks: Sequence[Task], progress: Progress) -> tuple[Encoded, Encoded]:
        """Papers and questions of all tasks, every text encoded once.

        Raises:
            ScirankError: the vectors are not such as this kind of model has.
        """
        texts = self._texts(tasks)
        jobs = [Job(texts[role], self.encoders[role], role) for role in texts]
        papers, questions = map(Encoded, texts.values(), self.engine.encode_all(jobs, progress))
        for side in (papers, questions):
            if side.vectors.dimensions and side.vectors.several != self.several:
                found, kind = (
                    ("several vectors", "late-interaction") if side.vectors.several else ("one vector", "bi-encoder")
                )
                raise ScirankError(f"{self.name} gives {found} a text: use --kind {kind}")
        if questions.vectors.dimensions not in (0, papers.vectors.dimensions):
            raise ScirankError(
                f"{self.name} gave vectors of {questions.vectors.dimensions} dimensions for questions and of "
                f"{papers.vectors.dimensions} for papers; they have to be the same"
            )
        return papers, questions

    def _texts(self, tasks: Sequence[Task]) -> dict[str, Texts]:
        papers, questions = Texts(self.papers.text), Texts(self.questions.text)
        for task in tasks:
            (papers if task.answers is None else questions).add(task.queries, task.queries)
            for pool in [task.corpus] if task.candidates is None else map(task.pool, task.queries):
                papers.add(task.corpus, pool)
        return {"papers": papers, "questions": questions}
