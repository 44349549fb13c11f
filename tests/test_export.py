"""A benchmark as a folder: what the Hub, datasets, pandas, polars, DuckDB, MTEB and BEIR's tools find in it."""

import csv
import json
import re
from functools import cache

import pyarrow.parquet as pq
import pytest
import yaml
from conftest import pool

import mdcr_dataset
import oagqa_dataset
from scirank.benchmarks import load_benchmark
from scirank.errors import ScirankError
from scirank.hub.export import export_dataset

MINIS = {"mdcr-mini": ("mdcr", mdcr_dataset.MINI), "oagqa-mini": ("oagqa", oagqa_dataset.MINI)}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The small benchmarks as dataset repositories."""
    folder = tmp_path_factory.mktemp("exported")
    return {name: export_dataset(name, folder / name).folder for name in MINIS}


def front_of(folder):
    return parsed((folder / "README.md").read_text("utf-8").split("---\n")[1])


@cache
def parsed(text):
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def text_of(folder):
    return (folder / "README.md").read_text("utf-8").split("---\n", 2)[2]


def paths(folder, config):
    """Split -> the files of a config, by the card."""
    found = next(each for each in front_of(folder)["configs"] if each["config_name"] == config)
    listed = {each["split"]: each["path"] for each in found["data_files"]}
    return {split: [path] if isinstance(path, str) else path for split, path in listed.items()}


def read(folder, config, split="test"):
    return [row for path in paths(folder, config)[split] for row in pq.read_table(folder / path).to_pylist()]


def a_paper(name):
    return {"paper_id": name, "title": f"title {name}", "abstract": f"abstract {name}"}


@pytest.fixture
def two_fields(write_mdcr):
    """Query q is in both fields, and other papers are right; r is in one; b and the field's name are odd."""

    def write(first="A B", second="A_B", papers="qrabc"):
        lists = {
            first: {"q": pool(bm25=["a", "b"], true=["a"]), "r": pool(random=["c"], true=["b"])},
            second: {"q": pool(bm25=["a"], true=["c"])},
        }
        return write_mdcr(lists, [a_paper(name) for name in papers])

    return write


OF_BUILDERS = {"mdcr-mini": ("all", "Computer Science", "corpus"), "oagqa-mini": ("all", "optics", "optics-corpus")}


@pytest.mark.parametrize(("name", "config"), [(name, config) for name in MINIS for config in OF_BUILDERS[name]])
def test_datasets_gives_the_same_rows_as_the_builder(exported, name, config):
    from datasets import load_dataset

    by_name, raw = MINIS[name]
    ours = load_dataset(str(exported[name]), config, verification_mode="all_checks")
    theirs = load_dataset(by_name, config, data_dir=str(raw))
    assert sorted(ours) == sorted(theirs)
    for split, rows in theirs.items():
        assert list(ours[split].column_names)[: len(rows.column_names)] == rows.column_names or config == "corpus"
        assert ours[split].select_columns(rows.column_names).to_dict() == rows.to_dict()
        assert ours[split].column_names == rows.column_names or config.endswith("corpus")


@pytest.mark.parametrize("name", MINIS)
def test_numbers_of_the_card_are_those_of_the_files(exported, name):
    folder = exported[name]
    front = front_of(folder)
    infos = {info["config_name"]: info for info in front["dataset_info"]}
    assert sorted(infos) == sorted(each["config_name"] for each in front["configs"])
    for config, info in infos.items():
        files = paths(folder, config)
        assert [split["name"] for split in info["splits"]] == list(files)
        for split in info["splits"]:
            held = [pq.read_metadata(folder / path) for path in files[split["name"]]]
            assert split["num_examples"] == sum(each.num_rows for each in held) > 0
        schema = pq.read_schema(folder / next(iter(files.values()))[0])
        assert [feature["name"] for feature in info["features"]] == schema.names
        sizes = [(folder / path).stat().st_size for listed in files.values() for path in listed]
        assert info["download_size"] == sum(sizes)


