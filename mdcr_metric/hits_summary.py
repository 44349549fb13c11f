"""From single questions to topics, disciplines, and three averages, each by its name."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import numpy as np

from .hits import PerQuestion

DIGITS = 4
AVERAGES = ("macro_disciplines", "macro_topics", "over_questions")
"""Of the disciplines' means, each the mean of its topics'; of the topics' means; of all questions."""
Row = Mapping[str, float]


def summarise_questions(
    per_question: PerQuestion, topics: Sequence[str], disciplines: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Percentages for each topic and discipline, and the averages over them.

    Means are of unrounded means, as upstream's are, and rounded once, to 4 decimals. The result's
    own numbers are those of `average`: the first of `AVERAGES` that there is a discipline or topic
    for. `false_hits` counts the questions that hit under `title_span` and not under `exact_title`.

    Args:
        per_question: values from 0 to 1.
        topics: the topic of each question.
        disciplines: topic -> discipline, where these are known.
    """
    members: dict[str, list[int]] = {}
    for row, topic in enumerate(topics):
        members.setdefault(topic, []).append(row)
    columns = {name: np.asarray(values) for name, values in per_question.values.items()}
    exact = {topic: _means(columns, rows) for topic, rows in members.items()}
    averages = {"over_questions": _means(columns, range(len(topics))), "macro_topics": _mean(exact.values())}
    by_discipline: dict[str, list[str]] = {}
    if disciplines:
        for topic in exact:
            by_discipline.setdefault(disciplines[topic], []).append(topic)
        of_disciplines = {name: _mean(exact[topic] for topic in inside) for name, inside in by_discipline.items()}
        averages["macro_disciplines"] = _mean(of_disciplines.values())
    headline = next(name for name in AVERAGES if name in averages)
    return {
        **_rounded(averages[headline]),
        "average": headline,
        **_counts(per_question, range(len(topics))),
        "averages": {name: _rounded(averages[name]) for name in AVERAGES if name in averages},
        "disciplines": {
            name: {**_rounded(of_disciplines[name]), "topics": len(inside)} for name, inside in by_discipline.items()
        },
        "groups": {
            topic: {
                **_rounded(exact[topic]),
                **_counts(per_question, rows),
                **({"discipline": disciplines[topic]} if disciplines else {}),
            }
            for topic, rows in members.items()
        },
        "unrounded": {**averages[headline], "groups": exact},
    }


def _counts(per_question: PerQuestion, rows: Sequence[int]) -> dict[str, Any]:
    tied = {} if per_question.tied is None else {"tied_queries": sum(per_question.tied[row] for row in rows)}
    values = per_question.values
    false = {
        name: int(sum(values[name][row] > values[f"exact_{name}"][row] for row in rows))
        for name in values
        if name.startswith("hit_")
    }
    return {"queries": len(rows), **tied, "false_hits": false}


def _means(columns: Mapping[str, Any], rows: Sequence[int]) -> dict[str, float]:
    return {name: float(100 * values[list(rows)].mean()) for name, values in columns.items()}


def _mean(rows: Iterable[Row]) -> dict[str, float]:
    found = list(rows)
    return {name: float(np.mean([row[name] for row in found])) for name in found[0]}


def _rounded(row: Row) -> dict[str, float]:
    return {name: float(np.round(value, DIGITS)) for name, value in row.items()}
