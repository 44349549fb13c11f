"""Sentence-transformers' trainers, with the losses of DPR and ColBERT."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import PrinterCallback, TrainerCallback

from ..choices import Architecture, Schedule
from ..models.record import Record, write_record
from ..progress import Progress
from .checkpoints import checkpoints_of
from .rows import QUERY
from .settings import Course, Settings
from .watching import BenchmarkEvaluator

if TYPE_CHECKING:
    from datasets import Dataset

TOLD_PARTS = 100
"""How often the loss is."""


def trainer_for(
    model: Any,
    rows: "Dataset",
    settings: Settings,
    course: Course,
    record: Record,
    queries_are_papers: bool,
    progress: Progress,
    shown: ExitStack,
) -> Any:
    """A trainer, ready to train.

    Args:
        model: what `build` made.
        rows: what `rows` made.
        settings: hyper-parameters.
        course: how training is carried out.
        record: put into each checkpoint, so that it can be evaluated like a model.
        queries_are_papers: whether queries are encoded as papers are, as in MDCR.
        progress: what shows how far it has come.
        shown: closed when what is shown is to go, however the training ends.
    """
    import sentence_transformers as library

    late = record.architecture == Architecture.COLBERT
    kind = library.MultiVectorEncoderTrainer if late else library.SentenceTransformerTrainer
    arguments = library.MultiVectorEncoderTrainingArguments if late else library.SentenceTransformerTrainingArguments
    evaluator = None if course.watched is None else BenchmarkEvaluator(course.watched, template=record.template)
    sides = dict.fromkeys(rows.column_names, "document")
    if not queries_are_papers:
        sides[QUERY] = "query"
    total = settings.steps or max(1, round(settings.epochs * len(rows) / settings.batch_size))
    told = max(1, total // TOLD_PARTS)
    args = arguments(
        output_dir=str(checkpoints_of(course.folder)),
        per_device_train_batch_size=settings.batch_size,
        num_train_epochs=settings.epochs,
        max_steps=settings.steps or -1,
        learning_rate=settings.learning_rate,
        lr_scheduler_type=_schedule(settings),
        warmup_steps=settings.warmup,
        max_grad_norm=settings.clip,
        weight_decay=settings.weight_decay,
        adam_epsilon=settings.epsilon,
        bf16=settings.dtype == "bfloat16",
        fp16=settings.dtype == "float16",
        seed=settings.seed,
        use_cpu=course.device == "cpu",
        batch_sampler="no_duplicates",
        router_mapping=sides,
        prompts={column: model.prompts.get(side) or "" for column, side in sides.items()},
        logging_steps=told,
        save_strategy="steps",
        save_steps=course.checkpoint_steps,
        save_total_limit=1,
        eval_strategy="no" if evaluator is None else "epoch" if course.watch_steps is None else "steps",
        eval_steps=course.watch_steps,
        eval_on_start=evaluator is not None and not course.resume,
        ddp_find_unused_parameters=False,
        disable_tqdm=True,
        report_to="none",
    )
    # An example for a model's page, so that the library does not draw some under a bar of its own.
    model.model_card_data.widget = [{"text": rows[0][QUERY]}]
    trainer = kind(
        model=model,
        args=args,
        train_dataset=rows,
        loss=_loss(model, late, settings, args.world_size > 1),
        evaluator=evaluator,
        callbacks=[
            _EvaluatedInTheEnd(evaluator is not None),
            _Told(progress, f"training {record.architecture}", shown),
            _Recorded(record),
        ],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _schedule(settings: Settings) -> str:
    if settings.schedule == Schedule.LINEAR:
        return "linear"
    return "constant_with_warmup" if settings.warmup else "constant"


def _loss(model: Any, late: bool, settings: Settings, gather: bool) -> Any:
    """The likelihood of the right paper among all of a batch, over dot products or MaxSim as they are."""
    from sentence_transformers.multi_vector_encoder import losses as of_several
    from sentence_transformers.sentence_transformer import losses as of_one
    from sentence_transformers.util import dot_score

    cached = {} if settings.mini_batch is None else {"mini_batch_size": settings.mini_batch}
    if late:
        several = (
            of_several.CachedMultiVectorMultipleNegativesRankingLoss
            if cached
            else of_several.MultiVectorMultipleNegativesRankingLoss
        )
        return several(model, scale=1.0, gather_across_devices=gather, **cached)
    one = of_one.CachedMultipleNegativesRankingLoss if cached else of_one.MultipleNegativesRankingLoss
    return one(model, scale=1.0, similarity_fct=dot_score, gather_across_devices=gather, **cached)


class _Told(TrainerCallback):  # type: ignore[misc]
    """Tells the steps and the loss, and what is evaluated on the way."""

    def __init__(self, progress: Progress, label: str, shown: ExitStack) -> None:
        self.progress = progress
        self.label = label
        self.shown = shown
        self.loss: float | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        steps = state.max_steps - state.global_step
        self.advance = self.shown.enter_context(self.progress.training(steps, self.label))

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.advance(1, self.loss)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        self.loss = (logs or {}).get("loss", self.loss)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> None:
        found = ", ".join(f"{name} {value:.2f}" for name, value in watched_measures(metrics).items())
        self.progress.say(f"step {state.global_step:,}: {found}")


class _EvaluatedInTheEnd(TrainerCallback):  # type: ignore[misc]
    """Evaluates after the last step, whichever it is; transformers before 5.1 does not."""

    def __init__(self, evaluates: bool) -> None:
        self.evaluates = evaluates

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self.evaluates and state.global_step >= state.max_steps:
            control.should_evaluate = True


class _Recorded(TrainerCallback):  # type: ignore[misc]
    """Puts the record so far into each checkpoint."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            write_record(Path(args.output_dir) / f"checkpoint-{state.global_step}", self.record)


NOT_MEASURES = ("epoch", "step", "eval_loss", "eval_runtime", "eval_samples_per_second", "eval_steps_per_second")


def watched_measures(logs: Any) -> dict[str, float]:
    """What an entry of the trainer's log says of evaluators' measures."""
    names = [name for name in logs or {} if name.startswith("eval_") and name not in NOT_MEASURES]
    return {name.removeprefix("eval_"): logs[name] for name in names}