@pytest.mark.parametrize("name", MINIS)
def test_files_are_plain_zstd_with_a_page_index(exported, name):
    files = sorted(exported[name].rglob("*.parquet"))
    assert files
    for file in files:
        held = pq.read_metadata(file)
        assert not held.metadata  # a library's own names of types are an error in another version of it
        column = held.row_group(0).column(0)
        assert (column.compression, column.has_offset_index, column.has_column_index) == ("ZSTD", True, True)
        assert re.fullmatch(r"[\w/.-]+", file.relative_to(exported[name]).as_posix(), re.ASCII)


def test_the_default_config_is_all_and_none_is_called_default(exported):
    for folder in exported.values():
        configs = front_of(folder)["configs"]
        assert [each["config_name"] for each in configs if each.get("default")] == ["all"]
        assert "default" not in [each["config_name"] for each in configs]


def test_mteb_columns_of_fields_are_what_a_run_ranks(exported):
    folder = exported["mdcr-mini"]
    for split in ("test", "validation"):
        for task in load_benchmark("mdcr-mini", split=split).tasks[:3]:
            queries = {row["_id"]: row["text"] for row in read(folder, f"{task.group}-queries", split)}
            assert queries == {query: f"{text.title} {text.text}" for query, text in task.queries.items()}
            ranked = read(folder, f"{task.group}-top_ranked", split)
            assert {row["query-id"]: tuple(row["corpus-ids"]) for row in ranked} == task.candidates
            judged = read(folder, f"{task.group}-qrels", split)
            for query, right in task.relevant.items():
                scores = {row["corpus-id"]: row["score"] for row in judged if row["query-id"] == query}
                assert scores == {paper: int(paper in right) for paper in task.candidates[query]}
            papers = {row["_id"]: (row["title"], row["text"]) for row in read(folder, f"{task.group}-corpus", split)}
            assert papers.keys() == {paper for candidates in task.candidates.values() for paper in candidates}
            assert all(papers[paper] == task.corpus[paper] for paper in papers)


def test_mteb_configs_over_all_fields_are_the_fields_one_after_the_other(exported):
    folder = exported["mdcr-mini"]
    fields = [task.group for task in load_benchmark("mdcr-mini").tasks]
    for kind in ("queries", "qrels", "top_ranked"):
        assert read(folder, kind) == [row for field in fields for row in read(folder, f"{field}-{kind}")]
    for row in read(folder, "corpus"):
        assert (row["_id"], row["text"]) == (row["paper_id"], row["abstract"])


def test_a_question_that_no_paper_answers_stays_a_question(write_oagqa, tmp_path):
    data = write_oagqa([["0", "of it", "Light"]], [["What is it?", "['Light']"], ["And that?", "['Dark']"]])
    folder = export_dataset("oagqa", tmp_path / "to", data_dir=data).folder
    assert [tuple(row.values()) for row in read(folder, "optics-qrels")] == [("optics/0", "0", 1), ("optics/1", "0", 0)]
    assert "| questions that no paper answers; they count 0 | 1 |" in text_of(folder)


def test_a_query_in_two_fields_leaves_mteb_the_fields_only(two_fields, tmp_path):
    written = export_dataset("mdcr", tmp_path / "to", data_dir=two_fields())
    assert any("1 query is in two fields" in note for note in written.notes)
    names = {each["config_name"] for each in front_of(written.folder)["configs"]}
    assert {"A B", "A_B", "A B-qrels", "A_B-qrels", "corpus"} <= names
    assert not names & {"queries", "qrels", "top_ranked"}
    right = {
        name: [r["corpus-id"] for r in read(written.folder, f"{name}-qrels") if r["score"]] for name in ("A B", "A_B")
    }
    assert right == {"A B": ["a", "b"], "A_B": ["c"]}
    assert "1 query is in two fields" in text_of(written.folder)


