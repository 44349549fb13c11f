"""`scirank score` and `scirank.score`: scores that someone has."""

import csv
import io
import json
import re

import bm25s
import numpy as np
import plain
import pytest
import Stemmer
from conftest import pool

import scirank as package
from mdcr_dataset import parse_candidates, qrels
from scirank.errors import ScirankError
from scirank.results import Result


@pytest.fixture(params=["minilm", "bm25", "constant", "minilm_rounded_ties"])
def scored(request, acmcr, tmp_path):
    """Name and file of each set of scores that the shared data has expected numbers for."""
    scores = json.loads((acmcr / "minilm_scores.json").read_text())
    if request.param == "bm25":
        scores = bm25_scores(acmcr)
    elif request.param == "constant":
        scores = dict.fromkeys(scores, 0)
    elif request.param == "minilm_rounded_ties":
        scores = {pair: round(score, 1) for pair, score in scores.items()}
    path = tmp_path / f"{request.param}.json"
    path.write_text(json.dumps(scores))
    return request.param, path


def bm25_scores(folder):
    """As the shared data's README says how: with bm25s alone."""
    papers = [json.loads(line) for line in (folder / "mdcr_test_data.jsonl").read_text("utf-8").splitlines()]
    texts = [f"{p['title']} [SEP] {p['abstract']}" if p["abstract"] else p["title"] for p in papers]
    stemmer, rows = Stemmer.Stemmer("english"), {paper["paper_id"]: row for row, paper in enumerate(papers)}
    tokenize = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, **tokenize), show_progress=False)
    scores = {}
    for queries in parse_candidates((folder / "mdcr_test.json").read_bytes(), "").values():
        for query, lists in queries.items():
            found = index.get_scores(bm25s.tokenize([texts[rows[query]]], return_ids=False, **tokenize)[0])
            scores |= {f"{query}_{paper}": float(found[rows[paper]]) for paper in qrels(lists)}
    return scores


def upstream_table(expected, benchmark_file, scores_file):
    rows = [*expected["fields"].items(), None, ("AVG", expected["avg"])]
    lines = ["" if row is None else "\t".join([row[0], *(f"{k}: {v}" for k, v in row[1].items())]) for row in rows]
    heading = f"Results on the benchmark file {benchmark_file} using the scores from the file {scores_file}"
    return "\n".join([heading, *lines]) + "\n"


def test_upstreams_table_byte_for_byte(scored, scirank, acmcr, expected):
    name, path = scored
    benchmark = acmcr / "mdcr_test.json"
    spelling = "_" if name == "minilm" else "-"  # upstream's, and ours
    done = scirank("score", "mdcr", f"--benchmark{spelling}file", benchmark, f"--scores{spelling}file={path}")
    assert done.stdout == upstream_table(expected[name], benchmark, path)
    tied = {"minilm": "", "bm25": ""}.get(name, "47 of 47 queries have equal scores whose order could change")
    assert tied in done.stderr
    assert bool(done.stderr) == bool(tied)


def test_the_layout_of_upstreams_table(files, scirank_process):
    """The same, from first principles: one field, its average, numbers in their shortest form."""
    benchmark, scores = files(
        {"Art": {"1": pool(bm25=["2", "3"], true=["4", "5"])}}, {"1_2": 2, "1_3": 1, "1_4": 3, "1_5": 0}
    )
    ranked = [1, 0, 0, 1]
    numbers = [f"{name}: {round(100 * plain.measure(name, ranked), 4)}" for name in ("map", "ndcg", "recall_5")]
    row = "\t".join(numbers)
    assert row == "map: 75.0\tndcg: 87.7215\trecall_5: 100.0"
    done = scirank_process("score", "mdcr", "--benchmark-file", benchmark, "--scores-file", scores)
    heading = f"Results on the benchmark file {benchmark} using the scores from the file {scores}"
    assert done.stdout == f"{heading}\nArt\t{row}\n\nAVG\t{row}\n"


