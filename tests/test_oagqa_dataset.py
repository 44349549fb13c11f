"""`load_dataset("oagqa", ...)` with all that users do to it."""

import os

import datasets
import pytest
from conftest import zipped, zipped_folder
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset, load_dataset_builder

import oagqa_dataset
from oagqa_dataset import MINI, TOPICS, OagqaDataError, find_topics

PAPERS = [("0", "first", "One"), ("1", "second", "Two"), ("2", "third", "Three")]
QUESTIONS = [("What?", ["One"]), ("Why?", ["Two", "Nowhere"])]
TRAIN = [{"question": "Who?", "answers": ["Three"]}]
COLUMNS = ["question_id", "question", "answers", "answer_ids", "topic", "discipline"]


@pytest.fixture
def small(write_oagqa):
    write_oagqa(PAPERS, QUESTIONS, topic="heraldry")
    return write_oagqa(PAPERS, QUESTIONS, TRAIN)


def test_a_topic_of_mini():
    optics = load_dataset("oagqa", "optics", data_dir=MINI)
    assert optics.column_names == {"test": COLUMNS, "train": COLUMNS}
    assert optics.num_rows == {"test": 5, "train": 3}
    for rows in optics.values():
        assert set(rows["topic"]) == {"optics"}
        assert set(rows["discipline"]) == {"physics"}
        assert list(rows["question_id"]) == [f"optics/{row}" for row in range(len(rows))]
        assert all(rows["question"])
        assert all(rows["answer_ids"])


def test_the_papers_of_a_topic():
    corpus = load_dataset("oagqa", "optics-corpus", data_dir=MINI)
    assert corpus.column_names == {"test": ["paper_id", "title", "text"]}
    assert list(corpus["test"]["paper_id"]) == [str(row) for row in range(60)]
    titles = dict(zip(corpus["test"]["paper_id"], corpus["test"]["title"], strict=True))
    for question in load_dataset("oagqa", "optics", split="test", data_dir=MINI):
        assert {titles[paper] for paper in question["answer_ids"]} <= set(question["answers"])


def test_all_is_the_default_and_has_every_topic():
    oagqa = load_dataset("oagqa", data_dir=str(MINI))
    assert oagqa.num_rows == {"test": 40, "train": 24}
    topics = list(dict.fromkeys(oagqa["test"]["topic"]))
    assert topics == list(find_topics(MINI).topics)
    assert len(set(oagqa["test"]["question_id"])) == 40


def test_real_papers(cranfield):
    assert load_dataset("oagqa", data_dir=cranfield).num_rows == {"test": 225}
    assert load_dataset("oagqa", "structures", data_dir=cranfield).num_rows == {"test": 113}
    assert len(load_dataset("oagqa", "structures-corpus", split="test", data_dir=cranfield)) == 1398
    questions = load_dataset("oagqa", "aerodynamics", split="test", data_dir=cranfield)
    assert len(questions) == 112
    assert set(questions["discipline"]) == {"other"}
    assert all(len(row["answer_ids"]) >= len(set(row["answers"])) > 0 for row in questions)


def test_rows_and_answer_ids(write_oagqa, caplog):
    papers = [("0", "", "Über Licht"), ("1", "", "Two"), ("7", "", "U\u0308BER  licht"), ("3", "x", ""), ("1", "", "!")]
    questions = [("a", ["Two", "Über Licht"]), ("b", ["two", "Two", "Nowhere"]), ("c", []), ("d", ["Zwei", " "])]
    folder = write_oagqa(papers, questions, [{"question": "e", "answers": ["Two"]}])
    oagqa = load_dataset("oagqa", "optics", data_dir=folder)
    assert list(oagqa["test"]["answer_ids"]) == [["1", "0", "7"], ["1"], [], []]
    assert list(oagqa["test"]["answers"]) == [answers for _, answers in questions]
    assert oagqa["train"][0]["answer_ids"] == ["1"]
    assert list(load_dataset("oagqa", "optics-corpus", split="test", data_dir=folder)) == [
        {"paper_id": "0", "title": "Über Licht", "text": ""},
        {"paper_id": "1", "title": "Two", "text": ""},
        {"paper_id": "7", "title": "U\u0308BER  licht", "text": ""},
        {"paper_id": "3", "title": "", "text": "x"},
    ]
    assert "optics: 1 row(s) with an id of an earlier row; the first was kept" in caplog.text
    assert "optics: 1 question(s) without any answer" in caplog.text


