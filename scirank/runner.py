"""Run a model on a benchmark, end to end."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mdcr_metric import parse_measures

from .benchmarks import Benchmark, Task, load_benchmark
from .choices import MissingText, NoRelevant, Recipe, Split, Ties
from .errors import ScirankError, shown
from .evaluation import MEASURES, ScoredQuery, check_relevant, evaluate, plain_scores
from .models import ModelOptions, Ranking, load_ranker
from .progress import Progress
from .results import Result, environment, refuse_to_replace

RECIPES: dict[Recipe, dict[str, Any]] = {
    # What AI2's mdcr.py does (github.com/allenai/scirepeval), which made SPECTER2's published rows.
    Recipe.SCIREPEVAL: {"pooling": "cls", "similarity": "euclidean", "max_length": 512},
}
"""Named sets of options, for `like`; an option given beside it wins."""


def run(
    model: Any,
    benchmark: "str | Benchmark" = "mdcr",
    *,
    split: str = Split.TEST,
    groups: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    measures: str | Sequence[str] = MEASURES,
    ties: str = Ties.TREC,
    missing_text: str = MissingText.ERROR,
    no_relevant: str = NoRelevant.ERROR,
    save_scores: bool = False,
    overwrite: bool = False,
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
        overwrite: replace a saved result of the same model that was made in another way.
        like: a recipe; `scirepeval` is what SPECTER2's published rows used.
        quiet: show neither progress nor notes.
        options: fields of `scirank.models.ModelOptions`, such as `similarity="dot"`.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: saying what was found and what to do.
    """
    parse_measures(measures)
    Ties(ties)
    NoRelevant(no_relevant)
    chosen = model_options(like, **options)
    progress = Progress(quiet)
    if isinstance(benchmark, str):
        benchmark = load_benchmark(benchmark, split=split, groups=groups, data_dir=data_dir, missing_text=missing_text)
    elif (split, groups, data_dir, missing_text) != (Split.TEST, None, None, MissingText.ERROR):
        raise ScirankError(
            "split, groups, data_dir and missing_text are for load_benchmark, where this benchmark came from"
        )
    check_relevant([q for task in benchmark.tasks for q in task.queries if not task.relevant[q]], no_relevant)
    ranker = load_ranker(model, chosen)
    name = name or ranker.name
    for note in ranker.notes:
        progress.say(f"note: {name}: {note}")
    made_from = {
        "data_sha256": dict(benchmark.data_sha256),
        "settings": {**benchmark.settings, "ties": ties, "no_relevant": no_relevant, "like": like},
        "model": dict(ranker.provenance()),
    }
    folder = None if out is None else Path(out) / folder_name(name)
    if folder is not None and not overwrite:
        refuse_to_replace(folder, made_from)
    wall, cpu = time.perf_counter(), time.process_time()
    rankings = list(ranker.rank(benchmark.tasks, progress))
    spent = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    queries = list(_scored(name, benchmark.tasks, rankings))
    evaluation = evaluate(queries, benchmark.groups, measures, ties, no_relevant)
    result = Result(
        model=name,
        benchmark=benchmark.name,
        split=benchmark.split,
        summary=evaluation.summary,
        per_query=evaluation.per_query,
        provenance={**made_from, "ranking": spent, "environment": environment()},
        notes=(*ranker.notes, *benchmark.notes, *evaluation.notes),
        scores={ranking.group: ranking.scores for ranking in rankings},
    )
    for note in result.notes[len(ranker.notes) :]:
        progress.say(f"note: {name}: {note}")
    if folder is not None:
        result.save(folder, scores=save_scores)
    return result


def model_options(like: str | None = None, **options: Any) -> ModelOptions:
    """Options as given, over those of a recipe."""
    recipe = RECIPES[Recipe(like)] if like else {}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return ModelOptions(**(recipe | given))
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
            pool = task.pool(query)
            run = ranking.scores.get(query, {})
            if missed := [paper for paper in pool if paper not in run]:
                raise ScirankError(
                    f"{name} gave no score for {len(missed)} candidates of query {query}: {shown(missed)}"
                )
            scores = plain_scores(query, {paper: run[paper] for paper in pool})
            yield ScoredQuery(task.group, query, scores, {paper: int(paper in task.relevant[query]) for paper in pool})
