"""Vectors on disk: what a user may rely on, whatever happens to the process, the disk or the files."""

import errno
import os
import pathlib
import random
import signal
import tempfile
from itertools import cycle

import encode_child as child
import numpy as np
import pytest
from encode_child import Hashing, Said, all_of, contents, differing, encode, ended, fresh, go, shards, started
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from scirank.embeddings import Budget, Engine, Job, Part, counting, plan
from scirank.embeddings.shard import Shard
from scirank.errors import ScirankError
from scirank.progress import Progress

SMALL = Budget(tokens=40, texts=8)
TEXTS = child.texts(0, 40)


@pytest.fixture(autouse=True)
def many_files(monkeypatch):
    monkeypatch.setattr(plan, "SHARD", SMALL)
    monkeypatch.setattr(counting, "BLOCK", 16)


@pytest.fixture
def as_child(monkeypatch):
    monkeypatch.setattr(plan, "SHARD", child.SHARD)
    monkeypatch.setattr(counting, "BLOCK", child.BLOCK)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What `encode_child` leaves when nothing disturbs it: its files and what comes out."""
    cache = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "SHARD", child.SHARD)
        patched.setattr(counting, "BLOCK", child.BLOCK)
        encode(cache, child.texts(), Hashing(vectors=child.slow))
    return contents(cache), child.summary(child.slow(child.texts()))


def hidden(cache):
    return [name for name in contents(cache) if pathlib.Path(name).name.startswith(".")]


# Each text once, and exactly.

SOME_TEXT = st.text("ab \n\0é\ud800", max_size=3)


@settings(max_examples=25)
@given(st.lists(st.lists(SOME_TEXT | st.tuples(SOME_TEXT, SOME_TEXT), max_size=12), max_size=4))
def test_each_different_text_is_encoded_once_over_all_jobs(jobs):
    encoder = Hashing()
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs:
            vectors = encode(pathlib.Path(folder), job, encoder)
            assert not job or np.array_equal(all_of(vectors), fresh(job))
    assert len(encoder.seen) == len(set(encoder.seen))
    assert set(encoder.seen) == {text for job in jobs for text in job}


BASE = {"model": "some/model", "role": "papers", "prompt": "", "dtype": "float32", "facts": {"layers": 1, "own": None}}
LONG = "x" * 60


@pytest.mark.parametrize(
    ("key", "other"),
    [
        *((BASE, BASE | {entry: "another"}) for entry in BASE),
        *((BASE, {name: value for name, value in BASE.items() if name != entry}) for entry in BASE),
        (BASE, BASE | {"model": "another/model"}),
        (BASE, BASE | {"facts": {"layers": 2, "own": None}}),
        (BASE, BASE | {"more": None}),
        (BASE | {"model": LONG + "1"}, BASE | {"model": LONG + "2"}),
        (BASE | {"max": 1}, BASE | {"max": "1"}),
        (BASE | {"max": 1}, BASE | {"max": True}),
        (BASE | {"prompt": "é"}, BASE | {"prompt": "e\u0301"}),
    ],
)
def test_another_key_has_other_vectors(tmp_path, key, other):
    encode(tmp_path, TEXTS, Hashing(key))
    encoder = Hashing(other, vectors=lambda texts: 1 - fresh(texts))
    assert np.array_equal(all_of(encode(tmp_path, TEXTS, encoder)), 1 - fresh(TEXTS))
    again = Hashing(dict(reversed(key.items())))
    assert np.array_equal(all_of(encode(tmp_path, TEXTS, again)), fresh(TEXTS))
    assert (len(encoder.seen), again.seen) == (len(TEXTS), [])


def test_without_a_key_nothing_is_kept(tmp_path):
    assert np.array_equal(all_of(encode(tmp_path, TEXTS, Hashing(None))), fresh(TEXTS))
    assert contents(tmp_path) == {}


# What comes out is what was computed.

PLACES = {text: place for place, text in enumerate(TEXTS)}
ROWS = np.random.default_rng(0).normal(size=(len(TEXTS), 8)).astype(np.float32)
ROWS[3] = [0.0, -0.0, 1 / 3, -65504, 65504, 6e-8, -6e-8, 6.1e-5]
WIDE = [1e-45, -1e-45, 3e38, -3e38, 1.1754944e-38, 1.1754942e-38, 1e-8, -1e-8]
"""What half precision cannot hold."""


def tensor(name):
    import torch

    return lambda rows: torch.from_numpy(rows).to(getattr(torch, name))


def single(vector):
    return vector.float().numpy() if hasattr(vector, "float") else np.asarray(vector, np.float32)


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (lambda rows: rows, "F32"),
        (lambda rows: rows.astype(np.float16), "F16"),
        (lambda rows: rows.astype(np.float64) / 3, "F32"),
        (lambda rows: (rows > 0).astype(np.int64), "F32"),
        (lambda rows: rows.tolist(), "F32"),
        (lambda rows: list(rows.astype(np.float16)), "F16"),
        (lambda rows: tensor("float32")(rows), "F32"),
        (lambda rows: tensor("float16")(rows), "F16"),
        (lambda rows: tensor("bfloat16")(rows), "U16"),
        (lambda rows: tensor("float64")(rows), "F32"),
        (lambda rows: list(tensor("bfloat16")(rows)), "U16"),
    ],
)
def test_precision_is_kept(tmp_path, made, kept):
    rows = ROWS.copy()
    if kept != "F16":
        rows[4] = WIDE
    expected = np.array([single(vector) for vector in made(rows)])
    encoder = Hashing(vectors=lambda texts: made(rows[[PLACES[text] for text in texts]]))
    for _ in range(2):
        vectors = all_of(encode(tmp_path, TEXTS, encoder))
        assert vectors.dtype == np.float32
        assert vectors.tobytes() == expected.tobytes()
    assert len(encoder.seen) == len(TEXTS)
    assert {shard.layout["vectors"][0] for shard in shards(tmp_path)} == {kept}


COUNTS = [*np.random.default_rng(1).integers(0, 5, len(TEXTS) - 16).tolist(), *[0] * 16]
"""Of the vectors of each text; none at all for the longest, which fill a shard."""


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_texts_with_several_vectors_each(tmp_path, kind):
    order = sorted(TEXTS, key=lambda text: len(text.split()))
    parts = np.split(np.random.default_rng(2).normal(size=(sum(COUNTS), 4)).astype(np.float32), np.cumsum(COUNTS)[:-1])
    made = {text: tensor(kind)(part) for text, part in zip(order, parts, strict=True)}
    encoder = Hashing(vectors=lambda texts: [made[text] for text in texts])
    places = [5, 0, 39, 5, *range(40), 17]
    for _ in range(2):
        vectors = encode(tmp_path, TEXTS, encoder)
        for place, found in zip(places, vectors.take_all(places), strict=True):
            expected = made[TEXTS[place]].float().numpy()
            assert (found.dtype, found.shape) == (np.float32, expected.shape)
            assert found.tobytes() == expected.tobytes()
    assert vectors.take_all([]) == []
    assert len(encoder.seen) == len(TEXTS)
    assert 0 in {shard.layout["vectors"][1][0] for shard in shards(tmp_path)}


TWICE = [*TEXTS, *reversed(TEXTS)]


@pytest.fixture(scope="module")
def twice():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "SHARD", SMALL)
        return encode(None, TWICE)


@given(places=st.lists(st.integers(0, len(TWICE) - 1), max_size=50))
def test_vectors_come_in_the_order_in_which_they_are_asked_for(twice, places):
    taken = twice.take(places)
    assert taken.shape == (len(places), 8)
    assert np.array_equal(taken, fresh(TWICE)[places])


# What goes where follows from the job alone.


def plain_shards(tokens, digests, budget):
    found = []
    for text in sorted(range(len(tokens)), key=lambda text: (-tokens[text], digests[text])):
        full = not found or len(found[-1]) == budget.texts
        if full or sum(tokens[other] for other in found[-1]) + tokens[text] > budget.tokens:
            found.append([])
        found[-1].append(text)
    return found


def plain_batches(tokens, budget):
    found = []
    for text in range(len(tokens)):
        full = not found or len(found[-1]) == budget.texts
        if full or tokens[found[-1][0]] * (len(found[-1]) + 1) > budget.tokens:
            found.append([])
        found[-1].append(text)
    return found


BUDGETS = st.builds(Budget, st.integers(1, 60), st.integers(1, 10))


@given(st.lists(st.integers(1, 30), max_size=40), BUDGETS, BUDGETS, st.randoms())
def test_the_plan(tokens, whole, batch, chance):
    digests = chance.sample([number.to_bytes(16, "big") for number in range(100, 200)], len(tokens))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plan, "SHARD", whole)
        found = [rows.tolist() for rows in plan.shards(np.array(tokens, np.int32), np.array(digests, "S16"))]
    assert found == plain_shards(tokens, digests, whole)
    assert sorted(text for rows in found for text in rows) == list(range(len(tokens)))
    for rows in found:
        lengths = [tokens[text] for text in rows]
        assert lengths == sorted(lengths, reverse=True)
        assert len(rows) <= whole.texts
        assert sum(lengths) <= whole.tokens or len(rows) == 1
        slices = list(plan.batches(lengths, batch))
        assert [list(range(len(rows))[part]) for part in slices] == plain_batches(lengths, batch)
        assert all(
            len(lengths[part]) <= batch.texts
            and (len(lengths[part]) * max(lengths[part]) <= batch.tokens or len(lengths[part]) == 1)
            for part in slices
        )


@settings(max_examples=10)
@given(st.permutations(TEXTS + TEXTS[:5]))
def test_whatever_order_the_texts_come_in_the_files_are_the_same(job):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        encode(pathlib.Path(one), TEXTS)
        encode(pathlib.Path(other), job)
        assert differing(pathlib.Path(one), contents(pathlib.Path(other))) == []


# A process that is killed.


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_at_any_moment_and_run_again(tmp_path, undisturbed, as_child, seed):
    with started(tmp_path, pipesize=4096) as process:
        go(process)
        child.kill(process, seed, batches=150)
        assert process.returncode == -signal.SIGKILL
    finishes(tmp_path, undisturbed)


@pytest.mark.parametrize(
    "moment",
    [
        ("replace", 0),  # nothing but what describes the store has been written, under its temporary name
        ("write_bytes", 1),  # numbers of tokens are written half
        ("fsync", 5),  # they are whole, under their own name
        ("write_bytes", 7),
        ("replace", 8),  # a shard is whole, under its temporary name
        ("fsync", 15),  # a shard is whole, under its own name
    ],
)
def test_killed_while_it_writes_and_run_again(tmp_path, undisturbed, as_child, moment):
    with started(tmp_path, 0, child.TEXTS, *moment) as process:
        go(process)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    finishes(tmp_path, undisturbed)


def finishes(cache, undisturbed):
    """Run again: what is there is not encoded again, and all is as if nothing had been."""
    there = sum(shard.texts for shard in shards(cache))
    encoder = Hashing(vectors=child.slow)
    vectors = encode(cache, child.texts(), encoder)
    assert len(encoder.seen) == child.TEXTS - there
    assert child.summary(all_of(vectors)) == undisturbed[1]
    assert differing(cache, undisturbed[0]) == []


# Damage.


def flipped(data, place, bit=0):
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


def flip(name):
    """Another bit in the midst of a tensor, or of the header's text."""

    def damage(path):
        data = path.read_bytes()
        if name in (layout := Shard.open(path).layout):
            return flipped(data, sum(layout[name][2:]) // 2)
        return flipped(data, data.index(name.encode()) + len(name) // 2)

    return damage


def cut(length):
    return lambda path: path.read_bytes()[:length]


def instead(data):
    return lambda path: data


FOREIGN = {"weight": np.ones((3, 4), np.float32)}
DAMAGES = {
    **{f"a bit of {name}": flip(name) for name in ("texts", "tokens", "vectors")},
    **{f"a bit of {name!r}": flip(name) for name in ("__metadata__", "format", "float32", "U8", "I32", "F32", "shape")},
    "a bit of its length": lambda path: flipped(path.read_bytes(), 0),
    "a bit of its checksum": lambda path: flipped(path.read_bytes(), path.read_bytes().index(b"xxh3_128") + 15),
    **{f"cut to {length}": cut(length) for length in (0, 1, 8, 9, 100, -64, -1)},
    "longer": lambda path: path.read_bytes() + b"\0",
    "garbage": instead(random.Random(0).randbytes(1_000)),
    "zeros": instead(bytes(1_000)),
    "JSON": instead((3).to_bytes(8, "little") + b'"a"'),
    "foreign": instead(save(FOREIGN)),
    "foreign with metadata": instead(save(FOREIGN, {"format": "pt"})),
    "of the future": lambda path: path.read_bytes().replace(b"scirank vectors 1", b"scirank vectors 2"),
    "another's": lambda path: sorted(path.parent.glob("*.safetensors"))[0].read_bytes(),
}


@pytest.mark.parametrize(
    ("damage", "number"),
    [(damage, number) for damage in DAMAGES for number in (len(TEXTS), 1) if (damage, number) != ("another's", 1)],
)
def test_damage_is_found_told_and_mended(tmp_path, damage, number):
    encode(tmp_path, TEXTS[:number])
    good, damaged = contents(tmp_path), shards(tmp_path)[-1]
    damaged.path.write_bytes(DAMAGES[damage](damaged.path))
    encoder, said = Hashing(), Said()
    vectors = encode(tmp_path, TEXTS[:number], encoder, said)
    assert np.array_equal(all_of(vectors), fresh(TEXTS[:number]))
    assert len(encoder.seen) == damaged.texts
    assert len(said.damaged) == 1
    assert str(damaged.path) in said.damaged[0]
    assert differing(tmp_path, good) == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_counts_are_found_told_and_mended(tmp_path, damage):
    encode(tmp_path, TEXTS)
    good = contents(tmp_path)
    for shard in shards(tmp_path):
        shard.path.unlink()
    counts = sorted(tmp_path.glob("*/counts/*.safetensors"))[-1]
    counts.write_bytes(DAMAGES[damage](counts))
    said = Said()
    assert np.array_equal(all_of(encode(tmp_path, TEXTS, progress=said)), fresh(TEXTS))
    assert len(said.damaged) == 1
    assert str(counts) in said.damaged[0]
    assert differing(tmp_path, good) == []


def test_whatever_bit_is_flipped_no_wrong_vector_comes_out(tmp_path):
    encode(tmp_path, TEXTS[:3])
    good, path = contents(tmp_path), shards(tmp_path)[0].path
    data, wrong = path.read_bytes(), {}
    for place in range(len(data)):
        path.write_bytes(flipped(data, place, place % 8))
        said = Said()
        try:
            right = np.array_equal(all_of(encode(tmp_path, TEXTS[:3], progress=said)), fresh(TEXTS[:3]))
            if not (right and said.damaged and not differing(tmp_path, good)):
                wrong[place] = "vectors" if not right else "not told" if not said.damaged else "files"
        except Exception as error:
            wrong[place] = repr(error)
    assert wrong == {}


# A disk that is full, a folder that cannot be written.


def write_half(path, data):
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_space(*arguments, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("owner", "name", "instead", "after", "written"),
    [
        (pathlib.Path, "mkdir", no_space, 0, 0),
        (pathlib.Path, "mkdir", no_space, 1, 0),
        (pathlib.Path, "write_text", no_space, 0, 0),
        (pathlib.Path, "write_bytes", write_half, 1, 0),  # three files of counts, then shards
        (pathlib.Path, "write_bytes", write_half, 6, 3),
        (os, "fsync", no_space, 0, 0),  # the description, counts, shards: a file and its folder each
        (os, "fsync", no_space, 2, 0),
        (os, "fsync", no_space, 14, 3),
        (os, "fsync", no_space, 15, 4),
        (os, "replace", no_space, 7, 3),
    ],
)
def test_a_full_disk(tmp_path, monkeypatch, owner, name, instead, after, written):
    whole, cache = tmp_path / "whole", tmp_path / "cache"
    encode(whole, TEXTS)
    cache.mkdir()
    real, calls = getattr(owner, name), iter(range(1_000))
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, lambda *a, **o: (real if next(calls) < after else instead)(*a, **o))
        with pytest.raises(ScirankError, match=r"cannot be kept in .*No space left.*make room.*--cache-dir") as told:
            encode(cache, TEXTS)
    assert str(cache) in str(told.value)
    assert (hidden(tmp_path), len(shards(cache))) == ([], written)
    there = sum(shard.texts for shard in shards(cache))
    encoder = Hashing()
    assert np.array_equal(all_of(encode(cache, TEXTS, encoder)), fresh(TEXTS))
    assert len(encoder.seen) == len(TEXTS) - there
    assert differing(cache, contents(whole)) == []


@pytest.mark.parametrize("inside", ["", "folder", "folder/folder"])
def test_a_file_in_the_place_of_the_folder(tmp_path, inside):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ScirankError, match=r"cannot be kept in .*file.*choose another folder"):
        encode(tmp_path / "file" / inside, TEXTS)
    assert contents(tmp_path) == {"file": b"mine"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ScirankError, match=r"cannot be kept in .*Permission denied.*choose another folder"):
        encode(tmp_path / "cache", TEXTS)


