"""An encoder for the tests of the store, loaders of it, and a process that encodes: to be killed, raced, moved."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scirank.embeddings import Budget, Engine, Job, counting, plan
from scirank.embeddings.shard import Shard
from scirank.errors import ScirankError
from scirank.progress import Progress

SHARD = Budget(tokens=600, texts=80)
BATCH = Budget(tokens=60, texts=8)
TEXTS = 2_000
BLOCK = 500
"""Texts whose numbers of tokens are kept in a file."""
KEY = {"model": "some/hashing", "role": "papers"}
SLOW = 200
"""Rounds of hashing: some tens of microseconds a text."""


def texts(start=0, stop=TEXTS):
    """Different texts of 1 to 12 words."""
    return [" ".join([str(number)] * (1 + number % 12)) for number in range(start, stop)]


def vector(text, rounds=1):
    """8 numbers that follow from a text or pair alone, exactly."""
    raw = hashlib.pbkdf2_hmac("sha256", repr(text).encode(), b"", rounds, 16)
    return (np.frombuffer(raw, "<i2") / np.float32(2**15)).astype(np.float32)


def fresh(texts):
    return np.array([vector(text) for text in texts]).reshape(-1, 8)


@dataclass
class Hashing:
    """Remembers what it has seen, and tells of it."""

    key: Any = field(default_factory=lambda: dict(KEY))
    budget: Budget = BATCH
    vectors: Callable = fresh
    told: Callable = lambda batch: None
    seen: list = field(default_factory=list)

    def lengths(self, texts):
        self.told([])
        return [len(str(text).split()) for text in texts]

    def encode(self, batches):
        for batch in batches:
            self.seen += batch
            self.told(batch)
            yield self.vectors(batch)


def slow(texts):
    return np.array([vector(text, SLOW) for text in texts])


class Said(Progress):
    """Keeps what is said."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def say(self, line):
        self.lines.append(line)

    @property
    def damaged(self):
        return [line for line in self.lines if line.startswith("damaged")]


def encode(cache, texts, encoder=None, progress=None, **options):
    """All vectors of texts, through an engine."""
    job = Job(texts, encoder or Hashing(), "papers")
    return Engine(cache, **options).encode(job, progress or Progress())


def all_of(vectors):
    return vectors.take(range(len(vectors.which)))


def contents(cache):
    """Every file under a folder, hidden ones too."""
    return {str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.rglob("*")) if path.is_file()}


def differing(cache, expected):
    """The files that are not as in `contents` of before, there or not."""
    found = contents(cache)
    return sorted(name for name in found.keys() | expected if found.get(name) != expected.get(name))


def shards(cache):
    """All shards under a folder, whose bytes are checked; hidden files are none."""
    found = [Shard.open(path) for path in sorted(cache.glob("*/*.safetensors"))]
    for shard in found:
        shard.verify()
    return found


# Loaders for processes of their own: functions that can be imported there.


def load(device):
    return {"papers": Hashing(vectors=slow)}


def load_another(device):
    return {"papers": Hashing(KEY | {"model": "another"})}


def load_nothing(device):
    raise ScirankError(f"there is no device {device}")


def load_exiting(device):
    return {"papers": Hashing(vectors=slow, told=lambda batch: texts()[1_000] in batch and os._exit(3))}


def load_killed(device):
    def told(batch):
        if texts()[1_000] in batch:
            os.kill(os.getpid(), signal.SIGKILL)

    return {"papers": Hashing(vectors=slow, told=told)}


# The process.


@contextmanager
def started(cache, start=0, stop=TEXTS, *die, pipesize=-1):
    """A process that encodes `texts(start, stop)` once it is sent a line; it prints every batch, then what came out.

    It kills itself before call `number` of `os.fsync`, `os.replace` or in the midst of `Path.write_bytes`, where `die`
    is such a name and number. It is ahead of who reads by what fits into a pipe.
    """
    command = [sys.executable, __file__, *map(str, (cache, start, stop, *die))]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, pipesize=pipesize, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            yield process
        finally:
            process.kill()


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def ended(process):
    """Wait for the end; give the numbers of the texts that it encoded, and what it printed last."""
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    *batches, result = out.splitlines()
    return [number for batch in batches for number in json.loads(batch)], result


def kill(process, seed, batches):
    """Kill it a random moment after a random batch, of as many."""
    chance = random.Random(seed)
    for _ in range(chance.randrange(batches)):
        process.stdout.readline()
    time.sleep(chance.random() * 0.01)
    process.kill()
    process.wait()


def summary(rows):
    return hashlib.sha256(rows.tobytes()).hexdigest()


def _die_at(name, number):
    owner = Path if name == "write_bytes" else os
    real, calls = getattr(owner, name), iter(range(1_000_000))

    def called(*arguments):
        if next(calls) == number:
            if name == "write_bytes":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments)

    setattr(owner, name, called)


def _main(cache, start, stop, *die):
    plan.SHARD, counting.BLOCK = SHARD, BLOCK
    encoder = Hashing(vectors=slow, told=lambda batch: print([int(text.split()[0]) for text in batch], flush=True))
    job = texts(int(start), int(stop))
    if die:
        _die_at(die[0], int(die[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    print(summary(all_of(encode(Path(cache), job, encoder))))


if __name__ == "__main__":
    _main(*sys.argv[1:])
