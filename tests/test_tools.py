"""The other commands: audit, reproduce, trec, help; and other tools beside ours."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from statistics import fmean
from zlib import crc32

import pytest
from conftest import LISTS, pool, zipped_folder
from hypothesis import given
from hypothesis import strategies as st

import scirank as package
from mdcr_dataset import MdcrDataError
from mdcr_metric import evaluate_queries, parse_measures
from scirank.audit_mdcr import audit_mdcr
from scirank.audit_oagqa import TopicAudit, audit_oagqa, contained
from scirank.errors import ScirankError
from scirank.question_scoring import score_run
from scirank.reproduce import compare, reproduce_scincl
from scirank.results import Result, published_rows
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


class Coarse:
    """A model with few different scores, and many papers of each."""

    name, notes = "a coarse model", ()

    def rank(self, tasks, progress):
        for task in tasks:
            scores = {
                query: {paper: float(crc32(paper.encode()) % 7) for paper in task.pool(query)} for query in task.queries
            }
            yield package.Ranking(task.group, scores)

    def provenance(self):
        return {}


MEASURES = {  # by trec_eval's other reader, and here
    "mdcr-mini": {"AP": "map", "nDCG": "ndcg", "R@5": "recall_5", "RR": "mrr"},
    "oagqa-mini": {"RR": "exact_mrr", "R@5": "recall_5", "R@10": "recall_10", "Success@5": "exact_hit_5"},
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Folders of results with ranked lists: one with equal scores, one with different ones."""
    folder = tmp_path_factory.mktemp("saved")
    for benchmark, asked in MEASURES.items():
        measures = [name.removeprefix("exact_") for name in asked.values()]
        options = {"top_k": 10} if benchmark == "oagqa-mini" else {}
        options |= {"out": folder / benchmark, "save_rankings": True, "quiet": True, "measures": measures}
        for model in (Coarse(), "random"):
            package.run(model, benchmark, **options)
    return folder


def read_by_ir_measures(folder, names):
    """Measure -> query -> value, out of `run.trec` and `qrels.trec`."""
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = (list(read(str(folder / name))) for read, name in (
        (ir_measures.read_trec_qrels, "qrels.trec"), (ir_measures.read_trec_run, "run.trec")))  # fmt: skip
    found = defaultdict(dict)
    for row in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, run):
        found[str(row.measure)][row.query_id] = row.value
    return found


@pytest.mark.parametrize("by_rank", [(), ("--by-rank",)])
@pytest.mark.parametrize("model", ["a_coarse_model", "random"])
@pytest.mark.parametrize("benchmark", MEASURES)
def test_other_tools_get_a_saved_results_numbers(saved, scirank, tmp_path, benchmark, model, by_rank):
    done = scirank("trec", saved / benchmark / model, "--out", "trec", *by_rank)
    assert done.stderr.splitlines() == ["saved trec/run.trec", "saved trec/qrels.trec"]
    result = Result.load(saved / benchmark / model)
    assert (result.summary["tied_queries"] > 0) == (model != "random")
    found = read_by_ir_measures(tmp_path / "trec", MEASURES[benchmark])
    queries, groups = result.per_query["query_id"], result.per_query["group"]
    for theirs, ours in MEASURES[benchmark].items():
        values = dict(zip(queries, result.per_query[ours], strict=True))
        assert found[theirs] == pytest.approx(values, rel=0, abs=1e-9)
        by_group = defaultdict(list)
        for query, group in zip(queries, groups, strict=True):
            by_group[group].append(100 * found[theirs][query])
        expected = {group: row[ours] for group, row in result.summary["unrounded"]["groups"].items()}
        assert {group: fmean(row) for group, row in by_group.items()} == pytest.approx(expected, rel=0, abs=1e-9)
    rows = [line.split() for line in (tmp_path / "trec" / "run.trec").read_text().splitlines()]
    assert {row[5] for row in rows} == {"".join(result.model.split())}
    if by_rank:
        by_query = defaultdict(list)
        for query, _, _, rank, value, _ in rows:
            by_query[query].append((int(rank), int(value)))
        assert all(row == [(n, len(row) - n + 1) for n in range(1, len(row) + 1)] for row in by_query.values())


def test_answers_that_were_not_ranked_count_for_other_tools_too(saved, scirank, tmp_path):
    scirank("trec", saved / "oagqa-mini" / "random", "--out", "trec", "--topics", "optics")
    task = next(task for task in package.load_benchmark("oagqa-mini").tasks if task.group == "optics")
    relevant = {f"{query} 0 optics/{paper} 1" for query, papers in task.relevant.items() for paper in papers}
    assert set((tmp_path / "trec" / "qrels.trec").read_text().splitlines()) == relevant
    ranked = {tuple(line.split()[:3:2]) for line in (tmp_path / "trec" / "run.trec").read_text().splitlines()}
    assert {query for query, _ in ranked} == set(task.queries)
    assert not {tuple(line.split()[:3:2]) for line in relevant} <= ranked