# Several processes.


def test_two_processes_at_the_same_job(tmp_path, undisturbed):
    with started(tmp_path) as one, started(tmp_path) as other:
        go(one), go(other)
        (seen, result), (other_seen, other_result) = ended(one), ended(other)
    assert sorted(seen + other_seen) == list(range(child.TEXTS))
    assert (result, other_result) == (undisturbed[1], undisturbed[1])
    assert differing(tmp_path, undisturbed[0]) == []


@pytest.mark.parametrize("seed", [4, 5])
def test_two_processes_at_the_same_job_one_of_which_is_killed(tmp_path, undisturbed, seed):
    with started(tmp_path) as killed, started(tmp_path) as other:
        go(killed), go(other)
        child.kill(killed, seed, batches=50)
        _, result = ended(other)
    assert result == undisturbed[1]
    assert differing(tmp_path, undisturbed[0]) == []


def test_two_processes_at_jobs_that_overlap(tmp_path):
    with started(tmp_path, 0, 1_200) as one, started(tmp_path, 800, 2_000) as other:
        go(one), go(other)
        (seen, result), (other_seen, other_result) = ended(one), ended(other)
    for job, encoded, came_out in ((range(1_200), seen, result), (range(800, 2_000), other_seen, other_result)):
        assert len(set(encoded)) == len(encoded)
        assert set(encoded) <= set(job)
        assert came_out == child.summary(child.slow(child.texts(job.start, job.stop)))
    assert set(seen + other_seen) == set(range(child.TEXTS))
    assert hidden(tmp_path) == []
    shards(tmp_path)