def test_quotes(write_oagqa, caplog):
    questions = b"\"What?\t['One']\nWhy?\"\t['Two']\n"
    folder = write_oagqa(PAPERS, questions)
    with pytest.raises(OagqaDataError, match=r"optics-questions.tsv, line 1: .*quotes='literal'"):
        load_dataset("oagqa", "optics", data_dir=folder)
    assert load_dataset("oagqa", "optics", split="test", data_dir=folder, quotes="literal").num_rows == 2
    assert load_dataset("oagqa", "optics", split="test", data_dir=folder, quotes="upstream").num_rows == 1
    assert "1 line(s) swallowed by a quote" in caplog.text
    with pytest.raises(OagqaDataError, match="unknown quotes 'no'; valid are error, upstream, literal"):
        load_dataset("oagqa", "optics", data_dir=folder, quotes="no")


def test_topics_of_a_folder_become_configs(small, monkeypatch):
    known = {"all", *TOPICS, *(f"{topic}-corpus" for topic in TOPICS)}
    names = get_dataset_config_names("oagqa")
    assert (names[0], len(names), set(names)) == ("all", 175, known)
    assert set(get_dataset_config_names("oagqa", data_dir=small)) == known | {"heraldry", "heraldry-corpus"}
    monkeypatch.setenv("OAGQA_DATA_DIR", str(small))
    assert "heraldry" in get_dataset_config_names("oagqa")
    assert load_dataset("oagqa", "heraldry", split="test").num_rows == 2
    assert load_dataset("oagqa", "heraldry-corpus", split="test").num_rows == 3
    assert get_dataset_split_names("oagqa", "heraldry") == ["test"]
    assert get_dataset_split_names("oagqa", "optics") == ["test", "train"]
    assert get_dataset_split_names("oagqa", "optics-corpus") == ["test"]
    assert load_dataset("oagqa", "optics", split="test", data_dir=MINI).num_rows == 5, "what is said wins"


def test_topics_whose_names_cannot_be_configs_are_part_of_all(write_oagqa):
    for topic in ("what?", "all", "art", "art-corpus"):
        folder = write_oagqa(PAPERS, QUESTIONS[:1], topic=topic)
    assert list(load_dataset("oagqa", split="test", data_dir=folder)["topic"]) == ["all", "art", "art-corpus", "what?"]
    assert load_dataset("oagqa", "art-corpus", split="test", data_dir=folder).column_names[0] == "paper_id"


def test_files_without_their_partner_are_told(small, caplog):
    (small / "optics-papers-10k.tsv").rename(small / "algebra-papers-10k.tsv")
    assert set(load_dataset("oagqa", split="test", data_dir=small)["topic"]) == {"heraldry"}
    assert "not used: algebra-papers-10k.tsv, optics-questions.tsv, optics-train.json" in caplog.text


@pytest.mark.parametrize("config", ["all", "optics", "heraldry", "optics-corpus"])
def test_a_zip_gives_the_same_rows_as_the_folder(small, config, tmp_path):
    (tmp_path / "data.zip").write_bytes(zipped_folder(small, "oagqa/"))
    unpacked, packed = (load_dataset("oagqa", config, data_dir=path) for path in (small, tmp_path / "data.zip"))
    assert {split: rows[:] for split, rows in unpacked.items()} == {split: rows[:] for split, rows in packed.items()}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "data.zip"]


