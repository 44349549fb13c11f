"""Results on a model's page, against a small Hub in this process; and whom to cite."""

import re
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import pytest
import yaml
from huggingface_hub.repocard_data import model_index_to_eval_results

import scirank as package
from mdcr_dataset import FIELDS
from oagqa_dataset import TOPICS, discipline_of
from scirank.errors import ScirankError
from scirank.publishing import citations, eval_result_entries, model_index, prepare, push
from scirank.publishing.citing import FAMILIES, families_of, references
from scirank.publishing.yaml_text import with_model_index
from scirank.results import Result
from scirank.results.summary import summary_of

REPO, DATASET = "lab/scincl", "lab/mdcr"
ENTRIES = ".eval_results/mdcr.yaml"
has_entries = pytest.mark.skipif(
    not hasattr(huggingface_hub, "EvalResultEntry"), reason="needs a huggingface_hub with EvalResultEntry"
)


ENVIRONMENT = {"time": "2026-11-30T21:00:00+00:00", "packages": {"scirank": "0.1.0"}}


@pytest.fixture(scope="module")
def whole():
    """As if a model had been run on all of MDCR, four queries a field."""
    rows = [(field, at) for field in FIELDS for at in range(4)]
    values = {"map": 0.3, "ndcg": 0.6, "recall_5": 0.2}
    per_query = {
        "query_id": [f"{field}-{at}" for field, at in rows],
        "group": [field for field, _ in rows],
        **{name: [value + at / 10 + len(field) / 1000 for field, at in rows] for name, value in values.items()},
        "tied": [False] * len(rows),
    }
    model = {"kind": "bi-encoder", "model": "malteos/scincl", "revision": "a" * 40, "backend": "torch"}
    settings = {"split": "test", "ties": "trec", "missing_text": "error", "no_relevant": "error", "like": None}
    provenance = {"data_sha256": {}, "settings": settings, "model": model, "environment": ENVIRONMENT}
    return Result("malteos/scincl", "mdcr", "test", summary_of(per_query), per_query, provenance)


@pytest.fixture(scope="module")
def mini(whole):
    """As if BM25 had been run on mini."""
    provenance = {**whole.provenance, "model": {"kind": "bm25"}}
    return replace(whole, model="bm25", benchmark="mdcr-mini", provenance=provenance)


@pytest.fixture(scope="module")
def questions():
    """As if a model had been run on all of OAG-QA, two questions a topic."""
    rows = [(topic, at) for topic in TOPICS for at in range(2)]
    values = {name: [float(at == hit) for _, at in rows] for name, hit in (("hit_20", 0), ("exact_hit_20", 1))}
    per_query = {
        "query_id": [f"{topic}/{at}" for topic, at in rows],
        "group": [topic for topic, _ in rows],
        "part_of": [discipline_of(topic) for topic, _ in rows],
        **values,
        "mrr": [1 / (at + 2) for _, at in rows],
        "exact_mrr": [0.25] * len(rows),
        "relevant": [1] * len(rows),
        "ranked": [100] * len(rows),
    }
    provenance = {"data_sha256": {}, "settings": {"quotes": "literal"}, "model": {"kind": "random", "seed": 0}}
    return Result("random", "oagqa", "test", summary_of(per_query), per_query, provenance)


def rounded(result, **changes):
    """The same result with other numbers."""
    return replace(result, summary={**result.summary, **changes})


@has_entries
def test_entries_are_one_a_measure_in_percent(whole, questions):
    found = eval_result_entries(whole, DATASET, dataset_revision="b" * 40, source="https://example.org/results")
    assert [(entry.task_id, entry.value) for entry in found] == [
        (measure, whole.average[measure]) for measure in ("map", "ndcg", "recall_5")
    ]
    assert {entry.dataset_id for entry in found} == {DATASET}
    assert found[0].date == "2026-11-30T21:00:00Z"
    assert found[0].source_url == "https://example.org/results"
    assert found[0].notes == "percent, mean over 19 fields, 76 queries; model revision aaaaaaaaaaaa; scirank 0.1.0"
    of_questions = eval_result_entries(questions, "lab/oagqa", task="oagqa_{measure}")
    assert [entry.task_id for entry in of_questions] == ["oagqa_hit_20", "oagqa_exact_hit_20", "oagqa_mrr"]
    assert [entry.value for entry in of_questions] == [50.0, 50.0, 41.6667]
    disciplines = len(questions.summary["disciplines"])
    of = f"87 topics of {disciplines} disciplines, 174 questions"
    assert of_questions[0].notes == f"percent, macro over disciplines, {of}; quotes literal; scirank"


