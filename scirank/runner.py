"""Run a model on a benchmark, end to end."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .benchmarks import Benchmark, Task, load_benchmark
from .choices import Benchmark as Names
from .choices import NoRelevant, Recipe, Ties
from .errors import ScirankError, shown
from .evaluation import Evaluation, ScoredQuery, check_relevant, evaluate, plain_scores
from .fit import check_choices, measures_within
from .models import ModelOptions, Ranking, load_ranker
from .progress import Progress
from .question_evaluation import evaluate_answers
from .ranking import Ranked, ranked
from .results import Result, environment, refuse_to_replace
from .results.trec import FILES as TREC_FILES
from .results.trec import Scores, write_trec

LOADING = ("split", "groups", "data_dir", "missing_text", "disciplines", "top_k", "quotes")
"""The arguments of `load_benchmark`."""

RECIPES: dict[Recipe, dict[str, Any]] = {
    # What AI2's mdcr.py does (github.com/allenai/scirepeval), which made SPECTER2's published rows.
    Recipe.SCIREPEVAL: {"pooling": "cls", "similarity": "euclidean", "max_length": 512},
}
"""Named sets of options, for `like`; an option given beside it wins."""


def run(
    model: Any,
    benchmark: "str | Benchmark" = "mdcr",
    *,
    name: str | None = None,
    out: str | os.PathLike[str] | None = None,
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    no_relevant: str = NoRelevant.ERROR,
    save_scores: bool = False,
    save_run: bool = False,
    overwrite: bool = False,
    like: str | None = None,
    quiet: bool = False,
    **options: Any,
) -> Result:
    """Rank a benchmark's candidates, or its whole corpora, with a model and evaluate the ranking.

    Args:
        model: a name or an object; see `load_ranker`.
        benchmark: a name (`mdcr`, `oagqa`, `mdcr-mini`, `oagqa-mini`), or what `load_benchmark`
            returned.
        name: what to call the model in the result; by default its own name.
        out: a folder; the result is saved in `<out>/<model>/`.
        measures: names such as `map`, `ndcg_10`, `recall_5`, or, of OAG-QA, `hit_20`, `mrr`; by
            default those that are published.
        ties: `trec`, or, of MDCR, `optimistic`, `pessimistic` or `expected`.
        no_relevant: of MDCR: `error`, `zero` or `skip` for a query without a relevant candidate.
        save_scores: of MDCR: also save scores as upstream's script reads them.
        save_run: also save the ranking and the relevance as TREC's `run.trec` and `qrels.trec`.
        overwrite: replace a saved result of the same model that was made in another way.
        like: a recipe; `scirepeval` is what SPECTER2's published rows used.
        quiet: show neither progress nor notes.
        options: arguments of `load_benchmark`, such as `groups=["Art"]` or `data_dir="data"`, where
            the benchmark is named, and fields of `scirank.models.ModelOptions`, such as
            `similarity="dot"`.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was
            found and what to do.
    """
    progress = Progress(quiet)
    of_loading = {key: options.pop(key) for key in list(options) if key in LOADING}
    chosen = model_options(like, **options)
    choices = (chosen, measures, ties, no_relevant, save_scores)
    if isinstance(benchmark, str):
        check_choices(benchmark, Names(benchmark).asks_questions, *choices)
        benchmark = load_benchmark(benchmark, **of_loading)
    else:
        if of_loading:
            raise ScirankError(f"{', '.join(of_loading)}: for load_benchmark, where this benchmark came from")
        check_choices(benchmark.name, benchmark.asks_questions, *choices)
    if benchmark.asks_questions:
        measures = measures_within(benchmark.tasks[0].depth, measures)
        settings = {"like": like, "measures": measures}
    else:
        check_relevant([q for task in benchmark.tasks for q in task.queries if not task.relevant[q]], no_relevant)
        settings = {"ties": ties, "no_relevant": no_relevant, "like": like, "measures": measures}
    ranker = load_ranker(model, chosen)
    name = name or ranker.name
    for note in ranker.notes:
        progress.say(f"note: {name}: {note}")
    made_from = {
        "data_sha256": dict(benchmark.data_sha256),
        "settings": {**benchmark.settings, **settings},
        "model": dict(ranker.provenance()),
    }
    folder = None if out is None else Path(out) / folder_name(name)
    if folder is not None and not overwrite:
        refuse_to_replace(folder, made_from)
    wall, cpu = time.perf_counter(), time.process_time()
    rankings = _in_order(name, benchmark.tasks, ranker.rank(benchmark.tasks, progress))
    spent = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    evaluation, scores = _evaluate(name, benchmark, rankings, measures, ties, no_relevant)
    result = Result(
        model=name,
        benchmark=benchmark.name,
        split=benchmark.split,
        summary=evaluation.summary,
        per_query=evaluation.per_query,
        provenance={**made_from, "ranking": spent, "environment": environment()},
        notes=(*ranker.notes, *benchmark.notes, *evaluation.notes),
        scores=scores,
    )
    for note in result.notes[len(ranker.notes) :]:
        progress.say(f"note: {name}: {note}")
    if folder is not None:
        for stale in TREC_FILES:
            (folder / stale).unlink(missing_ok=True)
        if save_run:
            write_trec(folder, benchmark.tasks, scores, name)
        result.save(folder, scores=save_scores)
    return result


def model_options(like: str | None = None, **options: Any) -> ModelOptions:
    """Options as given, over those of a recipe."""
    recipe = RECIPES[Recipe(like)] if like else {}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return ModelOptions(**(recipe | given))
    except TypeError as error:
        valid = ", ".join([*ModelOptions.__dataclass_fields__, *LOADING])
        raise TypeError(f"unknown option among {', '.join(options)}; valid are {valid}") from error


def folder_name(model: str) -> str:
    """A model's name as one folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+" else "_" for c in model.replace("/", "__")).lstrip(".") or "model"