@pytest.mark.parametrize("streaming", [False, True])
def test_what_load_dataset_offers(small, streaming, tmp_path):
    options = {"data_dir": small, "cache_dir": tmp_path / "cache"}
    rows = load_dataset("oagqa", split="test", streaming=streaming, **options)
    plain = load_dataset("oagqa", split="test", data_dir=small, cache_dir=tmp_path / "plain")
    assert list(rows) == list(plain)
    assert list(load_dataset_builder("oagqa", "optics-corpus", **options).info.features) == [
        "paper_id",
        "title",
        "text",
    ]
    assert list(load_dataset_builder("oagqa", "optics", **options).info.features) == COLUMNS
    if not streaming:
        assert load_dataset("oagqa", split="test[:2]", num_proc=2, **options)[:] == rows[:2]
        again = load_dataset("oagqa", split="test", download_mode="force_redownload", **options)
        assert again[:] == load_dataset("oagqa", split="test", keep_in_memory=True, **options)[:]


@pytest.mark.parametrize("config", ["all", "optics-corpus"])
def test_several_processes_give_the_same_rows(config, tmp_path):
    alone = load_dataset("oagqa", config, data_dir=MINI, cache_dir=tmp_path / "a")
    together = load_dataset("oagqa", config, data_dir=MINI, cache_dir=tmp_path / "b", num_proc=2)
    assert {split: rows[:] for split, rows in alone.items()} == {split: rows[:] for split, rows in together.items()}


@pytest.mark.parametrize("zipping", [False, True], ids=["folder", "zip"])
def test_changed_files_are_read_anew(write_oagqa, zipping, tmp_path):
    for questions in (QUESTIONS[:1], QUESTIONS):
        source = write_oagqa(PAPERS, questions)
        if zipping:
            source = tmp_path / "data.zip"
            source.write_bytes(zipped_folder(tmp_path / "data"))
        read = load_dataset("oagqa", "optics", split="test", data_dir=source)
        assert list(read["question"]) == [question for question, _ in questions]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("music", "'music' not found. Available: .*'optics'.*'heraldry'"),
        ("economics", "topic 'economics' is not in .*data; it has optics, heraldry"),
        ("economics-corpus", "topic 'economics' is not in .*data; it has optics, heraldry"),
    ],
)
def test_a_topic_that_is_not_there(small, config, message):
    with pytest.raises(ValueError, match=message):
        load_dataset("oagqa", config, split="test", data_dir=small)


def test_a_split_that_is_not_there(small):
    with pytest.raises(ValueError, match=r'Unknown split "train". Should be one of \[.test.\]'):
        load_dataset("oagqa", "heraldry", split="train", data_dir=small)


def test_data_files_are_refused(small):
    with pytest.raises(OagqaDataError, match="takes no data_files; pass the folder of upstream's files"):
        load_dataset("oagqa", data_files=str(small / "optics-questions.tsv"))


def test_a_folder_without_the_data(tmp_path):
    with pytest.raises(OagqaDataError, match="expected a folder or a zip with OAG-QA's files, found nothing"):
        load_dataset("oagqa", data_dir=tmp_path / "nowhere")
    (tmp_path / "optics-questions.tsv").write_text("What?\t[]\n")
    with pytest.raises(OagqaDataError, match=r"expected TOPIC-papers-10k.tsv and .* found optics-questions.tsv"):
        load_dataset("oagqa", data_dir=tmp_path)


@pytest.mark.parametrize("num_proc", [None, 2])
def test_a_bad_file_is_one_clear_error_and_leaves_no_cache(small, write_oagqa, num_proc, tmp_path):
    options = {"split": "test", "data_dir": small, "cache_dir": tmp_path / "cache", "num_proc": num_proc}
    write_oagqa(PAPERS, b"What?\t['One']\nWhy?\t['Two\n")
    for _ in range(2):
        with pytest.raises(OagqaDataError, match=r"optics-questions.tsv, line 2: answers should be a Python list"):
            load_dataset("oagqa", **options)
    assert not list((tmp_path / "cache").rglob("*.arrow"))
    write_oagqa(PAPERS, QUESTIONS)
    assert len(load_dataset("oagqa", **options)) == 4


