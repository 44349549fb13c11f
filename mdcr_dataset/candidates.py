"""Upstream's candidate files, `mdcr_{val,test}.json`: field -> query -> source -> candidate ids."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from .errors import MdcrDataError

FIELDS = (
    "Art",
    "Biology",
    "Business",
    "Chemistry",
    "Computer Science",
    "Economics",
    "Engineering",
    "Environmental Science",
    "Geography",
    "Geology",
    "History",
    "Materials Science",
    "Mathematics",
    "Medicine",
    "Philosophy",
    "Physics",
    "Political Science",
    "Psychology",
    "Sociology",
)
"""The 19 MAG fields of the published benchmark, in the order of its table."""

SOURCES = ("bm25", "scincl", "specter", "graph", "most_cited", "random", "true")
"""Where a candidate comes from; `true` are the papers that the query cites."""

CandidateLists = dict[str, dict[str, dict[str, list[str]]]]
"""`benchmark[group][query_id][source]` is a list of candidate ids; every source is present."""


def parse_candidates(data: bytes, name: str) -> CandidateLists:
    """Parse one candidate file.

    Integer ids become strings, absent or null lists become empty ones, other keys of a query are
    ignored. Groups and queries keep the file's order.

    Args:
        data: the file's bytes (UTF-8 JSON).
        name: what to call the file in errors.

    Raises:
        MdcrDataError: the file is not JSON, not of this shape, or has a key twice in one object.
    """
    if data[:200].lstrip()[:1] == b"<":
        raise MdcrDataError(
            f"{name}: expected JSON, found a web page that begins {_start(data)}. Download the file again"
        )
    groups = _loads(data, name)
    if not isinstance(groups, dict) or not groups:
        raise MdcrDataError(f"{name}: expected {{field: {{query_id: {{source: [id]}}}}}}, found {_brief(groups)}")
    benchmark = {group: _queries(name, group, queries) for group, queries in groups.items()}
    if not any(benchmark.values()):
        raise MdcrDataError(f"{name}: expected queries, found none in the fields {', '.join(benchmark)}")
    keys = len(groups) + sum(len(queries) + sum(map(len, queries.values())) for queries in groups.values())
    if data.count(b":") != keys:
        # More colons than keys: a name holds one, or a key stands twice. The slow way tells, and refuses the latter.
        _loads(data, name, object_pairs_hook=_object)
    if b"\\u" in data:
        _refuse_odd_characters(name, groups)
    return benchmark


def _loads(data: bytes, name: str, **options: Any) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), **options)
    except MdcrDataError as error:
        raise MdcrDataError(f"{name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise MdcrDataError(
            f"{name}: not valid JSON ({error}); it has {len(data):,} bytes and ends {_end(data)}. "
            "If the end looks cut off, download the file again"
        ) from error


def select_groups(benchmark: CandidateLists, groups: str | Collection[str] | None, name: str) -> CandidateLists:
    """The groups asked for (all for None), in the file's order. Raises MdcrDataError naming what there is."""
    if groups is not None and not groups:
        raise MdcrDataError(f"no field was named; {name} has {', '.join(benchmark)}")
    groups = [groups] if isinstance(groups, str) else groups
    if unknown := [group for group in groups or () if group not in benchmark]:
        raise MdcrDataError(f"{name}: no field {', '.join(map(repr, unknown))}; it has {', '.join(benchmark)}")
    return {group: queries for group, queries in benchmark.items() if groups is None or group in groups}


def qrels(lists: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """A query's pool: each candidate once, 1 where it stands in `true`, whatever other lists it is in."""
    pool = dict.fromkeys(chain.from_iterable(lists[source] for source in SOURCES), 0)
    pool.update(dict.fromkeys(lists["true"], 1))
    return pool


def listed_papers(candidates: CandidateLists) -> dict[str, None]:
    """Every paper that occurs, as a query or a candidate, each once and in the file's order."""
    return dict.fromkeys(
        paper
        for queries in candidates.values()
        for query, lists in queries.items()
        for paper in chain([query], *(lists[source] for source in SOURCES))
    )


def _queries(name: str, group: str, queries: object) -> dict[str, dict[str, list[str]]]:
    if not isinstance(queries, dict):
        raise MdcrDataError(f"{name}: field {group!r}: expected {{query_id: lists}}, found {_brief(queries)}")
    parsed = {}
    for query, lists in queries.items():
        if not isinstance(lists, dict) or not any(source in lists for source in SOURCES):
            raise MdcrDataError(
                f"{name}: field {group!r}, query {query!r}: "
                f"expected lists named {', '.join(SOURCES)}, found {_brief(lists)}"
            )
        found: dict[str, Any] = {source: lists.get(source) for source in SOURCES}
        if not _are_lists_of_ids(found.values()):
            found = {source: _ids(name, group, query, source, ids) for source, ids in found.items()}
        parsed[query] = found
    return parsed


def _are_lists_of_ids(lists: Collection[Any]) -> bool:
    """Whether nothing needs mending, told without a loop in Python: this runs for every query."""
    return {*map(type, lists)} == {list} and {*map(type, chain(*lists))} <= {str} and all(chain(*lists))


def _ids(name: str, group: str, query: str, source: str, ids: object) -> list[str]:
    if ids is None:
        return []
    if not isinstance(ids, list):
        raise MdcrDataError(
            f"{name}: field {group!r}, query {query!r}, list {source!r}: "
            f"expected a list of paper ids, found {_brief(ids)}"
        )
    for position, paper in enumerate(ids):
        if type(paper) is int:
            ids[position] = str(paper)
        elif type(paper) is not str or not paper:
            raise MdcrDataError(
                f"{name}: field {group!r}, query {query!r}, list {source!r}, position {position}: "
                f"expected a paper id, found {_brief(paper)}"
            )
    return ids


def _refuse_odd_characters(name: str, groups: object) -> None:
    """What JSON can escape but neither UTF-8 nor trec_eval can hold."""
    if re.search("[\0\ud800-\udfff]", "".join(_strings(groups))):
        raise MdcrDataError(f"{name}: an id or a field's name has a NUL or an unpaired surrogate; use plain strings")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    parsed = dict(pairs)
    if len(parsed) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise MdcrDataError(f"the key {twice!r} stands twice in one object, so one of them would be lost; remove one")
    return parsed


def _brief(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _start(data: bytes) -> str:
    return repr(data[:40].decode("utf-8", "replace"))


def _end(data: bytes) -> str:
    return repr(data[-40:].decode("utf-8", "replace"))
