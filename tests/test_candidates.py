"""Reading upstream's candidate files."""

import json

import pytest
from conftest import LISTS, pool

from mdcr_dataset import FIELDS, MINI, MdcrDataError, parse_candidates, qrels, select_groups

GOOD = {"Art": {"1": pool(bm25=["2"], true=["3"])}}


@pytest.mark.parametrize(
    ("lists", "name", "ids"),
    [
        (pool(bm25=[2, "3"]), "bm25", ["2", "3"]),
        ({"bm25": None, "true": ["9"]}, "bm25", []),
        ({"true": ["9"]}, "random", []),
        (pool(true=["9"]) | {"unknown": {"a:b": [1]}}, "true", ["9"]),
    ],
    ids=["integer ids", "null list", "absent list", "unknown key"],
)
def test_reads_liberally(lists, name, ids):
    parsed = parse_candidates(json.dumps({"Art": {"1": lists}}).encode(), "f.json")
    assert parsed["Art"]["1"][name] == ids
    assert tuple(parsed["Art"]["1"]) == LISTS


def test_a_byte_order_mark_and_colons_in_names_do_no_harm():
    data = b"\xef\xbb\xbf" + json.dumps({"Art: old": {"1:2": pool(true=["a:b"])}}).encode()
    assert parse_candidates(data, "f.json")["Art: old"]["1:2"]["true"] == ["a:b"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not valid JSON"),
        (b"<html>proxy</html>", "a web page that begins '<html>proxy"),
        (json.dumps(GOOD).encode()[:-9], "ends .* looks cut off"),
        (b"\xff\xfe{}", "not valid JSON"),
        (b"[]", r"expected {field: .*found \[\]"),
        (b"{}", "found {}"),
        (b'{"Art": 3}', "field 'Art': .*found 3"),
        (b'{"Art": {"1": [2]}}', r"field 'Art', query '1': .*found \[2\]"),
        (b'{"Art": {"1": {"other": []}}}', "expected lists named bm25, scincl"),
        (b'{"Art": {"1": {"true": "2"}}}', "list 'true': expected a list of paper ids, found \"2\""),
        (b'{"Art": {"1": {"true": ["2", null]}}}', "list 'true', position 1: .*found null"),
        (b'{"Art": {"1": {"true": [""]}}}', 'position 0: .*found ""'),
        (b'{"Art": {"1": {"true": [1.5]}}}', "position 0: .*found 1.5"),
        (b'{"Art": {"1": {"true": [true]}}}', "position 0: .*found true"),
        (b'{"Art": {"1": {"true": []}, "1": {"true": []}}}', "'1' stands twice"),
        (b'{"Art": {}, "Law": {}}', "expected queries, found none in the fields Art, Law"),
        (b'{"Art": {"q\\u0000": {"true": ["2"]}}}', "a NUL or an unpaired surrogate"),
        (b'{"Art": {"1": {"true": ["\\ud800"]}}}', "a NUL or an unpaired surrogate"),
        (b'{"Art": {}, "Art": {"1": {"true": []}}}', "'Art' stands twice"),
    ],
)
def test_refuses_with_one_message(data, message):
    with pytest.raises(MdcrDataError, match=message) as caught:
        parse_candidates(data, "f.json")
    assert str(caught.value).startswith("f.json: ")


def test_a_pool_has_each_candidate_once_and_true_wins():
    assert qrels(pool(bm25=["a", "b"], random=["b", "c"], true=["c", "a"])) == {"a": 1, "b": 0, "c": 1}


def test_selecting_a_group_that_is_not_there_names_what_is():
    parsed = parse_candidates(json.dumps(GOOD).encode(), "f.json")
    assert select_groups(parsed, None, "f.json") == parsed
    assert select_groups(parsed, "Art", "f.json") == parsed
    with pytest.raises(MdcrDataError, match=r"f.json: no field 'Biology'; it has Art"):
        select_groups(parsed, ["Biology"], "f.json")
    with pytest.raises(MdcrDataError, match=r"no field was named; f.json has Art"):
        select_groups(parsed, [], "f.json")


@pytest.mark.parametrize(("split", "queries_in_all", "least"), [("test", 76, 4), ("val", 63, 3)])
def test_mini_is_what_its_card_says(split, queries_in_all, least):
    records = [json.loads(line) for line in (MINI / f"mdcr_{split}_data.jsonl").read_text("utf-8").splitlines()]
    known = {record["paper_id"] for record in records}
    assert len(known) == len(records)
    assert all(len(record["abstract"].split()) >= 40 for record in records)
    benchmark = parse_candidates((MINI / f"mdcr_{split}.json").read_bytes(), "mini")
    assert sum(map(len, benchmark.values())) == queries_in_all
    assert tuple(benchmark) == FIELDS
    for queries in benchmark.values():
        assert len(queries) >= least
        papers = {paper for query, lists in queries.items() for paper in (query, *qrels(lists))}
        assert papers <= known
        assert len(papers) >= 14
