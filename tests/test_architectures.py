"""DPR and ColBERT as models: prefixes, what the encoders see, what is saved, two encoders under one name, records."""

import json
import os
import re
import shutil
import string
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

import scirank as package
from scirank.architectures.colbert import colbert
from scirank.architectures.dpr import dpr
from scirank.architectures.prefix import PrefixTransformer
from scirank.benchmarks import Document
from scirank.choices import Architecture
from scirank.errors import ScirankError
from scirank.models import ModelOptions, load_ranker
from scirank.models.facts import weights_sha256
from scirank.models.record import Record, read_record, text_digest, write_record
from scirank.models.text import paper_text
from scirank.training.building import build
from scirank.training.settings import settings_for

TEXTS = ["a short one", "a much longer text, about wings and boundary layers in the flow of air; and of water?"]
QUESTION = "what makes optical fibres lose light?"
TITLE, TEXT = "Loss (attenuation) in fibres", "Light is scattered, absorbed; and lost. We measure how much."
CLS, SEP, MASK = 101, 102, 103
SYSTEMS = [("dpr", "ft"), ("dpr", "pt2"), ("colbert", "ft"), ("colbert", "pt2")]


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def base(tiny_model):
    return tiny_model()


@pytest.fixture(scope="module")
def tokenizer(base):
    return transformers.AutoTokenizer.from_pretrained(base)


@pytest.fixture(scope="module")
def made(base):
    """Each system untrained, by (architecture, method)."""
    return {system: build(*system, base, small(*system), device="cpu") for system in SYSTEMS}


def small(architecture, method, **changed):
    lengths = {"query_tokens": 32 if architecture == "colbert" else 24, "paper_tokens": 40}
    return settings_for(architecture, method, **{**lengths, "prefix_length": 5, **changed})


def save(model, folder, architecture="dpr", method="ft", **training):
    model.save_pretrained(str(folder), create_model_card=False)
    write_record(folder, Record(architecture, method, architecture, training))
    return str(folder)


def encoder_of(folder):
    from sentence_transformers.base.modules import Transformer

    return Transformer(folder)


def pieces(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False)


def vectors_of(model):
    """Vectors of a question and of papers."""
    arrays = [*model.encode_query([QUESTION], convert_to_numpy=True), *model.encode_document(TEXTS)]
    return [np.asarray(array) for array in arrays]


def alike(found, expected):
    return all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


# P-Tuning v2.

KINDS = {"bert": ("BertModel", {}, 0), "roberta": ("RobertaModel", {"pad_token_id": 0}, 1)}
PREFIX = 7


@pytest.mark.parametrize("position_offset", [True, False])
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_prefix_does_what_pefts_prefix_tuning_does(kind, attention, position_offset, tiny_model):
    from peft import PrefixTuningConfig, get_peft_model

    network, options, first = KINDS[kind]
    folder = tiny_model(network, **options)
    ours = PrefixTransformer(folder, prefix_length=PREFIX, position_offset=position_offset).eval()
    ours.model.set_attn_implementation(attention)
    plain, frozen = (transformers.AutoModel.from_pretrained(folder, attn_implementation=attention) for _ in range(2))
    config = PrefixTuningConfig(task_type="FEATURE_EXTRACTION", num_virtual_tokens=PREFIX)
    theirs = get_peft_model(frozen, config).eval()
    [prefix] = [weights for name, weights in theirs.named_parameters() if "prompt_encoder" in name]
    with torch.no_grad():
        ours.prefix.mul_(50)  # so that it matters
        prefix.copy_(ours.prefix)
    features = ours.preprocess(TEXTS)
    ids, mask = features["input_ids"], features["attention_mask"]
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
    positions = (
        {} if position_offset else {"position_ids": (torch.arange(ids.shape[1]) - PREFIX + first).expand(ids.shape)}
    )
    with torch.inference_mode():
        found = ours(dict(features))["token_embeddings"]
        expected = theirs(**given, **positions).last_hidden_state
        without = plain.eval()(**given).last_hidden_state
    real = mask.bool()
    assert not real.all()
    assert (found - expected)[real].abs().max() < 1e-5
    assert (found - without)[real].abs().max() > 0.1