def test_scoring_loads_neither_torch_nor_datasets(python, files):
    benchmark, scores = files(scores=SCORES | {"1_2": 0.1})
    arguments = ["score", "mdcr", "--benchmark-file", benchmark]
    code = (
        "import sys\nfrom scirank.cli import app\n"
        "app(standalone_mode=False)\n"
        "print([m for m in ('torch', 'datasets', 'evaluate', 'pyarrow', 'rich', 'pandas') if m in sys.modules])"
    )
    done = python(code, *arguments, "--scores-file", scores)
    assert done.stdout.splitlines()[-1] == "[]"


BENCHMARK = {
    "Art": {"1": pool(bm25=["2", "3"], true=["4"]), "2": pool(random=["1"], true=["3", "4"])},
    "Heraldry | & %": {"1": pool(bm25=["3"], true=["2"])},
}
SCORES = {"1_2": 0.1, "1_3": 0.2, "1_4": 0.3, "2_1": 1, "2_3": 2, "2_4": 0}


@pytest.fixture
def files(tmp_path):
    def write(benchmark=BENCHMARK, scores=SCORES):
        paths = tmp_path / "b.json", tmp_path / "s.json"
        for path, content in zip(paths, (benchmark, scores), strict=True):
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return paths

    return write


def test_numbers_and_the_query_in_two_groups(files):
    result = package.score(*files())
    assert result.groups["Art"]["map"] == pytest.approx(100 * (1 + (1 + 2 / 3) / 2) / 2, abs=1e-4)
    assert result.groups["Heraldry | & %"]["map"] == 50.0
    assert result.per_query["query_id"] == ["1", "2", "1"]
    assert result.notes == ()
    assert package.score(files()[0], SCORES).average == result.average
    assert package.score(files()[0], {k: np.float32(v) for k, v in SCORES.items()}).average == result.average
    assert package.score(*files(), measures="mrr", groups="Art").measures == ["mrr"]


def without(*pairs):
    return {pair: score for pair, score in SCORES.items() if pair not in pairs}


@pytest.mark.parametrize(
    ("missing", "scores", "art", "note"),
    [
        (
            "lowest",
            without("1_4"),
            [1 / 3, 5 / 6],
            "1 pair without a score, 1 of them relevant, ranked below all scored",
        ),
        ("drop", without("1_3"), [1, 5 / 6], "without a score, 0 of them relevant, taken out of the pool: 1_3"),
        ("drop", without("1_4"), [0, 5 / 6], "1 query without a relevant candidate, counted as 0: 1"),
        ("drop", without("2_1", "2_3", "2_4"), [1, 0], "3 pairs without a score, 2 of them relevant"),
        ("lowest", without("2_1", "2_3", "2_4"), [1, 1], "could change a measure"),
    ],
)
def test_missing_pairs(files, missing, scores, art, note):
    result = package.score(*files(scores=scores), missing=missing, groups=["Art"])
    assert [v for v, g in zip(result.per_query["map"], result.per_query["group"], strict=True) if g == "Art"] == (
        pytest.approx(art)
    )
    assert any(note in told for told in result.notes), result.notes


def test_no_query_with_candidates(files):
    with pytest.raises(ScirankError, match="nothing to evaluate"):
        package.score(*files({"Art": {"1": pool()}}, {"x": 1}))


def test_lowest_is_below_even_the_least_scores(files):
    scores = without("1_4") | {"1_2": -3.4028234663852886e38}
    result = package.score(*files(scores=scores), missing="lowest", groups=["Art"])
    assert result.per_query["map"][0] == pytest.approx(1 / 3)


def test_what_else_is_told(files):
    shared = {"Art": {"1": pool(bm25=["2_3"], true=["4"]), "1_2": pool(bm25=["3"], true=["4"])}, "Law": {}}
    result = package.score(*files(shared, {"1_2_3": 0.5, "1_4": 1, "1_2_4": 0}))
    assert result.notes == (
        "1 group without any query, not part of the average: Law",
        "1 key stands for two pairs, since an id has '_' in it: 1_2_3",
    )


