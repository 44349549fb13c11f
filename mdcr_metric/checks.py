"""Turns what users pass (lists, arrays, tensors) into plain rows, or says which row is wrong."""

from collections.abc import Sequence
from typing import Any

# trec_eval compares in single precision; beyond this every score is infinite to it.
LARGEST_SCORE = 3.4028234663852886e38


def checked_batch(
    predictions: Any, references: Any, candidate_ids: Any = None, groups: Any = None, first_row: int = 0
) -> dict[str, list[Any]]:
    """Plain rows of scores, labels, ids and groups; ids and groups left out become `[]` and `""`.

    Args:
        predictions: for each query, a row of scores.
        references: for each query, a row of 0 and 1.
        candidate_ids: for each query, a row of ids, or None.
        groups: for each query, a name, or None.
        first_row: the number of the first row, for errors.

    Raises:
        ValueError: naming the row, and what was found and expected.
    """
    columns = {"predictions": predictions, "references": references, "candidate_ids": candidate_ids, "groups": groups}
    given = {name: _rows(name, column) for name, column in columns.items() if column is not None}
    for name in ("predictions", "references"):
        if name not in given:
            raise ValueError(f"{name} is missing: pass a row for each query")
    for name, rows in given.items():
        if len(rows) != len(given["predictions"]):
            raise ValueError(
                f"predictions has {len(given['predictions'])} rows, {name} has {len(rows)}; pass one for each query"
            )
    batch: dict[str, list[Any]] = {name: [] for name in columns}
    for at in range(len(given["predictions"])):
        row = first_row + at
        scores = _scores(row, given["predictions"][at])
        batch["predictions"].append(scores)
        batch["references"].append(_labels(row, given["references"][at], len(scores)))
        batch["candidate_ids"].append(
            _ids(row, given["candidate_ids"][at], len(scores)) if "candidate_ids" in given else []
        )
        batch["groups"].append(_group(row, given["groups"][at]) if "groups" in given else "")
    return batch


def _rows(name: str, column: Any) -> list[Any]:
    rows = column.tolist() if hasattr(column, "tolist") else column
    if isinstance(rows, str | bytes) or not hasattr(rows, "__iter__"):
        raise ValueError(f"{name}: expected a row for each query, found {column!r:.80}")
    return list(rows)


def _row(name: str, row: int, values: Any) -> list[Any]:
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, str | bytes) or not isinstance(plain, Sequence):
        raise ValueError(f"row {row}: {name} should be a list, found {values!r:.80}")
    return [value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value for value in plain]


def _scores(row: int, values: Any) -> list[float]:
    scores = _row("predictions", row, values)
    if not scores:
        raise ValueError(f"row {row}: no candidates; leave the query out or give it at least one")
    for at, score in enumerate(scores):
        if type(score) is not float and type(score) is not int:
            raise ValueError(f"row {row}, candidate {at}: expected a number as score, found {score!r:.80}")
        if not -LARGEST_SCORE <= score <= LARGEST_SCORE:
            raise ValueError(f"row {row}, candidate {at}: expected a finite score (float32), found {score}")
    return [float(score) for score in scores]


def _labels(row: int, values: Any, length: int) -> list[float]:
    labels = _row("references", row, values)
    if len(labels) != length:
        raise ValueError(f"row {row}: {length} predictions but {len(labels)} references")
    for at, label in enumerate(labels):
        if type(label) not in (int, float, bool) or label not in (0, 1):
            raise ValueError(f"row {row}, candidate {at}: expected 0 or 1 as reference, found {label!r:.80}")
    return [float(label) for label in labels]


def _ids(row: int, values: Any, length: int) -> list[str]:
    ids = _row("candidate_ids", row, values)
    if len(ids) != length:
        raise ValueError(f"row {row}: {length} predictions but {len(ids)} candidate_ids")
    for at, candidate in enumerate(ids):
        if type(candidate) not in (str, int):
            raise ValueError(f"row {row}, candidate {at}: expected a string as id, found {candidate!r:.80}")
    ids = [_text(row, "id", str(candidate)) for candidate in ids]
    if len(set(ids)) != length:
        twice = next(candidate for candidate in ids if ids.count(candidate) > 1)
        raise ValueError(f"row {row}: id {twice!r} stands twice; a candidate can be ranked only once")
    return ids


def _group(row: int, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"row {row}: expected a name as group, found {value!r:.80}")
    return _text(row, "group", value)


def _text(row: int, name: str, text: str) -> str:
    """Refuse what trec_eval, in C and UTF-8, cannot hold."""
    if "\0" in text or (not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)):
        raise ValueError(f"row {row}: {name} {text!r} has a NUL or an unpaired surrogate; use plain strings")
    return str(text)