def test_positions_start_behind_the_prefix_only_where_that_is_wanted(base):
    behind, anew = (PrefixTransformer(base, prefix_length=PREFIX, position_offset=offset).eval() for offset in (1, 0))
    anew.load_prefix({"prefix": behind.prefix})
    features = anew.preprocess(TEXTS)
    with torch.inference_mode():
        one, other = (model(dict(features))["token_embeddings"] for model in (behind, anew))
    assert (one - other).abs().max() > 0.1
    assert (behind.max_seq_length, anew.max_seq_length) == (512 - PREFIX, 512)


def test_a_prefix_leaves_the_features_to_the_text(base):
    """What follows in a model, such as a pooling, counts a text's own tokens."""
    model = PrefixTransformer(base, prefix_length=PREFIX)
    features = model.preprocess(TEXTS)
    found = model(dict(features))
    assert set(found) == {*features, "token_embeddings"}
    assert all(torch.equal(found[name], value) for name, value in features.items() if torch.is_tensor(value))
    assert found["token_embeddings"].shape == (*features["input_ids"].shape, 32)


@pytest.mark.parametrize(("architecture", "trained"), [("dpr", [5 * 2 * 2 * 32] * 2), ("colbert", [5 * 128, 128 * 32])])
def test_only_prefixes_and_a_projection_are_trained(architecture, trained, made):
    model = made[architecture, "pt2"]
    assert [weights.numel() for weights in model.parameters() if weights.requires_grad] == trained
    frozen = [
        weights
        for module in model.modules()
        if isinstance(module, PrefixTransformer)
        for weights in module.model.parameters()
    ]
    assert frozen
    assert not any(weights.requires_grad for weights in frozen)


def test_the_gradient_reaches_all_of_a_prefix(base):
    model = PrefixTransformer(base, prefix_length=PREFIX).train()
    model(model.preprocess(TEXTS))["token_embeddings"].pow(3).sum().backward()
    assert (model.prefix.grad.view(PREFIX, 4, 32).abs().sum(dim=2) > 0).all()
    assert all(weights.grad is None for weights in model.model.parameters())


def test_prefix_dropout_is_of_each_text_and_of_training_only(tiny_model):
    """The network's own dropout is off here, so that only the prefix's is seen."""
    model = PrefixTransformer(
        tiny_model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0), prefix_length=PREFIX
    )
    model.dropout = torch.nn.Dropout(0.5)
    with torch.no_grad():
        model.prefix.mul_(50)
    features = model.preprocess([TEXTS[1]] * 2)
    for training in (True, False):
        model.train(training)
        with torch.no_grad():
            one, again = (model(dict(features))["token_embeddings"] for _ in range(2))
        assert torch.allclose(one[0], one[1], atol=1e-6) is not training
        assert torch.allclose(one, again, atol=1e-6) is not training


def test_dropout_of_a_prefix_is_the_networks(tiny_model):
    assert PrefixTransformer(tiny_model(hidden_dropout_prob=0.25)).dropout.p == 0.25


def test_a_prefix_is_drawn_as_bert_draws(base):
    torch.manual_seed(0)
    prefix = PrefixTransformer(base, prefix_length=64).prefix
    assert prefix.shape == (64, 2 * 2 * 32)
    assert prefix.std().item() == pytest.approx(0.02, rel=0.05)
    assert abs(prefix.mean().item()) < 0.001


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("DistilBertModel", {}, "is of the type distilbert; P-Tuning v2 is for bert, roberta, xlm-roberta"),
        ("BertModel", {"prefix_length": 512, "position_offset": True}, "prefix of 512: .* has 512 positions"),
        (
            "BertModel",
            {"base_sha256": "0" * 64},
            "has weights of sha256 [0-9a-f]{64}, but .* trained on 0{64}; put that",
        ),
    ],
)
def test_what_takes_no_prefix_is_refused(kind, options, message, tiny_model):
    with pytest.raises(ScirankError, match=message):
        PrefixTransformer(tiny_model(kind), **options)


def test_what_a_prefix_leaves_of_the_positions_is_what_a_text_has(base):
    model = PrefixTransformer(base, prefix_length=500, position_offset=True)
    assert model.max_seq_length == 12
    assert model(model.preprocess([" ".join(TEXTS) * 9]))["token_embeddings"].shape[1] == 12
    assert PrefixTransformer(base, prefix_length=512).max_seq_length == 512