def test_extra_pairs_and_queries_without_candidates_are_counted(files):
    benchmark = {"Art": BENCHMARK["Art"] | {"9": pool(), "8": pool(bm25=["1"])}}
    result = package.score(*files(benchmark, SCORES | {"8_1": 0.5, "7_7": 1, "x": 2}))
    assert result.notes == (
        "1 query without a relevant candidate, counted as 0: 8",
        "1 query without any candidate, left out: 9",
        "2 scores belong to no pair of the benchmark and were not used",
    )
    assert result.summary["queries"] == 3


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (without("1_4", "2_3"), "2 pairs have no score: 1_4, 2_3. .*choose missing "),
        (
            {pair.replace("_", "-"): 1 for pair in SCORES},
            "they look like 1-2, 1-3, expected queryid_candidateid as in 1_2",
        ),
        (b"<html>", "s.json: not valid JSON"),
        (b"[" * 200_000, "s.json: not valid JSON"),
        (json.dumps(SCORES).encode()[:-5], "s.json: not valid JSON .* the file is incomplete"),
        (b"[1, 2]", "s.json: expected one JSON object"),
        ({"1": {"2": 0.5}}, "s.json: expected one JSON object"),
        (json.dumps(SCORES | {"1_3": float("nan")}).encode(), "the score of 1_3 should be finite .*found nan"),
        (b'{"1_2": 1, "1_3": 2, "1_3": 3, "1_4": 1, "2_1": 1, "2_3": 1, "2_4": 1}', "1 pair has two scores: 1_3"),
        (SCORES | {"1_3": 10**400}, "the score of 1_3 should be finite in single precision"),
        (SCORES | {"1_3": 1e39}, "the score of 1_3 should be finite in single precision, found 1e\\+39"),
        (SCORES | {"1_3": "0.5"}, "the score of 1_3 should be a number, found '0.5'"),
        (SCORES | {"1_3": None}, "the score of 1_3 should be a number, found None"),
        (SCORES | {"1_3": True}, "the score of 1_3 should be a number, found True"),
    ],
)
def test_bad_scores_are_one_message_and_no_table(files, scirank, scores, message):
    benchmark, path = files(scores=scores)
    with pytest.raises(ScirankError, match=message):
        package.score(benchmark, path)
    done = scirank("score", "mdcr", "--benchmark-file", benchmark, "--scores-file", path, expect=1)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_absent_files_and_unknown_choices(files, scirank, tmp_path):
    benchmark, scores = files()
    for arguments, message in [
        (
            ("--benchmark-file", tmp_path / "no.json", "--scores-file", scores),
            "the benchmark file .* cannot be read: No such file",
        ),
        (
            ("--benchmark-file", benchmark, "--scores-file", scores, "--groups", "Biology"),
            "no field 'Biology'; it has Art",
        ),
        (("--benchmark-file", benchmark, "--scores-file", scores, "--measures", "f1"), "unknown measure 'f1'"),
    ]:
        done = scirank("score", "mdcr", *arguments, expect=1)
        assert re.search(message, done.stderr)
        assert done.stderr.startswith("error: ")


def test_formats(files, scirank, tmp_path):
    benchmark, scores = files()
    arguments = ("score", "mdcr", "--benchmark-file", benchmark, "--scores-file", scores)
    printed = {name: scirank(*arguments, "--format", name).stdout for name in ("csv", "json", "latex", "markdown")}
    rows = list(csv.DictReader(io.StringIO(printed["csv"])))
    assert [row["group"] for row in rows] == ["Art", "Heraldry | & %", "AVG"]
    assert float(rows[0]["map"]) == 91.6667
    saved = json.loads(printed["json"])
    assert saved["summary"]["groups"]["Art"]["map"] == 91.6667
    assert set(saved["provenance"]["data_sha256"]) == {"benchmark", "scores"}
    assert saved["provenance"]["environment"]["packages"]["pytrec_eval-terrier"]
    assert r"Heraldry | \& \% & 50.00 & " in printed["latex"]
    assert r"\begin{tabular}{lrrr}" in printed["latex"]
    assert r"| Heraldry \| & % | 50.00 |" in printed["markdown"]
    done = scirank(*arguments, "--measures", "ndcg_3,mrr", "--ties", "expected", "--out", tmp_path / "out", "-q")
    assert "ndcg_3: " in done.stdout
    assert Result.load(tmp_path / "out").measures == ["ndcg_3", "mrr"]
