"""`scirank score oagqa` and `score_run`: rankings that someone has."""

import json
import re

import pytest

from scirank.errors import ScirankError
from scirank.plots import check_calibration
from scirank.question_scoring import score_run
from scirank.results import Result

TOPICS = ("aerodynamics", "structures")


@pytest.fixture(params=["minilm", "bm25"])
def given(request, cranfield):
    """A ranking's files, and the counts that upstream's matching gives."""
    files = [cranfield / f"{topic}-{request.param}-top100.jsonl" for topic in TOPICS]
    return files, json.loads((cranfield / "expected.json").read_text())[request.param]


def assert_expected(result, expected, topics=TOPICS):
    columns = result.per_query
    assert list(result.groups) == list(topics)
    for topic in topics:
        row = expected[topic]
        rows = [place for place, group in enumerate(columns["group"]) if group == topic]
        assert len(rows) == row["questions"]
        for prefix, hits in (("", row["hits_upstream"]), ("exact_", row["hits_exact_title"])):
            assert {k: sum(columns[f"{prefix}hit_{k}"][place] for place in rows) for k in hits} == hits
            percent = {k: round(100 * number / len(rows), 4) for k, number in hits.items()}
            assert {k: result.groups[topic][f"{prefix}hit_{k}"] for k in hits} == percent
        assert {k: result.groups[topic][f"hit_{k}"] for k in row["hit_upstream"]} == row["hit_upstream"]
        false = {f"hit_{k}": number - row["hits_exact_title"][k] for k, number in row["hits_upstream"].items()}
        assert result.summary["groups"][topic]["false_hits"] == false


def rewritten(files, folder, line):
    """The same rankings in other words: a function makes a text of topic and record."""
    written = []
    for topic, path in zip(TOPICS, files, strict=True):
        written.append(folder / f"mine {topic}")
        records = map(json.loads, path.read_text().splitlines())
        written[-1].write_text("".join(line(topic, record) for record in records))
    return written


def as_trec(topic, record):
    """Lines in an order of their own: a score says the rank, since given scores are rounded into ties."""
    lines = [
        f"{topic}/{record['question']} Q0 {topic}/{paper} 0 {-rank} tag\n" for rank, paper in enumerate(record["ids"])
    ]
    return "".join(reversed(lines))


FORMS = {
    "TREC": as_trec,
    "topic": lambda topic, record: json.dumps(record | {"topic": topic}) + "\n",
    "topic/row": lambda topic, record: json.dumps(record | {"question": f"{topic}/{record['question']}"}) + "\n",
    "without scores": lambda topic, record: json.dumps({**record, "scores": None, "topic": topic}) + "\n",
}


def test_the_given_rankings_have_the_expected_counts(given, cranfield):
    files, expected = given
    result = score_run(files, data_dir=cranfield)
    assert_expected(result, expected)
    assert result.notes == ()
    assert result.model == "+".join(path.stem for path in files)
    assert len(result.provenance["data_sha256"]["runs"]) == 2
    assert result.summary["ece"] > 0
    one = score_run(files[1], data_dir=cranfield)
    assert_expected(one, expected, ["structures"])
    assert one.notes == ("1 topic without any ranking, left out: aerodynamics",)
    assert one.groups["structures"] == result.groups["structures"]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_in_other_forms(given, cranfield, tmp_path, form):
    files, expected = given
    result = score_run(rewritten(files, tmp_path, FORMS[form]), data_dir=cranfield)
    assert_expected(result, expected)
    scored = form != "without scores"
    assert ("ece" in result.summary, "tied_queries" in result.summary) == (scored, scored)


def test_a_files_topic_is_not_taken_for_another(given, cranfield):
    """Rows and papers have the same numbers in every topic, so a wrong one would be wrong numbers without a word."""
    files, expected = given
    assert_expected(score_run(files, data_dir=cranfield, groups=TOPICS[0]), expected, TOPICS[:1])
    with pytest.raises(ScirankError, match="no question of the run is in the topics aerodynamics"):
        score_run(files[1], data_dir=cranfield, groups=TOPICS[0])


