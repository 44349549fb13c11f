"""Results on disk: their form, ranked lists, parts and wholes, verification; and which can be compared."""

import hashlib
import json
import re
import shutil
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import pool

import scirank as package
from scirank.analysis.comparison import named
from scirank.errors import ScirankError
from scirank.results import Result
from scirank.results.comparability import cautions, check_comparable
from scirank.results.parts import merge, restricted
from scirank.results.ranked_lists import RankedList
from scirank.results.schema import SCHEMA
from scirank.results.summary import calibration_of
from scirank.results.verifying import verify

FIELDS = ("Art", "Biology", "Physics")
TOPICS = ("deep_learning", "endocrinology", "optics", "electromagnetism")
# Ties in both groups, a query that cites nothing, one without any candidate, and an id in two groups.
CANDIDATES = {
    "Art": {
        "1": pool(bm25=["2", "3", "5"], true=["4"]),
        "2": pool(random=["1", "5"], true=["3", "4"]),
        "7": pool(bm25=["1", "2"]),
        "8": pool(),
    },
    "Heraldry | & %": {"1": pool(bm25=["3"], true=["2"]), "3": pool(bm25=["1", "2"], true=["5"])},
}
SCORES = {
    "1_2": 0.1, "1_3": np.float32(0.3), "1_4": np.float32(0.3), "1_5": 0.1 + 1e-12,
    "2_1": 7, "2_3": 7, "2_4": -1, "2_5": 7.0,
    "7_1": 1e30, "7_2": -1e30, "3_1": 1 / 3, "3_2": 1 / 3, "3_5": 1 / 3,
}  # fmt: skip
WITHOUT_ANY = {pair: score for pair, score in SCORES.items() if not pair.startswith("2_")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def run():
    """Run a model on parts of the small benchmarks; the same again is not run again."""
    benchmarks = cache(lambda name, groups: package.load_benchmark(name, groups=list(groups)))
    ran = cache(lambda model, name, groups: package.run(model, benchmarks(name, groups), quiet=True))
    return lambda model, name, groups: ran(model, name, groups)


@pytest.fixture(scope="module")
def score(folder):
    """Score MDCR's pairs, all by default."""
    path = folder / "candidates.json"
    path.write_text(json.dumps(CANDIDATES))
    return lambda scores=SCORES, **options: package.score(path, scores, **options)


@pytest.fixture(scope="module")
def run_own(score, folder):
    """Run BM25 on the same files."""
    data = folder / "data"
    data.mkdir()
    shutil.copy(folder / "candidates.json", data / "mdcr_test.json")
    papers = [{"paper_id": str(n), "title": f"on {'apples' if n % 3 else 'bridges'}"} for n in range(1, 9)]
    (data / "mdcr_test_data.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    return lambda **options: package.run("bm25", data_dir=data, quiet=True, **options)


@pytest.fixture(scope="module")
def score_file(run, folder):
    """Score a run file that is made of BM25's rankings."""

    def score(scored=True, depth=30, leave_out=(), groups=None, **options):
        lines = []
        for each in run("bm25", "oagqa-mini", TOPICS).lists:
            if each.query_id not in leave_out and (groups is None or each.group in groups):
                papers = dict(list(each.run.items())[:depth])
                scores = {"scores": [round(value, 1) for value in papers.values()]} if scored else {}
                lines.append(json.dumps({"question": each.query_id, "ids": list(papers), **scores}) + "\n")
        path = folder / "mine.jsonl"
        path.write_text("".join(lines))
        return package.score_run(path, "oagqa-mini", groups=groups, **options)

    return score


LEFT_OUT = ("optics/0", "optics/3", "endocrinology/1")
FOUND = {"measures": ["map", "ndcg_2", "mrr", "recall_2", "success_1"]}
MADE = {  # name -> what makes it, and how
    "MDCR": ("run", {"model": "bm25", "name": "mdcr-mini", "groups": FIELDS}),
    "chance": ("run", {"model": "random", "name": "mdcr-mini", "groups": FIELDS}),
    **{f"ties {ties}": ("score", FOUND | {"ties": ties}) for ties in ("trec", "optimistic", "pessimistic", "expected")},
    "no_relevant zero": ("score", {"no_relevant": "zero"}),
    "no_relevant skip": ("score", {"no_relevant": "skip"}),
    "run, zero": ("run_own", {"no_relevant": "zero", "ties": "expected"}),
    "run, skip": ("run_own", {"no_relevant": "skip", "ties": "pessimistic"}),
    "pairs lowest": ("score", {"scores": WITHOUT_ANY, "missing": "lowest"}),
    "pairs dropped": ("score", {"scores": WITHOUT_ANY, "missing": "drop"}),
    "some pairs dropped": ("score", {"scores": WITHOUT_ANY | {"2_1": 1}, "missing": "drop"}),
    "OAG-QA": ("run", {"model": "bm25", "name": "oagqa-mini", "groups": TOPICS}),
    "chance on questions": ("run", {"model": "random", "name": "oagqa-mini", "groups": TOPICS}),
    "run file": ("score_file", {}),
    "run file lowest": ("score_file", {"leave_out": LEFT_OUT, "missing": "lowest"}),
    "run file dropped": ("score_file", {"leave_out": LEFT_OUT, "missing": "drop"}),
    "run file unscored": ("score_file", {"scored": False, "leave_out": LEFT_OUT, "missing": "lowest"}),
    "nothing found": ("score_file", {"depth": 0}),
}


@pytest.fixture(scope="module")
def made(run, score, run_own, score_file):
    makers = {"run": run, "score": score, "run_own": run_own, "score_file": score_file}

    @cache
    def make(name):
        maker, options = MADE[name]
        return makers[maker](**options)

    return make


@pytest.fixture
def saved(made, tmp_path):
    """Save a result with its ranked lists; give the folder."""
    return lambda name, rankings=True: made(name).save(tmp_path / "saved", rankings=rankings)


def as_lists(result):
    """Ranked lists as plain values; of papers that are right, those that were ranked."""
    return [
        (
            each.group,
            each.query_id,
            each.best_first(),
            dict(each.run),
            set(each.relevant) & set(each.run),
            None if each.hits is None else {rule: list(ranks) for rule, ranks in each.hits.items()},
        )
        for each in result.lists
    ]


def assert_same(one, other):
    for name in ("model", "benchmark", "split", "summary", "per_query", "notes"):
        assert getattr(one, name) == getattr(other, name), name
    for part in ("data_sha256", "settings", "model", "ranking"):
        assert one.provenance.get(part, {}) == other.provenance.get(part, {})


def edited(folder, change):
    """Change a saved `result.json`: a function takes what it holds, and may give something else."""
    path = folder / "result.json"
    found = json.loads(path.read_text())
    written = change(found)
    path.write_bytes(
        written if isinstance(written, bytes) else json.dumps(found if written is None else written).encode()
    )


def rewritten(path, change):
    pq.write_table(change(pq.read_table(path)), path)


def wrong_in(folder):
    return [line for check in verify(folder) for line in check.wrong]


# Saved and loaded


@pytest.mark.parametrize("name", MADE)
def test_what_is_loaded_is_what_was_saved_and_can_be_verified(made, tmp_path, name):
    result = made(name)
    folder = result.save(tmp_path / "one", rankings=True)
    loaded = Result.load(folder, rankings=True)
    assert_same(loaded, result)
    assert as_lists(loaded) == as_lists(result)
    assert [(each.group, each.query_id) for each in loaded.lists] == list(
        zip(result.per_query["group"], result.per_query["query_id"], strict=True)
    )
    assert loaded.scores == result.scores
    checks = verify(folder)
    assert [check.wrong for check in checks] == [()] * 3
    assert [check.compared > 0 for check in checks] == [True] * 3
    loaded.save(tmp_path / "two", rankings=True)
    for file in ("per_query.parquet", "rankings.parquet"):
        assert (tmp_path / "two" / file).read_bytes() == (folder / file).read_bytes()
    one, two = (json.loads((path / "result.json").read_text()) for path in (folder, tmp_path / "two"))
    two["provenance"] = {part: found for part, found in two["provenance"].items() if found}
    assert two == one


@pytest.mark.parametrize("name", ["MDCR", "ties expected", "OAG-QA", "run file unscored"])
def test_without_ranked_lists(made, saved, name):
    folder = saved(name, rankings=False)
    loaded = Result.load(folder)
    assert_same(loaded, made(name))
    assert loaded.lists is None
    for ask in (lambda: loaded.scores, loaded.pair_scores, lambda: loaded.save(folder, rankings=True)):
        with pytest.raises(ScirankError, match=r"saved without its ranked lists; .*--save-rankings"):
            ask()
    with pytest.raises(ScirankError, match=r"rankings.parquet is absent: .*--save-rankings"):
        Result.load(folder, rankings=True)
    assert [check.wrong for check in verify(folder)] == [(), ()]


def test_a_failed_save_takes_nothing_away(saved):
    folder = saved("MDCR")
    with pytest.raises(ScirankError, match="saved without its ranked lists"):
        Result.load(folder).save(folder, rankings=True)
    assert (folder / "rankings.parquet").is_file()
    Result.load(folder).save(folder)
    assert not (folder / "rankings.parquet").exists()


def test_what_is_in_the_files(made, saved):
    folder = saved("OAG-QA")
    found = json.loads((folder / "result.json").read_text())
    assert found["schema"] == SCHEMA == 2
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in found["files"]}
    assert found["files"] == digests
    assert set(digests) == {"per_query.parquet", "rankings.parquet"}
    rows = pq.read_table(folder / "rankings.parquet").to_pylist()
    assert list(rows[0]) == ["group", "query_id", "paper", "score", "relevant", "title_span", "exact_title"]
    task = next(task for task in package.load_benchmark("oagqa-mini", groups="optics").tasks)
    of_one = [row for row in rows if row["query_id"] == "optics/1"]
    assert [row["score"] for row in of_one] == sorted((row["score"] for row in of_one), reverse=True)
    assert [row["relevant"] for row in of_one] == [row["paper"] in task.relevant["optics/1"] for row in of_one]
    first = next(rank for rank, row in enumerate(of_one, 1) if row["title_span"])
    at = made("OAG-QA").per_query["query_id"].index("optics/1")
    assert made("OAG-QA").per_query["mrr"][at] == 1 / first
    assert any(row["title_span"] and not row["exact_title"] for row in rows)


def test_rankings_stand_in_the_order_that_measures_see(saved):
    rows = pq.read_table(saved("ties trec") / "rankings.parquet").to_pylist()
    of_one = [
        (row["paper"], row["score"], row["relevant"]) for row in rows if (row["group"], row["query_id"]) == ("Art", "1")
    ]
    # In single precision the last two are the same, and equal ones stand by id, falling.
    third = float(np.float32(0.3))
    assert of_one == [("4", third, True), ("3", third, False), ("5", 0.1 + 1e-12, False), ("2", 0.1, False)]


def test_the_commands_save_rankings(scirank, folder, score, tmp_path):
    score()
    scores = tmp_path / "scores.json"
    scores.write_text(json.dumps({pair: float(value) for pair, value in SCORES.items()}))
    files = ("score", "mdcr", "--benchmark-file", folder / "candidates.json", "--scores-file", scores)
    scirank(*files, "--out", "scored", "--save-rankings")
    scirank("run", "random", "--benchmark", "oagqa-mini", "--topics", "optics", "--out", "ran", "--save-rankings", "-q")
    for path in ("scored", "ran/random"):
        assert Result.load(tmp_path / path, rankings=True).lists
    for command in (files, ("run", "random", "--benchmark", "mdcr-mini")):
        assert "--save-rankings: no --out to save in" in " ".join(
            scirank(*command, "--save-rankings", expect=2).stderr.split()
        )
    scirank("run", "random", "--benchmark", "oagqa-mini", "--topics", "optics", "--out", "ran", "-q")
    assert not (tmp_path / "ran/random/rankings.parquet").exists()


# The form of result.json


@pytest.mark.parametrize("name", ["MDCR", "no_relevant zero", "OAG-QA", "run file unscored"])
def test_schema_1_is_still_read(made, saved, name):
    folder = saved(name)

    def older(found):
        found["schema"] = 1
        del found["files"]
        found["provenance"] = {k: v for k, v in found["provenance"].items() if v}

    edited(folder, older)
    assert_same(Result.load(folder, rankings=True), made(name))
    checks = verify(folder)
    assert [check.wrong for check in checks] == [()] * 3
    assert checks[0].compared == 0


def put(*path, value):
    """A change of one place."""

    def change(found):
        for name in path[:-1]:
            found = found[name]
        found[path[-1]] = value

    return change


def take(*path):
    def change(found):
        for name in path[:-1]:
            found = found[name]
        del found[path[-1]]

    return change


BROKEN = [
    ("MDCR", put("schema", value=SCHEMA + 1), "found schema 3; this version reads 1 to 2. Upgrade scirank"),
    ("MDCR", lambda found: {"schema": 9, "all": "is new"}, "found schema 9; .* Upgrade scirank"),
    ("MDCR", put("schema", value=0), "found schema 0"),
    ("MDCR", put("schema", value="2"), r"Expected `int`, got `str` - at `\$.schema`"),
    ("MDCR", take("schema"), "missing required field `schema`"),
    ("MDCR", lambda found: b"", "is no result: Input data was truncated"),
    ("MDCR", lambda found: json.dumps(found).encode()[:-20], "is no result: Input data was truncated"),
    ("MDCR", lambda found: b"{'schema': 2}", "is no result: JSON is malformed"),
    ("MDCR", lambda found: b'{"schema": 2, "model": "\xff"}', "is no result: .*(?i:utf-8)"),
    ("MDCR", lambda found: b"[]", "Expected `object`, got `array`"),
    *(
        ("MDCR", take(key), f"missing required field `{key}`")
        for key in ("model", "benchmark", "split", "summary", "notes", "provenance")
    ),
    ("MDCR", put("model", value=3), r"Expected `str`, got `int` - at `\$.model`"),
    ("MDCR", put("notes", value="none"), r"got `str` - at `\$.notes`"),
    ("MDCR", put("summary", value=[]), r"got `array` - at `\$.summary`"),
    ("MDCR", put("provenance", value=None), r"got `null` - at `\$.provenance`"),
    ("MDCR", take("provenance", "settings"), r"missing required field `settings` - at `\$.provenance`"),
    ("MDCR", put("files", value={"a": 1}), r"got `int` - at `\$.files"),
    *(
        ("MDCR", take("summary", key), rf"missing required field `{key}` - at `\$.summary`")
        for key in ("queries", "groups", "unrounded")
    ),
    ("MDCR", put("summary", "queries", value=1.5), r"got `float` - at `\$.summary.queries`"),
    ("MDCR", put("summary", "groups", "Art", value=50.0), r"got `float` - at `\$.summary.groups"),
    ("MDCR", put("summary", "groups", value={}), "no finite number at summary.groups"),
    ("MDCR", put("summary", "unrounded", value={"groups": {}}), "no finite number at summary.unrounded"),
    ("MDCR", take("summary", "map"), "no finite number at summary.map$"),
    ("MDCR", put("summary", "map", value="high"), "no finite number at summary.map$"),
    ("MDCR", put("summary", "map", value=True), "no finite number at summary.map$"),
    ("MDCR", put("summary", "map", value=float("nan")), "JSON is malformed"),
    ("MDCR", lambda found: json.dumps(found).replace('"map": ', '"map": 1e999, "m": ').encode(), "out of range"),
    ("MDCR", put("summary", "groups", "Art", "map", value=None), "no finite number at summary.groups.Art.map$"),
    ("MDCR", take("summary", "groups", "Biology", "ndcg"), "no finite number at summary.groups.Biology.ndcg$"),
    ("MDCR", take("summary", "groups", "Biology", "queries"), "no finite number at summary.groups.Biology.queries$"),
    ("MDCR", put("summary", "unrounded", "map", value=None), "no finite number at summary.unrounded.map$"),
    ("MDCR", take("summary", "unrounded", "groups", "Art"), "no finite number at summary.unrounded.groups.Art.map, "),
    ("MDCR", take("summary", "unrounded", "groups"), "no finite number at summary.unrounded.groups.Art.map, "),
    ("MDCR", put("summary", "unrounded", "groups", value=3), "no finite number at summary.unrounded.groups.Art.map, "),
    ("MDCR", put("summary", "unrounded", "groups", "Art", value=[]), "number at summary.unrounded.groups.Art.map, "),
    ("OAG-QA", take("summary", "disciplines"), r"missing required field `disciplines` - at `\$.summary`"),
    ("OAG-QA", take("summary", "average"), r"missing required field `average` - at `\$.summary`"),
    ("OAG-QA", put("summary", "average", value="micro"), r"Invalid enum value 'micro' - at `\$.summary.average`"),
    ("OAG-QA", put("summary", "averages", value={}), "number at summary.averages.macro_disciplines.hit_1, "),
    ("OAG-QA", take("summary", "averages", "over_questions", "mrr"), "number at summary.averages.over_questions.mrr$"),
    ("OAG-QA", put("summary", "disciplines", "physics", "mrr", value=None), "at summary.disciplines.physics.mrr$"),
]


@pytest.mark.parametrize(("name", "change", "message"), BROKEN)
def test_a_broken_result_is_one_clear_error(saved, name, change, message):
    folder = saved(name)
    edited(folder, change)
    for read in (Result.load, verify):
        with pytest.raises(ScirankError, match=message) as raised:
            read(folder)
        assert str(folder / "result.json") in str(raised.value)


def test_there_is_no_result(saved, scirank, tmp_path):
    with pytest.raises(ScirankError, match=r"result.json is absent; expected a folder that .*--out"):
        Result.load(tmp_path / "nowhere")
    folder = saved("MDCR")
    (folder / "result.json").unlink()
    (folder / "result.json").mkdir()
    done = scirank("verify", folder, expect=1)
    assert done.stderr.startswith(f"error: {folder / 'result.json'} is no result: ")


def with_column(name, values):
    return lambda table: table.set_column(table.column_names.index(name), name, values(table[name]))


def without_first(column):
    return pa.array([None, *column.to_pylist()[1:]], column.type)


BROKEN_QUERIES = [
    ("MDCR", lambda table: table.drop_columns("map"), "no column map; it has query_id, group, ndcg, "),
    ("MDCR", lambda table: table.drop_columns(["group", "tied"]), "no column group, tied"),
    ("OAG-QA", lambda table: table.drop_columns("part_of"), "no column part_of"),
    ("OAG-QA", lambda table: table.drop_columns("relevant"), "no column relevant"),
    ("OAG-QA", lambda table: table.drop_columns("ranked"), "no column ranked"),
    ("OAG-QA", lambda table: table.drop_columns("tied"), "no column tied"),
    ("MDCR", lambda table: table.slice(1), "11 rows; result.json beside it is of 12 queries"),
    ("MDCR", lambda table: pa.concat_tables([table, table]), "24 rows; result.json beside it is of 12 queries"),
    ("MDCR", with_column("map", without_first), "column map has a row without a value"),
    (
        "MDCR",
        with_column("map", lambda column: pc.if_else(pc.equal(column, 1), np.nan, np.nan)),
        "map has a row without",
    ),
    ("MDCR", with_column("map", lambda column: pa.array(["high"] * len(column))), "column map should be double: "),
    ("MDCR", with_column("map", lambda column: pa.array([[1.0]] * len(column))), "column map should be double: "),
    ("MDCR", with_column("query_id", without_first), "column query_id has a row without a value"),
]


@pytest.mark.parametrize(("name", "change", "message"), BROKEN_QUERIES)
def test_a_broken_table_of_queries_is_one_clear_error(saved, name, change, message):
    path = saved(name) / "per_query.parquet"
    rewritten(path, change)
    assert_refused(path, message)


def test_other_columns_are_no_measures(made, saved):
    folder = saved("MDCR")
    rewritten(folder / "per_query.parquet", lambda table: table.append_column("year", pa.array(range(12))))
    assert_same(Result.load(folder), made("MDCR"))


BROKEN_LISTS = [
    ("MDCR", lambda table: table.drop_columns("score"), "no column score; it has group, query_id, paper, relevant"),
    ("OAG-QA", lambda table: table.drop_columns("title_span"), "no column title_span"),
    ("MDCR", with_column("score", without_first), "column score has a row without a value"),
    ("MDCR", with_column("relevant", without_first), "column relevant has a row without a value"),
    ("MDCR", with_column("score", lambda column: pa.array(["high"] * len(column))), "column score should be double: "),
    (
        "MDCR",
        with_column("group", lambda column: pa.array(["Law"] * len(column))),
        r"is of queries that per_query.parquet beside it has not: .* \(Law\)",
    ),
]


@pytest.mark.parametrize(("name", "change", "message"), BROKEN_LISTS)
def test_broken_ranked_lists_are_one_clear_error(saved, name, change, message):
    path = saved(name) / "rankings.parquet"
    rewritten(path, change)
    assert_refused(path, message)


@pytest.mark.parametrize("name", ["per_query.parquet", "rankings.parquet"])
@pytest.mark.parametrize(
    "change", [lambda data: b"", lambda data: b"no Parquet", lambda data: data[:-9], lambda data: data[9:]]
)
def test_no_parquet_is_one_clear_error(saved, name, change):
    path = saved("MDCR") / name
    path.write_bytes(change(path.read_bytes()))
    assert_refused(path, "cannot be read: ")


def assert_refused(path, message):
    for read in (lambda folder: Result.load(folder, rankings=True), verify):
        with pytest.raises(ScirankError, match=message) as raised:
            read(path.parent)
        assert str(raised.value).startswith(str(path))
        assert "\n" not in str(raised.value)


# Verification


def raised_by(amount):
    def change(found, path):
        for name in path[:-1]:
            found = found[name]
        found[path[-1]] += amount

    return change


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("MDCR", ("map",)),
        ("MDCR", ("tied_queries",)),
        ("MDCR", ("groups", "Art", "ndcg")),
        ("MDCR", ("groups", "Physics", "tied_queries")),
        ("MDCR", ("groups", "Physics", "queries")),
        ("MDCR", ("unrounded", "recall_5")),
        ("MDCR", ("unrounded", "groups", "Biology", "map")),
        ("OAG-QA", ("exact_hit_20",)),
        ("OAG-QA", ("averages", "over_questions", "mrr")),
        ("OAG-QA", ("disciplines", "physics", "hit_1")),
        ("OAG-QA", ("disciplines", "physics", "topics")),
        ("OAG-QA", ("groups", "optics", "recall_20")),
        ("OAG-QA", ("groups", "optics", "false_hits", "hit_1")),
        ("OAG-QA", ("without_relevant",)),
        ("OAG-QA", ("ece",)),
        ("OAG-QA", ("exact_ece",)),
    ],
)
@pytest.mark.parametrize("rankings", [True, False])
def test_a_changed_number_is_found(saved, name, path, rankings):
    folder = saved(name, rankings)
    change = raised_by(1 if path[-1] in ("tied_queries", "queries", "topics", "without_relevant", "hit_1") else 1e-4)
    edited(folder, lambda found: change(found["summary"], path))
    (line,) = wrong_in(folder)
    assert line.startswith(f"summary.{'.'.join(path)}: found ")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (
            put("summary", "groups", "Law", value={"map": 1, "ndcg": 1, "recall_5": 1, "queries": 1}),
            "summary.groups.Law",
        ),
        (put("summary", "averages", value=1), "summary.averages"),
        (put("summary", "ece", value=0.5), "summary.ece"),
    ],
)
def test_an_added_number_is_found(saved, change, place):
    folder = saved("MDCR")
    edited(folder, change)
    if place == "summary.averages":  # what says that these are questions
        with pytest.raises(ScirankError, match="averages"):
            verify(folder)
        return
    if place == "summary.groups.Law":
        edited(folder, put("summary", "unrounded", "groups", "Law", value={"map": 1, "ndcg": 1, "recall_5": 1}))
    assert any(line.startswith(place) for line in wrong_in(folder))


