"""What `result.json` holds: its form, checked on reading, and how older forms become the present one."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..errors import ScirankError, shown
from .summary import measures_in

SCHEMA = 2


class Provenance(msgspec.Struct):
    """How the numbers were made. Of scores that were given, `model` and `ranking` are empty."""

    data_sha256: dict[str, Any]
    settings: dict[str, Any]
    model: dict[str, Any] = {}
    ranking: dict[str, Any] = {}
    environment: dict[str, Any] = {}


class Numbers(msgspec.Struct):
    """What every summary has beside a number a measure."""

    queries: int
    groups: dict[str, dict[str, Any]]
    unrounded: dict[str, Any]


class QuestionNumbers(Numbers):
    """What OAG-QA's have too."""

    average: Literal["macro_disciplines", "macro_topics", "over_questions"]
    averages: dict[str, dict[str, Any]]
    disciplines: dict[str, dict[str, Any]]


class _Version(msgspec.Struct):
    schema: int


class _OfQueries(msgspec.Struct):
    summary: Numbers


class _OfQuestions(msgspec.Struct):
    summary: QuestionNumbers


class SavedResult(msgspec.Struct):
    """The contents of `result.json`.

    Attributes:
        schema: the version of this form.
        model: what was evaluated.
        benchmark: such as `mdcr`.
        split: such as `test`.
        summary: see `Result`.
        notes: what was counted, left out or tied.
        provenance: see `Provenance`.
        files: name -> SHA-256 of the files beside; since schema 2.
    """

    schema: int
    model: str
    benchmark: str
    split: str
    summary: dict[str, Any]
    notes: list[str]
    provenance: Provenance
    files: dict[str, str] = {}


def read_saved(path: Path) -> SavedResult:
    """Read and check a `result.json` of any version so far.

    Raises:
        ScirankError: it is absent, of a later version, or not of this form: naming the place.
    """
    try:
        found = msgspec.json.decode(path.read_bytes())
        schema = msgspec.convert(found, _Version).schema
        if not 1 <= schema <= SCHEMA:
            raise ScirankError(f"{path}: found schema {schema}; this version reads 1 to {SCHEMA}. Upgrade scirank")
        saved = msgspec.convert(found, SavedResult)
        form: type[_OfQueries | _OfQuestions] = _OfQuestions if "averages" in saved.summary else _OfQueries
        numbers = msgspec.convert(found, form).summary
    except FileNotFoundError:
        raise ScirankError(
            f"{path} is absent; expected a folder that `scirank run --out` or `score --out` saved"
        ) from None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ScirankError(f"{path} is no result: {error}") from None
    if wrong := list(_wrong(saved.summary, numbers)):
        raise ScirankError(f"{path}: no finite number at {shown(wrong)}")
    return saved


def _wrong(summary: dict[str, Any], numbers: Numbers) -> Iterator[str]:
    """Where there is no finite number."""
    measures = measures_in(summary)
    if not measures or not numbers.groups:
        yield f"summary.{'groups' if measures else 'unrounded'}"
    rows: dict[str, Any] = {"summary": summary, "summary.unrounded": numbers.unrounded}
    exact = _mapping(numbers.unrounded.get("groups"))
    for group, row in numbers.groups.items():
        if type(row.get("queries")) is not int:
            yield f"summary.groups.{group}.queries"
        rows |= {f"summary.groups.{group}": row, f"summary.unrounded.groups.{group}": _mapping(exact.get(group))}
    if isinstance(numbers, QuestionNumbers):
        averages = {numbers.average: {}, **numbers.averages}
        rows |= {f"summary.averages.{name}": row for name, row in averages.items()}
        rows |= {f"summary.disciplines.{name}": row for name, row in numbers.disciplines.items()}
    for place, row in rows.items():
        for measure in measures:
            value: Any = row.get(measure)
            if type(value) not in (float, int) or not -math.inf < value < math.inf:
                yield f"{place}.{measure}"


def _mapping(value: Any) -> Mapping[str, Any]:
    """What is a mapping; an empty one for all else."""
    return value if isinstance(value, Mapping) else {}
