"""Vectors that are kept from run to run: through `scirank.run`, and on the command line."""

import re

import numpy as np
import pytest

import scirank as package
from scirank.cli import app
from scirank.drift import sample_of
from scirank.errors import ScirankError
from scirank.models import ModelOptions, load_ranker


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    """A folder with a model of static embeddings over the letters, as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    letters = {letter: place for place, letter in enumerate("?abcdefghijklmnopqrstuvwxyz")}
    tokenizer = Tokenizer(models.WordLevel(letters, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    weights = np.random.default_rng(1).normal(size=(len(letters), 16)).astype(np.float32)
    folder = tmp_path_factory.mktemp("models") / "letters"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, weights)], device="cpu").save(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def art():
    return package.load_benchmark("mdcr-mini", groups=["Art"])


def encoded(result):
    return {role: counts["encoded"] for role, counts in result.provenance["ranking"]["texts"].items()}


def shards(cache):
    return sorted(path.relative_to(cache) for path in cache.rglob("*.safetensors"))


def test_a_second_run_encodes_nothing_and_gives_the_same(static, art, tmp_path):
    first, second = (package.run(static, art, quiet=True, cache_dir=tmp_path) for _ in range(2))
    assert (encoded(first)["papers"] > 50, encoded(second)) == (True, {"papers": 0})
    assert (first.scores, first.summary, first.per_query) == (second.scores, second.summary, second.per_query)
    fresh = package.run(static, art, quiet=True, cache=False)
    assert encoded(fresh) == encoded(first)
    assert fresh.scores == first.scores


def test_a_paper_is_encoded_once_for_all_benchmarks(static, tmp_path, write_oagqa):
    mdcr = package.load_benchmark("mdcr-mini", groups=["Art", "Biology"])
    papers = [(str(row), paper.text, paper.title) for row, paper in enumerate(mdcr.tasks[0].corpus.values())]
    folder = write_oagqa(papers, [("what is art?", [papers[0][2]])])
    package.run(static, mdcr, quiet=True, cache_dir=tmp_path / "cache")
    result = package.run(static, "oagqa", data_dir=folder, quiet=True, cache_dir=tmp_path / "cache")
    counts = result.provenance["ranking"]["texts"]["papers"]
    listed = {
        text
        for task in mdcr.tasks
        for q in task.queries
        for text in (task.queries[q], *map(task.corpus.get, task.pool(q)))
    }
    assert counts["different"] - counts["encoded"] == len(listed)


@pytest.mark.parametrize(
    "changed",
    [{"prompt": "paper: "}, {"dtype": "float32"}, {"template": "{title}"}, {"query_prompt": "q: "}],
    ids=lambda changed: next(iter(changed)),
)
def test_what_changes_a_vector_changes_its_key(static, tmp_path, changed):
    """Float32 is what the model has anyway: the same key."""
    package.run(static, "oagqa-mini", groups="optics", quiet=True, cache_dir=tmp_path)
    again = package.run(static, "oagqa-mini", groups="optics", quiet=True, cache_dir=tmp_path, **changed)
    both = {"papers": 60, "questions": 5}
    anew = {"prompt": ["papers"], "template": ["papers"], "query_prompt": ["questions"]}
    expected = {role: both[role] if role in anew.get(next(iter(changed)), []) else 0 for role in both}
    assert encoded(again) == expected


def test_a_model_that_was_trained_on_is_another(static, art, tmp_path):
    import torch
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(static, device="cpu")
    package.run(model, art, quiet=True, cache_dir=tmp_path)
    with torch.no_grad():
        model[0].embedding.weight[3, 3] += 1e-3
    assert encoded(package.run(model, art, quiet=True, cache_dir=tmp_path))["papers"] > 50


def test_the_same_model_in_another_folder_is_the_same(static, art, tmp_path):
    import shutil

    package.run(static, art, quiet=True, cache_dir=tmp_path / "cache")
    shutil.copytree(static, tmp_path / "letters")
    assert encoded(package.run(tmp_path / "letters", art, quiet=True, cache_dir=tmp_path / "cache")) == {"papers": 0}


class Own:
    def encode(self, texts):
        return [[len(text), 1.0] for text in texts]


class Known(Own):
    fingerprint = "lengths, version 1"


@pytest.mark.parametrize(("model", "kept"), [(Own(), 0), (Known(), 1)])
def test_an_encoder_of_ones_own_is_kept_where_it_says_what_it_is(model, kept, art, tmp_path):
    for _ in range(2):
        result = package.run(model, art, quiet=True, cache_dir=tmp_path)
    assert len(shards(tmp_path)) == kept
    assert (encoded(result)["papers"] == 0) == bool(kept)


def test_parts_make_a_whole(static, tmp_path, monkeypatch):
    from scirank.embeddings import plan
    from scirank.embeddings.job import Budget

    monkeypatch.setattr(plan, "SHARD", Budget(10_000, 20))
    options = {"quiet": True, "device": "cpu"}
    texts = [
        package.encode(static, "oagqa-mini", shard=f"{i}/3", cache_dir=tmp_path / "parts", **options) for i in range(3)
    ]
    assert all(texts)
    assert encoded(package.run(static, "oagqa-mini", cache_dir=tmp_path / "parts", **options)) == {
        "papers": 0,
        "questions": 0,
    }
    assert sum(texts) == package.encode(static, "oagqa-mini", cache_dir=tmp_path / "whole", **options)
    for name in shards(tmp_path / "whole"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("bm25", {}, "bm25 encodes nothing"),
        (Own(), {}, "only be encoded where vectors are kept"),
        (Known(), {"cache": False}, r"not with no_cache \(--no-cache\)"),
        (Known(), {"device": "cpu,cpu"}, "need a model that is named"),
        (Known(), {"shard": "2/2"}, "expected i/n with i from 0 to n - 1"),
    ],
)
def test_what_cannot_be_encoded_in_parts(model, options, message, art, tmp_path):
    with pytest.raises(ScirankError, match=message):
        package.encode(model, art, quiet=True, **({"cache_dir": tmp_path} | options))


def test_an_estimate_counts_and_keeps_nothing(static, art, tmp_path):
    (papers,) = package.estimate(static, art, quiet=True, cache_dir=tmp_path)
    texts = {package.load_ranker(static).papers.text(paper) for paper in listed_papers(art)}
    assert (papers.role, papers.different, papers.kept, papers.to_encode) == ("papers", len(texts), 0, len(texts))
    assert papers.tokens == sum(len(text) // 4 for text in texts)
    assert papers.size == 16 * 4 * len(texts)
    assert papers.seconds > 0
    assert shards(tmp_path) == []
    package.run(static, art, quiet=True, cache_dir=tmp_path)
    (again,) = package.estimate(static, art, quiet=True, cache_dir=tmp_path)
    assert (again.kept, again.to_encode, again.tokens, again.seconds, again.size) == (len(texts), 0, 0, 0, 0)


def listed_papers(benchmark):
    for task in benchmark.tasks:
        for query in task.queries:
            yield task.queries[query]
            yield from map(task.corpus.get, task.pool(query))


def test_a_reduced_precision_says_what_it_changes(static, tmp_path):
    result = package.run(static, "mdcr-mini", quiet=True, dtype="bfloat16", cache_dir=tmp_path)
    (note,) = [note for note in result.notes if note.startswith("bfloat16")]
    found = re.fullmatch(
        r"bfloat16 against float32 on a sample of (\d+) texts and (\d+) queries: lowest cosine (0\.99\d+), "
        r"mean cosine (0\.99\d+|1\.0+); points: map [+-]\d\.\d\d, ndcg [+-]\d\.\d\d, recall_5 [+-]\d\.\d\d",
        note,
    )
    assert found, note
    assert 0.99 < float(found[3]) < 1
    assert result.provenance["model"]["dtype"] == "bfloat16"
    full = load_ranker(static, ModelOptions(device="cpu"))
    half = load_ranker(static, ModelOptions(device="cpu", dtype="bfloat16"))
    texts = ["abc", "xyz"]
    left, right = (next(each.papers.encoder.encode([texts])).float().numpy() for each in (full, half))
    assert 0 < np.abs(left - right).max() < 0.05


@pytest.mark.parametrize("name", ["mdcr-mini", "oagqa-mini"])
def test_the_sample_is_small_and_from_all_over(name):
    benchmark = package.load_benchmark(name)
    tasks = list(sample_of(benchmark.tasks))
    assert 1 < len(tasks) <= len(benchmark.tasks)
    texts = {
        id(task.corpus) and text
        for task in tasks
        for query in task.queries
        for text in map(task.corpus.get, task.pool(query))
    }
    assert 100 < len(texts) < 700
    for task in tasks:
        assert task.queries
        assert all(task.relevant[query] <= set(task.pool(query)) for query in task.queries)


NAMED = """
class Letters:
    fingerprint = "letters 1"

    def encode(self, texts):
        return [[len(text), *map(text.count, "aeinst")] for text in texts]
