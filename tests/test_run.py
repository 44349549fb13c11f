"""`scirank.run` and `scirank run`: models, end to end."""

import json
import re

import numpy as np
import pytest
from conftest import pool

import scirank as package
from scirank.errors import ScirankError
from scirank.models import ModelOptions, Ranking, load_ranker
from scirank.results import Result

PAPERS = [
    {"paper_id": "1", "title": "red apples", "abstract": "apples are red fruit"},
    {"paper_id": "2", "title": "green apples", "abstract": "apples may be green fruit"},
    {"paper_id": "3", "title": "old bridges", "abstract": None},
    {"paper_id": "4", "title": "", "abstract": "stone bridges over rivers"},
    {"paper_id": "5", "title": "", "abstract": ""},
]
BENCHMARK = {
    "Food": {"1": pool(bm25=["3", "4"], true=["2"])},
    "Roads": {"3": pool(random=["1", "5"], most_cited=["2"], true=["4"])},
}


class Letters:
    """An encoder without any library: counts letters."""

    def __init__(self):
        self.texts = []

    def encode(self, texts):
        self.texts += texts
        return np.array([[text.count(letter) + 0.01 for letter in "abcdefghilmnoprst"] for text in texts])


@pytest.fixture
def small(write_mdcr):
    return write_mdcr(BENCHMARK, PAPERS)


def test_bm25_gives_the_shared_datas_numbers(acmcr, expected, tmp_path):
    result = package.run(
        "bm25", data_dir=acmcr, template="{title} [SEP] {abstract}", out=tmp_path, save_scores=True, quiet=True
    )
    assert result.groups == expected["bm25"]["fields"]
    assert result.average == expected["bm25"]["avg"]
    again = package.score(acmcr / "mdcr_test.json", tmp_path / "bm25" / "scores.json")
    assert again.summary == result.summary


def test_any_encoder_and_each_text_once(small):
    model = Letters()
    result = package.run(model, data_dir=small, quiet=True)
    assert sorted(model.texts) == sorted(
        [
            "red apples. apples are red fruit",
            "green apples. apples may be green fruit",
            "old bridges",
            PAPERS[3]["abstract"],
            "",
        ]
    )
    assert result.groups["Food"]["map"] == 100.0
    assert result.model == "Letters"
    assert result.provenance["model"]["similarity"] == "cosine"
    assert result.provenance["model"]["source"] == __file__


@pytest.mark.parametrize("similarity", ["cosine", "dot", "euclidean", "manhattan"])
def test_similarities(small, similarity):
    result = package.run(Letters(), data_dir=small, similarity=similarity, quiet=True)
    vectors = {
        p["paper_id"]: Letters().encode([". ".join(filter(None, (p["title"], p["abstract"])))])[0] for p in PAPERS
    }
    plain = {
        "cosine": lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b),
        "dot": lambda a, b: a @ b,
        "euclidean": lambda a, b: -np.linalg.norm(a - b),
        "manhattan": lambda a, b: -np.abs(a - b).sum(),
    }[similarity]
    for queries in result.scores.values():
        for query, run in queries.items():
            assert run == pytest.approx({paper: plain(vectors[query], vectors[paper]) for paper in run}, rel=1e-5)


def test_saved_and_loaded(small, tmp_path):
    result = package.run("bm25", data_dir=small, out=tmp_path, measures=["map", "ndcg_2"], quiet=True)
    folder = tmp_path / "bm25"
    assert sorted(path.name for path in folder.iterdir()) == ["per_query.parquet", "result.json"]
    loaded = Result.load(folder)
    assert (loaded.summary, loaded.per_query, loaded.notes) == (result.summary, result.per_query, result.notes)
    saved = json.loads((folder / "result.json").read_text())
    assert set(saved["provenance"]["data_sha256"]) == {"benchmark", "papers"}
    assert saved["provenance"]["settings"]["groups"] == ["Food", "Roads"]
    assert saved["provenance"]["model"]["template"] == "{title}. {abstract}"
    assert list(result.to_frame().index) == ["Food", "Roads", "AVG"]
    assert "bm25" in str(result)
    assert "ndcg_2=" in repr(result)
    (folder / "result.json").write_text(json.dumps(saved | {"schema": 99}))
    with pytest.raises(ScirankError, match="found schema 99; this version reads 1 to 2"):
        Result.load(folder)