@has_entries
def test_what_is_told_apart_by_split(whole):
    validation = eval_result_entries(replace(whole, split="validation"), DATASET)
    assert [entry.task_id for entry in validation] == ["map_validation", "ndcg_validation", "recall_5_validation"]
    scores = replace(whole, split="", provenance={**whole.provenance, "model": {}})
    assert "split not stated" in eval_result_entries(scores, DATASET)[0].notes
    assert "split not stated" not in eval_result_entries(scores, DATASET, split="test")[0].notes
    with pytest.raises(ScirankError, match="of the split test, not of validation"):
        eval_result_entries(whole, DATASET, split="validation")
    with pytest.raises(ScirankError, match="one value a task"):
        eval_result_entries(whole, DATASET, task="mdcr")


def test_what_may_not_be_published(mini, whole):
    def refused(result, match, form="model-index"):
        with pytest.raises(ScirankError, match=match):
            prepare(result, REPO, DATASET, form=form)

    refused(mini, "mdcr-mini is not published: its papers are invented")
    refused(replace(whole, benchmark="other"), "expected mdcr or oagqa")
    strange = {**whole.summary, "groups": {"SIGIR": whole.summary["groups"]["Art"]}}
    refused(replace(whole, summary=strange), "SIGIR: no field of MDCR. These are other data")
    for rule in ({"ties": "expected"}, {"missing": "drop"}, {"missing_text": "skip"}, {"no_relevant": "skip"}):
        settings = {**whole.provenance["settings"], **rule}
        refused(replace(whole, provenance={**whole.provenance, "settings": settings}), "under other rules than MDCR's")
    per_query = {
        **{name: whole.per_query[name] for name in ("query_id", "group", "tied")},
        "mrr": whole.per_query["map"],
    }
    refused(replace(whole, per_query=per_query, summary=summary_of(per_query)), "none of the measures")
    refused(whole, "unknown form 'x'", form="x")
    with pytest.raises(ScirankError, match="expected ORG/NAME"):
        prepare(whole, "scincl", DATASET)


def test_a_part_has_no_average(whole):
    from scirank.results.parts import restricted

    part = restricted(whole, ["Art", "Biology"])
    if hasattr(huggingface_hub, "EvalResultEntry"):
        with pytest.raises(ScirankError, match=r"2 of 19 fields .*scirank merge"):
            eval_result_entries(part, DATASET)
    results = model_index(part, DATASET, "scincl")["model-index"][0]["results"]
    assert [result["dataset"]["config"] for result in results] == ["Art", "Biology"]


def test_too_old_a_library_is_said(whole, monkeypatch):
    monkeypatch.setattr(huggingface_hub, "EvalResultEntry", None, raising=False)
    with pytest.raises(ScirankError, match=r"pip install 'huggingface_hub>=1\.4', or choose --form model-index"):
        eval_result_entries(whole, DATASET)


def test_model_index_is_read_back(whole, questions):
    index = model_index(whole, DATASET, "scincl")["model-index"]
    name, found = model_index_to_eval_results(index)
    assert (name, len(found)) == ("scincl", 3 * (1 + len(FIELDS)))
    values = {(each.dataset_config, each.metric_type): each.metric_value for each in found}
    assert values["all", "map"] == whole.average["map"]
    assert all(values[field, m] == whole.groups[field][m] for field in FIELDS for m in ("map", "ndcg", "recall_5"))
    assert {each.dataset_split for each in found} == {"test"}
    assert found[0].metric_name == "MAP, mean over 19 fields; model revision aaaaaaaaaaaa"
    _, of_questions = model_index_to_eval_results(model_index(questions, "lab/oagqa", "x")["model-index"])
    averages = [each for each in of_questions if each.dataset_config == "all"]
    assert {each.metric_args["average"] for each in averages} == set(questions.summary["averages"])
    assert len(of_questions) == 9 + 3 * 87
    scores = replace(whole, split="")
    assert "split" not in model_index(scores, DATASET, "scincl")["model-index"][0]["results"][0]["dataset"]