def test_the_command(given, cranfield, scirank, tmp_path):
    files, expected = given
    both = ("score", "oagqa", *(part for path in files for part in ("--run", path)))
    done = scirank(*both, "--out", "out", OAGQA_DATA_DIR=str(cranfield))
    assert done.stdout.startswith("oagqa test, 225 questions in 2 topics of 1 discipline, percent\n")
    assert done.stdout.endswith("none could be checked\n")
    assert done.stderr == ""
    assert_expected(Result.load(tmp_path / "out"), expected)
    (row,) = [line.split() for line in done.stdout.splitlines() if " structures " in line]
    found = [f"{expected['structures']['hit_upstream'][k]:.2f}" for k in ("1", "5", "10", "20", "50", "100")]
    assert row[:8] == ["structures", "113", *found]


def test_the_command_where_one_topic_is_ranked(cranfield, scirank):
    expected = json.loads((cranfield / "expected.json").read_text())["minilm"]["aerodynamics"]["hit_upstream"]
    one = ("score", "oagqa", "--data-dir", cranfield, "--run", cranfield / "aerodynamics-minilm-top100.jsonl")
    done = scirank(*one, "--format", "json")
    assert done.stderr == "1 topic without any ranking, left out: structures\n"
    saved = json.loads(done.stdout)["summary"]["groups"]["aerodynamics"]
    assert {k: saved[f"hit_{k}"] for k in expected} == expected
    assert scirank(*one, "--quiet").stderr == ""


PAPERS = [("0", "waves", "Light"), ("1", "bent", "Lenses"), ("2", "both", "Light in Lenses"), ("3", "", "Untold")]
QUESTIONS = [("What?", ["Light"]), ("Why?", ["Lenses", "Nowhere"]), ("Who?", ["Nowhere"])]
RANKED = {"optics/0": ["2", "0", "1"], "optics/1": ["3", "1"], "optics/2": ["1"], "photon/0": ["1", "0"]}


@pytest.fixture
def small(write_oagqa):
    write_oagqa([("0", "", "Untold"), PAPERS[1]], [("Which?", ["Untold"])], topic="photon")
    write_oagqa([PAPERS[0]], [("Thin?", ["Light"])], topic="optics-thin")
    return write_oagqa(PAPERS, QUESTIONS, topic="optics")


def lines(*questions, **more):
    """JSON lines of questions in `RANKED`."""
    records = [{"question": question, "ids": RANKED[question], **more} for question in questions]
    return "".join(json.dumps(record) + "\n" for record in records)


def trec(*questions):
    return "".join(
        f"{question} Q0 {question.split('/')[0]}/{paper} {rank} {10 - rank} me\n"
        for question in questions
        for rank, paper in enumerate(RANKED[question])
    )


OPTICS = ("optics/0", "optics/1", "optics/2")
ROWS = "".join(json.dumps({"question": row, "ids": RANKED[f"optics/{row}"]}) + "\n" for row in range(3))

# Case -> name of the file, what is in it.
LIBERAL = {
    "topic/row": ("a.jsonl", lines(*OPTICS)),
    "row, topic in the name": ("optics-a.jsonl", ROWS),
    "row, topic with a dot": ("optics.jsonl", ROWS),
    "row, topic with a line": ("optics_a.jsonl", ROWS),
    "row, topic is the name": ("optics", ROWS),
    "row in quotes": ("optics-a", re.sub(r'"question": (\d)', r'"question": "\1"', ROWS)),
    "row and topic": ("photon-a.jsonl", ROWS.replace('"ids"', '"topic": "optics", "ids"')),
    "ids are numbers": ("optics-a", re.sub(r'"(\d)"', r"\1", ROWS)),
    "blank lines": ("optics-a", "\n \n" + ROWS.replace("\n", "\n\n")),
    "Windows": ("optics-a", "\ufeff" + ROWS.replace("\n", "\r\n")),
    "another order": ("a", lines(*reversed(OPTICS))),
    "TREC": ("a.run", trec(*OPTICS)),
    "TREC, papers without topic": ("a.run", trec(*OPTICS).replace("Q0 optics/", "Q0 ")),
    "TREC, any order, tabs, Windows": (
        "a.run",
        "\ufeff" + "\r\n".join(sorted(trec(*OPTICS).replace(" ", "\t").splitlines())),
    ),
}