def test_a_changed_calibration_is_found_where_lists_are_known(saved):
    folder = saved("OAG-QA")
    edited(folder, lambda found: raised_by(1)(found["summary"]["calibration"]["title_span"]["count"], (0,)))
    (line,) = wrong_in(folder)
    assert line.startswith("summary.calibration.title_span.count: found ")


def changed_row(column, row, value):
    def change(values):
        rows = values.to_pylist()
        rows[row] = value(rows[row])
        return pa.array(rows, values.type)

    return with_column(column, change)


def forged(folder, name):
    """Record the SHA-256 of a changed file as if it had been saved so."""
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    edited(folder, put("files", name, value=digest))


FLIPPED = [
    ("MDCR", "map", lambda value: value / 2, "map of {query} (Art): found "),
    ("MDCR", "tied", lambda value: not value, "tied of {query} (Art): found "),
    ("OAG-QA", "hit_20", lambda value: 1 - value, "hit_20 of deep_learning/0 (deep_learning): found "),
    ("OAG-QA", "recall_100", lambda value: value / 3, "recall_100 of deep_learning/0 (deep_learning): found "),
    ("OAG-QA", "ranked", lambda value: value - 1, "ranked of deep_learning/0 (deep_learning): found "),
]


@pytest.mark.parametrize(("name", "column", "value", "place"), FLIPPED)
def test_a_changed_value_of_a_query_is_found(made, saved, name, column, value, place):
    folder = saved(name)
    rewritten(folder / "per_query.parquet", changed_row(column, 0, value))
    files, summary, queries = verify(folder)
    assert files.wrong == ("per_query.parquet",)
    assert queries.wrong[0].startswith(place.format(query=made(name).per_query["query_id"][0]))
    if column != "ranked":
        assert summary.wrong
    forged(folder, "per_query.parquet")
    assert verify(folder)[0].wrong == ()
    assert wrong_in(folder)


