"""Upstream's score files: one JSON object, `queryid_candidateid` to score."""

import json
from collections import Counter
from functools import partial
from typing import Any

import orjson

from .errors import ScirankError, counted, shown


def parse_scores(data: bytes, name: str) -> dict[str, Any]:
    """Parse a score file. The scores themselves are not looked at.

    Args:
        data: the file's bytes.
        name: what to call the file in errors.

    Raises:
        ScirankError: the file is not JSON, not one flat object, or has two scores for one pair.
    """
    try:
        scores = orjson.loads(data)
    except orjson.JSONDecodeError as strict:
        scores = _parse_with_nan(data, name, strict)
    if not isinstance(scores, dict) or any(isinstance(value, dict) for value in list(scores.values())[:1]):
        raise ScirankError(
            f'{name}: expected one JSON object {{"queryid_candidateid": score, ...}}, found {data[:80]!r}'
        )
    if data.count(b":") != len(scores):
        # More colons than keys: an id holds one, or a key stands twice. The slow way tells, and refuses the latter.
        json.loads(data, object_pairs_hook=partial(_refuse_repeated, name))
    return scores


def _parse_with_nan(data: bytes, name: str, strict: ValueError) -> Any:
    """Python's reader takes NaN and Infinity, which let the pair with such a score be named."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ScirankError(
            f"{name}: not valid JSON ({strict}); it has {len(data):,} bytes and ends {data[-40:]!r}. "
            "If the end looks cut off, the file is incomplete"
        ) from strict


def _refuse_repeated(name: str, pairs: list[tuple[str, Any]]) -> None:
    if repeated := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        found = counted(len(repeated), "pair has", "pairs have")
        raise ScirankError(f"{name}: {found} two scores: {shown(repeated)}; keep one of each")
