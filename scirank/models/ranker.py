"""What every kind of model does, and the choices that a user has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..benchmarks import Task
from ..choices import Backend, Choice, Dtype, Engine, Kind, Pooling, Similarity
from ..errors import ScirankError
from ..progress import Progress
from ..ranking import Ranked


@dataclass(frozen=True)
class Ranking:
    """Scores of one task: query id -> candidate id -> score, higher is better.

    Where a task has a depth, the first papers are enough; `cut_in_tie` then has the queries whose
    next paper has the score of the last one given.
    """

    group: str
    scores: Mapping[str, Mapping[str, float]]
    cut_in_tie: frozenset[str] = frozenset()


class Ranker(Protocol):
    """Ranks each task's candidates, or its whole corpus.

    It gets all tasks at once, so that a text which occurs in several is encoded once. `notes` are
    lines that become part of the result.
    """

    name: str
    notes: tuple[str, ...]

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task, in order."""
        ...

    def provenance(self) -> Mapping[str, Any]:
        """What determined the scores: model, revision, weights, text template and the like."""
        ...


def ranking_of(group: str, found: Mapping[str, Ranked]) -> Ranking:
    """A ranking out of the first papers of each query."""
    cut = frozenset(query for query, ranked in found.items() if ranked.cut_in_tie)
    return Ranking(group, {query: ranked.run for query, ranked in found.items()}, cut)


@dataclass(frozen=True)
class ModelOptions:
    """How to use a model; None is the model's own way.

    Attributes:
        kind: `bi-encoder`, `late-interaction` or `cross-encoder`; by default what the model was saved as.
        template: the text of a paper, from the fields `{title}`, `{abstract}` and `{sep}`, or `dpr`
            or `colbert`, the input forms of those.
        query_template: the text of a question, from the field `{question}`.
        similarity: `cosine`, `dot`, `euclidean` or `manhattan` (the last two negated).
        pooling: `cls` or `mean`; replaces the model's own, and checkpoints without one need it.
        prompt: a text put before each paper's text; by default the model's prompt for documents.
        query_prompt: a text put before each question; by default the model's prompt for queries.
        max_length: tokens a text is cut to.
        batch_tokens: tokens encoded together, padding included; by default what suits the device.
        dtype: `float32`, `bfloat16` or `float16`; of the last two the run measures what they change.
        backend: `torch`, `onnx` or `openvino`.
        device: such as `cpu` or `cuda:0`; several with commas between them work together.
        revision: the model's revision on the Hub.
        first_stage: of a cross-encoder, where a whole corpus is ranked: the model whose first papers it scores; by
            default `bm25`.
        rerank: how many of these it scores; by default 100.
        seed: for `random`.
        engine: `ray`: the workers of a Ray cluster encode.
        ray_address: the cluster's; else RAY_ADDRESS, else one is started on this machine.
        ray_workers: how many; by default one a graphics card, or one for four processors.
        cache: whether vectors are kept from run to run.
        cache_dir: where; else the environment variable SCIRANK_CACHE, else the user's folder for caches.
    """

    kind: str | None = None
    template: str | None = None
    query_template: str | None = None
    similarity: str | None = None
    pooling: str | None = None
    prompt: str | None = None
    query_prompt: str | None = None
    max_length: int | None = None
    batch_tokens: int | None = None
    dtype: str | None = None
    backend: str | None = None
    device: str | None = None
    revision: str | None = None
    first_stage: str | None = None
    rerank: int | None = None
    seed: int = 0
    engine: str | None = None
    ray_address: str | None = None
    ray_workers: int | None = None
    cache: bool = True
    cache_dir: str | None = None

    def __post_init__(self) -> None:
        """Refuse what does not exist, whatever the model."""
        for name, kind in _CHOICES.items():
            if getattr(self, name) is not None:
                kind(getattr(self, name))
        if self.rerank is not None and self.rerank < 1:
            raise ScirankError(f"rerank {self.rerank}: expected at least 1 paper")

    def ignored_beside(self, *used: str) -> tuple[str, ...]:
        """A note on each option that was set and is none of those that a kind of model uses."""
        plain = ModelOptions()
        names = [name for name in self.__dataclass_fields__ if getattr(self, name) != getattr(plain, name)]
        return tuple(f"{name} is ignored by this kind of model" for name in names if name not in (*used, *OF_A_RUN))


_CHOICES: dict[str, type[Choice]] = {
    "kind": Kind,
    "similarity": Similarity,
    "pooling": Pooling,
    "dtype": Dtype,
    "backend": Backend,
    "engine": Engine,
}
OF_A_RUN = ("cache", "cache_dir", "engine", "ray_address", "ray_workers")
"""Options that concern only those models that have a use for them."""
