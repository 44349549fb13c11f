"""Turns what users pass (lists, arrays, tensors) into plain rows, or says which row is wrong."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# trec_eval compares in single precision; beyond this every score is infinite to it.
LARGEST_SCORE = 3.4028234663852886e38
REQUIRED = object()


@dataclass(frozen=True)
class Column:
    """A column of the metric's input.

    Attributes:
        check: from the row's number, its value and the row's columns so far to a plain value; else
            ValueError.
        feature: how `datasets` keeps it.
        absent: what stands for it where it is left out; `REQUIRED` if it cannot be.
    """

    check: Callable[[int, Any, Mapping[str, Any]], Any]
    feature: Any
    absent: Any = REQUIRED


def checked_batch(columns: Mapping[str, Column], given: Mapping[str, Any], first_row: int = 0) -> dict[str, list[Any]]:
    """Plain rows, column by column.

    Args:
        columns: what may be given; a check sees the columns before its own.
        given: for each column a row a query, or None.
        first_row: the number of the first row, for errors.

    Raises:
        ValueError: naming the row, and what was found and expected.
    """
    rows = {name: rows_of(name, given[name]) for name in columns if given.get(name) is not None}
    for name, column in columns.items():
        if column.absent is REQUIRED and name not in rows:
            raise ValueError(f"{name} is missing: pass a row for each query")
    number = len(rows["predictions"])
    for name, values in rows.items():
        if len(values) != number:
            raise ValueError(f"predictions has {number} rows, {name} has {len(values)}; pass one for each query")
    batch: dict[str, list[Any]] = {name: [] for name in columns}
    for at in range(number):
        row: dict[str, Any] = {}
        for name, column in columns.items():
            row[name] = column.check(first_row + at, rows[name][at], row) if name in rows else column.absent
            batch[name].append(row[name])
    return batch


def rows_of(name: str, column: Any) -> list[Any]:
    """A column's rows."""
    rows = column.tolist() if hasattr(column, "tolist") else column
    if isinstance(rows, str | bytes) or not hasattr(rows, "__iter__"):
        raise ValueError(f"{name}: expected a row for each query, found {column!r:.80}")
    return list(rows)


def items(name: str, row: int, values: Any) -> list[Any]:
    """The items of a row that should be a list."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, str | bytes) or not isinstance(plain, Sequence):
        raise ValueError(f"row {row}: {name} should be a list, found {values!r:.80}")
    return [value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value for value in plain]


def finite_scores(name: str, row: int, values: Any) -> list[float]:
    """A row of scores that are finite in single precision."""
    scores = items(name, row, values)
    for at, score in enumerate(scores):
        if type(score) is not float and type(score) is not int:
            raise ValueError(f"row {row}, candidate {at}: expected a number as score, found {score!r:.80}")
        if not -LARGEST_SCORE <= score <= LARGEST_SCORE:
            raise ValueError(f"row {row}, candidate {at}: expected a finite score (float32), found {score}")
    return [float(score) for score in scores]


def name_of(what: str) -> Callable[[int, Any, Mapping[str, Any]], str]:
    """A check that a row's group, or whatever it is, has a name."""

    def check(row: int, value: Any, _so_far: Mapping[str, Any]) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError(f"row {row}: expected a name as {what}, found {value!r:.80}")
        return plain_text(row, what, value)

    return check


def plain_text(row: int, name: str, text: str) -> str:
    """Refuse what trec_eval, in C and UTF-8, cannot hold."""
    if "\0" in text or (not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)):
        raise ValueError(f"row {row}: {name} {text!r} has a NUL or an unpaired surrogate; use plain strings")
    return str(text)