def test_a_changed_value_is_found_without_lists(saved):
    folder = saved("MDCR", rankings=False)
    rewritten(folder / "per_query.parquet", changed_row("map", 0, lambda value: value / 2))
    files, summary = verify(folder)
    assert files.wrong == ("per_query.parquet",)
    assert {line.split(":")[0] for line in summary.wrong} == {
        "summary.map", "summary.groups.Art.map", "summary.unrounded.map", "summary.unrounded.groups.Art.map",
    }  # fmt: skip


CHANGED_LISTS = [
    ("MDCR", "score", lambda value: value - 1e6, "map of "),
    ("MDCR", "relevant", lambda value: not value, "map of "),
    ("OAG-QA", "title_span", lambda value: not value, "hit_1 of deep_learning/0 (deep_learning)"),
    ("OAG-QA", "exact_title", lambda value: not value, "exact_hit_1 of deep_learning/0 (deep_learning)"),
]


@pytest.mark.parametrize(("name", "column", "value", "place"), CHANGED_LISTS)
def test_a_changed_list_is_found(made, saved, name, column, value, place):
    folder = saved(name)
    rewritten(folder / "rankings.parquet", changed_row(column, 0, value))
    forged(folder, "rankings.parquet")
    assert any(line.startswith(place) for line in verify(folder)[-1].wrong)


