"""Reading OAG-QA: upstream's tables, questions for training, the topic tree, and folders and zips."""

import csv
import json
import os
import re
import stat
import tempfile
import zipfile
from collections import Counter

import pytest
from conftest import tsv, zipped, zipped_folder
from hypothesis import given
from hypothesis import strategies as st

from oagqa_dataset import DISCIPLINES, MINI, TOPICS, OagqaDataError, discipline_named, discipline_of, find_topics
from oagqa_dataset.tables import HEADERS, parse_papers, parse_questions, told
from oagqa_dataset.topic import answering, read_topic
from oagqa_dataset.train import parse_train

BOM = b"\xef\xbb\xbf"


def read(kind, data, quotes="error"):
    """What is read, as plain rows, and what was noticed. A kind is `papers`, `questions` or `train`."""
    counts = Counter()
    if kind == "papers":
        table = parse_papers(data, "f", counts, quotes)
        rows = zip(*(table[name].to_pylist() for name in ("paper_id", "text", "title")), strict=True)
    else:
        rows = parse_questions(data, "f", counts, quotes) if kind == "questions" else parse_train(data, "f")
    return [tuple(row) for row in rows], dict(+counts)


A, B, C = ("0", "a", "A"), ("1", "b", "B"), ("2", "c", "C")
ONE = [("What?", ["One"])]
TWO = [*ONE, ("Why?", [])]

# Kind and case -> data, rows, what was noticed.
LIBERAL = {
    "papers: plain": (b"0\ta\tA\n1\tb\tB\n", [A, B], {}),
    "papers: no newline at the end": (b"0\ta\tA\n1\tb\tB", [A, B], {}),
    "papers: byte order mark, CRLF": (BOM + b"0\ta\tA\r\n1\tb\tB\r\n", [A, B], {}),
    "papers: header": (b"id\ttext\ttitle\n0\ta\tA\n", [A], {"header": 1}),
    "papers: header in other words": (b"PID\tAbstract \tTITLE\n0\ta\tA\n", [A], {"header": 1}),
    "papers: id in the middle": (b"id\ttext\ttitle\n0\ta\tA\nid\tx\tX\n1\tb\tB\n", [A, B], {"header": 2}),
    "papers: ids not row numbers": (b"2\tc\tC\n1\tb\tB\n0\ta\tA\n", [C, B, A], {"other_ids": 2}),
    "papers: repeated ids": (b"0\ta\tA\n0\tb\tB\n2\tc\tC\n", [A, C], {"repeated_ids": 1, "other_ids": 1}),
    "papers: blank lines": (b"\n0\ta\tA\n\n\n1\tb\tB\n\n", [A, B], {"blank": 4}),
    "papers: empty": (b"0\t\t\n1\t\tB\n", [("0", "", ""), ("1", "", "B")], {"empty_papers": 1}),
    "papers: quoted as csv does": (b'0\t"a ""b""\nc"\t"A\tB"\n', [("0", 'a "b"\nc', "A\tB")], {}),
    "papers: quotes inside": (b'0\ta "b"\tA "B"\n', [("0", 'a "b"', 'A "B"')], {}),
    "questions: header": (b"query\tpapers\nWhat?\t['One']\n", ONE, {"header": 1}),
    "questions: empty": (b"\t['']\n", [("", [""])], {"empty_questions": 1, "empty_answers": 1}),
    "questions: no answers": (b"What?\t['One']\nWhy?\t []\n", TWO, {"no_answers": 1}),
    "questions: quotes": (b'What?\t"[\'It\'\'s\', ""It\'s""]"\n', [("What?", ["Its", "It's"])], {}),
    "questions: escapes": (b"What?\t['It\\'s \\xe9\\n']\n", [("What?", ["It's é\n"])], {}),
    "train: list": (b'[{"question": "What?", "answers": ["One"]}, {"q": "Why?"}]', TWO, {}),
    "train: one object": (b'{"question": "What?", "answers": ["One"]}', ONE, {}),
    "train: JSON lines": (b'{"query": "What?", "answer": "One"}\n\n{"query": "Why?"}\n', TWO, {}),
    "train: in an object": (b'{"version": 1, "data": [{"question": "What?", "titles": ["One"]}]}', ONE, {}),
    "train: papers only": (BOM + b'[{"q": "What?", "answers": [], "positive_ctxs": [{"title": "One"}]}]', ONE, {}),
    "train: nothing": (b"[]", [], {}),
}