def test_random_is_the_same_whatever_else_is_ranked(small):
    whole = package.run("random", data_dir=small, quiet=True)
    part = package.run("random", data_dir=small, groups=["Roads"], quiet=True)
    assert part.scores["Roads"] == whole.scores["Roads"]
    other = package.run("random", data_dir=small, seed=1, quiet=True)
    assert other.scores != whole.scores


MISSING = {"Food": {"1": pool(bm25=["3", "404"], true=["2"]), "405": pool(true=["1"])}}


def test_ids_without_a_record(write_mdcr):
    folder = write_mdcr(MISSING, PAPERS)
    with pytest.raises(ScirankError, match=r"2 listed papers have no record in .*: 404, 405. Choose missing_text"):
        package.run("bm25", data_dir=folder, quiet=True)
    skipped = package.run("bm25", data_dir=folder, missing_text="skip", quiet=True)
    assert set(skipped.scores["Food"]) == {"1"}
    assert set(skipped.scores["Food"]["1"]) == {"2", "3"}
    assert "1 query without a record or without any candidate, left out: 405" in skipped.notes
    empty = package.run("bm25", data_dir=folder, missing_text="empty", quiet=True)
    assert set(empty.scores["Food"]["1"]) == {"2", "3", "404"}
    assert "2 listed papers without a record, taken with an empty text: 404, 405" in empty.notes


def test_queries_without_a_relevant_candidate_are_refused_before_any_work(write_mdcr):
    folder = write_mdcr({"Food": {"1": pool(bm25=["3"]), "2": pool(true=["1"])}}, PAPERS)
    model = Letters()
    with pytest.raises(ScirankError, match=r"1 query has no relevant candidate: 1. Choose no_relevant"):
        package.run(model, data_dir=folder, quiet=True)
    assert model.texts == []
    assert package.run(model, data_dir=folder, no_relevant="zero", quiet=True).average["map"] == 50.0
    assert package.run(model, data_dir=folder, no_relevant="skip", quiet=True).average["map"] == 100.0


class Broken:
    def __init__(self, vectors):
        self.encode = vectors