@pytest.mark.parametrize("column", ["score", "relevant", "paper"])
def test_even_what_changes_no_measure_is_found(saved, column):
    folder = saved("OAG-QA")
    change = {
        "score": lambda value: value + 1e-9,
        "relevant": lambda value: not value,
        "paper": lambda value: value + "0",
    }
    rewritten(folder / "rankings.parquet", changed_row(column, 40, change[column]))
    assert "rankings.parquet" in wrong_in(folder)


def test_a_score_that_calibration_sees(saved):
    folder = saved("OAG-QA")
    rewritten(folder / "rankings.parquet", changed_row("score", 0, lambda value: value + 1))
    forged(folder, "rankings.parquet")
    assert any(line.startswith("summary.calibration.title_span.confidence") for line in wrong_in(folder))


def test_a_file_that_is_gone(saved):
    folder = saved("MDCR")
    (folder / "rankings.parquet").unlink()
    assert wrong_in(folder) == ["rankings.parquet"]


def test_verify_on_the_command_line(made, scirank, tmp_path):
    good = made("MDCR").save(tmp_path / "good", rankings=True)
    bad = made("OAG-QA").save(tmp_path / "bad")
    assert scirank("verify", good, bad).stdout.count(": yes (") == 5
    edited(bad, put("summary", "groups", "optics", "mrr", value=99.5))
    done = scirank("verify", "bad", "good", expect=1)
    assert "the summary follows from per_query.parquet: NO, 1 do not (" in done.stdout
    assert "summary.groups.optics.mrr: found 99.5, single queries give " in done.stdout
    assert done.stdout.count(": yes (") == 4
    assert done.stderr == ""
    assert "absent; expected a folder" in scirank("verify", "good", "nowhere", expect=1).stderr


