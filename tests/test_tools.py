"""The other commands: audit, reproduce, help."""

import json
import re
import subprocess
import sys

import pytest
from conftest import LISTS, pool, zipped_folder
from hypothesis import given
from hypothesis import strategies as st

from mdcr_dataset import MdcrDataError
from scirank.audit_mdcr import audit_mdcr
from scirank.audit_oagqa import TopicAudit, audit_oagqa, contained
from scirank.errors import ScirankError
from scirank.reproduce import compare, reproduce_scincl
from scirank.results import published_rows
from scirank.scoring import score


def test_the_audit_counts_what_is_odd(write_mdcr, scirank):
    benchmark = {
        "Art": {
            "1": pool(bm25=["2", "2", "3"], specter=["3"], true=["3", "4"]),
            "2": pool(random=["2", "404"]),
        },
        "Music": {"1": pool(true=["5"])},
    }
    papers = [{"paper_id": str(n), "title": "t", "abstract": "a" if n > 2 else None} for n in range(1, 7)]
    folder = write_mdcr(benchmark, [*papers, papers[0]])
    (audit,) = audit_mdcr(folder)
    art, music = audit.groups
    assert (art.queries, art.papers, art.pool) == (2, 5, (2, 3))
    assert art.lists["bm25"] == (0, 3)
    assert (art.repeated_within, art.repeated_across, art.also_true) == (1, 2, 1)
    assert (art.no_relevant, art.own_candidate, art.in_other_group, art.without_record) == (1, 1, 1, 1)
    assert (music.in_other_group, music.without_record) == (1, 0)
    assert (audit.in_other_group, audit.without_record) == (1, 1)
    assert (audit.records, audit.counts["duplicates"], audit.counts["no_abstract"], audit.unlisted) == (6, 1, 2, 1)
    printed = scirank("audit", "mdcr", "--data-dir", folder).stdout
    for part in ("Music", *LISTS, "6 records", "1 lines that repeat an earlier id", "2 without an abstract"):
        assert part in printed


def test_the_audit_of_real_papers(acmcr, scirank):
    printed = scirank("audit", "mdcr", MDCR_DATA_DIR=str(acmcr)).stdout
    assert "2,028 records" in printed
    assert "60 without an abstract" in printed
    assert (
        "no split 'validation' there; it has test"
        in scirank("audit", "mdcr", "--split", "validation", "--data-dir", acmcr, expect=1).stderr
    )


@pytest.fixture
def odd(write_oagqa):
    """A topic with everything odd, one with swallowed rows and a shared paper, and half a topic."""
    titles = ["Light", "light", "Waves of Light", "Untold", "Of light: waves", "Of", "", "Untold."]
    papers = [(str(row), f"text {row}", title) for row, title in enumerate(titles)]
    questions = [
        ("What?", ["LIGHT", "Nowhere"]),
        ("Why?", ["Nowhere", "Of Light"]),
        ("How?", ["", "\u200b", "Untold"]),
        ("Who?", []),
        ("What?", ["waves of  light"]),
    ]
    write_oagqa(papers, questions, topic="optics")
    rows = b'0\ttext 3\tUntold\n1\t"b\tB\n2\tc\tC\n3\td"\tD\n4\ttext 3\tUntold\n5\ttext 3\tUntold?\n'
    write_oagqa(rows, [("Why?", ["D"]), ("Whose?", ["C"])], topic="algebra")
    return write_oagqa(None, [("Where?", ["Light"])], topic="photon")


def test_a_title_as_long_as_its_file_does_not_stop_the_audit():
    assert contained({" a b ", " b c ", " " + "a b " * 20_000}) == {" a b "}