@pytest.mark.parametrize("case", LIBERAL)
def test_reads_liberally(small, tmp_path, case):
    name, content = LIBERAL[case]
    path = tmp_path / name
    path.write_bytes(content.encode())
    result = score_run(path, data_dir=small, measures=["hit_1", "hit_2", "mrr", "recall_2"])
    columns = result.per_query
    assert columns["query_id"] == list(OPTICS)
    assert columns["hit_1"] == [1, 0, 0]
    assert columns["exact_hit_1"] == [0, 0, 0]
    assert columns["hit_2"] == columns["exact_hit_2"] == columns["recall_2"] == [1, 1, 0]
    assert (columns["mrr"], columns["exact_mrr"]) == ([1, 0.5, 0], [0.5, 0.5, 0])
    assert result.model == path.stem


def test_the_longest_topic_that_a_name_begins_with(small, tmp_path):
    path = tmp_path / "optics-thin-a.jsonl"
    path.write_text('{"question": 0, "ids": [0]}\n')
    assert list(score_run(path, data_dir=small).groups) == ["optics-thin"]


def test_equal_scores(small, tmp_path):
    """Of JSON lines the order is the file's; of a TREC run it is by id, descending."""
    json_lines, run = tmp_path / "a.jsonl", tmp_path / "a.run"
    json_lines.write_text('{"question": "optics/0", "ids": ["0", "1"], "scores": [0.5, 0.5]}\n')
    run.write_text("optics/0 Q0 optics/0 1 0.5 x\noptics/0 Q0 optics/1 2 0.5 x\n")
    for path, hit in ((json_lines, 1), (run, 0)):
        result = score_run(path, data_dir=small, missing="drop", measures="hit_1")
        assert (result.per_query["hit_1"], result.per_query["tied"]) == ([hit], [True])
        assert any("1 of 1 question has equal scores" in note for note in result.notes)


@pytest.mark.parametrize(
    ("missing", "questions", "hits", "note"),
    [
        ("error", OPTICS, [1, 1, 0], None),
        ("lowest", ["optics/1"], [0, 1, 0], "2 questions without a ranking, counted as not found: optics/0, optics/2"),
        ("drop", ["optics/1"], [1], "2 questions without a ranking, left out: optics/0, optics/2"),
        ("drop", ["optics/0", "optics/1", "photon/0"], [1, 1, 1], "1 question without a ranking, left out: optics/2"),
        ("lowest", ["photon/0"], [1], None),
    ],
)
@pytest.mark.parametrize("form", [lines, trec])
def test_missing(small, tmp_path, missing, questions, hits, note, form):
    path = tmp_path / "a"
    path.write_text(form(*questions))
    result = score_run(path, data_dir=small, missing=missing, measures="hit_2")
    assert result.per_query["hit_2"] == hits
    assert [told for told in result.notes if " without a ranking, " in told] == ([note] if note else [])
    assert result.provenance["settings"]["missing"] == missing
    left_out = ", ".join(topic for topic in ("optics", "photon", "optics-thin") if topic not in result.groups)
    assert any(told.endswith(f" without any ranking, left out: {left_out}") for told in result.notes)