@pytest.mark.parametrize("count", [1, 3, 100])
def test_parts_in_any_order_make_the_whole(tmp_path, count):
    encode(tmp_path / "whole", TEXTS)
    encoder, parts = Hashing(), [Part(index, count) for index in range(count)]
    engine, job = Engine(tmp_path / "parts"), Job(TEXTS, encoder, "papers")
    random.Random(count).shuffle(parts)
    encoded = [engine.encode_part([job], part, Progress()) for part in parts]
    assert sum(encoded) == len(encoder.seen) == len(TEXTS)
    assert encoded.count(0) == max(0, count - len(shards(tmp_path / "whole")))
    assert np.array_equal(all_of(engine.encode(job, Progress())), fresh(TEXTS))
    assert len(encoder.seen) == len(TEXTS)
    assert differing(tmp_path / "parts", contents(tmp_path / "whole")) == []


@pytest.mark.parametrize(("cache", "key"), [(None, child.KEY), ("kept", None)])
def test_a_part_alone_has_to_be_kept(tmp_path, cache, key):
    with pytest.raises(ScirankError, match="only be encoded where vectors are kept"):
        Engine(cache and tmp_path / cache).encode_part([Job(TEXTS, Hashing(key), "papers")], Part(0, 2), Progress())


ARRAY = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4"}


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        ("0/4", {}, Part(0, 4)),
        ("3/4", {}, Part(3, 4)),
        ("0/1", {"RANK": "1", "WORLD_SIZE": "2"}, Part(0, 1)),
        ("auto", {"RANK": "1", "WORLD_SIZE": "2"}, Part(1, 2)),
        ("auto", ARRAY | {"SLURM_ARRAY_TASK_MIN": "5"}, Part(2, 4)),
        ("auto", ARRAY | {"SLURM_ARRAY_TASK_ID": "3"}, Part(3, 4)),
        ("auto", ARRAY | {"SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "2"}, Part(3, 4)),
        ("auto", {"SLURM_PROCID": "1", "SLURM_NTASKS": "3"}, Part(1, 3)),
        ("auto", {"SLURM_PROCID": "0", "SLURM_NTASKS": "1", "RANK": "1", "WORLD_SIZE": "2"}, Part(1, 2)),
        ("auto", {}, "needs environment variables of torchrun or SLURM"),
        ("auto", {"RANK": "1"}, "needs environment variables of torchrun or SLURM"),
        ("auto", {"RANK": "2", "WORLD_SIZE": "2"}, "expected i/n"),
        ("auto", {"RANK": "", "WORLD_SIZE": "2"}, "expected i/n"),
        *((text, {}, "expected i/n") for text in ("4/4", "1", "a/b", "-1/2", "1/", "/2", "0/0", "1/2/3", "1.0/2", "")),
    ],
)
def test_what_a_part_is_called(text, environment, expected):
    if isinstance(expected, Part):
        assert Part.parse(text, environment) == expected
    else:
        with pytest.raises(ScirankError, match=expected):
            Part.parse(text, environment)