def test_a_prefix_of_another_shape_is_refused(base):
    with pytest.raises(ScirankError, match=r"prefix of shape \(6, 128\); .* with a prefix of 7 has \(7, 128\)"):
        PrefixTransformer(base, prefix_length=7).load_prefix({"prefix": torch.zeros(6, 128)})


# Saving.


@pytest.fixture
def own_base(base, tmp_path):
    """A base model that a test may do away with."""
    return shutil.copytree(base, tmp_path / "base")


@pytest.mark.parametrize("system", SYSTEMS, ids="-".join)
def test_a_model_is_the_same_bit_for_bit_after_loading_and_its_vectors_are_kept(system, made, tmp_path):
    model = made[system]
    folder = save(model, tmp_path / "model", *system)
    loaded, again = (load_ranker(folder, ModelOptions(device="cpu")) for _ in range(2))
    assert alike(vectors_of(loaded.papers.encoder.model), vectors_of(model))
    assert loaded.provenance()["architecture"] == system[0]
    assert loaded.similarity == ("dot" if system[0] == "dpr" else "maxsim")
    for task, tokens in (("query", small(*system).query_tokens), ("document", 40)):
        for each in (model, loaded.papers.encoder.model):
            assert each.preprocess([TEXTS[1] * 9], task=task)["input_ids"].shape[1] == tokens
    for role, encoder in loaded.encoders.items():
        assert encoder.key == again.encoders[role].key is not None


def used_sha256(base):
    """Of what a prefix stands before: all but the pooler."""
    network = transformers.AutoModel.from_pretrained(base)
    network.pooler = None
    return weights_sha256(network)


def configurations(folder):
    return [json.loads(path.read_text()) for path in Path(folder).rglob("sentence_bert_config.json")]


@pytest.mark.parametrize("architecture", list(Architecture))
def test_a_folder_with_a_prefix_has_no_weights_of_the_base(architecture, made, base, tmp_path):
    from safetensors.torch import load_file

    folder = save(made[architecture, "pt2"], tmp_path / "model", architecture, "pt2")
    held = [tensor for path in Path(folder).rglob("*.safetensors") for tensor in load_file(path).values()]
    trained = [weights for weights in made[architecture, "pt2"].parameters() if weights.requires_grad]
    assert sorted(t.numel() for t in held) == sorted(t.numel() for t in trained)
    assert not list(Path(folder).rglob("*.bin"))
    expected = used_sha256(base)
    found = configurations(folder)
    assert len(found) == (2 if architecture == "dpr" else 1)
    assert all((each["base_model"], each["base_sha256"]) == (base, expected) for each in found)
    assert {each["position_offset"] for each in found} == {architecture == "colbert"}


def test_another_base_in_its_place_is_refused(own_base, tiny_model, tmp_path):
    folder = save(build("dpr", "pt2", str(own_base), small("dpr", "pt2"), device="cpu"), tmp_path / "model")
    shutil.rmtree(own_base)
    shutil.copytree(tiny_model(seed=1), own_base)
    was = configurations(folder)[0]["base_sha256"]
    now = used_sha256(own_base)
    message = f"base model '{own_base}' has weights of sha256 {now}, but the prefix was trained on {was}; put that"
    with pytest.raises(ScirankError, match=re.escape(message)):
        load_ranker(folder)


@pytest.mark.parametrize("architecture", list(Architecture))
def test_a_base_that_is_not_there_is_one_clear_error(architecture, own_base, tmp_path):
    folder = save(
        build(architecture, "pt2", str(own_base), small(architecture, "pt2"), device="cpu"), tmp_path / "model"
    )
    moved = own_base.rename(tmp_path / "elsewhere")
    with pytest.raises(ScirankError, match=rf"its base model '{own_base}' could not be loaded \(.*as base_model$"):
        load_ranker(folder)
    # The message says what to do.
    for path in Path(folder).rglob("sentence_bert_config.json"):
        path.write_text(path.read_text().replace(str(own_base), str(moved)))
    assert load_ranker(folder).provenance()["architecture"] == "dpr"


def test_a_base_without_a_pooler_is_the_same_each_time(own_base, tmp_path):
    file = Path(own_base) / "model.safetensors"
    weights = {name: tensor for name, tensor in load_file(file).items() if "pooler" not in name}
    save_file(weights, file, {"format": "pt"})
    folder = save(
        build("dpr", "pt2", str(own_base), small("dpr", "pt2"), device="cpu"), tmp_path / "model", "dpr", "pt2"
    )
    keys = [load_ranker(folder).encoders["papers"].key for _ in range(2)]
    assert keys[0] == keys[1] is not None