class HalfRanker:
    name = "half"
    notes = ()

    def rank(self, tasks, progress):
        for task in tasks:
            yield Ranking(task.group, {query: {task.candidates[query][0]: 1.0} for query in task.queries})

    def provenance(self):
        return {}


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ("bm25", {"split": "train"}, "unknown split 'train'; valid are validation, test"),
        ("bm25", {"split": "validation"}, "no split 'validation' there; it has test"),
        ("bm25", {"groups": ["Art"]}, "no field 'Art'; it has Food, Roads"),
        ("bm25", {"benchmark": "oag"}, "unknown benchmark 'oag'; valid are mdcr, mdcr-mini, oagqa, oagqa-mini"),
        ("bm25", {"benchmark": "mdcr-mini"}, "mdcr-mini comes with the package and takes no data_dir"),
        ("bm25", {"measures": ["f1"]}, "unknown measure 'f1'"),
        ("bm25", {"ties": "luck"}, "unknown ties 'luck'; valid are trec, optimistic"),
        ("bm25", {"missing_text": "guess"}, "unknown missing_text 'guess'; valid are error, empty, skip"),
        ("bm25", {"like": "mteb"}, "unknown recipe 'mteb'; valid are scirepeval"),
        ("bm25", {"template": "{title} {year}"}, r"expected some of the fields .*found \['title', 'year'\]"),
        ("bm25", {"template": "{title.__class__}"}, "expected some of the fields"),
        ("bm25", {"template": "{title"}, "template '{title': expected '}'"),
        ("bm25", {"template": "words"}, r"expected some of the fields .*found \[\]"),
        ("bm25", {"template": "{title} {sep} {abstract}"}, "has no separator token"),
        (Letters(), {"similarity": "jaccard"}, "unknown similarity 'jaccard'"),
        (object(), {}, r"expected something with encode\(texts\) or rank\(tasks\)"),
        ("nowhere:model", {}, "model 'nowhere:model' could not be made: .*No module named 'nowhere'"),
        ("json:nothing", {}, "model 'json:nothing' could not be made: .*expected module:factory, a function"),
        ("json:load", {}, "could not be made: TypeError: .*without required arguments"),
        ("random", {"similarity": "jaccard"}, "unknown similarity 'jaccard'"),
        ("bm25", {"measures": []}, "measures is empty"),
        ("bm25", {"groups": []}, "no field was named"),
        (Broken(lambda texts: [[1.0], [1.0, 2.0]]), {}, "gave no array of numbers .*expected .texts, dimensions."),
        (Broken(lambda texts: ["a"] * len(texts)), {}, "gave no array of numbers"),
        ("no/such-model", {}, "model 'no/such-model' could not be loaded"),
        ("BM25", {}, "did you mean bm25"),
        ("./no-such-folder", {}, "no such folder is here"),
        (Broken(lambda texts: np.ones(len(texts))), {}, r"gave an array of shape \(5,\) for 5 texts"),
        (Broken(lambda texts: np.full((len(texts), 2), np.nan)), {}, "NaN or infinity for the text"),
        (HalfRanker(), {}, "half gave no score for 2 candidates of query 1: 4, 2"),
    ],
)
def test_bad_choices_are_one_clear_error(small, model, options, message):
    with pytest.raises((ScirankError, ValueError), match=message):
        package.run(model, **({"data_dir": small, "quiet": True} | options))


def test_an_unknown_option_names_the_valid_ones(small):
    with pytest.raises(TypeError, match="valid are kind, template, query_template, similarity, pooling"):
        package.run("bm25", data_dir=small, pool="cls", quiet=True)


def test_options_that_a_kind_of_model_does_not_use_are_told(small):
    result = package.run("bm25", data_dir=small, like="scirepeval", template="{title}", quiet=True)
    assert result.notes == tuple(
        f"{name} is ignored by this kind of model" for name in ("similarity", "pooling", "max_length")
    )
    assert package.run(Letters(), data_dir=small, similarity="dot", quiet=True).notes == ()
    with pytest.raises(ScirankError, match=r"has rank\(\) but no name and no notes and no provenance"):
        load_ranker(type("Half", (), {"rank": lambda self, tasks, progress: ()})())


def test_texts_without_any_word(write_mdcr):
    papers = [{"paper_id": str(n)} for n in range(1, 4)]
    folder = write_mdcr({"Art": {"1": pool(bm25=["2"], true=["3"])}}, papers)
    assert package.run("bm25", data_dir=folder, quiet=True).summary["tied_queries"] == 1


def test_scores_that_upstreams_format_cannot_hold(write_mdcr, tmp_path):
    papers = [{"paper_id": name, "title": name} for name in ("q", "q_1", "1_2", "2", "3")]
    pools = {"q": pool(bm25=["1_2"], true=["3"]), "q_1": pool(bm25=["2"], true=["3"])}
    folder = write_mdcr({"Art": pools}, papers)
    with pytest.raises(ScirankError, match="q_1_2 stands for two of them"):
        package.run("random", data_dir=folder, out=tmp_path / "out", save_scores=True, quiet=True)


def test_a_ranker_takes_no_options(small):
    with pytest.raises(ScirankError, match="ranks by itself: similarity is ignored"):
        package.run(HalfRanker(), data_dir=small, similarity="dot", quiet=True)


def test_many_models_stand_in_several_tables(small):
    result = package.run("random", data_dir=small, quiet=True)
    from scirank.report.terminal import as_text

    text = as_text([result] * 12)
    assert text.count(" Roads ") == 2
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 200