def test_a_topic_that_was_named_cannot_go_missing(small, tmp_path):
    path = tmp_path / "a"
    path.write_text(lines(*OPTICS) + asked('"photon/99"', ids="[0]"))
    with pytest.raises(ScirankError, match=r"1 question has no ranking: photon/0 \(and .* no question here: photon/99"):
        score_run(path, data_dir=small, groups=["optics", "photon"])
    alone = score_run(path, data_dir=small, groups="optics", name="mine")
    among = score_run(path, data_dir=small)
    assert alone.model == "mine"
    assert alone.provenance["data_sha256"] == among.provenance["data_sha256"]


def test_without_scores_nothing_is_said_of_ties(small, tmp_path):
    path = tmp_path / "a"
    path.write_text(lines(*OPTICS))
    result = score_run(path, data_dir=small, measures="hit_2")
    assert "tied" not in result.per_query
    assert "tied_queries" not in result.summary
    with pytest.raises(ScirankError, match="no calibration"):
        check_calibration(result)


def test_what_is_not_used_is_told(small, tmp_path):
    path = tmp_path / "a"
    path.write_text(lines("photon/0") + asked('"photon/99"', ids="[0]") + asked('"music/0"', ids='["a"]'))
    assert score_run(path, data_dir=small, measures="hit_2").notes[-2:] == (
        "2 topics without any ranking, left out: optics, optics-thin",
        "2 rankings are of no question here and not used: photon/99, music/0",
    )


GOOD = '{"question": "optics/0", "ids": ["0", "1"], "scores": [2, 1]}\n'
PARTS = "expected 'topic/row Q0 topic/paper rank score tag', found {} parts: '{}".format
FINITE = "expected a finite number as score, found {}".format
WHICH = "cannot tell the topic of question {}. Write topic/row, add 'topic', begin the file's name".format
IDS = "expected 'ids', a list of papers, best first, found {}".format
OBJECT = "expected an object with 'question' and 'ids', found '{}".format
TWICE = "paper {} is ranked twice for optics/0".format


def asked(question='"optics/0"', **parts):
    """A line of JSON out of parts that are JSON."""
    return "{" + ", ".join(f'"{key}": {value}' for key, value in {"question": question, **parts}.items()) + "}\n"


