"""Encoding on a Ray cluster: part of `make test-full` only, since a cluster takes its time to start."""

import pytest
from conftest import ROOT

pytest.importorskip("ray", reason="needs the extra `ray`")
pytestmark = pytest.mark.full

SLOW = """
import time
import numpy as np


class Slow:
    fingerprint = "slow 1"

    def encode(self, texts):
        time.sleep(0.3)
        return np.array([[len(text), sum(map(ord, text)) % 997, text.count("e")] for text in texts], np.float32)
"""

RUN = """
import sys, threading, time
from pathlib import Path
import psutil, ray
from scirank.embeddings import plan
from scirank.embeddings.job import Budget
import scirank

plan.SHARD = Budget(tokens=1_000, texts=32)
cache, kill = Path(sys.argv[1]), sys.argv[2] == "kill"
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
killed = []

def workers():
    for process in psutil.Process().children(recursive=True):
        try:
            if "MapWorker" in " ".join(process.cmdline()):
                yield process
        except psutil.NoSuchProcess:
            pass

def kill_one():
    while len(list(cache.glob("*/*.safetensors"))) < 3:
        time.sleep(0.05)
    victim = next(workers())
    victim.kill()
    killed.append(victim.pid)

if kill:
    threading.Thread(target=kill_one, daemon=True).start()
texts = scirank.encode("slow:Slow", "oagqa-mini", cache_dir=str(cache), engine="ray", ray_workers=2, quiet=True)
cache.with_suffix(".txt").write_text(f"{texts} {len(killed)}")
"""


def files(cache):
    return {path.relative_to(cache): path.read_bytes() for path in cache.rglob("*.safetensors")}


def test_a_killed_worker_costs_nothing_but_time(tmp_path, python):
    (tmp_path / "slow.py").write_text(SLOW)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    found = {}
    for how in ("undisturbed", "kill"):
        cache = tmp_path / how
        python(RUN, cache, how, **environment)
        assert cache.with_suffix(".txt").read_text() == ("200 1" if how == "kill" else "200 0")
        found[how] = files(cache)
        assert not [path for path in cache.rglob("*") if path.name.startswith(".")]
    assert len(found["kill"]) > 5
    assert found["kill"] == found["undisturbed"]