# Parts and wholes


PARTS = [
    ("bm25", "mdcr-mini", FIELDS),
    ("random", "mdcr-mini", FIELDS),
    ("bm25", "oagqa-mini", TOPICS),
    ("random", "oagqa-mini", TOPICS),
]


def without_ece(summary):
    return {name: value for name, value in summary.items() if name not in ("ece", "exact_ece", "calibration")}


def assert_merged(merged, whole):
    assert without_ece(merged.summary) == without_ece(whole.summary)
    assert list(merged.groups) == list(whole.groups)
    assert list(merged.per_query) == list(whole.per_query)
    assert merged.per_query == whole.per_query
    assert merged.summary.keys() == whole.summary.keys()
    for name in ("ece", "exact_ece"):
        assert merged.summary.get(name) == (
            pytest.approx(whole.summary[name], abs=1e-12) if name in whole.summary else None
        )
    for rule, found in whole.summary.get("calibration", {}).items():
        for name, numbers in found.items():
            assert merged.summary["calibration"][rule][name] == pytest.approx(numbers, abs=1e-12)


@pytest.mark.parametrize(("model", "name", "groups"), PARTS)
def test_parts_are_the_whole(run, tmp_path, model, name, groups):
    whole = run(model, name, groups)
    parts = [run(model, name, (group,)) for group in groups]
    for order in list(permutations(parts))[:: 1 if len(parts) < 4 else 5]:
        merged = merge(order)
        assert_merged(merged, whole)
        assert merged.summary == whole.summary  # calibration too, as lists are known
        assert as_lists(merged) == as_lists(whole)
        assert_merged(merge([replace(part, lists=None) for part in order]), whole)
    assert_merged(merge([run(model, name, groups[:2]), *parts[2:]]), whole)
    assert merge(parts[:1]).summary == parts[0].summary
    assert merged.provenance["settings"] == whole.provenance["settings"]
    assert merged.provenance["data_sha256"] == whole.provenance["data_sha256"]
    assert len(merged.provenance["ranking"]["merged_from"]) == len(parts)
    folder = merged.save(tmp_path / "merged", rankings=True)
    assert wrong_in(folder) == []
    check_comparable([Result.load(folder), whole])