# Several devices.


def test_several_devices_give_what_one_gives(tmp_path, undisturbed, as_child):
    vectors = encode(tmp_path, child.texts(), devices=("cpu", "cpu"), loader=child.load)
    assert child.summary(all_of(vectors)) == undisturbed[1]
    assert differing(tmp_path, undisturbed[0]) == []


@pytest.mark.parametrize("loader", [child.load_exiting, child.load_killed])
def test_a_device_whose_process_dies(tmp_path, undisturbed, as_child, loader):
    with pytest.raises(ScirankError, match=r"a process that encoded has died, of left, right.*goes on from there"):
        encode(tmp_path, child.texts(), devices=("left", "right"), loader=loader)
    there = shards(tmp_path)
    assert 0 < len(there) < len(undisturbed[0]) - 1
    encode(tmp_path, child.texts(), devices=("left", "right"), loader=child.load)
    assert differing(tmp_path, undisturbed[0]) == []


@pytest.mark.parametrize(
    ("loader", "message"),
    [
        (child.load_another, "a worker has loaded another model"),
        (child.load_nothing, "there is no device (left|right)"),
    ],
)
def test_a_device_that_cannot_be_used(tmp_path, loader, message):
    with pytest.raises(ScirankError, match=message):
        encode(tmp_path, TEXTS, devices=("left", "right"), loader=loader)
    assert (shards(tmp_path), hidden(tmp_path)) == ([], [])