def test_a_folder_without_its_prefix_is_refused(made, tmp_path):
    folder = save(made["colbert", "pt2"], tmp_path / "model")
    os.unlink(next(Path(folder).rglob("prefix.safetensors")))
    with pytest.raises(ScirankError, match=r"expected a file prefix\.safetensors there"):
        load_ranker(folder)


# What DPR sees.

LIMIT = 40
AS_UPSTREAM = {
    "both": (TITLE, TEXT),
    "no title": ("", TEXT),
    "long text": (TITLE, TEXT * 9),
    "long title": (TITLE * 12, TEXT),
    "long title, short text": (TITLE * 12, "x"),
    "the cut before the separator": ("a " * (LIMIT - 2), TEXT),
    "the cut behind the separator": ("a " * (LIMIT - 3), TEXT),
    "the cut behind a first word": ("a " * (LIMIT - 4), TEXT),
    "all of it, just": ("a " * (LIMIT - 4), "b"),
    "accents and other scripts": (
        "Poincaré \u03b1\u03b2 \u6587\u732e",
        "na\u00efve e\u0301 \u0441\u0432\u0435\u0442 \u200b \U0001f600",
    ),
    "punctuation": ("[a] (b): c?", "--- \u2026 ''"),
    "spaces": ("  a\tb\n", " c\u00a0d "),
}


def as_upstream(tokenizer, title, text):
    """The ids as PT-Retrieval makes them: of the pair, cut to the length, the last one [SEP]."""
    pair = (
        [*pieces(tokenizer, title), SEP, *pieces(tokenizer, text.strip())] if title else pieces(tokenizer, text.strip())
    )
    ids = [CLS, *pair, SEP][:LIMIT]
    return [*ids[:-1], SEP]


def seen(model, document, task="document"):
    features = model.preprocess([paper_text("dpr", model.tokenizer.sep_token)(document)], task=task)
    assert not features.get("token_type_ids", torch.zeros(1)).any()
    assert features["attention_mask"].all()
    return features["input_ids"][0].tolist()


@pytest.mark.parametrize("method", ["ft", "pt2"])
@pytest.mark.parametrize("case", AS_UPSTREAM)
def test_dpr_gets_a_paper_as_upstreams_does(case, method, made, tokenizer):
    found = seen(made["dpr", method], Document(*AS_UPSTREAM[case]))
    assert found == as_upstream(tokenizer, *AS_UPSTREAM[case])
    assert len(found) <= LIMIT


WORDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(["fibre", "[", "SEP", "]"]),
    max_size=50,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(WORDS.map(" ".join), WORDS.map(" ".join).filter(bool))
def test_any_paper_with_an_abstract_is_what_upstream_makes_of_it(made, tokenizer, title, text):
    assert seen(made["dpr", "ft"], Document(title, text)) == as_upstream(tokenizer, title, text)


def test_a_paper_without_an_abstract_is_closed_once(made, tokenizer):
    """The one exception: upstream closes it twice, as a pair whose second text is empty."""
    assert seen(made["dpr", "ft"], Document("Light", "")) == [CLS, *pieces(tokenizer, "Light"), SEP]
    assert as_upstream(tokenizer, "Light", "") == [CLS, *pieces(tokenizer, "Light"), SEP, SEP]


@pytest.mark.parametrize("question", [QUESTION, QUESTION * 9, "?"])
def test_dpr_gets_a_question_as_it_stands(question, made, tokenizer):
    found = made["dpr", "ft"].preprocess([question], task="query")["input_ids"][0].tolist()
    assert found == [*[CLS, *pieces(tokenizer, question)][:23], SEP]


def test_dprs_vector_is_the_first_tokens_as_it_is(made, base, tokenizer):
    network = transformers.BertModel.from_pretrained(base).eval()
    with torch.inference_mode():
        ids = torch.tensor([as_upstream(tokenizer, TITLE, TEXT)])
        expected = network(ids).last_hidden_state[0, 0].numpy()
    model = made["dpr", "ft"]
    [found, _] = model.encode_document([f"{TITLE} [SEP] {TEXT}", "another, so that one is padded"])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.linalg.norm(found) != pytest.approx(1, abs=0.1)
    assert model.similarity_fn_name == "dot"
    assert model.similarity(found, found).item() == pytest.approx(float(found @ found), rel=1e-5)