@pytest.mark.parametrize("case", LIBERAL)
def test_reads_liberally_and_counts(case):
    data, rows, noticed = LIBERAL[case]
    assert read(case.partition(":")[0], data) == (rows, noticed)
    assert len(told(Counter(noticed))) == len(noticed)


# A quote in the second line is closed in the fourth, before a tab.
SWALLOWING = b'0\ta\tA\n1\t"b\tB\n2\tc\tC\n3\td"\tD\n'
SWALLOWING_QUESTIONS = b"\"What?\t['One']\nWhy?\"\t['Two']\n"
QUOTES = {
    "papers, upstream": (SWALLOWING, [A, ("1", "b\tB\n2\tc\tC\n3\td", "D")], {"swallowed": 2}),
    "papers, literal": (SWALLOWING, [A, ("1", '"b', "B"), C, ("3", 'd"', "D")], {}),
    "questions, upstream": (SWALLOWING_QUESTIONS, [("What?\t['One']\nWhy?", ["Two"])], {"swallowed": 1}),
    "questions, literal": (SWALLOWING_QUESTIONS, [('"What?', ["One"]), ('Why?"', ["Two"])], {}),
    "papers, literal, never closed": (b'0\t"a\tA\n1\tb\tB\n', [("0", '"a', "A"), B], {}),
    "papers, literal, a quoted word": (b'0\ta\tA\n1\tb\t"B" C\n', [A, ("1", "b", "B C")], {}),
    "papers, literal, a swallowed tab": (b'0\t"a\tb" A\n', [("0", '"a', 'b" A')], {}),
    # As Python's csv writes a list in which a title has an apostrophe.
    "questions, literal, quoted answers": (tsv(("What?", ["One", "It's"])), [("What?", ["One", "It's"])], {}),
}


@pytest.mark.parametrize("case", QUOTES)
def test_stray_quotes(case):
    data, rows, noticed = QUOTES[case]
    kind, quotes, *_ = case.split(", ")
    assert read(kind, data, quotes) == (rows, noticed)


LIMIT = 200_000
ORDER = "the header names {}; expected the columns {}".format
WIDTH = r", line {}: expected {} columns .*, found {}: ".format
RUNS = ", line {}: a field begins with a quote and runs to line {}, .*quotes='literal'.* or 'upstream'".format
LIST = r": answers should be a Python list of titles, as \['A', 'B'\], found "
KIND = ": answers should be a list of titles, found a "
TITLES = ": each answer should be a title in quotes, found .*"
KEYS = ": expected a question under question, query, q and its answers' titles under .*; found the keys "