def test_the_audit_of_questions_counts_what_is_odd(odd, scirank, tmp_path):
    audit = audit_oagqa(odd)
    algebra, optics = audit.topics
    # Titles in longer ones: light, of, untold. Answers without a paper: Nowhere twice, Of Light, two without a token.
    assert optics == TopicAudit(
        topic="optics", discipline="physics", papers=8, questions=5, answers=8, answers_without_paper=5,
        unanswerable=2, repeated_titles=1, contained_titles=3, empty_answers=2, shared_papers=1, told=optics.told,
    )  # fmt: skip
    assert algebra == TopicAudit(
        topic="algebra", discipline="algebra", papers=4, questions=2, answers=2, answers_without_paper=1,
        unanswerable=1, repeated_titles=1, contained_titles=1, empty_answers=0, shared_papers=2, told=algebra.told,
    )  # fmt: skip
    assert algebra.told[0] == "2 line(s) swallowed by a quote before them, as upstream's reader does"
    assert optics.told == ("2 empty answer(s), which every title contains", "1 question(s) without any answer")
    assert (audit.incomplete, audit.repeated_questions) == (("photon-questions.tsv",), 2)
    (tmp_path / "oagqa.zip").write_bytes(zipped_folder(odd, "oagqa/"))
    assert audit_oagqa(tmp_path / "oagqa.zip") == audit
    for source in (odd, "oagqa.zip"):
        printed = scirank("audit", "oagqa", "--data-dir", source).stdout
        cells = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if len(line.split()) > 8}
        assert cells["optics"] == ["physics", "8", "5", "8", "5", "2", "1", "3", "2", "1"]
        assert cells["all"] == ["12", "7", "10", "6", "3", "2", "4", "2", "3"]
        for line in (
            "10 question-answer pairs, 7 questions (2 repeated); published: 17,948, of queries or of pairs",
            "at most 57.14 % of the questions can be answered by exact title",
            "algebra: 2 line(s) swallowed by a quote before them, as upstream's reader does",
            "1 file without their partner, not used: photon-questions.tsv",
        ):
            assert line in printed


def test_the_audit_of_some_topics(odd, scirank):
    assert [topic.topic for topic in audit_oagqa(odd, "algebra").topics] == ["algebra"]
    assert [topic.shared_papers for topic in audit_oagqa(odd, disciplines="physics").topics] == [0]
    for arguments, message, code in [
        (("--topics", "music"), "no topic music; it has algebra, optics", 1),
        (("--topics", ","), "error: no topic was named", 1),
        (("--split", "test"), "--split is for mdcr", 2),
    ]:
        done = scirank("audit", "oagqa", "--data-dir", odd, *arguments, expect=code)
        assert message in done.stderr
        assert done.stdout == ""


def test_the_audit_of_real_questions(cranfield, scirank):
    printed = scirank("audit", "oagqa", OAGQA_DATA_DIR=str(cranfield)).stdout
    assert "1,611 question-answer pairs, 225 questions (0 repeated); published: 17,948, of queries or of" in printed
    assert "at most 100.00 % of the questions" in printed
    (row,) = [line.split()[2:] for line in printed.splitlines() if "structures" in line]
    assert row == ["1,398", "113", "817", "0", "0", "39", "8", "0", "1,398"]


@given(st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(lambda tokens: f" {' '.join(tokens)} ")))
def test_contained_titles_as_a_comparison_of_all_pairs_finds_them(titles):
    assert contained(titles) == {one for one in titles for other in titles if one != other and one in other}


def test_published_rows_are_consistent():
    """The published average of SciNCL is the doubly rounded mean of its fields."""
    scincl = next(row for row in published_rows("mdcr") if row.groups)
    for measure, average in scincl.average.items():
        assert round(sum(row[measure] for row in scincl.groups.values()) / 19, 4) == average
    assert all(row.source for row in published_rows("mdcr"))


