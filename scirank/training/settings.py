"""How DPR and ColBERT are trained: upstream's hyper-parameters, and what a user may change."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark
from ..choices import Architecture, Dtype, Method, Schedule
from ..errors import ScirankError


@dataclass(frozen=True)
class Settings:
    """Hyper-parameters.

    Attributes:
        learning_rate: of AdamW, at its highest.
        batch_size: queries together, on each device.
        epochs: how often each pair of a query and a paper is seen.
        steps: batches, in place of epochs.
        warmup: the part of all steps in which the rate rises to its highest.
        schedule: what the rate does afterwards: `linear`, it falls to 0, or `constant`.
        clip: what the gradient's norm is clipped to.
        weight_decay: AdamW's.
        epsilon: AdamW's.
        hard_negatives: papers beside the right one that are not right; those of the other queries of a batch are
            negatives in any case.
        prefix_length: of P-Tuning v2.
        query_tokens: a question is cut to these; ColBERT's is also filled up to them.
        paper_tokens: a paper is cut to these.
        dimensions: of ColBERT's vectors.
        strip_question_mark: whether a question mark at the end of a question is left out in training.
        mini_batch: texts together in memory; the gradients of a batch are then computed in these parts (GradCache).
        dtype: `bfloat16` or `float16`, mixed precision; by default all is float32.
        seed: of initial weights, order and dropout.
    """

    learning_rate: float
    batch_size: int
    epochs: float = 40
    steps: int | None = None
    warmup: float = 0.05
    schedule: str = Schedule.LINEAR
    clip: float = 2.0
    weight_decay: float = 0.0
    epsilon: float = 1e-8
    hard_negatives: int = 1
    prefix_length: int = 64
    query_tokens: int = 256
    paper_tokens: int = 256
    dimensions: int = 128
    strip_question_mark: bool = False
    mini_batch: int | None = None
    dtype: str | None = None
    seed: int = 12345

    def __post_init__(self) -> None:
        """Refuse what cannot be trained with."""
        positive = (
            "learning_rate",
            "batch_size",
            "epochs",
            "prefix_length",
            "query_tokens",
            "paper_tokens",
            "dimensions",
        )
        for name in (*positive, "clip", "epsilon"):
            if not getattr(self, name) > 0:
                raise ScirankError(f"{name} {getattr(self, name)}: expected more than 0")
        for name in ("steps", "mini_batch"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ScirankError(f"{name} {getattr(self, name)}: expected at least 1")
        for name in ("hard_negatives", "weight_decay", "seed"):
            if getattr(self, name) < 0:
                raise ScirankError(f"{name} {getattr(self, name)}: expected 0 or more")
        if not 0 <= self.warmup < 1:
            raise ScirankError(f"warmup {self.warmup}: expected a part of all steps, from 0 to below 1")
        Schedule(self.schedule)
        if self.dtype is not None:
            Dtype(self.dtype)


@dataclass(frozen=True)
class Course:
    """What of a training changes nothing in the model.

    Attributes:
        folder: where the model is saved.
        watched: what is evaluated before, while and after training.
        watch_steps: after how many steps each time; None is at the end of each epoch.
        checkpoint_steps: after how many steps a checkpoint is saved each time.
        resume: whether it goes on from the last checkpoint.
        device: `cpu` to keep off graphics cards.
    """

    folder: Path
    watched: Benchmark | None
    watch_steps: int | None
    checkpoint_steps: int
    resume: bool
    device: str | None


DPR = Settings(learning_rate=1e-5, batch_size=128, strip_question_mark=True)
"""The training scripts of PT-Retrieval (github.com/THUDM/P-tuning-v2): 128 together, 40 epochs, 256 tokens, warm-up
over 5 % of the steps and a linear fall, gradients clipped at 2, AdamW without weight decay, one hard negative, seed
12345; 1e-5 for fine-tuning. In training they leave out a question mark at the end, in evaluation not."""
COLBERT = Settings(
    learning_rate=3e-6,
    batch_size=32,
    steps=400_000,
    warmup=0.0,
    schedule=Schedule.CONSTANT,
    query_tokens=32,
    paper_tokens=300,
)
"""PT-Retrieval's scripts for ColBERT: 32 together, 400,000 steps at one rate, 32 and 300 tokens, 128 dimensions,
clipped at 2. Its fine-tuned model is one that others published; 3e-6 is the default of ColBERT's own training script
(github.com/stanford-futuredata/ColBERT)."""
UPSTREAM: dict[tuple[str, str], Settings] = {
    (Architecture.DPR, Method.FT): DPR,
    # The released checkpoint's: `...-8e-3-64`; the training script has 1e-2.
    (Architecture.DPR, Method.PT2): replace(DPR, learning_rate=8e-3),
    (Architecture.COLBERT, Method.FT): COLBERT,
    # The evaluated checkpoint's: `ptv2.colbert.msmarco.cosine.1e-3.64` at step 360,000; the script's prefix is 180.
    (Architecture.COLBERT, Method.PT2): replace(COLBERT, learning_rate=1e-3, steps=360_000),
}


def settings_for(architecture: str, method: str, **changed: Any) -> Settings:
    """Upstream's settings with some of them changed; `epochs` takes the place of upstream's `steps`.

    Raises:
        ScirankError: a setting that cannot be.
        TypeError: no such setting.
    """
    changed = {name: value for name, value in changed.items() if value is not None}
    known = [field.name for field in fields(Settings)]
    if unknown := [name for name in changed if name not in known]:
        raise TypeError(f"unknown setting {', '.join(unknown)}; valid are {', '.join(known)}")
    if "epochs" in changed and "steps" not in changed:
        changed["steps"] = None
    return replace(UPSTREAM[Architecture(architecture), Method(method)], **changed)