# Kind and case -> data, message.
MALFORMED = {
    "papers: not UTF-8": (b"0\ta\tA\n1\tcaf\xe9\tB\n", r", line 2: not UTF-8 \(.* 0xe9\)"),
    "papers: not UTF-8 after a byte order mark": (BOM + b"0\ta\tA\n\xff", r", line 2: not UTF-8 \(.* 0xff\)"),
    "papers: header in another order": (
        b"id\ttitle\ttext\n",
        ", line 1: " + ORDER("id, title, text", "id, text, title"),
    ),
    "papers: header without text": (b"id\ttitle\n0\tA\n", ", line 1: " + ORDER("id, title", "id, text, title")),
    "papers: empty id": (b"0\ta\tA\n\n\tb\tB\n", ", line 3: no id; expected id, text and title, found 'b'"),
    "papers: 2 columns": (b"0\ta\tA\n1\tb\n", WIDTH(2, 3, 2) + r"\['1', 'b'\]"),
    "papers: 4 columns": (b"0\ta\tA\t2022\n", WIDTH(1, 3, 4) + ".*'2022'"),
    "papers: commas": (b"0,a,A\n", WIDTH(1, 3, 1) + r"\['0,a,A'\]"),
    "papers: swallowed rows": (SWALLOWING, RUNS(2, 4)),
    "papers: quote never closed": (b'0\t"a\tA\n1\tb\tB\n', RUNS(1, 2)),
    "papers: quote never closed in the last row": (
        b'0\ta\tA\n1\t"b\tB\n',
        WIDTH(2, 3, 2) + ".* quote may have swallowed",
    ),
    "papers: huge field": (b"0\ta\tA\n1\t" + b"b" * LIMIT, ", line 2: field larger .* can have 199,999 characters"),
    "papers: huge field by a quote": (
        b'0\t"' + b"a\tA\n" * LIMIT,
        ", line 1: field larger .* never closed .*'literal'",
    ),
    "questions: no comma between titles": (
        b"What?\t['One' 'Two']\n",
        ", line 1: two titles without a comma between, which Python joins: ",
    ),
    "papers: none": (b"", ": no papers; expected a row a paper: id, text and title, with tabs between"),
    "papers: header only": (b"id\ttext\ttitle\n", ": no papers; expected"),
    "questions: UTF-16": ("What?\t[]\n".encode("utf-16"), r", line 1: not UTF-8 \(.* 0xff\)"),
    "questions: header in another order": (
        b"answers\tquestion\n[]\tWhat?\n",
        ", line 1: " + ORDER("answers, question", "question, answers"),
    ),
    "questions: 1 column": (b"What?\n", WIDTH(1, 2, 1) + r"\['What\?'\]"),
    "questions: 3 columns": (b"Why?\t[]\nWhat?\t[]\t7\n", WIDTH(2, 2, 3) + r"\['What\?', '\[\]', '7'\]"),
    "questions: web page": (b"<!DOCTYPE html>\n<html>\n", WIDTH(1, 2, 1) + ".*<!DOCTYPE html>"),
    "questions: swallowed rows": (SWALLOWING_QUESTIONS, RUNS(1, 2)),
    "questions: none": (b"", ": no questions; expected a row a question: its text, a tab, a list of titles"),
    "questions: blank lines only": (b"\n\r\n\n", ": no questions; expected"),
    "questions: code": (b"q\t[]\nq\t__import__('os').system('touch ran')\n", ", line 2" + LIST + '"__import__'),
    "questions: code in a list": (b"q\t[__import__('os').system('touch ran')]\n", ", line 1" + LIST + r'"\[__import__'),
    "questions: code in a string": (b'q\t[f\'{open("ran", "w")}\']\n', ", line 1" + LIST + r"'\[f"),
    "questions: bare text": (b"q\tOne\n", ", line 1" + LIST + "'One'"),
    "questions: string": (b"q\t'One'\n", ", line 1" + KIND + "str: \"'One'\""),
    "questions: tuple": (b"q\t('One', 'Two')\n", ", line 1" + KIND + "tuple: .*'Two'"),
    "questions: dict": (b"q\t{'One': 1}\n", ", line 1" + KIND + "dict: .*'One'"),
    "questions: number in the list": (b"q\t['One', 2]\n", ", line 1" + TITLES + "2"),
    "questions: huge number in the list": (b"q\t[0x" + b"f" * 5000 + b"]\n", ", line 1: .*answers? should be "),
    "questions: bytes in the list": (b"q\t[b'One']\n", ", line 1" + TITLES + "b'One'"),
    "questions: list in the list": (b"q\t[['One']]\n", ", line 1" + TITLES + r"\['One'\]"),
    "questions: list cut off": (b"q\t['One', 'Tw\n", ", line 1" + LIST + r"\"\['One', 'Tw\""),
    "questions: empty cell": (b"q\t\n", ", line 1" + LIST + "''"),
    "questions: brackets without end": (b"q\t" + b"[" * 100_000 + b"\n", ", line 1" + LIST + r"'\["),
    "questions: signs without end": (b"q\t[" + b"-" * 100_000 + b"1]\n", ", line 1" + LIST + r"'\[-"),
    "questions: half a character": (b"q\t['\\ud800']\n", ", line 1: .*surrogate"),
    "train: not JSON": (b"<html>", r": neither JSON nor JSON lines \(Expecting value"),
    "train: cut off": (b'[{"question": "What?"', ": neither JSON nor JSON lines"),
    "train: not UTF-8": (b'[{"question": "\xff"}]', ": neither JSON nor JSON lines"),
    "train: not a list": (b"3", ": expected a list of records, found a int"),
    "train: list of numbers": (b'[{"question": "What?"}, 3]', ", record 1: expected an object, found 3"),
    "train: no question": (b'[{"text": "What?", "answers": ["One"]}]', ", record 0" + KEYS + "text, answers"),
    "train: question not text": (b'[{"question": 7}]', ", record 0" + KEYS + "question"),
    "train: answers not titles": (b'[{"q": "What?", "answers": [7]}]', ", record 0" + KEYS + "q, answers"),
    "train: papers without title": (b'[{"q": "What?", "pos": [{"text": "a"}]}]', ", record 0" + KEYS + "q, pos"),
    "train: brackets without end": (b"[" * 100_000, ": .*(JSON|nested)"),
    "train: half a character": (b'[{"question": "\\ud800"}]', ", record 0: .*surrogate"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_what_is_malformed_is_refused_by_name_and_line(case, tmp_path, monkeypatch):
    data, message = MALFORMED[case]
    monkeypatch.setattr("oagqa_dataset.tables.LONGEST_FIELD", LIMIT - 1)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OagqaDataError, match=f"^f{message}"):
        read(case.partition(":")[0], data)
    assert not list(tmp_path.iterdir()), "what stands in a file was run"


def test_upstreams_way_refuses_a_quote_that_swallows_the_rest():
    with pytest.raises(OagqaDataError, match=WIDTH(1, 3, 2) + ".* quote may have swallowed a tab"):
        read("papers", b'0\t"a\tA\n1\tb\tB\n', "upstream")


@pytest.mark.parametrize("kind", ["papers", "questions"])
def test_unknown_quotes(kind):
    with pytest.raises(OagqaDataError, match="unknown quotes 'no'; valid are error, upstream, literal"):
        read(kind, b"", "no")


@pytest.fixture
def limit():
    before = csv.field_size_limit(4321)
    yield 4321
    csv.field_size_limit(before)


@pytest.mark.parametrize(
    ("data", "good"),
    [(b"0\ta\tA\n", True), (b"0\ta\tA\n\tb\tB\n1\tc\tC\n", False), (b"0\ta\n1\tb\tB\n", False), (SWALLOWING, False)],
    ids=["good", "empty id", "width", "swallowed"],
)
def test_the_limit_of_the_csv_module_is_as_before(data, good, limit):
    try:
        read("papers", data)
    except OagqaDataError:
        assert not good
    assert csv.field_size_limit() == limit


# By design not read as written: a tab and a newline in a field look swallowed, names in the first row are a header.
NAMES = {name for header in HEADERS.values() for names in header for name in names}
TEXT = (
    st.text("\"'\t\n ,[]\\aé", max_size=6)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"), max_size=8)
).filter(lambda text: not {"\t", "\n"} <= set(text) and text.strip().lower() not in NAMES)


@given(st.lists(st.tuples(TEXT.filter(bool), TEXT, TEXT), min_size=1, max_size=8, unique_by=lambda paper: paper[0]))
def test_papers_are_read_as_written(papers):
    rows, noticed = read("papers", tsv(*papers))
    assert rows == papers
    assert noticed.keys() <= {"other_ids", "empty_papers"}


@given(st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=3)), min_size=1, max_size=8))
def test_questions_are_read_as_written(questions):
    rows, noticed = read("questions", tsv(*questions))
    assert rows == questions
    assert noticed.get("no_answers", 0) == sum(not answers for _, answers in questions)
    records = [{"question": question, "answers": answers} for question, answers in questions]
    assert read("train", json.dumps(records).encode())[0] == questions


