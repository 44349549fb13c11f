"""The metric's Space: its card, what its app shows, and the app in a real browser."""

import doctest
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from conftest import ROOT
from packaging.version import Version

import mdcr_dataset
import scirank as package
from mdcr_metric import app
from mdcr_metric.answers import AnswersProtocol
from mdcr_metric.citation import CitationProtocol
from scirank.report.formats import as_csv, as_latex
from scirank.results import published_rows

FOLDER = ROOT / "mdcr_metric"
CARD = (FOLDER / "README.md").read_text("utf-8")
CANDIDATES = mdcr_dataset.MINI / "mdcr_test.json"


class Tables(HTMLParser):
    """The rows of each table, a row a list of cells."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.tags = set()
        self._open = False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self._open = tag in ("td", "th")
        if tag == "table":
            self.found.append([])
        elif tag == "tr":
            self.found[-1].append([])
        elif self._open:
            self.found[-1][-1].append("")

    def handle_endtag(self, tag):
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data):
        if self._open:
            self.found[-1][-1][-1] += data


def told(shown, kind="told"):
    return [unescape(text) for text in re.findall(rf'<p class="{kind}"[^>]*>(.*?)</p>', shown.html, re.DOTALL)]


def two_decimals(row, measures):
    return [f"{row[measure]:.2f}" if measure in row else "" for measure in measures]


def pool_of(candidates):
    return {
        f"{query}_{paper}": label
        for queries in mdcr_dataset.parse_candidates(candidates, "mdcr_test.json").values()
        for query, lists in queries.items()
        for paper, label in mdcr_dataset.qrels(lists).items()
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What a visitor uploads: the mini benchmark's candidates, and scores with ties."""
    folder = tmp_path_factory.mktemp("uploads")
    candidates, scores = folder / "mdcr_test.json", folder / "mine.json"
    pairs = pool_of(CANDIDATES.read_bytes())
    shutil.copy(CANDIDATES, candidates)
    scores.write_text(json.dumps({key: at * 7 % 5 + label for at, (key, label) in enumerate(pairs.items())}))
    return SimpleNamespace(candidates=str(candidates), scores=str(scores), folder=folder)


@pytest.fixture(scope="module")
def result(files):
    return package.score(files.candidates, files.scores)


# The app's functions


def test_files_give_the_command_lines_numbers_beside_the_published(files, result):
    shown = app.of_files(files.candidates, files.scores)
    groups, averages = Tables(shown.html).found
    measures = ["map", "ndcg", "recall_5"]
    scincl = next(row for row in published_rows("mdcr") if row.groups)
    assert groups[0][-2:] == ["mine", "SciNCL, published"]
    assert groups[1] == ["field", "queries", "tied", *["MAP", "nDCG", "R@5"] * 2]
    rows = {**result.summary["groups"], "AVG": result.summary}
    assert groups[2:] == [
        [
            name,
            str(row["queries"]),
            str(row["tied_queries"]),
            *two_decimals(row, measures),
            *two_decimals(scincl.groups.get(name, scincl.average), measures),
        ]
        for name, row in rows.items()
    ]
    assert averages[1] == ["mine", *two_decimals(result.average, measures), ""]
    assert averages[2:] == [
        [row.model, *two_decimals(row.average, measures), row.source] for row in published_rows("mdcr")
    ]
    assert told(shown) == list(result.notes)
    assert re.match(r"[1-9]\d* of 76 queries have equal scores", told(shown)[0])
    assert (shown.csv, shown.latex) == (as_csv([result]), as_latex([result]))


def test_rules_are_scores(files):
    rules = {"ties": "pessimistic", "missing": "drop", "no_relevant": "skip"}
    shown = app.of_files(files.candidates, files.scores, **rules)
    assert shown.csv == as_csv([package.score(files.candidates, files.scores, **rules)])
    assert "not comparable: this is under the tie rule pessimistic" in unescape(shown.html)


