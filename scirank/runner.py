"""Run a model on a benchmark, end to end."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mdcr_metric import POLICIES, parse_measures

from .benchmarks import Benchmark, Task, load_benchmark
from .errors import ScirankError, shown
from .evaluation import MEASURES, ScoredQuery, check_relevant, evaluate
from .models import ModelOptions, Ranking, load_ranker
from .progress import Progress
from .results import Result, environment, provenance
from .scoring import plain_scores

RECIPES: dict[str, dict[str, Any]] = {
    # What AI2's mdcr.py does (github.com/allenai/scirepeval), which made SPECTER2's published rows.
    "scirepeval": {"pooling": "cls", "similarity": "euclidean", "max_length": 512},
}
"""Named sets of options, for `like`; an option given beside it wins."""


def run(
    model: Any,
    benchmark: "str | Benchmark" = "mdcr",
    *,
    split: str = "test",
    groups: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    measures: str | Sequence[str] = MEASURES,
    ties: str = "trec",
    missing_text: str = "error",
    no_relevant: str = "error",
    save_scores: bool = False,
    like: str | None = None,
    quiet: bool = False,
    **options: Any,
) -> Result:
    """Rank a benchmark's candidates with a model and evaluate the ranking.

    Args:
        model: a name or an object; see `load_ranker`.
        benchmark: a name (`mdcr`, `mdcr-mini`), or what `load_benchmark` returned; then `split`,
            `groups`, `data_dir` and `missing_text` were its business.
        split: `test` or `validation`.
        groups: the groups (fields) wanted; all by default.
        data_dir: a folder with upstream's files; see `load_benchmark`.
        name: what to call the model in the result; by default its own name.
        out: a folder; the result is saved in `<out>/<model>/`.
        measures: names such as `map`, `ndcg_10`, `recall_5`.
        ties: `trec`, `optimistic`, `pessimistic` or `expected`.
        missing_text: `error`, `empty` or `skip`; see `load_benchmark`.
        no_relevant: `error`, `zero` or `skip` for a query without a relevant candidate.
        save_scores: also save scores as upstream's script reads them.
        like: a recipe; `scirepeval` is what SPECTER2's published rows used.
        quiet: show no progress.
        options: fields of `scirank.models.ModelOptions`, such as `similarity="dot"`.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: saying what was found and what to do.
    """
    parse_measures(measures)
    if ties not in POLICIES:
        raise ScirankError(f"unknown tie policy {ties!r}; valid are {', '.join(POLICIES)}")
    chosen = model_options(like, **options)
    progress = Progress(quiet)
    if isinstance(benchmark, str):
        benchmark = load_benchmark(benchmark, split=split, groups=groups, data_dir=data_dir, missing_text=missing_text)
    elif (split, groups, data_dir, missing_text) != ("test", None, None, "error"):
        raise ScirankError(
            "split, groups, data_dir and missing_text are for load_benchmark, where this benchmark came from"
        )
    check_relevant([q for task in benchmark.tasks for q in task.queries if not task.relevant[q]], no_relevant)
    ranker = load_ranker(model, chosen)
    name = name or ranker.name
    for note in getattr(ranker, "notes", ()):
        progress.say(f"warning: {note}")
    wall, cpu = time.perf_counter(), time.process_time()
    rankings = list(ranker.rank(benchmark.tasks, progress))
    spent = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    evaluation = evaluate(_scored(name, benchmark.tasks, rankings), benchmark.groups, measures, ties, no_relevant)
    settings = {**benchmark.settings, "ties": ties, "no_relevant": no_relevant, "like": like}
    record = provenance(
        benchmark.data_sha256, settings, model=dict(ranker.provenance()), ranking=spent, environment=environment()
    )
    result = Result.of(
        evaluation,
        name,
        benchmark.name,
        benchmark.split,
        record,
        (*getattr(ranker, "notes", ()), *benchmark.notes, *evaluation.notes),
        {ranking.group: ranking.scores for ranking in rankings},
    )
    if out is not None:
        result.save(Path(out) / folder_name(name), scores=save_scores)
    return result


def model_options(like: str | None = None, **options: Any) -> ModelOptions:
    """Options as given, over those of a recipe."""
    if like is not None and like not in RECIPES:
        raise ScirankError(f"unknown recipe {like!r}; valid are {', '.join(RECIPES)}")
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return replace(ModelOptions(**RECIPES[like]) if like else ModelOptions(), **given)
    except TypeError as error:
        valid = ", ".join(ModelOptions.__dataclass_fields__)
        raise TypeError(f"unknown option among {', '.join(options)}; valid are {valid}") from error


def folder_name(model: str) -> str:
    """A model's name as one folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+" else "_" for c in model.replace("/", "__")).lstrip(".") or "model"


def _scored(name: str, tasks: Sequence[Task], rankings: Sequence[Ranking]) -> Iterator[ScoredQuery]:
    if [ranking.group for ranking in rankings] != [task.group for task in tasks]:
        raise ScirankError(
            f"{name} ranked {len(rankings)} groups; expected one ranking for each of {len(tasks)}, in order"
        )
    for task, ranking in zip(tasks, rankings, strict=True):
        for query in task.queries:
            candidates = list(task.corpus) if task.candidates is None else task.candidates[query]
            run = ranking.scores.get(query, {})
            if missed := [paper for paper in candidates if paper not in run]:
                raise ScirankError(
                    f"{name} gave no score for {len(missed)} candidates of query {query}: {shown(missed)}"
                )
            scores = plain_scores(query, {paper: run[paper] for paper in candidates})
            yield ScoredQuery(task.group, query, scores, {p: int(p in task.relevant[query]) for p in candidates})