def test_the_topic_tree():
    assert (len(DISCIPLINES), len(TOPICS), len(set(TOPICS))) == (22, 87, 87)
    assert all(discipline_of(topic) == name for name, topics in DISCIPLINES.items() for topic in topics)
    assert (discipline_of("optics"), discipline_of("heraldry")) == ("physics", "other")
    assert discipline_named("psycology") == discipline_named("psychology") == "psychology"


def test_mini_is_what_its_card_says(tmp_path):
    (tmp_path / "mini.zip").write_bytes(zipped_folder(MINI, "oagqa-topic-v2/"))
    found, found_in_zip = find_topics(MINI), find_topics(tmp_path / "mini.zip")
    assert len(found.topics) == 8
    assert found.incomplete == found_in_zip.incomplete == ()
    assert list(found.topics) == list(found_in_zip.topics)
    assert set(found.topics) <= set(TOPICS)
    for name, files in found.topics.items():
        topic = read_topic(files)
        assert topic == read_topic(found_in_zip.topics[name])
        assert not told(topic.counts)
        trained = parse_train(files.train.read(), "train")
        assert (len(topic.papers), len(topic.questions), len(trained)) == (60, 5, 3)
        papers = topic.papers_by_title()
        answered = [(len(answers), len(answering(answers, papers))) for _, answers in [*topic.questions, *trained]]
        assert all(found for _, found in answered)
        # One title of each topic is of a paper that is not there, as happens upstream.
        assert sum(answers - found for answers, found in answered) == 1