@pytest.mark.parametrize(
    ("candidates", "scores"),
    [
        (None, "{"),
        (None, '{"1_2": 0.5}'),
        (None, '{"1_2": 0.5, "1_2": 0.6}'),
        (None, "[1, 2]"),
        (None, "{}"),
        (None, "NAN"),
        ("<html>", None),
        ('{"Art": {"1": {"true": [0.5]}}}', None),
        ('{"Art": {}}', None),
    ],
)
def test_bad_uploads_get_the_command_lines_messages(files, tmp_path, candidates, scores):
    if scores == "NAN":
        key = next(iter(json.loads(Path(files.scores).read_text())))
        scores = json.dumps(json.loads(Path(files.scores).read_text()) | {key: float("nan")})
    for name, text, good in (("c.json", candidates, files.candidates), ("s.json", scores, files.scores)):
        (tmp_path / name).write_text(Path(good).read_text() if text is None else text)
    given = str(tmp_path / "c.json"), str(tmp_path / "s.json")
    with pytest.raises(
        ValueError, match=r"JSON|no score|two scores|key of the scores|paper id|finite|queries"
    ) as refused:
        package.score(*given)
    shown = app.of_files(*given)
    assert told(shown, "refused") == [str(refused.value).replace(f"{tmp_path}/", "")]
    assert (shown.csv, shown.latex) == ("", "")


def test_what_is_absent_too_large_or_deleted_is_told(files, tmp_path, monkeypatch):
    assert told(app.of_files(None, None), "refused") == ["choose a file of candidates and one of scores"]
    assert told(app.of_files(files.candidates, None), "refused") == ["choose a file of scores"]
    gone = told(app.of_files(str(tmp_path / "gone.json"), files.scores), "refused")
    assert gone == ["gone.json is deleted by now, as all uploads are; upload it again"]
    large = tmp_path / "large.json"
    large.touch()
    os.truncate(large, app.LARGEST_FILE + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert told(app.of_files(files.candidates, str(large)), "refused") == [
        "large.json has 33,554,433 bytes, and at most 33,554,432 are read here; `scirank score` has no limit"
    ]


def test_names_in_files_are_text(tmp_path):
    evil = "<img src=x onerror=alert(1)>${1}{{ 7*7 }}"
    candidates, scores = tmp_path / "c.json", tmp_path / "<b>s.json"
    candidates.write_text(json.dumps({evil: {"<i>q": {"true": ["a"], "random": ["b"]}}}))
    scores.write_text(json.dumps({"<i>q_a": 1, "<i>q_b": 1}))
    shown = app.of_files(str(candidates), str(scores))
    tables = Tables(shown.html)
    assert tables.found[0][2][0] == evil
    assert tables.found[0][0][-1] == "<b>s"
    assert tables.tags == {"p", "div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    scores.write_text('{"<i>q_a": 1}')
    refused = app.of_files(str(candidates), str(scores))
    assert Tables(refused.html).tags == {"p"}
    assert "<i>q_b" in told(refused, "refused")[0]


LISTS = {"predictions": "[[0.9, 0.2], [0.5, 0.5]]", "references": "[[1, 0], [0, 1]]"}
IDS = {"candidate_ids": '[["a", "b"], ["a", "b"]]'}


@pytest.mark.parametrize(
    ("change", "rows", "notes"),
    [
        (
            {},
            [["all", "2", "1", "75.00", "81.55", "100.00"], ["AVG", "2", "1", "75.00", "81.55", "100.00"]],
            [
                "1 of 2 queries have equal scores whose order could change a measure (tie rule: trec; without "
                "candidate_ids, relevant candidates come last)"
            ],
        ),
        (
            {**IDS, "groups": '["Art", "Biology"]', "references": "[[0, 0], [0, 1]]"},
            [
                ["Art", "1", "0", "0.00", "0.00", "0.00"],
                ["Biology", "1", "1", "100.00", "100.00", "100.00"],
                ["AVG", "2", "1", "50.00", "50.00", "50.00"],
            ],
            [
                "1 query without a relevant candidate, counted as 0",
                "1 of 2 queries have equal scores whose order could change a measure (tie rule: trec)",
            ],
        ),
    ],
)
def test_lists_give_the_metrics_numbers(change, rows, notes):
    shown = app.of_lists(**LISTS | change)
    assert Tables(shown.html).found[0][2:] == rows
    assert told(shown) == notes
    assert "not comparable: these are other fields" in shown.html
    assert shown.csv.splitlines()[-1].startswith(f"pasted,average,AVG,{float(rows[-1][3])}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictions": "[[0.9"}, r"predictions: not valid JSON \(Expecting"),
        ({"predictions": "[" * 100_000}, r"predictions: not valid JSON \(.*recursion"),
        ({"predictions": ""}, "predictions is missing: pass a row for each query"),
        ({"predictions": "[[0.9, NaN], [1, 2]]"}, "row 0, candidate 1: expected a finite score"),
        ({"references": "[[1], [0, 1]]"}, "row 0: 2 predictions but 1 references"),
        ({"references": "[[0, 0], [0, 0]]", "no_relevant": "error"}, "2 queries have no relevant candidate"),
        ({"groups": '"' + "é" * 2**19 + '"'}, "groups has 1,048,578 bytes, and at most 1,048,576 are read here"),
    ],
)
def test_bad_lists_are_refused(change, message):
    shown = app.of_lists(**LISTS | change)
    assert re.match(message, told(shown, "refused")[0])
    assert shown.csv == ""