def test_a_file_of_questions_for_other_tools(write_oagqa, scirank, tmp_path):
    """Equal scores in the file's order, answers that are not ranked, a question with neither answer nor ranking."""
    titles = ("Light", "Waves", "Lenses", "Light")
    folder = write_oagqa(
        [(str(row), f"text {row}", title) for row, title in enumerate(titles)],
        [("What?", ["Light"]), ("Why?", ["Waves"]), ("How?", ["Nowhere"]), ("Where?", ["Nowhere"])],
    )
    lists = ((0, ["2", "3"], [1, 1]), (1, ["1", "2", "0"], [1, 1, 1]), (3, ["0"], [1]))
    path = tmp_path / "optics-mine.jsonl"
    path.write_text("".join(json.dumps({"question": q, "ids": ids, "scores": s}) + "\n" for q, ids, s in lists))
    measures = ["recall_1", "recall_3", "mrr"]
    result = score_run(path, data_dir=folder, measures=measures, missing="lowest")
    result.save(tmp_path / "mine", rankings=True)
    plain = scirank("trec", "mine", "--out", "plain", "--data-dir", folder)
    assert "note: of 2 of 4 queries equal scores stand in an order that only --by-rank keeps\n" in plain.stderr
    assert "note" not in scirank("trec", "mine", "--out", "kept", "--by-rank", OAGQA_DATA_DIR=str(folder)).stderr
    expected = {
        theirs: dict(zip(result.per_query["query_id"], result.per_query[ours], strict=True))
        for theirs, ours in (("R@1", "recall_1"), ("R@3", "recall_3"), ("RR", "exact_mrr"))
    }
    assert expected["RR"] == {"optics/0": 0.5, "optics/1": 1, "optics/2": 0, "optics/3": 0}
    assert read_by_ir_measures(tmp_path / "kept", expected) == expected
    by_id = read_by_ir_measures(tmp_path / "plain", ["RR"])["RR"]
    assert by_id == {"optics/0": 1, "optics/1": 0.5, "optics/2": 0, "optics/3": 0}
    (tmp_path / "data" / "optics-papers-10k.tsv").write_text("0\ttext\tLight\n")
    for arguments, message in [
        ((), "error: optics-mine: which papers answer is said by oagqa's files, of which none are at hand. Choose d"),
        (("--data-dir", folder), "error: these are not the files that the result is of: "),
        (("--data-dir", folder, "--topics", "waves"), "error: optics-mine has no group waves; it has optics"),
    ]:
        assert scirank("trec", "mine", "--out", "none", *arguments, expect=1).stderr.startswith(message)
    assert not (tmp_path / "none").exists()


def test_what_trec_files_cannot_hold_or_say(write_mdcr, scirank, tmp_path):
    papers = [{"paper_id": str(row), "title": f"t {row}"} for row in range(1, 6)]
    fields = {
        "Art": {"1": pool(bm25=["2", "3"], true=["4"]), "5": pool(bm25=["2"], true=["3"])},
        "Music": {"1": pool(bm25=["3"], true=["2"])},
    }
    folder = write_mdcr(fields, papers)
    scores = {"1_2": 1, "1_3": 1, "5_2": 0.5, "5_3": 0.5}
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    result = score(
        folder / "mdcr_test.json", tmp_path / "scores.json", missing="drop", no_relevant="zero", ties="expected"
    )
    result.save(tmp_path / "mine", rankings=True)
    result.save(tmp_path / "bare")
    refused = scirank("trec", "mine", "--out", "all", expect=1).stderr
    assert refused == (
        "error: query 1 is in two groups, which TREC files cannot tell apart; write some groups at a time (--groups)\n"
    )
    told = scirank("trec", "mine", "--out", "art", "--fields", "Art").stderr
    assert "note: this result is under the tie rule expected; the files have equal scores by id, as trec" in told
    # What was dropped for want of a score, here the only citation of a query, was not evaluated and is not judged.
    assert (tmp_path / "art" / "qrels.trec").read_text() == "1 0 2 0\n1 0 3 0\n5 0 2 0\n5 0 3 1\n"
    found = read_by_ir_measures(tmp_path / "art", ["AP"])["AP"]
    assert found == {"1": 0, "5": 1}
    bare = scirank("trec", "bare", "--out", "none", expect=1).stderr
    assert bare.startswith("error: bare/rankings.parquet is absent: ranked lists are saved on request (--save-rankings")
    assert not (tmp_path / "none").exists()