@pytest.mark.parametrize("method", ["ft", "pt2"])
@pytest.mark.parametrize("changed", ["query", "document"])
def test_questions_and_papers_have_encoders_of_their_own(changed, method, base):
    model = build("dpr", method, base, small("dpr", method), device="cpu")
    before = vectors_of(model)
    with torch.no_grad():
        for weights in model[0].sub_modules[changed].parameters():
            if weights.requires_grad:
                weights.add_(torch.randn_like(weights))
    question, *papers = vectors_of(model)
    assert np.array_equal(question, before[0]) is (changed == "document")
    assert alike(papers, before[1:]) is (changed == "query")


# What ColBERT sees.


def by_hand(base, projection, ids, mask):
    """Unit vectors of tokens, by the network and the projection alone."""
    network = transformers.BertModel.from_pretrained(base).eval()
    with torch.inference_mode():
        hidden = network(torch.tensor([ids]), attention_mask=torch.tensor([mask])).last_hidden_state[0]
        return torch.nn.functional.normalize(hidden @ projection.T, dim=-1).numpy()


@pytest.fixture(scope="module")
def late(base):
    """A ColBERT, and its projection."""
    torch.manual_seed(1)
    projection = torch.randn(128, 32)
    return colbert(encoder_of(base), projection, device="cpu"), projection


def test_a_question_is_filled_up_with_masks_that_score_and_are_not_attended_to(late, base, tokenizer):
    model, projection = late
    start = [CLS, tokenizer.convert_tokens_to_ids("[unused0]"), *pieces(tokenizer, QUESTION), SEP]
    ids, rest = start + [MASK] * (32 - len(start)), 32 - len(start)
    [found] = model.encode_query([QUESTION], convert_to_numpy=True)
    expected = by_hand(base, projection, ids, [1] * len(start) + [0] * rest)
    attended = by_hand(base, projection, ids, [1] * 32)
    assert rest > 5
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(attended - expected).max() > 0.01
    [paper] = model.encode_document([TEXT], convert_to_numpy=True)
    score = model.similarity([found], [paper]).item()
    assert score == pytest.approx((expected @ paper.T).max(axis=1).sum(), abs=1e-4)
    assert score != pytest.approx((expected[: len(start)] @ paper.T).max(axis=1).sum(), abs=1e-2)


def test_a_long_question_keeps_its_length_and_its_end(late, tokenizer):
    ids = late[0].preprocess([QUESTION * 9], task="query", prompt="[unused0] ")["input_ids"][0].tolist()
    assert ids == [CLS, 1, *pieces(tokenizer, QUESTION * 9)[:29], SEP]


def test_punctuation_scores_in_questions_and_not_in_papers(late, base, tokenizer):
    model, projection = late
    text = string.punctuation + " light"
    ids = [CLS, tokenizer.convert_tokens_to_ids("[unused1]"), *pieces(tokenizer, text), SEP]
    assert len(ids) == 4 + len(string.punctuation)
    [paper] = model.encode_document([text], convert_to_numpy=True)
    every = by_hand(base, projection, ids, [1] * len(ids))
    np.testing.assert_allclose(paper, every[[0, 1, -2, -1]], atol=1e-5)
    [question] = model.encode_query([text], convert_to_numpy=True)
    assert question.shape == (32, 128)
    [short] = model.encode_query(["light?"], convert_to_numpy=True)
    start = [CLS, 1, *pieces(tokenizer, "light?"), SEP]
    expected = by_hand(base, projection, start + [MASK] * 27, [1] * 5 + [0] * 27)
    np.testing.assert_allclose(short, expected, atol=1e-5)


def test_every_vector_of_colbert_is_a_unit_vector_of_128_numbers(made):
    for method in ("ft", "pt2"):
        for vectors in vectors_of(made["colbert", method]):
            assert vectors.shape[1] == 128
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_papers_are_cut_to_their_length_and_not_filled_up(made, tokenizer):
    model = made["colbert", "ft"]
    lengths = model.preprocess(["light", "light " * 90], task="document")["attention_mask"].sum(dim=1).tolist()
    assert lengths == [3, 40]