@has_entries
def test_a_preview_sends_nothing(hub, whole, scirank, tmp_path):
    hub.repos[REPO] = {}
    whole.save(tmp_path / "saved")
    done = scirank("publish", "saved", "--repo", REPO, "--dataset", DATASET)
    head, _, text = done.stdout.partition("\n")
    assert head == f"{REPO}: {ENTRIES} (a new file)"
    assert [row["value"] for row in yaml.safe_load(text)] == list(whole.average.values())
    assert "nothing was sent; --push sends it" in done.stderr
    assert (hub.sent, hub.repos[REPO]) == ([], {})
    assert "--pr is for" in scirank("publish", "saved", "--repo", REPO, "--dataset", DATASET, "--pr", expect=2).stderr


@has_entries
def test_pushing_keeps_what_others_wrote(hub, whole, scirank, tmp_path):
    others = "# by hand\n- dataset: {id: cais/hle, task_id: hle}\n  value: 22.1  # theirs\n"
    hub.repos[REPO] = {ENTRIES: others, "config.json": "{}"}
    whole.save(tmp_path / "saved")
    publish = ("publish", "saved", "--repo", REPO, "--dataset", DATASET)
    shown = scirank(*publish).stdout
    done = scirank(*publish, "--push")
    assert done.stdout == shown
    assert f"pushed {hub.url}/{REPO}/commit/x" in done.stderr
    assert shown.partition("\n")[2] == hub.repos[REPO][ENTRIES]
    assert hub.repos[REPO][ENTRIES].startswith(others)
    assert hub.repos[REPO]["config.json"] == "{}"
    again = scirank(*publish, "--push")
    assert again.stdout == f"{REPO}: {ENTRIES} (has these numbers already)\n"
    assert sum("/commit/" in path for path in hub.sent) == 1


@has_entries
def test_other_values_are_replaced_on_demand_only(hub, whole):
    hub.repos[REPO] = {}
    push(prepare(whole, REPO, DATASET))
    better = rounded(whole, map=99.0)
    with pytest.raises(
        ScirankError, match=rf"mdcr.yaml has other values already: map {whole.average['map']}, now 99.0"
    ):
        prepare(better, REPO, DATASET)
    change = prepare(better, REPO, DATASET, overwrite=True)
    assert f"replaced: map {whole.average['map']}, now 99.0" in change.cautions
    push(change)
    rows = yaml.safe_load(hub.repos[REPO][ENTRIES])
    assert [row["value"] for row in rows] == [99.0, whole.average["ndcg"], whole.average["recall_5"]]
    push(prepare(better, REPO, "another/mdcr"))  # another repository of the same benchmark is another dataset
    assert len(yaml.safe_load(hub.repos[REPO][ENTRIES])) == 6


CARD = """---
license: mit  # as upstream
model-index:
- name: SciNCL
  results:
  - task: {type: text-classification}
    dataset: {name: SciDocs, type: allenai/scidocs}
    metrics:
    - {type: accuracy, value: 81.2}
# what else there is
tags: [science]
---
# SciNCL

Text.
"""


def test_a_cards_other_results_and_comments_stay(hub, whole, scirank, tmp_path):
    hub.repos[REPO] = {"README.md": CARD}
    whole.save(tmp_path / "saved")
    publish = ("publish", "saved", "--repo", REPO, "--dataset", DATASET, "--form", "model-index")
    shown = scirank(*publish, "--source", "https://example.org").stdout
    assert "+++ README.md" in shown
    assert not hub.sent
    scirank(*publish, "--source", "https://example.org", "--push")
    card = hub.repos[REPO]["README.md"]
    assert card.startswith("---\nlicense: mit  # as upstream\nmodel-index:\n")
    assert card.endswith("# what else there is\ntags: [science]\n---\n# SciNCL\n\nText.\n")
    assert "&id" not in card
    [model] = yaml.safe_load(card.split("---\n")[1])["model-index"]
    assert model["name"] == "SciNCL"
    assert model["results"][0] == yaml.safe_load(CARD.split("---\n")[1])["model-index"][0]["results"][0]
    assert len(model["results"]) == 1 + 1 + len(FIELDS)
    assert "has these numbers already" in scirank(*publish, "--source", "https://example.org").stdout

    better = rounded(whole, map=99.0)
    with pytest.raises(ScirankError, match=r"README.md has other values already: all map .*--overwrite replaces them"):
        prepare(better, REPO, DATASET, form="model-index")
    push(prepare(better, REPO, DATASET, form="model-index", overwrite=True))
    [model] = yaml.safe_load(hub.repos[REPO]["README.md"].split("---\n")[1])["model-index"]
    assert [metric["value"] for metric in model["results"][1]["metrics"]] == [99.0, *list(whole.average.values())[1:]]
    assert len(model["results"]) == 1 + 1 + len(FIELDS)