PAPERS = tsv(A, B)
OPTICS = {"optics-papers-10k.tsv": PAPERS, "optics-questions.tsv": tsv(*ONE)}
LITTER = {
    "__MACOSX/data/._optics-papers-10k.tsv": b"\0",
    "data/.DS_Store": b"\0",
    "data/.git/optics-questions.tsv": b"",
}


def below(*folders, files=OPTICS):
    return {folder + name: content for folder in folders for name, content in files.items()}


def put(path, source):
    """Write a folder, given as name -> content, or a file; None is nothing."""
    if isinstance(source, dict):
        path.mkdir()
        for name, content in source.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    elif source is not None:
        path.write_bytes(source)
    return path


SOURCES = {
    "folder": OPTICS,
    "nested folder": below("a/b/") | {"readme.txt": b"x"},
    "folder with litter": below("data/") | LITTER,
    "zip": zipped(*OPTICS.items()),
    "zip with a folder and litter": zipped(("data/", b""), *below("data/").items(), *LITTER.items()),
    "zip of an old Windows": zipped(*below("a\\b\\").items()),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_sources(source, tmp_path):
    found = find_topics(put(tmp_path / "source", source))
    assert (list(found.topics), found.incomplete) == (["optics"], ())
    topic = read_topic(found.topics["optics"])
    assert topic.papers["paper_id"].to_pylist() == ["0", "1"]
    assert topic.questions == ONE


def test_topics_are_in_the_order_of_the_tree_and_files_without_partner_are_named(tmp_path):
    names = ("zoo", "optics", "algebra", "art")
    files = {name.replace("optics", topic): content for topic in names for name, content in OPTICS.items()}
    more = {"matrix-train.json": b"[]", "entropy-questions.tsv": tsv(*ONE), "optics-train.json": b"[]"}
    found = find_topics(put(tmp_path / "source", files | more))
    assert list(found.topics) == ["algebra", "optics", "art", "zoo"]
    assert found.incomplete == ("entropy-questions.tsv", "matrix-train.json")
    assert [topic for topic, files in found.topics.items() if files.train] == ["optics"]


def holding(name, kind=stat.S_IFREG):
    """A zip that also has a member of this name and kind."""
    member = zipfile.ZipInfo(name)
    member.create_system, member.external_attr = 3, (kind | 0o644) << 16
    return zipped(*OPTICS.items(), (member, b"/etc/passwd"))


def replaced(old, new, compression=zipfile.ZIP_STORED, files=OPTICS):
    """A zip in which bytes are replaced by as many others."""
    data = zipped(*files.items(), compression=compression)
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new)


def changed(offset, value):
    """A zip with one byte changed in the first entry of its directory."""
    data = bytearray(zipped(*OPTICS.items()))
    data[data.index(b"PK\x01\x02") + offset] = value
    return bytes(data)