def test_reproducing_says_row_by_row(scirank, tmp_path):
    fields = next(row for row in published_rows("mdcr") if row.groups).groups
    benchmark = {field: {"1": pool(bm25=["2"], true=["3"])} for field in list(fields)[1:]}
    (tmp_path / "mdcr_test.json").write_text(json.dumps(benchmark))
    (tmp_path / "scincl_scores.json").write_text(json.dumps({"1_2": 0.1, "1_3": 0.2}))
    done = scirank("reproduce", "mdcr-scincl", "--data-dir", tmp_path, expect=1)
    assert "0 of 20 published rows of SciNCL come out" in done.stdout
    assert "absent" in done.stdout
    (tmp_path / "scincl_scores.json").unlink()
    missing = scirank("reproduce", "mdcr-scincl", "--data-dir", tmp_path, expect=1)
    assert "scincl_scores.json not there" in missing.stderr
    assert "https://github.com/zoranmedic/mdcr" in missing.stderr


def test_a_bad_download_is_told_of_and_fetched_again(upstream):
    (upstream / "mdcr_test.json").write_text(json.dumps({"Art": {"1": pool(bm25=["2"], true=["3"])}}))
    (upstream / "scincl_scores.json").write_text("<html>Please sign in</html>")
    with pytest.raises(ScirankError, match=r"(?s)not valid JSON.*scincl_scores.json is at http"):
        reproduce_scincl()
    (upstream / "scincl_scores.json").write_text(json.dumps({"1_2": 0.1, "1_3": 0.2}))
    assert [row.here for row in reproduce_scincl() if row.group == "Art"] == [
        {"map": 100.0, "ndcg": 100.0, "recall_5": 100.0}
    ]
    (upstream / "mdcr_test_data.jsonl").write_text("<html>Please sign in</html>")
    with pytest.raises(MdcrDataError, match=r"(?s)a web page.*To do it by hand"):
        audit_mdcr(split="test")
    (upstream / "mdcr_test_data.jsonl").write_text('{"paper_id": "1"}\n')
    assert audit_mdcr(split="test")[0].without_record == 2


def test_a_reproduced_row_is_recognised(acmcr, expected):
    from scirank.results import PublishedRow

    rows = compare(
        score(acmcr / "mdcr_test.json", acmcr / "minilm_scores.json"),
        PublishedRow("minilm", "here", expected["minilm"]["avg"], expected["minilm"]["fields"]),
    )
    assert [row.group for row in rows if row.same] == ["CHIIR", "ICTIR", "SIGIR", "WSDM", "AVG"]


def test_all_20_published_rows_on_upstreams_real_files(real_mdcr):
    rows = reproduce_scincl(real_mdcr)
    assert len(rows) == 20
    assert [row for row in rows if not row.same] == []


@pytest.mark.parametrize("command", [(), ("score",), ("run",), ("audit",), ("reproduce",)])
def test_help_has_an_example_and_is_light(python, command):
    code = (
        "import sys\nfrom scirank.cli import app\n"
        "try:\n    app()\n"
        "finally:\n    print([m for m in ('torch', 'datasets', 'numpy', 'pyarrow') if m in sys.modules])"
    )
    done = python(code, *command, "--help")
    assert re.search("Examples?: scirank ", " ".join(done.stdout.split()))
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_traceback_on_demand_and_a_pipe_that_closes(scirank_process, tmp_path):
    missing = ("score", "mdcr", "--benchmark-file", tmp_path / "no", "--scores-file", tmp_path / "no")
    assert "Traceback" not in scirank_process(*missing, expect=1).stderr
    assert "Traceback" in scirank_process(*missing, expect=1, SCIRANK_TRACEBACK="1").stderr
    command = (
        f"{sys.executable} -c 'from scirank.cli import main; main()' run random --benchmark mdcr-mini -q | head -1"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mdcr-mini test")
    assert done.stderr == ""


def test_progress_in_plain_lines(capsys):
    from scirank.progress import Progress

    with Progress(quiet=False).counting(3, "counting") as advance:
        for _ in range(3):
            advance(1)
    assert capsys.readouterr().err == "counting: 3 of 3, 0 s\n"
    with Progress(quiet=True).counting(3, "counting") as advance:
        advance(3)
    assert capsys.readouterr().err == ""


def test_version(scirank_process):
    from scirank import __version__

    assert scirank_process("--version").stdout == f"scirank {__version__}\n"