def test_a_card_is_made_where_there_is_none(hub, whole):
    hub.repos[REPO] = {}
    push(prepare(whole, REPO, DATASET, form="model-index"))
    name, found = model_index_to_eval_results(
        yaml.safe_load(hub.repos[REPO]["README.md"].split("---\n")[1])["model-index"]
    )
    assert (name, len(found)) == ("scincl", 60)


@pytest.mark.parametrize(
    "card",
    [
        "",
        "no metadata\n",
        "---\n---\ntext\n",
        "---\nmodel-index:\n---\n",
        "---\nmodel-index: []\nlicense: mit\n---\n",
        "---\r\nlicense: mit\r\nmodel-index:\r\n  - name: x\r\n    results: []\r\n---\r\ntext\r\n",
        "---\n{license: mit, tags: [a]}\n---\n",
        "---\nlicense: mit\nmodel-index:\n- name: x\n  results: []\n\n# a remark\ntags:\n- a\n---\n",
    ],
)
def test_metadata_is_changed_in_its_place(card):
    index = [{"name": "y", "results": [{"value": 1.5}]}]
    made = with_model_index(card, index, "README.md")
    before = huggingface_hub.ModelCard(card, ignore_metadata_errors=True) if card.startswith("---") else None
    header = yaml.safe_load(re.split(r"---\r?\n", made)[1])
    assert header["model-index"] == index
    assert made.endswith(card if before is None else before.text)
    if "license" in card:
        assert header["license"] == "mit"
    assert ("# a remark" in made) is ("# a remark" in card)
    assert ("\r\n" in made) is ("\r\n" in card)
    assert not re.search(r"[^\r]\n", made) or "\r\n" not in card


@pytest.mark.parametrize(
    ("file", "text", "match"),
    [
        (ENTRIES, "a: [", "is not YAML, and is not touched"),
        (ENTRIES, "a: 1", "no list of evaluation results"),
        ("README.md", "---\nmodel-index: [{name: x}]\n---\n", "not of the Hub's form"),
        ("README.md", "---\nmodel-index: 3\n---\n", "not of the Hub's form"),
        ("README.md", "---\n- a\n---\n", "no mapping"),
    ],
)
def test_what_is_not_understood_is_not_touched(hub, whole, file, text, match):
    if file == ENTRIES and not hasattr(huggingface_hub, "EvalResultEntry"):
        pytest.skip("needs EvalResultEntry")
    hub.repos[REPO] = {file: text}
    with pytest.raises(ScirankError, match=match):
        prepare(whole, REPO, DATASET, form="model-index" if file == "README.md" else "eval-results")


def test_what_the_hub_answers_is_one_line(hub, at_hub, whole, scirank, tmp_path, monkeypatch):
    whole.save(tmp_path / "saved")
    publish = ("publish", "saved", "--repo", REPO, "--dataset", DATASET, "--form", "model-index")

    def fails(match, *options, expect=1):
        done = scirank(*publish, *options, expect=expect)
        assert re.search(match, done.stderr.splitlines()[-1]), done.stderr
        assert "Traceback" not in done.stderr
        return done

    missing = fails(f"nothing was pushed: {hub.url} has no model {REPO}, or it is not yours to see", "--push")
    assert missing.stdout.startswith(f"{REPO}: README.md (not read)\n---\nmodel-index:\n")
    assert "could not be looked at" in scirank(*publish).stderr
    hub.repos[REPO] = {"README.md": CARD}
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    fails("does not accept the token", "--push")
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    hub.refused["commit"] = 403, {"error": "no"}
    fails(f"the token may not write to {REPO}.*--pr", "--push")
    hub.refused.clear()
    hub.newer = True
    fails("was changed meanwhile", "--push")
    hub.newer = False
    hub.refused["validate-yaml"] = 400, {"errors": [{"message": '"license" must be one of'}], "warnings": []}
    fails('"license" must be one of', "--push")
    hub.refused.clear()
    assert hub.repos[REPO] == {"README.md": CARD}
    assert f"pushed {hub.url}/{REPO}/discussions/1" in scirank(*publish, "--push", "--pr").stderr
    assert hub.repos[REPO] == {"README.md": CARD}  # it is a proposal
    at_hub("http://127.0.0.1:9")
    fails("nothing was pushed: http://127.0.0.1:9 cannot be reached", "--push")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    fails("nothing was pushed: huggingface_hub is offline", "--push")