@pytest.mark.parametrize("scored", [True, False])
def test_parts_that_were_scored(score_file, tmp_path, scored):
    options = {"leave_out": LEFT_OUT, "missing": "lowest", "name": "mine", "scored": scored}
    whole = score_file(groups=list(TOPICS), **options)
    parts = [score_file(groups=[topic], **options) for topic in TOPICS]
    saved = [part.save(tmp_path / part.per_query["group"][0], rankings=True) for part in parts]
    loaded = [Result.load(folder, rankings=True) for folder in saved]
    merged = merge(loaded[::-1])
    assert_merged(merged, whole)
    assert as_lists(merged) == as_lists(whole)
    assert sorted(merged.provenance["data_sha256"]["runs"]) == sorted(
        digest for part in parts for digest in part.provenance["data_sha256"]["runs"]
    )
    assert wrong_in(merged.save(tmp_path / "merged", rankings=True)) == []
    assert_merged(merge([Result.load(folder) for folder in saved]), whole)


def test_fields_that_were_scored(score):
    whole = score(WITHOUT_ANY, missing="lowest", ties="expected")
    parts = [score(WITHOUT_ANY, missing="lowest", ties="expected", groups=group) for group in CANDIDATES]
    assert merge(parts).summary == merge(parts[::-1]).summary == whole.summary
    assert merge(parts[::-1]).per_query == whole.per_query


def with_provenance(result, part, **values):
    return replace(result, provenance={**result.provenance, part: {**result.provenance[part], **values}})


NOT_MERGED = [
    (lambda part: replace(part, model="other"), "bm25 and other differ in model$"),
    (lambda part: replace(part, benchmark="mdcr"), "differ in benchmark$"),
    (lambda part: replace(part, split="validation"), "differ in split$"),
    (lambda part: with_provenance(part, "data_sha256", papers="0"), "differ in data papers$"),
    (lambda part: with_provenance(part, "data_sha256", benchmark="0", papers="0"), "data benchmark, data papers$"),
    (lambda part: with_provenance(part, "settings", ties="expected"), "differ in settings ties$"),
    (lambda part: with_provenance(part, "settings", missing_text="skip"), "differ in settings missing_text$"),
    (lambda part: with_provenance(part, "model", template="{title}"), "differ in model template$"),
    (lambda part: with_provenance(part, "model", new=1), "differ in model new$"),
]