def test_papers_are_cut_to_what_the_network_takes(base):
    assert colbert(encoder_of(base), paper_tokens=10_000)[0].document_length == 512


@pytest.mark.parametrize("method", ["ft", "pt2"])
def test_markers_stay_single_tokens_at_the_second_place(method, made, tmp_path):
    folder = save(made["colbert", method], tmp_path / "model", "colbert", method)
    loaded = load_ranker(folder, ModelOptions(cache=False))
    for ranker in (load_ranker(made["colbert", method], ModelOptions(cache=False)), loaded):
        sides = ((ranker.questions.encoder, 1), (ranker.papers.encoder, 2))
        for encoder, marker in sides:
            assert encoder.prompt == f"[unused{marker - 1}] "
            ids = encoder._features(TEXTS)["input_ids"]
            assert ids[:, :2].tolist() == [[CLS, marker]] * 2
            assert (ids[:, 2] != marker).all()
    assert loaded.papers.encoder.key == load_ranker(folder).papers.encoder.key is not None


def test_a_vocabulary_without_the_two_entries_has_its_markers_as_text(base, tmp_path):
    folder = shutil.copytree(base, tmp_path / "other")
    content = (folder / "tokenizer.json").read_text()
    (folder / "tokenizer.json").write_text(content.replace('"[unused', '"[other'))
    (folder / "vocab.txt").unlink(missing_ok=True)
    model = colbert(encoder_of(str(folder)), device="cpu")
    assert model.prompts == {"query": "[Q] ", "document": "[D] "}
    start = pieces(model.tokenizer, "[D]")
    assert len(start) == 3
    ids = model.preprocess(["light"], task="document", prompt=model.prompts["document"])["input_ids"][0].tolist()
    assert ids == [CLS, *start, *pieces(model.tokenizer, "light"), SEP]


# Two encoders under one name.


@pytest.fixture(scope="module")
def published(tiny_model, tmp_path_factory):
    """An encoder of questions and one of papers as DPR's authors put them on the Hub; the config has the class."""
    root = tmp_path_factory.mktemp("facebook")
    found = []
    for seed, kind in enumerate(("DPRQuestionEncoder", "DPRContextEncoder")):
        folder = shutil.copytree(tiny_model(kind, seed=seed), root / kind)
        settings_of = json.loads((folder / "tokenizer_config.json").read_text())
        (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "model_max_length": 512}))
        assert "Bert" in settings_of["tokenizer_class"]
        found.append(str(folder))
    return tuple(found)