def test_brackets_in_names_are_just_text(write_mdcr, scirank):
    folder = write_mdcr({"[/x]": BENCHMARK["Food"], "[bold]": BENCHMARK["Roads"]}, PAPERS)
    for command in (("run", "bm25", "-q"), ("audit", "mdcr")):
        printed = scirank(*command, "--data-dir", folder).stdout
        assert "[/x]" in printed
        assert "[bold]" in printed


def test_a_loaded_benchmark_serves_several_models():
    mini = package.load_benchmark("mdcr-mini", groups=["Art", "Physics"])
    assert [task.group for task in mini.tasks] == ["Art", "Physics"]
    for model in ("bm25", "random"):
        assert list(package.run(model, mini, quiet=True).groups) == ["Art", "Physics"]
    with pytest.raises(ScirankError, match="groups: for load_benchmark"):
        package.run("bm25", mini, groups=["Art"], quiet=True)


FACTORY = """
import numpy as np
class Model:
    def encode(self, texts):
        return np.array([[len(text), text.count("e") + 1.0] for text in texts])
def make(): return Model()
def fail(): raise ValueError("out of luck")
class Outlier:
    def encode(self, texts): raise RuntimeError("out of memory")
"""


def test_the_command(scirank, scirank_process, tmp_path):
    (tmp_path / "mine.py").write_text(FACTORY)
    mini = ("--benchmark", "mdcr-mini", "--out", "out")
    done = scirank("run", "mine:make", "bm25", *mini, "--groups", "Art, Biology", "--seed", "3")
    for part in ("mdcr-mini test, 8 queries in 2 fields", "mine:make", "SPECTER2 Base", "not comparable: mini's"):
        assert part in done.stdout
    assert "indexing papers: 341 of 341" in done.stderr
    assert "saved out/bm25" in done.stderr
    assert done.stderr.count("note: bm25: seed is ignored by this kind of model") == 1
    other = scirank("run", "bm25", *mini, expect=1)
    assert "out/bm25 holds a result that was made in another way (settings groups)" in other.stderr
    assert "--overwrite" in other.stderr
    scirank_process("run", "bm25", *mini, "--fields", "Art,Biology")
    scirank("run", "bm25", *mini, "--overwrite", "-q")
    assert Result.load(tmp_path / "out" / "bm25").summary["queries"] == 76
    assert repr(Result.load(tmp_path / "out" / "mine_make")).startswith(
        "Result(mine:make on mdcr-mini test, 8 queries in 2 fields, percent: map="
    )
    quiet = scirank("run", "bm25", "random", "--benchmark", "mdcr-mini", "-q", "--format", "csv", "--groups", "Art")
    assert quiet.stderr == ""
    assert [line.split(",")[:3] for line in quiet.stdout.splitlines()] == [
        ["model", "level", "group"],
        ["bm25", "field", "Art"], ["bm25", "average", "AVG"], ["random", "field", "Art"], ["random", "average", "AVG"],
    ]  # fmt: skip
    latex = scirank(
        "run", "bm25", "random", "--benchmark", "mdcr-mini", "-q", "--format", "latex", "--groups", "Art"
    ).stdout
    assert r"\multicolumn{3}{c}{bm25} & \multicolumn{3}{c}{random}" in latex


def test_a_later_failure_keeps_what_is_done(scirank, tmp_path):
    (tmp_path / "mine.py").write_text(FACTORY)
    models = ("bm25", "mine:fail", "mine:Outlier", "mine:Model", "random")
    done = scirank("run", *models, "--benchmark", "mdcr-mini", "--out", "out", expect=1)
    assert "error: mine:fail: model 'mine:fail' could not be made: ValueError: out of luck" in done.stderr
    assert "error: mine:Outlier: RuntimeError: out of memory (SCIRANK_TRACEBACK=1 shows where)" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bm25", "mine_Model", "random"]
    assert all(name in done.stdout for name in ("bm25", "mine:Model", "random"))
    twice = scirank("run", "a/b", "a__b", "--benchmark", "mdcr-mini", expect=1)
    assert "two models would both be saved under one name: a/b, a__b" in twice.stderr