# Nothing is kept.


def test_without_a_cache_nothing_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    encoder = Hashing()
    for _ in range(2):
        vectors = encode(None, TEXTS, encoder)
        assert np.array_equal(all_of(vectors), fresh(TEXTS))
        assert len(list(tmp_path.iterdir())) == 1
        del vectors
        assert list(tmp_path.iterdir()) == []
    assert len(encoder.seen) == 2 * len(TEXTS)
    with pytest.raises(ScirankError):
        encode(None, TEXTS, Hashing(vectors=lambda texts: fresh(texts) * np.nan))
    assert list(tmp_path.iterdir()) == []


def test_no_texts(tmp_path):
    vectors = encode(tmp_path, [])
    assert (vectors.take([]).shape, vectors.take_all([])) == ((0, 0), [])
    assert contents(tmp_path) == {}


# Encoders that err.

BAD = sorted(TEXTS, key=lambda text: len(text.split()))[20]


def spoiled(number):
    """The vector of one text has a number that is none, or too large."""

    def vectors(texts):
        rows = fresh(texts).astype(np.float64)
        rows[[text == BAD for text in texts], 3] = number
        return rows

    return vectors


def several(texts):
    """Several vectors each, one of them spoiled."""
    rows = [np.ones((at % 3, 4)) for at, _ in enumerate(texts)]
    return [np.full((2, 4), np.nan) if text == BAD else row for row, text in zip(rows, texts, strict=True)]


