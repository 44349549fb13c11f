"""Whether a saved result's numbers follow from what is saved beside them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mdcr_metric import evaluate_queries, parse_measures
from mdcr_metric.hits import parse_hits
from mdcr_metric.outcomes import EXACT, Outcome, columns_of

from . import ranked_lists
from .provenance import sha256_of_file
from .result import Result
from .schema import read_saved
from .summary import calibration_of, measures_of, summary_of


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        what: what should hold.
        compared: how many numbers or files.
        wrong: where it does not hold: place, found, expected.
    """

    what: str
    compared: int
    wrong: tuple[str, ...]


def verify(folder: str | os.PathLike[str]) -> list[Check]:
    """Recompute every number of a saved result.

    Files against their SHA-256, the summary from the per-query table and, where ranked lists were saved, the
    per-query table and the calibration from those.

    Args:
        folder: what `Result.save` wrote.

    Raises:
        ScirankError: a file is absent or cannot be read.
    """
    folder = Path(folder)
    saved = read_saved(folder / "result.json")
    there = (folder / ranked_lists.FILE).is_file()
    result = Result.load(folder, rankings=there)
    differ = [name for name, digest in saved.files.items() if not _has(folder / name, digest)]
    checks = [Check("files are those that were saved (SHA-256)", len(saved.files), tuple(differ))]
    calibration = calibration_of(result.known_lists()) if there and "calibration" in result.summary else None
    if calibration is None:
        calibration = result.summary.get("calibration")
    again = summary_of(result.per_query, calibration)
    wrong = tuple(_differences("summary", result.summary, again))
    checks.append(Check("the summary follows from per_query.parquet", _numbers(again), wrong))
    if there:
        checks.append(_per_query(result))
    return checks


def _has(path: Path, digest: str) -> bool:
    return path.is_file() and sha256_of_file(path) == digest


def _per_query(result: Result) -> Check:
    """What is said of each query, from its ranked list."""
    names = measures_of(result.per_query)
    lists = result.known_lists()
    if result.asks_questions:
        counts = result.per_query["relevant"]
        outcomes = [
            Outcome(
                {rule: list(ranks) for rule, ranks in (each.hits or {}).items()},
                list((each.hits or {})["exact_title"]),
                count,
            )
            for each, count in zip(lists, counts, strict=True)
        ]
        columns = columns_of(outcomes, parse_hits([name for name in names if not name.startswith(EXACT)]))
        values = {name: column.tolist() for name, column in columns.items()}
        values["ranked"] = [len(each.run) for each in lists]
    else:
        runs = [dict(each.run) for each in lists]
        qrels = [{paper: int(paper in each.relevant) for paper in each.run} for each in lists]
        found = evaluate_queries(runs, qrels, parse_measures(names), result.provenance["settings"].get("ties", "trec"))
        values = {**{str(measure): column for measure, column in found.values.items()}, "tied": found.tied}
    wrong = tuple(
        f"{name} of {each.query_id} ({each.group}): found {here!r}, its list gives {there!r}"
        for name, column in values.items()
        for each, here, there in zip(lists, result.per_query[name], column, strict=True)
        if here != there
    )
    return Check("per_query.parquet follows from the ranked lists", len(lists) * len(values), wrong)


def _differences(place: str, found: Any, again: Any) -> Iterator[str]:
    if isinstance(again, Mapping) and isinstance(found, Mapping):
        for name in {**again, **found}:
            yield from _differences(f"{place}.{name}", found.get(name), again.get(name))
    elif found != again:
        yield f"{place}: found {found!r}, single queries give {again!r}"


def _numbers(value: Any) -> int:
    return sum(map(_numbers, value.values())) if isinstance(value, Mapping) else 1