def test_folders_of_the_same_name_are_told_apart(tmp_path, monkeypatch):
    from scirank.cli.run import _names

    monkeypatch.chdir(tmp_path)
    for name in ("one/checkpoint", "two/checkpoint", "three"):
        (tmp_path / name).mkdir(parents=True)
    assert _names(["one/checkpoint", "two/checkpoint", "three/", "minilm"]) == [
        "one/checkpoint", "two/checkpoint", "three", "all-MiniLM-L6-v2",
    ]  # fmt: skip


def test_mini_is_easier_for_bm25_than_for_chance():
    bm25, chance = (package.run(model, "mdcr-mini", quiet=True).average["map"] for model in ("bm25", "random"))
    assert bm25 > 1.5 * chance


def test_published_rows_stand_beside_the_19_fields(capsys):
    from rich.console import Console

    from scirank.report.terminal import print_results

    result = package.run("random", "mdcr-mini", quiet=True)
    as_real = Result("random", "mdcr", "test", result.summary, result.per_query, {})
    print_results([as_real], Console(width=100, force_terminal=True, no_color=True))
    printed = capsys.readouterr().out
    assert "SciNCL, published" in printed
    assert "36.84  62.79  32.30" in printed  # Biology
    assert "not comparable" not in printed
    for split, groups in (("validation", result.summary["groups"]), ("test", {"Art": result.summary["groups"]["Art"]})):
        other = Result("random", "mdcr", split, result.summary | {"groups": groups}, result.per_query, {})
        assert "SciNCL, published" not in str(other)
        assert "; not comparable: " in str(other)


def test_texts_are_encoded_longest_first_and_in_the_same_order_in_every_process(python):
    code = (
        "from scirank.embeddings import Engine, Job\nfrom scirank.models.module_encoder import FunctionEncoder\n"
        "from scirank.progress import Progress\n"
        "seen = []\n"
        "encode = lambda texts: seen.extend(texts) or [[len(text)] for text in texts]\n"
        "texts = [letter * length for letter, length in zip('bcabde', (4, 99, 5, 4, 50, 6))]\n"
        "vectors = Engine().encode(Job(texts, FunctionEncoder(encode), 'texts'), Progress())\n"
        "print([text[0] for text in seen], vectors.take(range(6))[:, 0].astype(int).tolist())"
    )
    outputs = {python(code, PYTHONHASHSEED=str(seed)).stdout for seed in range(3)}
    (output,) = outputs
    order, lengths = output.split("] [")
    assert re.fullmatch(r"\['c', 'd'(, '[abe]'){3}", order)
    assert lengths == "4, 99, 5, 4, 50, 6]\n"


def test_options_reach_the_ranker():
    assert load_ranker("random", ModelOptions(seed=3)).provenance() == {"kind": "random", "seed": 3}


def test_a_run_is_saved_for_other_tools(tmp_path):
    class Own:
        name, notes = "own", ()

        def rank(self, tasks, progress):
            for task in tasks:
                pools = {query: enumerate(task.pool(query)) for query in task.queries}
                yield package.Ranking(
                    task.group, {q: {p: np.float32(1 / (at + 1)) for at, p in pool} for q, pool in pools.items()}
                )

        def provenance(self):
            return {}

    result = package.run(Own(), "mdcr-mini", groups="Art", out=tmp_path, save_run=True, quiet=True)
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = (list(read(str(tmp_path / "own" / name))) for read, name in (
        (ir_measures.read_trec_qrels, "qrels.trec"), (ir_measures.read_trec_run, "run.trec")))  # fmt: skip
    found = ir_measures.calc_aggregate([ir_measures.R @ 5, ir_measures.AP], qrels, run)
    assert 100 * found[ir_measures.R @ 5] == pytest.approx(result.average["recall_5"], abs=1e-4)
    assert 100 * found[ir_measures.AP] == pytest.approx(result.average["map"], abs=1e-4)