# The folder


def test_the_card_says_what_a_space_needs():
    card = yaml.safe_load(CARD.split("---\n")[1])
    assert {key: card[key] for key in ("title", "sdk", "app_file", "pinned", "tags")} == {
        "title": "mdcr_metric",
        "sdk": "gradio",
        "app_file": "app.py",
        "pinned": False,
        "tags": ["evaluate", "metric"],
    }
    assert re.fullmatch(r"6\.\d+\.\d+", card["sdk_version"])
    assert set(card) > {"emoji", "colorFrom", "colorTo", "description"}
    version = re.search(r"^scirank>=(.*)$", (FOLDER / "requirements.txt").read_text(), re.MULTILINE).group(1)
    assert Version(version) <= Version(package.__version__)


def test_the_card_has_the_sections_of_a_metric_card_and_the_published_rows():
    assert re.findall(r"^##+ (.*)$", CARD, re.MULTILINE) == [
        "Metric description",
        "How to use",
        "Inputs",
        "Output values",
        "Values from popular papers",
        "Examples",
        "Limitations and bias",
        "The Space",
        "Citation",
        "Further references",
    ]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in CARD.splitlines() if line[:2] == "| "]
    assert rows[1:] == [
        [row.model, *two_decimals(row.average, ("map", "ndcg", "recall_5")), row.source]
        for row in published_rows("mdcr")
    ]
    assert all(protocol.citation.strip() in CARD for protocol in (CitationProtocol, AnswersProtocol))


def test_the_cards_examples_are_true():
    done = doctest.testfile(str(FOLDER / "README.md"), module_relative=False)
    assert done.failed == 0
    assert done.attempted == CARD.count(">>> ") > 10


# The app in a browser


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """The Space's files in a folder of another name, as on the Hub, and the app started there as it is there."""
    pytest.importorskip("gradio", reason="needs gradio")
    folder = tmp_path_factory.mktemp("space") / "app"
    folder.mkdir()
    for path in FOLDER.iterdir():
        if path.suffix in (".py", ".md", ".txt") and path.name != "__init__.py":
            shutil.copy(path, folder)
    kept = folder.parent / "uploads"
    process = subprocess.Popen(
        [sys.executable, "-u", "app.py"],
        cwd=folder,
        env=os.environ | {"GRADIO_TEMP_DIR": str(kept), "PYTHONSAFEPATH": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := re.search(r"http://\S+", line):
            break
    else:
        pytest.fail("".join(lines))
    yield SimpleNamespace(address=found.group(), process=process, kept=kept)
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def page(space, browser):
    from selenium.webdriver.support.ui import WebDriverWait

    def until(condition):
        return WebDriverWait(browser, 120, poll_frequency=0.2).until(lambda _: condition())

    def seen(selector):
        return [each for each in browser.find_elements("css selector", selector) if each.is_displayed()]

    def press(text):
        until(lambda: [each for each in seen("button") if each.text == text and each.is_enabled()])[0].click()

    def upload(at, path):
        until(lambda: len(browser.find_elements("css selector", "input[type=file]")) > at)
        browser.find_elements("css selector", "input[type=file]")[at].send_keys(str(path))

    def downloaded(name):
        path = browser.downloads / name
        until(lambda: path.is_file() and path.stat().st_size)
        return path.read_text("utf-8")

    browser.get(space.address)
    return SimpleNamespace(
        until=until,
        press=press,
        upload=upload,
        downloaded=downloaded,
        texts=lambda selector: browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility())"
            ".map((each) => each.innerText)",
            selector,
        ),
        run=browser.execute_script,
        shot=browser.save_screenshot,
    )