@pytest.mark.parametrize(
    ("policy", "candidates", "texts"), [("empty", ["a", "b"], {"a", "b", "c"}), ("skip", ["a"], {"a", "c"})]
)
def test_a_listed_paper_without_a_record(two_fields, tmp_path, policy, candidates, texts):
    data = two_fields(papers="qrac")
    with pytest.raises(ScirankError, match=r"1 listed paper has no record.*: b"):
        export_dataset("mdcr", tmp_path / "to", data_dir=data)
    assert not (tmp_path / "to").exists()
    folder = export_dataset("mdcr", tmp_path / "to", data_dir=data, missing_text=policy).folder
    assert read(folder, "A B-top_ranked")[0]["corpus-ids"] == candidates
    assert {row["_id"] for row in read(folder, "A B-corpus")} == texts
    assert ("b" in {row["_id"] for row in read(folder, "corpus")}) == (policy == "empty")
    assert read(folder, "A B")[0]["bm25"] == ["a", "b"]
    assert any("without a record" in line for line in text_of(folder).splitlines() if line.startswith("- test"))


def test_some_groups(tmp_path):
    folder = export_dataset("mdcr-mini", tmp_path / "m", groups=["Biology", "Art"]).folder
    assert {row["field"] for row in read(folder, "all")} == {"Art", "Biology"}
    benchmark = load_benchmark("mdcr-mini", groups=["Biology", "Art"])
    listed = {p for task in benchmark.tasks for q, ps in task.candidates.items() for p in (q, *ps)}
    assert {row["paper_id"] for row in read(folder, "corpus")} == listed
    folder = export_dataset("oagqa-mini", tmp_path / "o", groups="optics").folder
    assert {each["config_name"] for each in front_of(folder)["configs"]} == {
        *("all", "optics", "optics-corpus", "optics-queries", "optics-qrels")
    }


def test_what_the_card_says(exported, acmcr, tmp_path):
    mini, other = exported["mdcr-mini"], export_dataset("mdcr", tmp_path / "to", data_dir=acmcr).folder
    front = front_of(other)
    assert (front["license"], front["language"], front["size_categories"]) == ("unknown", ["en"], ["1K<n<10K"])
    assert front["task_categories"] == ["text-retrieval", "text-ranking"]
    assert "synthetic" not in front["tags"]
    assert "synthetic" in front_of(mini)["tags"]
    text = text_of(other)
    for said in (
        "These are not MDCR's own data",
        "| all | 47 | 2,028 |",
        "| papers without an abstract | 60 |",
        "The authors state no licence",
        "only of datasets that it has put on its list of\nbenchmarks",
        "medic2022mdcr",
    ):
        assert said in text
    assert "The papers here are invented" not in text
    assert "The papers here are invented" in text_of(mini)
    assert "| all | 63 | 76 | 341 | 341 |" in text_of(mini)


def test_eval_yaml_names_what_publish_writes(exported):
    from scirank.publishing.claims import BENCHMARKS

    for name, folder in exported.items():
        held = yaml.safe_load((folder / "eval.yaml").read_text("utf-8"))
        of_test = [task["id"] for task in held["tasks"] if task["split"] == "test"]
        assert of_test == list(BENCHMARKS[MINIS[name][0]].measures)
        assert {task["config"] for task in held["tasks"]} == {"all"}
        assert "invented" in held["description"]
    ids = [task["id"] for task in yaml.safe_load((exported["mdcr-mini"] / "eval.yaml").read_text())["tasks"]]
    assert ids[3:] == ["map_validation", "ndcg_validation", "recall_5_validation"]