def test_cautions(whole, hub):
    hub.repos["lab/other"] = {}
    noted = replace(whole, split="", notes=("3 of 76 queries were trained on: 1, 2, 3", "else"))
    change = prepare(noted, "lab/other", DATASET, form="model-index")
    assert any("the result is of malteos/scincl, the page is lab/other's" in note for note in change.cautions)
    assert any("name it (--split test)" in note for note in change.cautions)
    assert "said beside the numbers: 3 of 76 queries were trained on" in change.cautions
    assert "split not stated; 3 of 76 queries were trained on" in change.after


# What every entry has to have; BibTeX's own list, but for years of what has none.
REQUIRED = {
    "inproceedings": {"title", "author", "booktitle", "year"},
    "article": {"title", "author", "journal", "year"},
    "misc": {"title"},
}

NO_ADDRESS = ("robertson2009bm25",)


def parsed(bibtex):
    """Entries of a BibTeX file: key -> kind and fields. Fails where braces are not balanced or a key stands twice."""
    found = {}
    at = 0
    while (start := bibtex.find("@", at)) >= 0 and bibtex[start:].strip():
        assert not bibtex[at:start].strip(), "text between entries"
        kind, key = re.match(r"@(\w+)\{([^,\s{}]+),", bibtex[start:]).groups()
        depth = 0
        for at in range(start, len(bibtex)):
            depth += {"{": 1, "}": -1}.get(bibtex[at], 0)
            if bibtex[at] == "}" and depth == 0:
                break
        assert depth == 0
        at += 1
        body = bibtex[bibtex.index(",", start) + 1 : at - 1]
        fields = re.findall(r"^  (\w+) = \{(.*)\},$", body, re.M)
        assert len(fields) == len([line for line in body.splitlines() if line.strip()]), body
        assert len(dict(fields)) == len(fields)
        for value in dict(fields).values():
            depths = [value[: end + 1].count("{") - value[: end + 1].count("}") for end in range(len(value))]
            assert min(depths) >= 0
            assert depths[-1] == 0
        assert key not in found
        found[key] = kind, dict(fields)
    assert not bibtex[at:].strip()
    return found


def test_every_reference_parses():
    text = Path(package.__file__).with_name("publishing").joinpath("citations.bib").read_text("utf-8")
    found = parsed(text)
    assert found.keys() == references().keys()
    for key, (kind, fields) in found.items():
        assert REQUIRED[kind] <= fields.keys()
        assert re.fullmatch(r"(19|20)\d\d", fields["year"])
        assert "doi" not in fields
        assert (
            re.match(r"https://(arxiv\.org/abs/\d{4}\.\d{5}|aclanthology\.org/)", fields.get("url", ""))
            or key in NO_ADDRESS
        )
    assert {key for family in FAMILIES for key in family.keys} <= found.keys()


@pytest.mark.parametrize(
    ("name", "keys", "own"),
    [
        ("malteos/scincl", ["ostendorff2022scincl"], True),
        ("allenai/specter", ["cohan2020specter"], True),
        ("allenai/specter2_base", ["singh2023scirepeval"], True),
        ("allenai/specter2", ["singh2023scirepeval"], True),
        ("someone/specter2-tuned", ["singh2023scirepeval"], False),
        ("someone/my-specter", ["cohan2020specter"], False),
        ("allenai/scibert_scivocab_uncased", ["beltagy2019scibert"], True),
        ("intfloat/e5-base-v2", ["wang2022e5"], True),
        ("intfloat/multilingual-e5-large", ["wang2024multilinguale5"], True),
        ("intfloat/e5-mistral-7b-instruct", [], False),
        ("all-MiniLM-L6-v2", ["wang2020minilm", "reimers2019sentencebert"], True),
        ("cross-encoder/ms-marco-MiniLM-L6-v2", ["wang2020minilm", "reimers2019sentencebert"], True),
        ("sentence-transformers/all-mpnet-base-v2", ["song2020mpnet", "reimers2019sentencebert"], True),
        ("BAAI/bge-small-en-v1.5", ["xiao2023cpack"], True),
        ("BAAI/bge-m3", [], False),
        ("facebook/dpr-ctx_encoder-multiset-base", ["karpukhin2020dpr"], True),
        ("colbert-ir/colbertv2.0", ["santhanam2022colbertv2"], True),
        ("lightonai/GTE-ModernColBERT-v1", ["khattab2020colbert"], False),
        ("google-bert/bert-base-uncased", ["devlin2019bert"], True),
        ("Qwen/Qwen3-Embedding-8B", [], False),
    ],
)
def test_models_by_their_names(name, keys, own):
    assert families_of(name) == (tuple(keys), own)