def mixed(*kinds):
    """Batches take turns."""
    turns = cycle(kinds)
    return lambda texts: next(turns)(fresh(texts))


def whole(rows):
    return rows


def half(rows):
    return rows.astype(np.float16)


def two_each(rows):
    return [np.stack([row, row]) for row in rows]


NAMED = rf"NaN or infinity for the text '{BAD}'"
NO_NUMBERS = "no array of numbers"
SHAPE = r"an array of shape .* for \d+ texts; expected \(texts, dimensions\)"


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (lambda texts: fresh(texts)[1:], SHAPE),
        (lambda texts: fresh([*texts, "more"]), SHAPE),
        (lambda texts: fresh(texts)[:, 0], SHAPE),
        (lambda texts: fresh(texts)[None], SHAPE),
        (lambda texts: [], SHAPE),
        (lambda texts: None, "the model gave"),
        (lambda texts: 3.0, "the model gave"),
        (lambda texts: {}, NO_NUMBERS),
        (lambda texts: "vectors", NO_NUMBERS),
        (lambda texts: [["a", "b"] for _ in texts], NO_NUMBERS),
        (lambda texts: [[1.0] * (1 + at % 2) for at, _ in enumerate([*texts, ""])], NO_NUMBERS),
        (lambda texts: (vector for vector in fresh(texts)), NO_NUMBERS),
        (spoiled(np.nan), NAMED),
        (spoiled(np.inf), NAMED),
        (spoiled(1e300), NAMED),
        (several, NAMED),
        (lambda texts: [np.ones((2, 4)) for _ in texts[1:]] or [np.ones((2, 4))] * 2, SHAPE),
        (lambda texts: [np.ones((2, 4 + at % 2)) for at, _ in enumerate([*texts, ""])], NO_NUMBERS),
        (mixed(whole, lambda rows: rows[:, 1:]), "8 and of 7 dimensions"),
        (mixed(half, whole), "several precisions"),
        (mixed(whole, lambda rows: tensor("bfloat16")(rows)), "several precisions"),
        (mixed(whole, two_each), "several precisions"),
        (mixed(two_each, whole), "several precisions"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_encoders_that_err(tmp_path, vectors, message, monkeypatch):
    monkeypatch.setattr(plan, "SHARD", Budget(10_000, 10_000))
    with pytest.raises(ScirankError, match=message):
        encode(tmp_path, TEXTS, Hashing(vectors=vectors))
    assert (shards(tmp_path), hidden(tmp_path)) == ([], [])
    assert np.array_equal(all_of(encode(tmp_path, TEXTS)), fresh(TEXTS))


def test_vectors_of_another_width_in_another_file(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "SHARD", Budget(1, 1))
    with pytest.raises(ScirankError, match="dimensions"):
        all_of(encode(tmp_path, TEXTS[:4], Hashing(vectors=lambda texts: fresh(texts)[:, : 3 + len(texts[0].split())])))


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), ConnectionError("no route to the model")])
def test_an_encoders_own_error_stays_what_it_is(tmp_path, error):
    def vectors(texts):
        if BAD in texts:
            raise error
        return fresh(texts)

    with pytest.raises(type(error), match=str(error)):
        encode(tmp_path, TEXTS, Hashing(vectors=vectors))
    there = sum(shard.texts for shard in shards(tmp_path))
    assert there > 0
    assert hidden(tmp_path) == []
    encoder = Hashing()
    assert np.array_equal(all_of(encode(tmp_path, TEXTS, encoder)), fresh(TEXTS))
    assert len(encoder.seen) == len(TEXTS) - there