@pytest.mark.parametrize(("change", "message"), NOT_MERGED)
def test_parts_of_different_things_are_refused(run, change, message):
    one, other = (run("bm25", "mdcr-mini", (group,)) for group in FIELDS[:2])
    for parts in ([one, change(other)], [one, run("bm25", "mdcr-mini", FIELDS[2:]), change(other)]):
        with pytest.raises(ScirankError, match=f"results that cannot be merged: .*{message}"):
            merge(parts)
    assert merge([one, with_provenance(other, "model", threads=7)]).groups


def test_parts_that_overlap_or_are_of_other_measures_are_refused(run, score_file):
    two = run("bm25", "mdcr-mini", FIELDS[:2])
    with pytest.raises(ScirankError, match="cannot be merged: Biology is in two of them"):
        merge([two, run("bm25", "mdcr-mini", FIELDS[1:2])])
    with pytest.raises(ScirankError, match="cannot be merged: Art, Biology is in two of them"):
        merge([two, two])
    with pytest.raises(ScirankError, match="nothing to merge"):
        merge([])
    other = package.run("bm25", "mdcr-mini", groups="Physics", measures="map", quiet=True)
    with pytest.raises(ScirankError, match=r"differ in measures, per-query columns, settings measures$"):
        merge([two, other])
    unscored = score_file(False, groups=["optics"], name="mine")
    with pytest.raises(ScirankError, match="mine and mine differ in per-query columns"):
        merge([score_file(groups=["endocrinology"], name="mine"), unscored])


def test_merge_on_the_command_line(run, scirank, tmp_path):
    for group in FIELDS:
        run("bm25", "mdcr-mini", (group,)).save(tmp_path / group, rankings=group != "Art")
    whole = run("bm25", "mdcr-mini", FIELDS)
    done = scirank("merge", *FIELDS, "--out", "whole", "--format", "csv")
    assert done.stdout.splitlines()[-1].split(",")[:3] == ["bm25", "average", "AVG"]
    assert done.stderr == "saved whole\n"
    assert not (tmp_path / "whole" / "rankings.parquet").exists()
    assert Result.load(tmp_path / "whole").summary == whole.summary
    run("bm25", "mdcr-mini", ("Art",)).save(tmp_path / "Art", rankings=True)
    again = scirank("merge", *FIELDS, "--out", "whole", expect=1)
    assert again.stderr.startswith("error: whole holds a result; choose another --out, or --overwrite")
    scirank("merge", *FIELDS, "--out", "whole", "--overwrite")
    assert as_lists(Result.load(tmp_path / "whole", rankings=True)) == as_lists(whole)
    assert scirank("verify", "whole").stdout.count(": yes (") == 3
    assert "Art is in two of them" in scirank("merge", "Art", "whole", "--out", "new", expect=1).stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("model", "name", "groups"), PARTS)
@pytest.mark.parametrize("keep", [slice(0, 1), slice(1, 3), slice(None)])
def test_some_groups_are_as_run_alone(run, model, name, groups, keep):
    some = restricted(run(model, name, groups), groups[keep])
    alone = run(model, name, groups[keep])
    assert some.summary == alone.summary
    assert some.per_query == alone.per_query
    assert as_lists(some) == as_lists(alone)
    assert some.provenance["settings"]["groups"] == list(alone.groups)


def test_some_groups_where_questions_have_no_ranking(score_file, tmp_path):
    options = {"leave_out": LEFT_OUT, "missing": "lowest"}
    folder = score_file(groups=list(TOPICS), **options).save(tmp_path / "whole", rankings=True)
    some = restricted(Result.load(folder, rankings=True), ["optics", "endocrinology"])
    alone = score_file(groups=["endocrinology", "optics"], **options)
    assert some.summary == alone.summary
    assert some.per_query == alone.per_query
    assert as_lists(some) == as_lists(alone)
    bare = restricted(Result.load(folder), ["optics", "endocrinology"])
    assert bare.summary == without_ece(alone.summary)
    assert bare.lists is None


@pytest.mark.parametrize(
    ("groups", "message"),
    [(["Law"], "bm25 has no group Law; it has Art, Biology, Physics"), ([], "no group was named; bm25 has Art, ")],
)
def test_groups_that_are_not_there(run, groups, message):
    with pytest.raises(ScirankError, match=message):
        restricted(run("bm25", "mdcr-mini", FIELDS), groups)


def test_calibration_of_lists_by_hand():
    """One question: scores 0 and log 3 are chances of 1/4 and 3/4; the second hits."""
    one = RankedList("t", "t/0", {"a": float(np.log(3)), "b": 0.0}, ("b",), {"title_span": [0, 1], "exact_title": [1]})
    found = calibration_of([one, RankedList("t", "t/1", {}, (), {"title_span": [], "exact_title": []})])
    assert found["exact_title"]["ece"] == pytest.approx((0.75 + 0.75) / 2)
    assert found["title_span"]["ece"] == pytest.approx((0.25 + 0.75) / 2)
    assert sum(found["title_span"]["count"]) == 2


# What can be compared


@pytest.fixture(scope="module")
def pair(run):
    return run("bm25", "mdcr-mini", FIELDS), run("random", "mdcr-mini", FIELDS)


def fewer(result, rows):
    """A result without some rows."""
    kept = {name: [v for at, v in enumerate(values) if at not in rows] for name, values in result.per_query.items()}
    return replace(result, per_query=kept, lists=None)