UNREADABLE = {
    "cut off": (b'[{"question": "Wh', "neither JSON nor JSON lines"),
    "other keys": (b'[{"text": "What?"}]', "record 0: expected a question under question"),
    "brackets without end": (b"[" * 100_000, "optics-train.json"),
    "half a character": (b'[{"question": "\\ud800", "answers": ["One"]}]', "optics-train.json"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_questions_for_training_that_cannot_be_read_are_left_out(small, write_oagqa, case, caplog):
    train, message = UNREADABLE[case]
    write_oagqa(PAPERS, QUESTIONS, train)
    assert load_dataset("oagqa", "optics", data_dir=small).num_rows == {"test": 2}
    assert message in caplog.text
    assert "left out of the split train" in caplog.text
    write_oagqa(PAPERS, QUESTIONS, TRAIN)
    assert load_dataset("oagqa", "optics", data_dir=small).num_rows == {"test": 2, "train": 1}


def test_half_a_character_in_an_answer_is_one_clear_error(write_oagqa):
    folder = write_oagqa(PAPERS, b"What?\t['One']\nWhy?\t['T\\ud800wo']\n")
    with pytest.raises(OagqaDataError, match=r"optics-questions.tsv, line 2: "):
        load_dataset("oagqa", "optics", data_dir=folder)


GOOD = zipped_folder(MINI, "oagqa-topic-v2/")
DAMAGE = GOOD.index(b"bayes_theorem-papers-10k.tsv") + 200
DOWNLOADS = {
    "dead link": (None, "404"),
    "web page": (b"<html>Too many users have viewed this file</html>", "not a whole zip .*begins b'<html>Too many"),
    "cut off": (GOOD[:-300], "not a whole zip"),
    "no topics": (zipped(("readme.txt", b"x")), "expected TOPIC-papers-10k.tsv .* found readme.txt"),
    "damaged": (GOOD[:DAMAGE] + bytes(8) + GOOD[DAMAGE + 8 :], "bayes_theorem-papers-10k.tsv: cannot be unpacked"),
}
BY_HAND = r"(?s){}.*open https://drive.google.com/\S+ in a browser, .* as data_dir, or set OAGQA_DATA_DIR".format


@pytest.mark.parametrize("case", DOWNLOADS)
def test_downloads_that_are_not_the_data_are_not_kept(upstream_zip, case, tmp_path):
    served, message = DOWNLOADS[case]
    if served is not None:
        upstream_zip.write_bytes(served)
    for _ in range(2):
        with pytest.raises(OagqaDataError, match=BY_HAND(message)) as caught:
            load_dataset("oagqa", "bayes_theorem", cache_dir=tmp_path / "cache")
        assert ".oagqa-" not in str(caught.value), "tells of a temporary folder"
    assert not list((tmp_path / "cache" / "downloads").iterdir())
    upstream_zip.write_bytes(GOOD)
    oagqa = load_dataset("oagqa", "bayes_theorem", cache_dir=tmp_path / "cache")
    assert oagqa.num_rows == {"test": 5, "train": 3}


def test_a_download_is_kept_until_another_is_forced(upstream_zip, tmp_path, monkeypatch):
    options = {"split": "test", "cache_dir": tmp_path / "cache"}
    upstream_zip.write_bytes(GOOD)
    assert len(load_dataset("oagqa", **options)) == 40
    later = [
        (path.name, path.read_bytes().replace(b"Just before a bubble", b"Later a bubble")) for path in MINI.iterdir()
    ]
    upstream_zip.write_bytes(zipped(*later))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    assert load_dataset("oagqa", "optics", **options)[0]["question"].startswith("Just before a bubble")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    forced = load_dataset("oagqa", "optics", download_mode="force_redownload", **options)
    assert forced[0]["question"].startswith("Later a bubble")
    upstream_zip.unlink()
    with pytest.raises(OagqaDataError, match=BY_HAND("404")):
        load_dataset("oagqa", "optics", download_mode="force_redownload", **options)
    with pytest.raises(OagqaDataError, match=r"topic 'economics' is not in .*oagqa-topic-v2.zip; it has deep_learning"):
        load_dataset("oagqa", "economics", **options)
    # What cannot be replaced, or has no such topic, is kept.
    assert [path.name for path in (tmp_path / "cache" / "downloads").iterdir()] == ["oagqa-topic-v2.zip"]


def test_streaming_from_upstream(upstream_zip, tmp_path):
    upstream_zip.write_bytes(GOOD)
    rows = load_dataset("oagqa", "optics-corpus", split="test", streaming=True)
    assert next(iter(rows))["text"]
    assert [path.name for path in (tmp_path / "downloads").iterdir()] == ["oagqa-topic-v2.zip"]


def test_offline_mode_says_so(tmp_path):
    with pytest.raises(OagqaDataError, match=BY_HAND("offline mode forbids the download")):
        load_dataset("oagqa", "optics", cache_dir=tmp_path / "cache")


ORDERS = {
    "datasets first": "from datasets import load_dataset; import mdcr_dataset, oagqa_dataset",
    "datasets last": "import oagqa_dataset, mdcr_dataset; from datasets import load_dataset",
    "datasets between": "import mdcr_dataset; from datasets import load_dataset; import oagqa_dataset",
    "twice": "import mdcr_dataset, oagqa_dataset, importlib; importlib.reload(oagqa_dataset)\n"
    "from datasets import load_dataset; importlib.reload(mdcr_dataset)",
}


@pytest.mark.parametrize("imports", ORDERS.values(), ids=ORDERS)
def test_import_order_does_not_matter(python, imports):
    done = python(
        f"{imports}\n"
        "print(len(load_dataset('oagqa', 'optics', split='test', data_dir=oagqa_dataset.MINI)))\n"
        "print(len(load_dataset('mdcr', 'Art', split='test', data_dir=mdcr_dataset.MINI)))"
    )
    assert done.stdout.split() == ["5", "4"]


def test_importing_is_light(python):
    heavy = ("datasets", "pyarrow", "torch", "numpy", "gdown", "requests")
    code = f"import sys, oagqa_dataset; print([name for name in {heavy} if name in sys.modules])"
    assert python(code).stdout.strip() == "[]"


@pytest.mark.skipif(datasets.__version__ >= "4", reason="needs datasets < 4, which still has loading scripts")
@pytest.mark.parametrize("zipping", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize(("config", "rows"), [("optics", "2"), ("heraldry", "2"), ("optics-corpus", "3"), (None, "4")])
def test_the_builder_is_a_loading_script_too(python, small, zipping, config, rows, tmp_path):
    folder = os.path.dirname(oagqa_dataset.__file__)
    if zipping:
        (tmp_path / "data.zip").write_bytes(zipped_folder(small))
    source = tmp_path / "data.zip" if zipping else small
    options = {"split": "test", "data_dir": str(source), "trust_remote_code": True}
    # Without the project on the path: the script has to stand alone.
    code = (
        "import sys; sys.modules['oagqa_dataset'] = None\n"
        "from datasets import load_dataset\n"
        f"print(len(load_dataset({folder!r}, {config!r}, **{options})))"
    )
    assert python(code).stdout.split() == [rows]


def test_a_row_that_cannot_be_read_is_no_reason_to_fetch_the_zip_again(upstream_zip):
    bad = zipped(("optics-papers-10k.tsv", b"0\n"), ("optics-questions.tsv", b"?\t[]\n"))
    upstream_zip.write_bytes(bad)
    for _ in range(2):
        with pytest.raises(OagqaDataError, match=r"optics-papers-10k\.tsv, line 1: expected 3 columns") as refused:
            load_dataset("oagqa", "optics")
        assert "in a browser" not in str(refused.value)
        upstream_zip.unlink(missing_ok=True)