def test_dprs_own_encoders_have_the_vectors_of_dprs_own_classes(published, tokenizer):
    ranker = load_ranker("dpr:" + ",".join(published), ModelOptions(device="cpu", cache=False))
    model = ranker.papers.encoder.model
    classes = (transformers.DPRQuestionEncoder, transformers.DPRContextEncoder)
    questions, papers = (kind.from_pretrained(folder).eval() for kind, folder in zip(classes, published, strict=True))
    asked = [CLS, *pieces(tokenizer, QUESTION), SEP]
    found = [*[CLS, *pieces(tokenizer, TITLE), SEP, *pieces(tokenizer, TEXT * 30)][:255], SEP]
    with torch.inference_mode():
        expected = [
            network(torch.tensor([ids])).pooler_output[0].numpy()
            for network, ids in ((questions, asked), (papers, found))
        ]
    paper = ranker.papers.text(Document(TITLE, TEXT * 30))
    vectors = [
        model.encode_query(ranker.questions.text(Document("", QUESTION))),
        model.encode_document([paper, "x"])[0],
    ]
    for one, other in zip(vectors, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert ranker.similarity == "dot"
    facts = ranker.provenance()
    assert (facts["architecture"], facts["method"], facts["max_length"]) == ("dpr", "ft", 256)
    assert facts["template"] == "{title} [SEP] {abstract}"


def test_two_encoders_are_kept_in_the_store_although_the_files_have_no_pooler(published):
    from safetensors import safe_open

    name = "dpr:" + ", ".join(published)
    for folder in published:
        with safe_open(f"{folder}/model.safetensors", "pt") as file:
            assert not any("pooler" in key for key in file.keys())  # noqa: SIM118
    one, again = (load_ranker(name, ModelOptions(device="cpu")) for _ in range(2))
    for role in ("papers", "questions"):
        assert one.encoders[role].key == again.encoders[role].key is not None
    assert alike(vectors_of(one.papers.encoder.model), vectors_of(again.papers.encoder.model))
    swapped = load_ranker("dpr:" + ",".join(reversed(published)), ModelOptions(device="cpu"))
    assert swapped.papers.encoder.key != one.papers.encoder.key


def test_any_two_encoders_are_taken_by_their_first_token(base, tiny_model):
    ranker = load_ranker(f"dpr:{base},{tiny_model(seed=1)}", ModelOptions(device="cpu", cache=False, max_length=30))
    expected = dpr(*(encoder_of(folder) for folder in (base, tiny_model(seed=1))), device="cpu")
    assert alike(vectors_of(ranker.papers.encoder.model), vectors_of(expected))
    assert ranker.papers.encoder.model.preprocess([TEXTS[1] * 9], task="document")["input_ids"].shape[1] == 30


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("dpr:a,b,c", {}, "model 'dpr:a,b,c': expected dpr:QUESTION_MODEL,PAPER_MODEL, two names or folders"),
        ("dpr:a,", {}, "model 'dpr:a,': expected dpr:QUESTION_MODEL,PAPER_MODEL"),
        ("dpr:,", {}, "model 'dpr:,': expected dpr:QUESTION_MODEL,PAPER_MODEL"),
        ("dpr", {}, "model 'facebook/dpr-question_encoder-multiset-base' could not be loaded: "),
        ("dpr:./nowhere,minilm", {}, "model './nowhere' could not be loaded: no such folder is here"),
        ("dpr:minilm,minilm", {"backend": "onnx"}, "backend onnx is not for two encoders; leave --backend out"),
        ("dpr:minilm,minilm", {"max_length": 1_000}, "max_length 1000 is out of range; this model takes 1 to 512"),
    ],
)
def test_two_encoders_that_cannot_be_are_one_clear_error(name, options, message):
    with pytest.raises(ScirankError, match=re.escape(message)):
        load_ranker(name, ModelOptions(**options))


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("DPRQuestionEncoder", {"projection_dim": 8}, "projects to 8 dimensions, which is not supported"),
        ("DPRReader", {}, r"expected DPR's encoder of questions or papers, found \['DPRReader'\]"),
    ],
)
def test_other_models_of_dprs_authors_are_refused(kind, options, message, tiny_model, published):
    with pytest.raises(ScirankError, match=message):
        load_ranker(f"dpr:{tiny_model(kind, **options)},{published[1]}")


# Records.

SAW = {
    "benchmark": "oagqa-mini",
    "groups": {
        "optics": {"source": "questions", "queries": 2, "query_ids": ["optics/1", "optics/0"], "texts": ["a", "b"]},
        "physiology": {"source": "train", "queries": 1, "query_ids": ["physiology/train/0"], "texts": ["c"]},
    },
}
SOURCE = {"converted_from": {"file": "a.cp", "sha256": "0" * 64}}
RECORDS = [
    Record("dpr", "ft", "dpr"),
    Record("colbert", "pt2", "{title} \u00e9", {"saw": SAW, "losses": [{"step": 1, "loss": 0.5}]}),
    Record("dpr", "pt2", "dpr", {}, SOURCE),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_is_read_as_written(record, tmp_path):
    write_record(tmp_path, record)
    assert read_record(str(tmp_path)) == record
    write_record(tmp_path, replace(record, method="ft"))
    assert read_record(str(tmp_path)) == replace(record, method="ft")
    assert os.listdir(tmp_path) == ["scirank.json"]


def test_a_model_without_a_record_has_none(base, tmp_path):
    assert read_record(base) is None
    assert "trained_on" not in load_ranker(base).provenance()


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "7", "{}", '{"architecture": "dpr", "method": "ft"}', '{"model": 1}'),
        '{"architecture": "dpr", "method": "ft", "template": 5}',
        '{"architecture": "other", "method": "ft", "template": "dpr"}',
        '{"architecture": "dpr", "method": "ft", "template": "dpr", "training": []}',
        '{"architecture": "dpr", "method": "ft", "template": "dpr", "training": {"saw": {"groups": {"a": {}}}}}',
        '{"architecture": "dpr", "method": "ft", "template": "dpr", "source": 1}',
    ],
)
def test_another_file_under_a_records_name_is_refused(content, made, tmp_path):
    (tmp_path / "scirank.json").write_text(content)
    message = r"scirank\.json: not a record of scirank's training or converting"
    with pytest.raises(ScirankError, match=message):
        read_record(str(tmp_path))