NOT_COMPARABLE = [
    (lambda other: replace(other, benchmark="mdcr"), "one is of mdcr-mini, the other of mdcr$"),
    (lambda other: replace(other, split="validation"), "one is of the split test, the other of validation$"),
    (
        lambda other: with_provenance(other, "data_sha256", benchmark="0"),
        r"the data is not the same \(SHA-256 of benchmark differs\)$",
    ),
    (
        lambda other: with_provenance(other, "data_sha256", papers="0"),
        r"the data is not the same \(SHA-256 of papers differs\)$",
    ),
    (
        lambda other: with_provenance(other, "settings", ties="expected"),
        "ties is trec for one, expected for the other$",
    ),
    (lambda other: with_provenance(other, "settings", missing_text="skip"), "missing_text is error for one, skip for"),
    (
        lambda other: replace(other, summary={**other.summary, "unrounded": {"mrr": 1.0, "groups": {}}}),
        r"they have no measure in common \(map, ndcg, recall_5; mrr\)$",
    ),
    (lambda other: fewer(other, [0]), r"1 query is in one only: \d+ \(Art\)$"),
    (lambda other: fewer(other, [0, 5]), r"2 queries are in one only: \d+ \(Art\), \d+ \(Biology\)$"),
    (
        lambda other: restricted(other, ["Biology"]),
        r"2 groups are in one only: Art, Physics. Choose groups that both have \(groups=, --groups\)$",
    ),
    (
        lambda other: with_provenance(fewer(other, [0]), "settings", ties="optimistic"),
        r"ties is trec for one, optimistic for the other; 1 query is in one only: ",
    ),
]


@pytest.mark.parametrize(("change", "message"), NOT_COMPARABLE)
def test_what_cannot_be_compared(pair, change, message):
    one, other = pair
    changed = change(other)
    for results in ([one, changed], [one, one, changed]):
        with pytest.raises(ScirankError, match=f"^bm25 and random cannot be compared: {message}"):
            check_comparable(results)
        with pytest.raises(ScirankError, match=f"^bm25 and random cannot be compared: {message}"):
            package_compare(results)
    with pytest.raises(ScirankError, match=r"^random and bm25 cannot be compared: "):
        check_comparable([changed, one])


def package_compare(results, **options):
    from scirank.analysis import compare

    return compare(results, resamples=10, **options)


def test_quotes_change_the_data(run):
    one = run("bm25", "oagqa-mini", ("optics",))
    with pytest.raises(ScirankError, match="quotes is error for one, literal for the other"):
        check_comparable([one, with_provenance(one, "settings", quotes="literal")])
    with pytest.raises(ScirankError, match="SHA-256 of optics differs"):
        check_comparable([one, with_provenance(one, "data_sha256", optics="0")])


def test_what_can_be_compared(pair, run, score, score_file):
    check_comparable(pair)
    check_comparable(pair[:1])
    check_comparable([score(), score({pair: -value for pair, value in SCORES.items()})])
    check_comparable([run("bm25", "oagqa-mini", TOPICS), score_file(), score_file(False)])
    one, other = pair
    check_comparable([one, replace(other, split="")])  # files of scores do not say their split
    reversed_rows = {name: values[::-1] for name, values in other.per_query.items()}
    check_comparable([one, replace(other, per_query=reversed_rows)])
    check_comparable([restricted(one, ["Art"]), run("random", "mdcr-mini", ("Art",))])


def test_what_is_only_a_caution(pair):
    one, other = pair
    assert cautions({"one": one, "other": other}) == []

    def told(**of_model):
        return cautions({"one": with_provenance(one, "model", **of_model), "other": one})

    assert told(template="{title}") == ["text template differs: one '{title}', other '{title}. {abstract}'"]
    assert cautions(
        {
            name: with_provenance(one, "model", max_length=length)
            for name, length in (("a", 512), ("b", 256), ("c", 512))
        }
    ) == ["longest text, in tokens differs: a 512, b 256, c 512"]
    (queries,) = cautions(
        {n: with_provenance(one, "model", query_template=t) for n, t in (("a", None), ("b", "{text}"))}
    )
    assert queries == "query's template differs: a None, b '{text}'"
    assert told(max_length=512) == []  # BM25 has none
    seen = replace(one, notes=("2 of 12 queries were trained on: 1, 2", "something else"))
    assert cautions({"one": seen, "other": other}) == ["one: 2 of 12 queries were trained on: 1, 2"]
    more = package.run("bm25", "mdcr-mini", groups=FIELDS, measures=["map", "mrr", "ndcg"], quiet=True)
    assert cautions({"one": one, "more": more}) == ["measures that not all results have, left out: recall_5, mrr"]


def test_two_results_of_one_name_are_told_apart(pair):
    one, other = pair
    titles = with_provenance(one, "model", template="{title}")
    assert list(named([one, other, titles])) == ["bm25 #1", "random", "bm25 #2"]
    (caution,) = package_compare([one, titles]).cautions
    assert caution == "text template differs: bm25 #1 '{title}. {abstract}', bm25 #2 '{title}'"


def test_a_results_folder_can_be_moved(saved, tmp_path):
    folder = saved("run file lowest")
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    shutil.rmtree(folder)
    assert wrong_in(copy) == []
    assert not re.search(re.escape(str(folder)), (copy / "result.json").read_text())


def test_what_is_published_stands_beside_its_own_benchmark_only(run):
    result = run("bm25", "mdcr-mini", FIELDS)
    assert "Published, 19 fields of MDCR's test split" in str(result)
    assert "Published" not in str(replace(result, benchmark="reviews"))
