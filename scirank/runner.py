"""Run a model on a benchmark, end to end."""

import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .benchmarks import Benchmark
from .choices import NoRelevant, Ties
from .drift import drift_note
from .embeddings import engine_of
from .errors import counted, shown
from .evaluation import check_relevant
from .fit import measures_within
from .models import load_ranker
from .options import chosen
from .progress import Progress
from .rankings import evaluate_rankings
from .results import Result, environment, refuse_to_replace
from .results.trec import FILES as TREC_FILES
from .results.trec import write_lists


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
    save_rankings: bool = False,
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
        save_rankings: also save every query's ranked papers, which `scirank.compare`, `show` and
            `report` look at, as `rankings.parquet`.
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
    benchmark, of_model = chosen(benchmark, like, options, measures, ties, no_relevant, save_scores)
    if benchmark.asks_questions:
        measures = measures_within(benchmark.tasks[0].depth, measures)
        settings = {"like": like, "measures": measures}
    else:
        check_relevant([q for task in benchmark.tasks for q in task.queries if not task.relevant[q]], no_relevant)
        settings = {"ties": ties, "no_relevant": no_relevant, "like": like, "measures": measures}
    ranker = load_ranker(model, of_model)
    name = name or ranker.name
    notes = (*ranker.notes, *_seen(ranker, benchmark))
    for note in notes:
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
    rankings = list(ranker.rank(benchmark.tasks, progress))
    spent: dict[str, Any] = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    evaluated = partial(evaluate_rankings, name, measures=measures, ties=ties, no_relevant=no_relevant)
    evaluation = evaluated(benchmark, rankings)
    spent |= _encoded(ranker)
    drift = drift_note(model, ranker, of_model, benchmark, evaluated, progress)
    result = Result(
        model=name,
        benchmark=benchmark.name,
        split=benchmark.split,
        summary=evaluation.summary,
        per_query=evaluation.per_query,
        provenance={**made_from, "ranking": spent, "environment": environment()},
        notes=(*notes, *benchmark.notes, *evaluation.notes, *drift),
        lists=evaluation.lists,
    )
    for note in result.notes[len(notes) :]:
        progress.say(f"note: {name}: {note}")
    if folder is not None:
        for stale in TREC_FILES:
            (folder / stale).unlink(missing_ok=True)
        if save_run:
            write_lists(folder, result.known_lists(), name)
        result.save(folder, scores=save_scores, rankings=save_rankings)
    return result


def folder_name(model: str) -> str:
    """A model's name as one folder's name."""
    return "".join(c if c.isalnum() or c in "-_.+" else "_" for c in model.replace("/", "__")).lstrip(".") or "model"


def _seen(ranker: Any, benchmark: Benchmark) -> Iterator[str]:
    """What of a benchmark a model was trained on, by its own account."""
    record = getattr(ranker, "record", None)
    if record is not None and (seen := record.trained_queries(benchmark)):
        queries = sum(len(task.queries) for task in benchmark.tasks)
        yield f"{len(seen):,} of {counted(queries, 'query', 'queries')} were trained on: {shown(seen)}"


def _encoded(ranker: Any) -> dict[str, Any]:
    """What of the time went into vectors: a run out of the store takes none."""
    engine = engine_of(ranker)
    return {} if engine is None else {"texts": dict(engine.counts)}