def beir(folder, split="test"):
    """A folder as BEIR's own loader takes it: papers, queries, judgements."""
    papers = {row["_id"]: row for row in map(json.loads, (folder / "corpus.jsonl").read_text("utf-8").splitlines())}
    queries = {row["_id"]: row["text"] for row in map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    assert head == ["query-id", "corpus-id", "score"]
    return papers, queries, [(query, paper, int(score)) for query, paper, score in lines]


def test_beir_of_fields(tmp_path):
    folder = export_dataset("mdcr-mini", tmp_path / "to", layout="beir", split="validation").folder
    tasks = load_benchmark("mdcr-mini", split="validation").tasks
    assert len(list(folder.iterdir())) == len(tasks) + 1
    for task in tasks:
        place = folder / task.group.replace(" ", "_")
        papers, queries, judged = beir(place, "validation")
        assert queries.keys() == task.queries.keys()
        assert {(query, paper) for query, paper, score in judged if score} == {
            (query, paper) for query, right in task.relevant.items() for paper in right
        }
        lines = (place / "candidates" / "validation.tsv").read_text().splitlines()
        pairs = [f"{query}\t{paper}" for query, pool in task.candidates.items() for paper in pool]
        assert lines == ["query-id\tcorpus-id", *pairs]
        assert papers.keys() == {paper for pool in task.candidates.values() for paper in pool}


def test_beir_of_all_fields_in_one(two_fields, tmp_path):
    papers, queries, judged = beir(export_dataset("mdcr-mini", tmp_path / "to", layout="beir", whole=True).folder)
    benchmark = load_benchmark("mdcr-mini")
    assert list(queries) == [query for task in benchmark.tasks for query in task.queries]
    assert len(judged) == sum(len(pool) for task in benchmark.tasks for pool in task.candidates.values())
    assert {paper for _, paper, _ in judged} == papers.keys()
    with pytest.raises(ScirankError, match="q: in two fields"):
        export_dataset("mdcr", tmp_path / "two", data_dir=two_fields(), layout="beir", whole=True)
    split = export_dataset("mdcr", tmp_path / "two", data_dir=two_fields(), layout="beir").folder
    assert {path.name for path in split.iterdir()} == {"A_B", "A_B-2", "README.md"}


def test_beir_of_topics(tmp_path):
    folder = export_dataset("oagqa-mini", tmp_path / "to", layout="beir").folder
    for task in load_benchmark("oagqa-mini").tasks:
        papers, queries, judged = beir(folder / task.group)
        assert papers.keys() == set(task.corpus)
        assert queries == {query: document.text for query, document in task.queries.items()}
        found = {query: {paper for other, paper, score in judged if other == query and score} for query in queries}
        assert found == task.relevant
        assert not (folder / task.group / "candidates").exists()


def test_a_folder_is_replaced_only_where_it_is_an_export(tmp_path):
    to = tmp_path / "to"
    to.mkdir()
    export_dataset("oagqa-mini", to, groups="optics")
    with pytest.raises(ScirankError, match=r"is there and holds README.md, data, eval.yaml.*--overwrite"):
        export_dataset("oagqa-mini", to, groups="optics")
    export_dataset("oagqa-mini", to, groups="deep_learning", overwrite=True)
    assert not (to / "data" / "optics").exists()
    assert (to / "data" / "deep_learning").is_dir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ScirankError, match="no topic x"):
        export_dataset("oagqa-mini", to, groups="x", overwrite=True)
    assert sorted(tmp_path.rglob("*")) == before
    (to / ".git").mkdir()
    with pytest.raises(ScirankError, match="is a git repository"):
        export_dataset("oagqa-mini", to, groups="optics", overwrite=True)
    own = tmp_path / "own"
    own.mkdir()
    (own / "README.md").write_text("thesis")
    with pytest.raises(ScirankError, match="no export has made"):
        export_dataset("oagqa-mini", own, overwrite=True)
    assert (own / "README.md").read_text() == "thesis"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "mdcr-mini", "data_dir": "x"}, "takes no data_dir"),
        ({"name": "oagqa-mini", "whole": True}, "for mdcr"),
        ({"name": "mdcr-mini", "whole": True}, "for the layout beir"),
        ({"name": "mdcr-mini", "quotes": "literal"}, "quotes is for oagqa"),
        ({"name": "oagqa-mini", "missing_text": "skip"}, "missing_text is for mdcr"),
        ({"name": "mdcr-mini", "groups": "Optics"}, "no field 'Optics'"),
        ({"name": "mdcr-mini", "layout": "csv"}, "unknown layout 'csv'; valid are hub, beir"),
    ],
)
def test_what_cannot_be_asked(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        export_dataset(to=tmp_path / "to", **arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("first", "second", "wrong"), [("default", "B", "default"), ("B", "B-corpus", "B-corpus")])
def test_a_group_with_the_name_of_another_config(two_fields, tmp_path, first, second, wrong):
    with pytest.raises(ScirankError, match=f"'{wrong}' cannot be the name of a field"):
        export_dataset("mdcr", tmp_path / "to", data_dir=two_fields(first, second))


def test_a_group_that_no_config_can_be_called_after(two_fields, tmp_path):
    written = export_dataset("mdcr", tmp_path / "to", data_dir=two_fields("A/B", "C"))
    assert any("no config can have the name A/B" in note for note in written.notes)
    assert [row["field"] for row in read(written.folder, "all")] == ["A/B", "A/B", "C"]


def test_the_command(scirank, tmp_path):
    done = scirank("export", "oagqa-mini", "--to", "there", "--topics", "optics,deep_learning")
    assert re.search(r"saved .*there: \d+ files, [\d,]+ bytes", done.stderr)
    assert {row["topic"] for row in read(tmp_path / "there", "all")} == {"optics", "deep_learning"}
    done = scirank("export", "oagqa-mini", "--to", "there", expect=1)
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_pandas_reads_it(exported):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(exported["mdcr-mini"] / paths(exported["mdcr-mini"], "Biology")["test"][0])
    assert list(frame["true"].map(list)) == [row["true"] for row in read(exported["mdcr-mini"], "Biology")]


def test_polars_reads_it(exported):
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(exported["mdcr-mini"] / "data" / "Computer_Science" / "*.parquet")
    folder = exported["mdcr-mini"]
    rows = [row for split in ("test", "validation") for row in read(folder, "Computer Science", split)]
    assert frame.to_dicts() == rows


def test_duckdb_reads_it(exported):
    duckdb = pytest.importorskip("duckdb")
    folder = exported["oagqa-mini"]
    (found,) = duckdb.sql(f"select count(*), sum(score) from '{folder}/data/*-qrels/test-*.parquet'").fetchall()
    judged = [row for task in load_benchmark("oagqa-mini").tasks for row in read(folder, f"{task.group}-qrels")]
    assert found == (len(judged), sum(row["score"] for row in judged))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "group"), [("mdcr-mini", None), ("mdcr-mini", "Computer Science"), ("oagqa-mini", "optics")]
)
def test_mteb_reads_it(exported, name, group):
    loaders = pytest.importorskip("mteb.abstasks.retrieval_dataset_loaders")
    for split in ("test", "validation") if name == "mdcr-mini" else ("test",):
        held = loaders.RetrievalDatasetLoader(str(exported[name]), "main", split=split, config=group).load()
        tasks = load_benchmark(name, split=split, groups=group).tasks
        right = {query: papers for task in tasks for query, papers in task.relevant.items()}
        judged = held["relevant_docs"].items()
        assert {query: {paper for paper, score in papers.items() if score} for query, papers in judged} == right
        assert set(held["queries"]["id"]) == right.keys()
        ranked = {query: list(pool) for task in tasks for query, pool in (task.candidates or {}).items()}
        assert (held["top_ranked"] or {}) == ranked
        papers = {row["id"]: (row["title"], row["text"]) for row in held["corpus"]}
        asked = {paper for pool in ranked.values() for paper in pool} or set(tasks[0].corpus)
        assert all(papers[paper] == tasks[0].corpus[paper] for paper in asked)


@pytest.mark.full
def test_mteb_measures_what_the_benchmark_does(acmcr, expected, tmp_path):
    loaders = pytest.importorskip("mteb.abstasks.retrieval_dataset_loaders")
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

    folder = export_dataset("mdcr", tmp_path / "to", data_dir=acmcr).folder
    scores = json.loads((acmcr / "minilm_scores.json").read_text())
    for field, numbers in expected["minilm"]["fields"].items():
        held = loaders.RetrievalDatasetLoader(str(folder), "main", config=field).load()
        run = {query: {p: scores[f"{query}_{p}"] for p in pool} for query, pool in held["top_ranked"].items()}
        found = calculate_retrieval_scores(run, held["relevant_docs"], [5, 1000])
        given = [found.map["MAP@1000"], found.ndcg["NDCG@1000"], found.recall["Recall@5"]]
        assert given == pytest.approx([numbers[name] / 100 for name in ("map", "ndcg", "recall_5")], abs=1e-5)