LARGE = OPTICS | {"optics-papers-10k.tsv": PAPERS * 50}
SIZE = len(PAPERS * 50).to_bytes(4, "little")
BY_HAND = r".* open https://\S+ in a browser, .* as data_dir, or set OAGQA_DATA_DIR"
NONE = "expected TOPIC-papers-10k.tsv and TOPIC-questions.tsv of a topic, found {}".format
NO_ZIP = "not a whole zip .* {} bytes and begins b'{}.* cut off or a web page".format
LEAVES = "leaves the folder; the zip is not used"
DAMAGED = ":optics-papers-10k.tsv: cannot be unpacked .*get the zip again"
REFUSED = {
    "nothing": (None, "expected a folder or a zip with OAG-QA's files, found nothing" + BY_HAND),
    "empty folder": ({}, NONE("nothing") + BY_HAND),
    "other files": ({"a.txt": b"", "b/c.txt": b""}, NONE(r"a.txt, c.txt\.") + BY_HAND),
    "papers only": ({"optics-papers-10k.tsv": PAPERS}, NONE("optics-papers-10k.tsv") + BY_HAND),
    "twice": (below("a/", "b/"), "optics-papers-10k.tsv is there twice: .*/a/.* and .*/b/"),
    "twice in a zip": (zipped(*below("a/", "b/").items()), "optics-papers-10k.tsv is there twice: .*:a/.* and .*:b/"),
    "zip without topics": (zipped(("readme.txt", b"x")), NONE("readme.txt") + BY_HAND),
    "web page": (b"<html>Quota exceeded</html>", NO_ZIP(27, "<html>Quota exceeded")),
    "empty file": (b"", NO_ZIP(0, "")),
    "zip cut off": (zipped(*OPTICS.items())[:-40], NO_ZIP(r"\d+", "PK")),
    "start of a zip": (zipped(*OPTICS.items())[:60], NO_ZIP(60, "PK")),
    "directory damaged": (replaced("ü".encode(), b"\xff\xff", files=OPTICS | {"ü": b""}), "zip"),
    "zip of a later version": (changed(6, 200), "zip"),
    "way out": (holding("../x"), r"'\.\./x' " + LEAVES),
    "way out of a folder": (holding("a/../../x"), r"'a/\.\./\.\./x' " + LEAVES),
    "way out by backslashes": (holding("..\\x"), LEAVES),
    "absolute path": (holding("/tmp/x"), "'/tmp/x' " + LEAVES),
    "absolute path by a backslash": (holding("\\x"), LEAVES),
    "drive": (holding("C:\\x"), LEAVES),
    "link": (holding("x", stat.S_IFLNK), "'x' is a link; the zip is not used"),
    "huge file": (zipped(("x", bytes(1001))), "'x' claims to have 1,001 bytes; the zip is not used"),
    "huge in all": (zipped(*((f"x{i}", bytes(900)) for i in range(4))), "claims to hold more than 3,000 bytes"),
    "more than it claims": (replaced(SIZE, b"\x09\0\0\0", zipfile.ZIP_DEFLATED, LARGE), DAMAGED),
    "encrypted": (changed(8, 1), "'optics-papers-10k.tsv' is encrypted; the zip is not used"),
    "wrong checksum": (replaced(b"\tA\n", b"\tX\n"), DAMAGED),
    "damaged by bzip2": (replaced(b"BZh", b"BZx", zipfile.ZIP_BZIP2), DAMAGED),
    "damaged by LZMA": (replaced(b"\x5d\0\0", b"\xff\0\0", zipfile.ZIP_LZMA), DAMAGED),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_sources_leave_nothing_behind(case, tmp_path, monkeypatch):
    monkeypatch.setattr("oagqa_dataset.files.LARGEST_FILE", 1000)
    monkeypatch.setattr("oagqa_dataset.files.LARGEST_TOTAL", 3000)
    monkeypatch.setattr(tempfile, "tempdir", os.fspath(tmp_path))
    source, message = REFUSED[case]
    path = put(tmp_path / "source", source)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OagqaDataError, match=f"^{re.escape(str(path))}.*{message}"):
        [read_topic(files) for files in find_topics(path).topics.values()]
    assert sorted(tmp_path.rglob("*")) == before