def _evaluate(
    name: str,
    benchmark: Benchmark,
    rankings: Sequence[Ranking],
    measures: str | Sequence[str] | None,
    ties: str,
    no_relevant: str,
) -> tuple[Evaluation, Scores]:
    """The numbers, and the scores that they come from: group -> query -> paper -> score."""
    if benchmark.asks_questions:
        pairs = zip(benchmark.tasks, rankings, strict=True)
        found = {task.group: _first(name, task, ranking) for task, ranking in pairs}
        runs = {topic: {query: best.run for query, best in of.items()} for topic, of in found.items()}
        return evaluate_answers(benchmark.tasks, found, measures), runs
    queries = list(_scored(name, benchmark.tasks, rankings))
    scores: dict[str, dict[str, dict[str, float]]] = {task.group: {} for task in benchmark.tasks}
    for query in queries:
        scores[query.group][query.query_id] = query.run
    return evaluate(queries, benchmark.groups, measures, ties, no_relevant), scores


def _in_order(name: str, tasks: Sequence[Task], rankings: Iterable[Ranking]) -> list[Ranking]:
    """One ranking for each task."""
    found = list(rankings)
    if [ranking.group for ranking in found] != [task.group for task in tasks]:
        raise ScirankError(
            f"{name} ranked {len(found)} groups; expected one ranking for each of {len(tasks)}, in order"
        )
    return found


def _first(name: str, task: Task, ranking: Ranking) -> dict[str, Ranked]:
    """The first papers of each query, in the one order, whatever order a ranker gave them in."""
    found = {}
    for query in task.queries:
        run = plain_scores(query, dict(ranking.scores.get(query, {})))
        if not run:
            raise ScirankError(f"{name} ranked no paper for {query}; expected {task.depth or 'all'}")
        if strangers := [paper for paper in run if paper not in task.corpus]:
            raise ScirankError(f"{name} ranked what is no paper of {task.group} for {query}: {shown(strangers)}")
        best = ranked(run, task.depth)
        found[query] = Ranked(best.run, best.cut_in_tie or query in ranking.cut_in_tie)
    return found


def _scored(name: str, tasks: Sequence[Task], rankings: Sequence[Ranking]) -> Iterator[ScoredQuery]:
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
