"""From training queries to a saved model."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from sentence_transformers.base.modules import Transformer

from ..benchmarks import Document
from ..choices import Benchmark
from ..models.facts import parameters_of, weights_sha256
from ..models.record import Record, write_record
from ..models.text import paper_text, question_text
from ..progress import Progress
from ..results import environment
from ..results.files import whole_folder
from .building import build, freeze_unused
from .checkpoints import begin_checkpoints, discard_checkpoints, last_checkpoint
from .processes import is_first_process
from .queries import TrainingQuery
from .rows import rows
from .settings import Course, Settings
from .trainer import trainer_for, watched_measures


def fit(
    queries: Sequence[TrainingQuery],
    record: Record,
    settings: Settings,
    revision: str | None,
    course: Course,
    progress: Progress,
) -> Record:
    """Build a model, train it, and save it with its record.

    Args:
        queries: what to train on, with hard negatives.
        record: architecture, method, and of training what is known so far: `saw`, `settings`, `base` and the like.
        settings: hyper-parameters.
        revision: the base model's on the Hub.
        course: how it is carried out.
        progress: what shows how far it has come.

    Returns:
        the record with what happened: parameters, losses, what was watched.
    """
    model = build(
        record.architecture, record.method, record.training["base"]["name"], settings, revision, course.device
    )
    queries_are_papers = not Benchmark(record.training["saw"]["benchmark"]).asks_questions
    freeze_unused(model, queries_are_papers)
    parameters = parameters_of(model)
    record = _told(record, base=_base_of(model, record), parameters=parameters)
    share = parameters["trained"] / parameters["all"]
    progress.say(f"{parameters['trained']:,} of {parameters['all']:,} parameters are trained ({share:.2%})")
    paper = paper_text(record.template, model.tokenizer.sep_token)
    table, notes = rows(
        queries,
        paper,
        paper if queries_are_papers else _question(settings.strip_question_mark),
        settings.hard_negatives,
        settings.seed,
    )
    for note in notes:
        progress.say(f"note: {note}")
    record = _told(record, rows=len(table), notes=[*record.training["notes"], *notes])
    checkpoint = last_checkpoint(course.folder, record) if course.resume else None
    if checkpoint is None and is_first_process():
        begin_checkpoints(course.folder, record)
    with ExitStack() as shown:
        trainer = trainer_for(model, table, settings, course, record, queries_are_papers, progress, shown)
        started = time.perf_counter()
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        seconds = time.perf_counter() - started
    record = _told(record, **_history(trainer, seconds))
    if is_first_process():
        with whole_folder(course.folder) as temporary:
            model.save_pretrained(str(temporary), create_model_card=False)
            write_record(temporary, record)
        discard_checkpoints(course.folder)
    return record


def _told(record: Record, **more: Any) -> Record:
    return replace(record, training={**record.training, **more})


def _base_of(model: Any, record: Record) -> dict[str, Any]:
    network = next(module.model for module in model.modules() if isinstance(module, Transformer))
    return {
        **record.training["base"],
        "revision": getattr(network.config, "_commit_hash", None),
        "weights_sha256": weights_sha256(network, but="pooler."),
    }


def _question(strip_question_mark: bool) -> Callable[[Document], str]:
    plain = question_text(None)
    return (lambda question: plain(question).removesuffix("?")) if strip_question_mark else plain


def _history(trainer: Any, seconds: float) -> dict[str, Any]:
    log = trainer.state.log_history
    watched = [{"step": entry["step"], **watched_measures(entry)} for entry in log if watched_measures(entry)]
    return {
        "steps": trainer.state.global_step,
        "losses": [
            {name: entry[name] for name in ("step", "loss", "learning_rate")} for entry in log if "loss" in entry
        ],
        "watched": watched,
        "seconds": seconds,
        "environment": environment(),
    }