"""


@pytest.mark.parametrize("kind", ["named", pytest.param("static", marks=pytest.mark.full)])
def test_several_processes(kind, static, tmp_path, monkeypatch):
    """One of sentence-transformers takes the two processes seconds to load."""
    (tmp_path / "letters_by_name.py").write_text(NAMED)
    monkeypatch.syspath_prepend(tmp_path)
    model = "letters_by_name:Letters" if kind == "named" else static
    options = {"quiet": True, "groups": "optics"}
    together = package.run(model, "oagqa-mini", device="cpu,cpu", cache_dir=tmp_path / "two", **options)
    alone = package.run(model, "oagqa-mini", device="cpu", cache_dir=tmp_path / "one", **options)
    assert (together.scores, encoded(together)) == (alone.scores, encoded(alone))
    assert encoded(alone) == {"papers": 60, "questions": 5}
    assert shards(tmp_path / "one")
    assert [(tmp_path / "two" / name).read_bytes() for name in shards(tmp_path / "two")] == [
        (tmp_path / "one" / name).read_bytes() for name in shards(tmp_path / "one")
    ]


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Run the command line in this process; give its exit status, standard output and standard error."""
    monkeypatch.setenv("SCIRANK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        from typer.testing import CliRunner

        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return (
            done.exit_code,
            done.stdout,
            done.stderr if done.exception is None or done.exit_code else str(done.exception),
        )

    return run


def test_the_commands(command, static, tmp_path):
    cache = tmp_path / "cache"
    run = ("run", static, "--benchmark", "mdcr-mini", "--groups", "Art", "--device", "cpu")
    status, out, _ = command(*run, "--dry-run")
    assert status == 0
    assert re.search(r"papers +61 +59 +0 +59 +[\d,]+ +1 +\d+ s +4 kB", out), out
    assert f"papers: kept in {cache}" in out.replace("\n", "")
    assert shards(cache) == []

    assert command(*run, "--shard", "0/1")[0] == 0
    (shard,) = shards(cache)
    status, out, err = command(*run)
    assert (status, "papers: 59 of 59 different texts from" in err) == (0, True)

    status, out, _ = command("cache", "info")
    assert re.search(r"letters +document +float32 +59 +1 +\d+ kB +\d+ s ago +letters-document-[0-9a-f]+", out), out
    assert command("cache", "verify")[:2] == (0, f"{cache}: 1 file, 0 damaged\n")

    data = bytearray((cache / shard).read_bytes())
    data[-1] ^= 1
    (cache / shard).write_bytes(data)
    status, out, err = command("cache", "verify")
    assert (status, out, str(shard) in err) == (1, f"{cache}: 1 file, 1 damaged\n", True)
    status, out, err = command(*run)
    assert status == 0
    assert f"damaged: {cache / shard}: " in err
    assert "its texts are encoded again" in err
    assert command("cache", "verify")[0] == 0

    assert command("cache", "prune")[0] != 0
    status, out, _ = command("cache", "prune", "--model", "letters", "--dry-run")
    assert (status, bool(re.search(r"1 store, \d+ kB would be removed", out)), len(shards(cache))) == (0, True, 1)
    assert "0 stores" in command("cache", "prune", "--older-than", "1")[1]
    assert "0 stores" in command("cache", "prune", "--model", "other", "--older-than", "0")[1]
    assert re.search(r"1 store, \d+ kB removed", command("cache", "prune", "--max-size", "0")[1])
    assert shards(cache) == []


def test_nothing_is_kept_where_nothing_is_to_be(command, static, tmp_path):
    assert (
        command("run", static, "--benchmark", "mdcr-mini", "--groups", "Art", "--no-cache", "--device", "cpu")[0] == 0
    )
    assert not (tmp_path / "cache").exists()


def test_what_is_used_last_is_pruned_last(tmp_path):
    import os

    from scirank.embeddings.maintenance import held, prune
    from scirank.embeddings.store import KEY, Store

    for age, model in enumerate(["new", "older", "oldest"]):
        store = Store.of(tmp_path, {"model": f"group/{model}", "role": "document"})
        (store.folder / "filler").write_bytes(bytes(1_000))
        os.utime(store.folder / KEY, (0, (store.folder / KEY).stat().st_mtime - 86_400 * 10 * age))
    assert [each.fact("model") for each in held(tmp_path)] == ["group/new", "group/older", "group/oldest"]
    assert [each.fact("model") for each in prune(tmp_path, larger_than=2_500, dry_run=True)] == ["group/oldest"]
    assert [each.fact("model") for each in prune(tmp_path, older_than=15)] == ["group/oldest"]
    assert [each.fact("model") for each in prune(tmp_path, older_than=5, larger_than=0)] == ["group/older"]
    assert [each.fact("model") for each in prune(tmp_path, model="new")] == ["group/new"]
    assert held(tmp_path) == []
