"""Reading upstream's papers files: Arrow's way and Python's way give the same."""

import io
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcr_dataset import MdcrDataError, papers
from mdcr_dataset.papers import read_papers


def read(data, counts=None):
    return [row for table in read_papers(io.BytesIO(data), "p.jsonl", counts) for row in table.to_pylist()]


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
RECORD = st.fixed_dictionaries(
    {"paper_id": st.text("abc1", min_size=1, max_size=2) | st.integers(0, 30)},
    optional={"title": st.none() | TEXT, "abstract": st.none() | TEXT, "year": st.integers() | st.none()},
)


@given(st.lists(RECORD, min_size=1, max_size=12), st.sampled_from([1, 40, 1 << 20]), st.booleans())
def test_same_as_reading_line_by_line(records, chunk, ascii_only):
    data = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records).encode()
    first = {}
    for record in records:
        paper = str(record["paper_id"])
        row = {"paper_id": paper, "title": record.get("title") or "", "abstract": record.get("abstract") or ""}
        first.setdefault(paper, row)
    counts = Counter()
    whole, papers.CHUNK_BYTES = papers.CHUNK_BYTES, chunk
    try:
        assert read(data, counts) == list(first.values())
    finally:
        papers.CHUNK_BYTES = whole
    assert counts["duplicates"] == len(records) - len(first)
    assert counts["no_abstract"] == sum(not row["abstract"] for row in first.values())


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (lines({"paper_id": 7, "title": "t", "abstract": "a"}), [("7", "t", "a")]),
        (lines({"paper_id": "7", "title": None}), [("7", "", "")]),
        (lines({"paper_id": "7", "title": "t", "authors": [{"name": "x"}]}), [("7", "t", "")]),
        (lines({"paper_id": "7", "title": "t"}, {"paper_id": 7, "title": "u"}), [("7", "t", "")]),
        (b"\xef\xbb\xbf" + lines({"paper_id": "7"}).replace(b"\n", b"\r\n") + b"\r\n", [("7", "", "")]),
        (lines({"paper_id": "7", "title": "t"}).rstrip(), [("7", "t", "")]),
        (b'{"paper_id": "7", "title": "\\ud800x"}\n', [("7", "?x", "")]),
    ],
    ids=[
        "int id",
        "null",
        "unknown key",
        "duplicate, other type",
        "bom, crlf, blank",
        "no newline",
        "surrogate",
    ],
)
def test_reads_liberally(data, rows):
    assert [tuple(row.values()) for row in read(data)] == rows


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"paper_id": "2", "title": "cut of', "line 2: not valid JSON .*cut of"),
        (b"[1]", "line 2: expected a JSON object, found list"),
        (b'{"title": "no id", "abstract": "a"}', "line 2: expected a paper_id .*keys title, abstract"),
        (b'{"paper_id": null}', "line 2: expected a paper_id .*found None"),
        (b'{"paper_id": ""}', "line 2: expected a paper_id"),
        (b'{"paper_id": true}', "line 2: expected a paper_id .*found True"),
        (b'{"paper_id": "2", "title": ["t"]}', "line 2: paper '2': expected a string as title"),
        (b'{"paper_id": "2", "title": "\xff"}', "line 2: not valid JSON"),
    ],
)
def test_a_bad_line_is_named(line, message):
    with pytest.raises(MdcrDataError, match=message) as caught:
        read(lines({"paper_id": "1"}) + line + b"\n")
    assert str(caught.value).startswith("p.jsonl")


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_file_is_refused(data):
    with pytest.raises(MdcrDataError, match=r"p.jsonl: expected a paper a line, found none; the file is empty"):
        read(data)


def test_a_web_page_is_recognised():
    with pytest.raises(MdcrDataError, match=r"p.jsonl: expected JSON lines, found a web page"):
        read(b"\n<!DOCTYPE html><p>Sign in</p>")
