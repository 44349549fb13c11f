"""Vectors on disk, at length: many kills, and the memory that many texts take."""

import json

import encode_child as child
import pytest
from encode_child import contents, differing, encode, ended, go, shards, started

from scirank.embeddings import counting, plan

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    cache = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "SHARD", child.SHARD)
        patched.setattr(counting, "BLOCK", child.BLOCK)
        encode(cache, child.texts(), child.Hashing(vectors=child.slow))
    return contents(cache), child.summary(child.slow(child.texts()))


@pytest.mark.parametrize("seed", range(100, 124))
def test_killed_at_any_moment_and_run_again(tmp_path, undisturbed, seed):
    with started(tmp_path) as process:
        go(process)
        child.kill(process, seed, batches=250)
    there = sum(shard.texts for shard in shards(tmp_path))
    with started(tmp_path) as process:
        go(process)
        seen, result = ended(process)
    assert len(seen) == child.TEXTS - there
    assert result == undisturbed[1]
    assert differing(tmp_path, undisturbed[0]) == []


@pytest.mark.parametrize("call", ["fsync", "replace", "write_bytes"])
@pytest.mark.parametrize("number", range(14))
def test_killed_while_it_writes_and_run_again(tmp_path, undisturbed, call, number):
    with started(tmp_path, 0, child.TEXTS, call, number) as process:
        go(process)
        process.communicate()
    with started(tmp_path) as process:
        go(process)
        assert ended(process)[1] == undisturbed[1]
    assert differing(tmp_path, undisturbed[0]) == []


@pytest.mark.parametrize("seed", [200, 201, 202])
def test_killed_over_and_over(tmp_path, undisturbed, seed):
    """Several at once, each killed soon; what they have written adds up."""
    for attempt in range(12):
        with started(tmp_path) as one, started(tmp_path) as other:
            go(one), go(other)
            child.kill(one, seed * 1_000 + attempt, batches=40)
            child.kill(other, seed * 1_000 + attempt + 500, batches=10)
        shards(tmp_path)
    with started(tmp_path) as process:
        go(process)
        assert ended(process)[1] == undisturbed[1]
    assert differing(tmp_path, undisturbed[0]) == []


MEMORY = """
import json, sys, threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

from scirank.embeddings import Budget, Engine, Job
from scirank.models.module_encoder import ModuleEncoder
from scirank.progress import Progress

class Lazy(Sequence):
    def __len__(self):
        return int(sys.argv[2])

    def __getitem__(self, place):
        if not 0 <= place < len(self):
            raise IndexError(place)
        return " ".join(f"w{place // 10**power % 10}" for power in range(6 + place % 7))

def anonymous():
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("RssAnon:")[1].split()[0])

words = {word: at for at, word in enumerate(["?", *(f"w{digit}" for digit in range(10))])}
tokenizer = Tokenizer(models.WordLevel(words, unk_token="?"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
weights = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, weights)], device="cpu")
budget = Budget(2**20, 1024)
encoder = ModuleEncoder(model, "document", "", {"model": "static"}, budget, lambda each: each["sentence_embedding"])

before, peak, ended = anonymous(), 0, threading.Event()

def watch():
    global peak
    while not ended.wait(0.002):
        peak = max(peak, anonymous())

watcher = threading.Thread(target=watch)
watcher.start()
vectors = Engine(Path(sys.argv[1])).encode(Job(Lazy(), encoder, "papers"), Progress())
last = anonymous()
ended.set()
watcher.join()
assert np.array_equal(vectors.take([7, 7])[0], vectors.take([7])[0])
print(json.dumps({"before": before, "peak": max(peak, last), "end": last, "different": len(vectors.found.shard)}))
"""


def test_memory_for_texts(python, tmp_path):
    few, many = (
        json.loads(python(MEMORY, tmp_path / str(number), number).stdout) | {"texts": number}
        for number in (20_000, 200_000)
    )
    for used in (few, many):
        assert used["different"] == used["texts"]
    growth = {name: (many[name] - few[name]) / (many["texts"] - few["texts"]) for name in ("peak", "end")}
    print(few, many, growth)
    assert max(growth.values()) <= 100
