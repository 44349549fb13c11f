"""Carry jobs out: here, or on several devices; with vectors kept from run to run, or not."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..errors import ScirankError, counted
from ..progress import Progress
from .encode import Done, Encoding, Work, encode_shard
from .job import Encoder, Job
from .plan import Part
from .vectors import Vectors

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue


class Loader(Protocol):
    """Makes a model's encoders anew in another process; has to survive pickling."""

    def __call__(self, device: str | None) -> Mapping[str, Encoder]:
        """The encoders by role, on a device."""
        ...


@dataclass(frozen=True)
class Engine:
    """How jobs are carried out.

    Attributes:
        cache: the folder of all stores, or None to keep nothing.
        devices: a process is started for each; none encodes in this one.
        loader: makes the model in those processes.
        ray: whether the workers of a Ray cluster encode.
        ray_address: the cluster's; else RAY_ADDRESS, else one is started on this machine.
        ray_workers: how many; by default one a graphics card, or one for four processors.
        counts: role -> how many texts its last job had, how many different ones, how many of these were encoded (the
            rest came out of the store), and how many tokens those had.
    """

    cache: Path | None = None
    devices: tuple[str, ...] = ()
    loader: Loader | None = None
    ray: bool = False
    ray_address: str | None = None
    ray_workers: int | None = None
    counts: dict[str, dict[str, int]] = field(default_factory=dict)

    def encode(self, job: Job, progress: Progress) -> Vectors:
        """All vectors of a job; see `encode_all`."""
        return self.encode_all([job], progress)[0]

    def encode_all(self, jobs: Sequence[Job], progress: Progress) -> list[Vectors]:
        """All vectors of jobs of one model; its workers, where there are any, are started once for all of them.

        Raises:
            ScirankError: the model gave no vectors, or they cannot be kept.
        """
        if self.ray and (self.cache is None or any(job.encoder.key is None for job in jobs)):
            raise ScirankError("Ray's workers hand vectors over in the cache; these would not be kept (--no-cache?)")
        encodings = [Encoding(job, self.cache, progress) for job in jobs]
        self._carry_out(encodings, None, progress)
        return [encoding.vectors() for encoding in encodings]

    def encode_part(self, jobs: Sequence[Job], part: Part, progress: Progress) -> int:
        """Part of the vectors of jobs, into their stores; gives how many texts were encoded."""
        if self.cache is None or any(job.encoder.key is None for job in jobs):
            raise ScirankError(
                "one part of a job can only be encoded where vectors are kept: not with no_cache (--no-cache), for "
                "backends other than torch, or for encoders and modules of your own (docs/models.md: `fingerprint`)"
            )
        return self._carry_out([Encoding(job, self.cache, progress) for job in jobs], part, progress)

    def _carry_out(self, encodings: Sequence[Encoding], part: Part | None, progress: Progress) -> int:
        encodings = [encoding for encoding in encodings if len(encoding.digests)]
        sizes = [encoding.size(part) for encoding in encodings]
        for encoding, (texts, tokens) in zip(encodings, sizes, strict=True):
            different, role = len(encoding.digests), encoding.job.role
            of_all = {"texts": len(encoding.job.texts), "different": different}
            self.counts[role] = {**of_all, "encoded": texts, "tokens": tokens}
            if kept := different - int(encoding.found.missing.sum()):
                of = counted(different, "text", "different texts")
                progress.say(f"{role}: {kept:,} of {of} from {encoding.store.folder}")
        label = " and ".join(encoding.job.role for encoding, (texts, _) in zip(encodings, sizes, strict=True) if texts)
        texts, tokens = sum(texts for texts, _ in sizes), sum(tokens for _, tokens in sizes)
        work = (shard for encoding in encodings for shard in encoding.work(part))
        with progress.encoding(texts, tokens, f"encoding {label}") as done:
            if not texts:
                pass
            elif self.ray:
                from .ray_engine import on_ray

                on_ray(work, self, done)
            elif self.devices:
                in_processes(work, self, done)
            else:
                here(work, {encoding.job.role: encoding.job.encoder for encoding in encodings}, done)
        return texts


def engine_of(ranker: object) -> Engine | None:
    """A ranker's engine; None for one that encodes nothing, or in its own way."""
    engine = getattr(ranker, "engine", None)
    return engine if isinstance(engine, Engine) else None


def here(work: Iterable[Work], encoders: Mapping[str, Encoder], done: Done) -> None:
    """Encode in this process; what another process is at is waited for at the end."""
    others = [shard for shard in work if not encode_shard(shard, encoders[shard.role], done)]
    for shard in others:
        encode_shard(shard, encoders[shard.role], done, wait=True)


def in_processes(work: Iterable[Work], engine: Engine, done: Done) -> None:
    """Encode with a process a device, each of which loads the model once."""
    from multiprocessing import get_context

    context = get_context("spawn")
    devices = context.SimpleQueue()
    for device in engine.devices:
        devices.put(device)
    pool = ProcessPoolExecutor(len(engine.devices), context, _start, (engine, devices))
    running: dict[Future[tuple[int, int] | None], Work] = {}
    others: list[Work] = []

    def collect(most: int) -> None:
        while len(running) > most:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                shard, found = running.pop(future), future.result()
                if found is None:
                    others.append(shard)
                else:
                    done(*found)

    try:
        for shard in work:
            running[pool.submit(_encode_in_process, shard, False)] = shard
            collect(2 * len(engine.devices))
        collect(0)
        for shard in others:  # what another command is at is waited for at the end
            running[pool.submit(_encode_in_process, shard, True)] = shard
        collect(0)
    except BrokenProcessPool as error:
        raise ScirankError(
            f"a process that encoded has died, of {', '.join(engine.devices)}: out of memory, or killed? "
            "What was written is good, and the same command goes on from there"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


_here: dict[str, Encoder] = {}
"""In a process of a pool: its encoders, by role."""
_failed: list[ScirankError] = []
"""In a process of a pool: why it has none; raised where its first work is waited for."""


def _start(engine: Engine, devices: "SimpleQueue[str]") -> None:
    import os

    device = devices.get()
    if device.startswith("cpu"):
        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 1) // len(engine.devices)))
    assert engine.loader is not None
    try:
        _here.update(engine.loader(device))
    except Exception as error:
        _failed.append(ScirankError(f"{device}: {type(error).__name__}: {error}"))


def _encode_in_process(shard: Work, wait_for_others: bool) -> tuple[int, int] | None:
    if _failed:
        raise _failed[0]
    return encode_with(_here, shard, wait_for_others)


def encode_with(encoders: Mapping[str, Encoder], shard: Work, wait_for_others: bool) -> tuple[int, int] | None:
    """Encode a shard with encoders made anew; gives texts and tokens, or None where another process is at it."""
    if encoders[shard.role].key != shard.store.key:
        raise ScirankError("a worker has loaded another model than the one that was asked for; run again")
    done = [0, 0]

    def count(texts: int, tokens: int) -> None:
        done[0] += texts
        done[1] += tokens

    there = encode_shard(shard, encoders[shard.role], count, wait_for_others)
    return (done[0], done[1]) if there else None