# Case -> what is in the file `a`, the number of the line that is to blame (or None), the message.
MALFORMED = {
    "empty": ("", None, "nothing is in it; expected a TREC run or JSON lines"),
    "blank": ("\n \n", None, "nothing is in it; expected a TREC run or JSON lines"),
    "not UTF-8": (b"optics/0 Q0 0 1 1 caf\xe9", None, "not UTF-8 (unexpected end of data at byte 21)"),
    "zipped": (b"\x1f\x8b\x08\x00", None, "not UTF-8 (invalid start byte at byte 1)"),
    "5 parts": ("optics/0 Q0 0 1 0.5\n", 1, PARTS(5, "optics/0 Q0 0 1 0.5'")),
    "7 parts": ("\noptics/0 Q0 0 1 0.5 my tag\n", 2, PARTS(7, "optics/0 Q0 0 1 0.5 my tag'")),
    "qrels": ("optics/0 0 0 1\n", 1, PARTS(4, "optics/0 0 0 1'")),
    "commas": ("optics/0,0,0.5\n", 1, PARTS(1, "optics/0,0,0.5'")),
    "JSON list": ("[" + GOOD.strip() + "]", 1, PARTS(8, '[{"question"')),
    "no topic": ("0 Q0 0 1 0.5 x\n", 1, "cannot tell the topic of question '0'. Write topic/row"),
    "twice": ("optics/0 Q0 0 1 2 x\noptics/0 Q0 optics/0 2 1 x\n", 2, TWICE("optics/0")),
    "word": ("optics/0 Q0 0 1 high x\n", 1, FINITE("'high'")),
    "NaN": ("optics/0 Q0 0 1 2 x\noptics/0 Q0 1 2 nan x\n", 2, FINITE("'nan'")),
    "infinity": ("optics/0 Q0 0 1 -inf x\n", 1, FINITE("'-inf'")),
    "above single precision": ("optics/0 Q0 0 1 1e39 x\n", 1, "finite"),
    "JSON after TREC": ("optics/0 Q0 0 1 1 x\n" + GOOD, 2, PARTS(8, '{"question"')),
    "TREC after JSON": (GOOD + "optics/1 Q0 0 1 1 x\n", 2, "not valid JSON (Expecting value: line 1 column 1"),
    "cut off": (GOOD + '{"question": "opt', 2, "not valid JSON (Unterminated string"),
    "indented": ('{\n "question": 0\n}\n', 1, "not valid JSON (Expecting property name"),
    "number": (GOOD + "7\n", 2, OBJECT("7'")),
    "other keys": ('{"query": "optics/0", "ids": []}\n', 1, OBJECT('{"query": ')),
    "no ids": (asked(scores="[1]"), 1, IDS("None")),
    "ids in a text": (asked(ids='"0 1"'), 1, IDS("'0 1'")),
    "id null": (asked(ids="[null]"), 1, IDS("[None]")),
    "ids with scores": (asked(ids='{"0": 0.5}'), 1, IDS("{'0': 0.5}")),
    "id twice": (asked(ids='["1", "0", "1"]'), 1, TWICE("1")),
    "id twice, number and text": (asked(ids='["1", 1]'), 1, TWICE("1")),
    "question twice": (GOOD + GOOD, 2, "question optics/0 stands twice in this file"),
    "row alone": (asked("0", ids="[]"), 1, WHICH("0")),
    "question null": (asked("null", ids="[]", topic='"optics"'), 1, WHICH("None")),
    "question yes": (asked("true", ids="[]", topic='"optics"'), 1, WHICH("True")),
    "topic a number": (asked("0", ids="[]", topic="7"), 1, WHICH("0")),
    "too few scores": (asked(ids="[0, 1]", scores="[1]"), 1, "2 ids but scores are 1; give one for each"),
    "one score": (asked(ids="[0, 1]", scores="0.5"), 1, "2 ids but scores are 0.5; give one for each"),
    "rising": (asked(ids="[0, 1]", scores="[1, 2]"), 1, "the score at rank 2 is above that before it; ids should be"),
    "score null": (asked(ids="[0]", scores="[null]"), 1, FINITE("None")),
    "score yes": (asked(ids="[0]", scores="[true]"), 1, FINITE("True")),
    "score NaN": (asked(ids="[0]", scores="[NaN]"), 1, FINITE("nan")),
    "score too large": (asked(ids="[0]", scores="[1e39]"), 1, "finite"),
    "score far too large": (asked(ids="[0]", scores="[1" + "0" * 400 + "]"), 1, "finite"),
    "some scores": (GOOD + asked('"optics/1"', ids="[0]"), None, "1 line has scores, others none; give all or none"),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_run_files_are_one_clear_error(small, tmp_path, case):
    content, line, message = MALFORMED[case]
    path = tmp_path / "a"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ScirankError) as raised:
        score_run(path, data_dir=small)
    assert str(raised.value).startswith(f"{path}, line {line}: " if line else f"{path}: ")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ({"a": lines("photon/0").replace("photon", "law")}, {}, "no question of the run is in the topics opt.* law/0"),
        ({"a": lines(*OPTICS).replace("optics", "Optics")}, {}, "look like Optics/0, .*, expected such as optics/0"),
        ({"a": lines("photon/0")}, {"groups": "optics"}, "in the topics optics: they look like photon/0, expected"),
        ({"a": lines(*OPTICS).replace('"3"', '"77"')}, {}, "of optics/1 has what is no paper of optics: 77; .* 0, 1"),
        ({"a": lines(*OPTICS), "b": trec("optics/0")}, {}, "some of the run files have scores and others none"),
        ({"a": lines(*OPTICS), "b": lines("optics/0")}, {}, "b: ranked in an earlier file too: optics/0"),
        ({"a": lines("optics/0")}, {}, "2 questions have no ranking: optics/1, optics/2. .*choose missing"),
        ({"a": lines(*OPTICS)}, {"missing": "guess"}, "unknown missing 'guess'; valid are error, lowest, drop"),
        ({"a": lines(*OPTICS)}, {"groups": "music"}, "no topic music; it has "),
        ({"a": lines(*OPTICS)}, {"groups": []}, "no topic was named"),
        ({"a": lines(*OPTICS)}, {"disciplines": "music"}, "no topic of discipline music"),
        ({"a": lines(*OPTICS)}, {"quotes": "guess"}, "unknown quotes 'guess'"),
        ({"a": lines(*OPTICS)}, {"measures": "ndcg"}, "unknown measure 'ndcg'; valid are hit, recall, mrr"),
        ({"a": lines(*OPTICS)}, {"measures": "ndcg", "data_dir": "absent"}, "unknown measure 'ndcg'"),
        ({}, {}, "the run file '.*absent' cannot be read: No such file"),
        ({"absent/a": ""}, {}, "the run file '.*absent' cannot be read: Is a directory"),
    ],
)  # fmt: skip
def test_rankings_and_choices_that_do_not_fit(small, tmp_path, files, options, message):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    paths = [tmp_path / name for name in files if "/" not in name] or [tmp_path / "absent"]
    with pytest.raises(ValueError, match=message):
        score_run(paths, **({"data_dir": small} | options))