RANX = {"map": "map", "ndcg": "ndcg", "recall@5": "recall_5", "mrr": "mrr", "map@10": "map_10", "ndcg@10": "ndcg_10",
        "precision@10": "precision_10", "hit_rate@5": "success_5"}  # fmt: skip


@pytest.fixture(scope="module")
def read_by_ranx():
    """Measure -> query -> value, out of dictionaries."""
    ranx = pytest.importorskip("ranx")

    def values(qrels, runs, names):
        run = ranx.Run(runs)
        ranx.evaluate(ranx.Qrels(qrels), run, list(names))
        return {name: dict(run.scores[name]) for name in names}

    return values


@pytest.mark.full
def test_ranx_agrees_where_no_scores_are_equal(read_by_ranx, saved):
    result = Result.load(saved / "mdcr-mini" / "random", rankings=True)
    lists = {each.query_id: dict(each.run) for each in result.known_lists()}
    qrels = {each.query_id: {p: int(p in each.relevant) for p in each.run} for each in result.known_lists()}
    lists["none"], qrels["none"] = {"a": 2.0, "b": 1.0}, {"a": 0, "b": 0}  # counts 0 in both
    found = read_by_ranx(qrels, lists, RANX)
    ours = evaluate_queries(list(lists.values()), [qrels[query] for query in lists], parse_measures(RANX.values()))
    assert not any(ours.tied)
    for theirs, (measure, values) in zip(RANX, ours.values.items(), strict=True):
        assert str(measure) == RANX[theirs]
        assert found[theirs] == pytest.approx(dict(zip(lists, values, strict=True)), rel=0, abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize(
    ("scores", "ranx", "trec"),
    [
        ({"a": 1.0, "b": 1.0}, 1.0, 0.5),  # as given; by id, falling
        ({"b": 1.0, "a": 1.0}, 0.5, 0.5),
        ({"a": 1.0 + 1e-9, "b": 1.0}, 1.0, 0.5),  # equal in single precision only
        ({"a": 1.0 + 1e-6, "b": 1.0}, 1.0, 1.0),
    ],
)
def test_ranx_orders_equals_in_its_own_way(read_by_ranx, scores, ranx, trec):
    qrel = {paper: int(paper == "a") for paper in scores}
    assert read_by_ranx({"q": qrel}, {"q": scores}, ["mrr"])["mrr"]["q"] == pytest.approx(ranx)
    (ours,) = evaluate_queries([scores], [qrel], parse_measures("mrr")).values[parse_measures("mrr")[0]]
    assert ours == pytest.approx(trec)


@pytest.mark.full
def test_ranx_orders_many_equals_neither_as_given_nor_by_id(read_by_ranx):
    papers = [f"{n:02}" for n in range(17)]
    qrels = {paper: dict.fromkeys(papers, 0) | {paper: 1} for paper in papers}
    found = read_by_ranx(qrels, {paper: dict.fromkeys(papers, 1.0) for paper in papers}, ["mrr"])["mrr"]
    order = sorted(papers, key=found.__getitem__, reverse=True)
    assert sorted(map(float, found.values())) == pytest.approx([1 / rank for rank in range(17, 0, -1)])
    assert order not in (papers, papers[::-1])


@pytest.mark.full
def test_ranks_for_scores_make_ranx_agree(read_by_ranx, saved, scirank, tmp_path):
    import ranx

    folder = saved / "mdcr-mini" / "a_coarse_model"
    result = Result.load(folder)
    agrees = {}
    for option in ((), ("--by-rank",)):
        scirank("trec", folder, "--out", "trec", *option)
        qrels = ranx.Qrels.from_file(str(tmp_path / "trec" / "qrels.trec"), kind="trec")
        run = ranx.Run.from_file(str(tmp_path / "trec" / "run.trec"), kind="trec")
        ranx.evaluate(qrels, run, ["map"])
        expected = dict(zip(result.per_query["query_id"], result.per_query["map"], strict=True))
        agrees[option] = dict(run.scores["map"]) == pytest.approx(expected, rel=0, abs=1e-9)
    assert agrees == {(): False, ("--by-rank",): True}


@pytest.mark.full
def test_ranx_matches_plain_dictionaries_by_position():
    ranx = pytest.importorskip("ranx")
    qrels = {"2": {"a": 1, "b": 0}, "1": {"a": 0, "b": 1}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "b": 2.0}}
    assert ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "mrr") == 0.5
    assert ranx.evaluate(qrels, run, "mrr") == 1.0


def test_rr_with_a_cutoff_has_another_tie_rule_in_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    asked = [ir_measures.RR, ir_measures.RR @ 10]
    found = ir_measures.calc_aggregate(asked, {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}})
    assert [found[measure] for measure in asked] == [0.5, 1.0]
