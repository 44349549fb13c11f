"""What a reduced precision changes: vectors and measures of a sample, against single precision."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .benchmarks import Benchmark, Task
from .choices import Dtype
from .embeddings import Vectors, engine_of
from .errors import counted
from .evaluation import Evaluation
from .models import ModelOptions, Ranking, load_ranker
from .progress import Progress

if TYPE_CHECKING:
    import numpy as np

REDUCED = (Dtype.BFLOAT16, Dtype.FLOAT16)
SAMPLE = 512
"""Texts of the sample, about."""
POOL = 128
"""Papers that a question is asked of in the sample."""


@dataclass(frozen=True)
class Drift:
    """What a reduced precision changed on a sample.

    Attributes:
        dtype: the precision.
        texts: of the sample, different ones.
        queries: of the sample.
        vectors: `lowest_cosine` and `mean_cosine` between a text's vectors in this precision and in single precision;
            `largest_difference` where these are single numbers.
        points: measure -> change of its average, in percentage points.
    """

    dtype: str
    texts: int
    queries: int
    vectors: Mapping[str, float]
    points: Mapping[str, float]

    def __str__(self) -> str:
        changes = ", ".join(f"{measure} {points:+.2f}" for measure, points in self.points.items())
        vectors = ", ".join(f"{name.replace('_', ' ')} {value:.6f}" for name, value in self.vectors.items())
        return (
            f"{self.dtype} against float32 on a sample of {counted(self.texts, 'text', 'texts')} and "
            f"{counted(self.queries, 'query', 'queries')}: {vectors}; points: {changes}"
        )


def measure_drift(
    model: Any,
    ranker: Any,
    options: ModelOptions,
    benchmark: Benchmark,
    evaluated: Callable[[Benchmark, Iterable[Ranking]], Evaluation],
    progress: Progress,
) -> Drift | None:
    """Encode a sample in single precision too, and compare; None where no reduced precision was chosen.

    Args:
        model: what the user named.
        ranker: the model in the reduced precision.
        options: those that it was loaded with.
        benchmark: what is ranked.
        evaluated: gives the numbers of rankings of a benchmark.
        progress: shows the encoding.
    """
    engine, loaded = engine_of(ranker), isinstance(model, str | os.PathLike)
    if (
        engine is None
        or options.dtype not in REDUCED
        or not loaded
        or ranker.provenance().get("dtype") != options.dtype
    ):
        return None
    tasks = tuple(sample_of(benchmark.tasks))
    sample = replace(benchmark, tasks=tasks, groups=tuple(task.group for task in tasks))
    exact: Any = load_ranker(model, replace(options, dtype=Dtype.FLOAT32))
    progress.say(
        f"float32: a sample of {counted(_queries(tasks), 'query', 'queries')}, to compare {options.dtype} with"
    )
    pairs = [
        pair
        for job, other in zip(ranker.jobs(tasks), exact.jobs(tasks), strict=True)
        for pair in _pairs(engine.encode(job, progress), exact.engine.encode(other, progress))
    ]
    reduced, single = (evaluated(sample, each.rank(tasks, progress)).summary["unrounded"] for each in (ranker, exact))
    return Drift(
        dtype=str(options.dtype),
        texts=len(pairs),
        queries=_queries(tasks),
        vectors=_compared(pairs),
        points={name: reduced[name] - single[name] for name in single if name != "groups"},
    )


def _queries(tasks: Iterable[Task]) -> int:
    return sum(len(task.queries) for task in tasks)


def drift_note(model: Any, ranker: Any, options: ModelOptions, *rest: Any) -> tuple[str, ...]:
    """A line on what a reduced precision changes, where one was chosen; that it fails takes nothing from a result."""
    try:
        drift = measure_drift(model, ranker, options, *rest)
    except Exception as error:
        first_line = str(error).strip().splitlines()[:1]
        return (f"what {options.dtype} changes could not be measured: {type(error).__name__}: {' '.join(first_line)}",)
    return () if drift is None else (str(drift),)


def sample_of(tasks: Sequence[Task]) -> Iterator[Task]:
    """Tasks with a few queries each, evenly spaced, which have about `SAMPLE` texts together."""
    texts = 0
    chosen = tasks[:: max(1, len(tasks) * POOL // SAMPLE)] if tasks[0].candidates is None else tasks
    for number, task in enumerate(chosen):
        pools: dict[str, tuple[str, ...]] = {}
        share = (SAMPLE - texts) / (len(chosen) - number)
        seen: set[str] = set()
        for query in _spread(list(task.queries)):
            pool = _pool(task, query)
            if pools and len(seen | {query, *pool}) > share:
                break
            pools[query] = pool
            seen |= {query, *pool}
        texts += len(seen)
        yield replace(task, queries={query: task.queries[query] for query in pools}, candidates=pools)
        if texts >= SAMPLE:
            return


def _pool(task: Task, query: str) -> tuple[str, ...]:
    """The candidates of a query; of a question, what answers it and papers from all over the corpus."""
    if task.candidates is not None:
        return task.candidates[query]
    papers = list(task.corpus)
    others = papers[:: max(1, len(papers) // POOL)]
    return tuple(dict.fromkeys([*(paper for paper in papers if paper in task.relevant[query]), *others]))


def _spread(items: list[str]) -> Iterator[str]:
    """Items from all over a list first: the middle, then the middles of the halves, and so on."""
    parts = [(0, len(items))]
    for start, end in parts:
        if start < end:
            middle = (start + end) // 2
            yield items[middle]
            parts += [(start, middle), (middle + 1, end)]


def _pairs(vectors: Vectors, others: Vectors) -> "Iterator[tuple[np.ndarray, np.ndarray]]":
    """The vectors of each different text twice."""
    import numpy as np

    _, places = np.unique(vectors.which, return_index=True)
    yield from zip(vectors.of_each(places.tolist()), others.of_each(places.tolist()), strict=True)


def _compared(pairs: "Sequence[tuple[np.ndarray, np.ndarray]]") -> dict[str, float]:
    import numpy as np

    if all(left.shape == (1, 1) for left, _ in pairs):
        return {"largest_difference": max(float(abs(left - right).max()) for left, right in pairs)}
    cosines = []
    for left, right in pairs:
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        cosines.append(float(np.mean((left * right).sum(axis=1) / np.where(lengths == 0, 1, lengths))))
    return {"lowest_cosine": min(cosines), "mean_cosine": sum(cosines) / len(cosines)}