def of_model(result, **facts):
    return replace(result, model=facts.get("model", "x"), provenance={**result.provenance, "model": facts})


def test_what_results_cite(mini, whole, questions):
    found = citations([whole, mini, questions, whole])
    assert list(parsed(found.bibtex)) == [
        "medic2022mdcr",
        "tam2023oagqa",
        "ostendorff2022scincl",
        "robertson2009bm25",
        "scirank",
        "reimers2019sentencebert",
        "vangysel2018pytreceval",
        "lu2024bm25s",
    ]
    assert found.remarks == ("mini's papers are invented: what is cited is the benchmark whose form it has",)
    assert "Computer software, version 0.1.0" in found.bibtex
    assert "vangysel2018pytreceval" not in parsed(citations([questions]).bibtex)
    with pytest.raises(ScirankError, match="no result"):
        citations([])


def test_models_that_are_not_known(whole):
    facts = {"kind": "bi-encoder", "model": "lab/new_model", "revision": "c" * 40, "backend": "torch"}
    found = citations([of_model(whole, **facts)])
    kind, fields = parsed(found.bibtex)["hub-lab-new-model"]
    assert (kind, fields["title"], fields["note"]) == (
        "misc",
        r"lab/new\_model",
        r"\url{https://huggingface.co/lab/new_model}",
    )
    assert found.remarks == (
        "lab/new_model: no paper is known of this model; https://huggingface.co/lab/new_model stands for it",
    )
    own = citations([of_model(whole, kind="bi-encoder", model="mine:make")])
    assert "cite it yourself" in own.remarks[0]
    trained = of_model(
        whole,
        kind="bi-encoder",
        model="dpr-pt2",
        architecture="dpr",
        method="pt2",
        base_model="bert-base-uncased",
        backend="torch",
    )
    found = citations([trained])
    assert {"karpukhin2020dpr", "liu2021ptuningv2", "devlin2019bert"} <= parsed(found.bibtex).keys()
    first = {"kind": "bm25"}
    reranked = of_model(whole, kind="cross-encoder", model="lab/reranker", backend="torch", first_stage=first)
    assert {"nogueira2019passage", "robertson2009bm25", "lu2024bm25s"} <= parsed(citations([reranked]).bibtex).keys()
    pair = "dpr:facebook/dpr-question_encoder-multiset-base,lab/papers"
    found = citations(
        [of_model(whole, kind="bi-encoder", model=pair, architecture="dpr", method="ft", backend="torch")]
    )
    assert {"karpukhin2020dpr", "hub-lab-papers"} <= parsed(found.bibtex).keys()


def test_scores_are_known_by_their_files_name_only(whole, scirank, tmp_path):
    scores = replace(whole, model="scincl_scores", split="", provenance={**whole.provenance, "model": {}})
    scores.save(tmp_path / "scores")
    replace(scores, model="mine").save(tmp_path / "mine")
    done = scirank("cite", "scores", "mine", "--format", "bibtex")
    assert list(parsed(done.stdout)) == ["medic2022mdcr", "ostendorff2022scincl", "scirank", "vangysel2018pytreceval"]
    assert "scincl_scores is a file of scores: taken for a model of ostendorff2022scincl by its name" in done.stderr
    assert "mine is a file of scores: cite the model that made it" in done.stderr


def test_commands_are_light(python):
    code = (
        "import sys\nfrom scirank.cli import app\n"
        "try:\n    app()\n"
        "finally:\n    print([m for m in ('torch', 'datasets', 'numpy', 'huggingface_hub') if m in sys.modules])"
    )
    assert python(code, "publish", "--help").stdout.splitlines()[-1] == "[]"