def uploads(space):
    return sorted(path.name for path in space.kept.rglob("*.json"))


@pytest.mark.full
def test_two_files_are_uploaded_seen_and_downloaded(page, space, files, result):
    page.upload(0, files.candidates)
    page.until(lambda: page.texts(".file-preview"))
    page.upload(0, files.scores)  # the first input is gone from the page, now that it is filled
    page.until(lambda: len(page.texts(".file-preview")) == 2)
    page.press("Evaluate")
    page.until(lambda: page.texts(".numbers"))
    if folder := os.environ.get("SCIRANK_SHOTS"):
        page.shot(f"{folder}/files.png")
    assert page.texts(".told") == list(result.notes)
    rows = {row.split("\t")[0]: row.split("\t")[3:6] for row in page.texts(".groups tbody tr")}
    assert rows["AVG"] == two_decimals(result.average, result.measures)
    assert rows["Art"] == two_decimals(result.groups["Art"], result.measures)
    page.press("Download CSV")
    assert page.downloaded("mdcr.csv") == as_csv([result])
    page.press("Download LaTeX")
    assert page.downloaded("mdcr.tex") == as_latex([result])
    requests = page.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    elsewhere = [name for name in requests if not name.startswith((space.address, "blob:", "data:"))]
    assert [name for name in elsewhere if "/iframe-resizer/" not in name] == []  # gradio's own, in old versions


@pytest.mark.full
def test_a_bad_file_gets_a_message_and_lists_are_evaluated(page, space, files, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"1_2": 0.5')
    page.upload(0, files.candidates)
    page.until(lambda: page.texts(".file-preview"))
    page.upload(0, bad)
    page.until(lambda: len(page.texts(".file-preview")) == 2)
    page.press("Evaluate")
    page.until(lambda: page.texts(".refused"))
    assert page.texts(".refused")[0].startswith("bad.json: not valid JSON")
    assert page.texts(".numbers") == []
    page.press("Paste lists")
    page.press("Evaluate")
    page.until(lambda: page.texts(".numbers"))
    assert page.texts(".told") == [
        "1 of 2 queries have equal scores whose order could change a measure (tie rule: trec)"
    ]


@pytest.mark.full
def test_a_file_over_the_limit_is_refused(page, space, tmp_path):
    large = tmp_path / "large.json"
    large.touch()
    os.truncate(large, app.LARGEST_FILE + 1)
    page.until(lambda: "At most 32 MiB each" in "".join(page.texts("p")))
    page.upload(0, large)
    page.until(lambda: "exceed" in page.run("return document.body.innerText").lower())
    import httpx  # as gradio does

    with large.open("rb") as file:  # past the page
        answer = httpx.post(f"{space.address}/gradio_api/upload", files={"files": file}, timeout=60)
    assert answer.status_code == 413
    assert answer.text.startswith("File size exceeded maximum allowed size of 33554432 bytes")
    assert "large.json" not in uploads(space)


@pytest.mark.full
def test_no_upload_outlives_the_app(page, space, files):
    page.upload(0, files.candidates)
    page.until(lambda: uploads(space))
    space.process.send_signal(signal.SIGINT)
    space.process.stdout.read()
    space.process.wait()
    assert uploads(space) == []