def test_the_commands_errors(small, scirank, tmp_path):
    (tmp_path / "good").write_text(lines(*OPTICS))
    (tmp_path / "bad").write_text(trec("optics/0") + "optics/0 Q0 3 1 x\n")
    run = ("score", "oagqa", "--data-dir", small, "--run")
    mdcr = ("score", "mdcr", "--benchmark-file", "a", "--scores-file", "b")
    for arguments, message, code in [
        ((*run, "bad"), "error: bad, line 4: expected 'topic/row Q0 topic/paper rank score tag', found 5 parts: ", 1),
        ((*run, "good", "--benchmark-file", "a", "--ties", "expected"), "--benchmark-file and --ties are for mdcr", 2),
        ((*run, "good", "--scores-file", "a", "--no-relevant", "skip"), "-file and --no-relevant are for mdcr", 2),
        (run[:-1], "missing --run", 2),
        ((*mdcr, "--run", "good", "--plot", "a.png"), "--run and --plot are for oagqa", 2),
        ((*mdcr, "--quotes", "literal"), "--quotes is for oagqa", 2),
    ]:  # fmt: skip
        done = scirank(*arguments, expect=code)
        assert message in " ".join(re.sub("[│╭╮╰╯─]", " ", done.stderr).split())
        assert done.stdout == ""


def test_a_plot_that_cannot_be_made_costs_nothing_else(small, scirank, tmp_path):
    (tmp_path / "good").write_text(lines(*OPTICS, scores=None))
    done = scirank("score", "oagqa", "--data-dir", small, "--run", "good", "--plot", "x.gif", "--out", "out", expect=1)
    assert "error: " in done.stderr
    assert done.stdout == "" or Result.load(tmp_path / "out").model == "good"


def test_the_small_one_has_a_name_too(scirank):
    run = ("run", "bm25", "--benchmark", "oagqa-mini", "--topics", "optics", "--out", "out", "--save-run", "-q")
    made = scirank(*run, "--format", "csv").stdout.splitlines()
    again = ("score", "oagqa-mini", "--run", "out/bm25/run.trec", "--topics", "optics", "--name", "bm25")
    assert scirank(*again, "--format", "csv").stdout.splitlines() == made
    assert "60" in scirank("audit", "oagqa-mini", "--topics", "optics").stdout
    assert "comes with the package" in scirank("audit", "oagqa-mini", "--data-dir", ".", expect=2).stderr
