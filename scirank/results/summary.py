"""From the per-query table to the summary: the one way, whether models were just run or a result is read again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mdcr_metric import parse_measures, summarise
from mdcr_metric.calibration import calibrate
from mdcr_metric.hits import PerQuestion, parse_hits, short_lists
from mdcr_metric.hits_summary import summarise_questions
from mdcr_metric.outcomes import EXACT, RULES
from mdcr_metric.queries import PerQuery

from .ranked_lists import RankedList

NO_MEASURES = ("query_id", "group", "part_of", "relevant", "ranked", "tied")
"""Columns of a per-query table that are no measures."""


def measures_of(per_query: Mapping[str, Sequence[Any]]) -> list[str]:
    """The names of the measures that a per-query table has."""
    return [name for name in per_query if name not in NO_MEASURES]


def measures_in(summary: Mapping[str, Any]) -> list[str]:
    """The names of the measures that a summary has, in the order asked for."""
    return [name for name in summary["unrounded"] if name != "groups"]


def headline_of(measures: Sequence[str]) -> str:
    """The measure that stands for all: of OAG-QA `hit_20`, which is what is published; else the first."""
    return "hit_20" if "hit_20" in measures else measures[0]


def calibration_of(lists: Sequence[RankedList]) -> dict[str, Any]:
    """The calibration of questions' ranked lists, by hit rule."""
    scores = [list(each.run.values()) for each in lists]
    return {rule: asdict(calibrate(scores, [(each.hits or {})[rule] for each in lists])) for rule in RULES.values()}


def summary_of(
    per_query: Mapping[str, Sequence[Any]], calibration: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """A result's summary.

    Args:
        per_query: the columns of `Result.per_query`.
        calibration: of questions whose papers have scores: hit rule -> the fields of
            `mdcr_metric.calibration.Calibration`.
    """
    names = measures_of(per_query)
    if "part_of" not in per_query:
        values = dict(zip(parse_measures(names), (list(per_query[name]) for name in names), strict=True))
        return summarise(PerQuery(values, list(per_query["tied"])), per_query["group"])
    tied = list(per_query["tied"]) if "tied" in per_query else None
    questions = PerQuestion({name: list(per_query[name]) for name in names}, tied, {})
    disciplines = dict(zip(per_query["group"], per_query["part_of"], strict=True))
    summary = summarise_questions(questions, per_query["group"], disciplines)
    summary["without_relevant"] = list(per_query["relevant"]).count(0)
    asked = parse_hits([name for name in names if not name.startswith(EXACT)])
    summary["short_lists"] = short_lists(per_query["ranked"], asked)
    if calibration is not None:
        summary |= {f"{prefix}ece": calibration[rule]["ece"] for prefix, rule in RULES.items()}
        summary["calibration"] = {rule: dict(found) for rule, found in calibration.items()}
    return summary
