"""What can be done with a model before a run: encode into the store, or count what that would take."""

import os
from typing import Any

from .benchmarks import Benchmark
from .embeddings import Engine, Job, Part, engine_of
from .embeddings.estimate import Estimate
from .embeddings.estimate import estimate as estimate_job
from .errors import ScirankError
from .models import load_ranker
from .options import chosen
from .progress import Progress


def encode(
    model: Any, benchmark: "str | Benchmark" = "mdcr", *, shard: str | None = None, quiet: bool = False, **options: Any
) -> int:
    """Encode the texts of a benchmark into the store, or one part of them; a later run then finds them there.

    Args:
        model: as `scirank.run` takes it.
        benchmark: a name, or what `load_benchmark` returned.
        shard: `i/n`, i from 0 on, or `auto`: as torchrun or SLURM says; by default all.
        quiet: show no progress.
        options: as `scirank.run` takes them.

    Returns:
        how many texts were not there yet.

    Raises:
        ScirankError: the model encodes nothing, or nothing is kept.
    """
    part = Part(0, 1) if shard is None else Part.parse(shard)
    if shard == "auto" and options.get("device") is None:
        options["device"] = _own_device()
    progress = Progress(quiet)
    engine, jobs = _jobs(model, benchmark, options)
    return engine.encode_part(jobs, part, progress)


def estimate(
    model: Any, benchmark: "str | Benchmark" = "mdcr", *, shard: str | None = None, quiet: bool = False, **options: Any
) -> tuple[Estimate, ...]:
    """Say what `encode` would take: texts, tokens, seconds, bytes. Some batches are encoded to know how fast that is.

    Args and errors: as `encode`.
    """
    part = None if shard is None else Part.parse(shard)
    progress = Progress(quiet)
    if options.get("device"):  # of several devices the first is timed
        options["device"] = options["device"].split(",")[0]
    options["engine"] = None
    engine, jobs = _jobs(model, benchmark, options)
    return tuple(estimate_job(job, engine.cache, progress, part) for job in jobs)


def _own_device() -> str | None:
    """Under torchrun each process has a graphics card of its own, where there are any."""
    import torch

    rank = os.environ.get("LOCAL_RANK")
    return f"cuda:{rank}" if rank is not None and torch.cuda.is_available() else None


def _jobs(model: Any, benchmark: "str | Benchmark", options: dict[str, Any]) -> tuple[Engine, list[Job]]:
    loaded, of_model = chosen(benchmark, options.pop("like", None), options)
    ranker: Any = load_ranker(model, of_model)
    engine = engine_of(ranker)
    if engine is None:
        raise ScirankError(f"{ranker.name} encodes nothing: there is nothing to do before a run")
    return engine, [job for job in ranker.jobs(loaded.tasks) if len(job.texts)]