def test_a_models_own_template_is_used_unless_another_is_chosen(made, tmp_path):
    made["colbert", "ft"].save_pretrained(str(tmp_path), create_model_card=False)
    paper = Document("T", "A")
    assert load_ranker(str(tmp_path)).papers.text(paper) == "T [SEP] A"
    write_record(tmp_path, Record("colbert", "ft", "colbert"))
    own, chosen = (load_ranker(str(tmp_path), ModelOptions(template=template)) for template in (None, "{title}"))
    assert (own.papers.text(paper), chosen.papers.text(paper)) == ("T. A", "T")
    assert own.provenance()["template"] == "{title}. {abstract}"
    assert chosen.provenance()["template"] == "{title}"


def test_a_run_tells_what_its_model_was_trained_on(made, tmp_path, capsys):
    asked = package.load_benchmark("oagqa-mini", groups="optics").tasks[0].queries
    texts = [text_digest(asked[query]) for query in ("optics/1", "optics/0")]
    saw = {**SAW, "groups": {**SAW["groups"], "optics": {**SAW["groups"]["optics"], "texts": texts}}}
    folder = save(made["dpr", "ft"], tmp_path / "model", saw=saw, settings={"seed": 1})
    result = package.run(folder, "oagqa-mini", groups=["optics", "electromagnetism"], device="cpu")
    note = "2 of 10 queries were trained on: optics/0, optics/1"
    assert note in result.notes
    assert capsys.readouterr().err.count(f"note: model: {note}\n") == 1
    facts = result.provenance["model"]
    assert (facts["architecture"], facts["method"]) == ("dpr", "ft")
    assert facts["trained_on"] == {"benchmark": "oagqa-mini", "groups": {"optics": 2, "physiology": 1}}
    assert "optics/0" not in json.dumps(facts)
    for benchmark, group in (("oagqa-mini", "physiology"), ("mdcr-mini", "Art")):
        assert read_record(folder).trained_queries(package.load_benchmark(benchmark, groups=group)) == []


def test_where_a_model_was_converted_from_is_part_of_a_result(made, tmp_path):
    made["colbert", "ft"].save_pretrained(str(tmp_path), create_model_card=False)
    write_record(tmp_path, Record("colbert", "ft", "colbert", {}, SOURCE))
    facts = load_ranker(str(tmp_path)).provenance()
    assert facts["converted_from"] == SOURCE["converted_from"]
    assert "trained_on" not in facts


# Vectors are kept under what determines them.


@pytest.mark.parametrize("architecture", list(Architecture))
def test_another_prefix_has_other_vectors(architecture, base):
    models = [
        build(architecture, "pt2", base, small(architecture, "pt2", seed=seed), device="cpu") for seed in (1, 1, 2)
    ]
    one, same, other = (load_ranker(model, ModelOptions(cache=False)).encoders for model in models)
    for role in ("papers", "questions"):
        assert one[role].key == same[role].key
        assert one[role].key != other[role].key


def test_a_prefix_is_computed_by_pytorch_only(made, tmp_path):
    folder = save(made["dpr", "pt2"], tmp_path / "model", "dpr", "pt2")
    with pytest.raises(ScirankError, match=r"backend onnx is not for models of P-Tuning v2; leave --backend out"):
        load_ranker(folder, ModelOptions(backend="onnx"))


@pytest.mark.parametrize("architecture", list(Architecture))
def test_a_prefix_on_the_hub_is_loaded_with_its_revision(architecture, made):
    """Out of the cache as the Hub's own client keeps it, without a network."""
    from huggingface_hub.constants import HF_HUB_CACHE

    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = Path(HF_HUB_CACHE) / f"models--owner--{architecture}"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "tuned").write_text(commit)
    (repository / "snapshots").mkdir()
    save(made[architecture, "pt2"], repository / "snapshots" / commit, architecture, "pt2")
    ranker = load_ranker(f"owner/{architecture}", ModelOptions(revision="tuned"))
    assert ranker.provenance()["method"] == "pt2"
    assert weights_sha256(ranker.papers.encoder.model) == weights_sha256(made[architecture, "pt2"])
