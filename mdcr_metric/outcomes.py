"""What is found for a question among ranked titles, under both hit rules, and what it comes to."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .measures import Measure
from .titles import title_key

EXACT = "exact_"
RULES = {"": "title_span", EXACT: "exact_title"}
"""Prefix of a measure's name -> the hit rule that it is under; recall is about papers, so under `exact_title` only."""


@dataclass(frozen=True)
class Question:
    """One ranked question.

    Attributes:
        titles: of the ranked papers, best first.
        answers: titles that answer it.
        scores: of the ranked papers, not rising, or None.
        relevant: how many papers of the pool answer it; None if that is not known: then answers
            stand for papers.
        cut_in_tie: whether the first paper that was left out has the score of the last one ranked.
    """

    titles: Sequence[str]
    answers: Sequence[str]
    scores: Sequence[float] | None = None
    relevant: int | None = None
    cut_in_tie: bool = False


@dataclass(frozen=True)
class Outcome:
    """What was found for a question.

    Attributes:
        hits: rule -> the ranks of its hits.
        papers: the ranks where one more of the answering papers is found.
        relevant: how many answering papers there are.
    """

    hits: dict[str, list[int]]
    papers: list[int]
    relevant: int


def outcome_of(question: Question, keys: Mapping[str, str]) -> Outcome:
    """What is found; `keys` gives the key of a title."""
    answers = {title_key(answer) for answer in question.answers}
    lower = [title.lower() for title in question.titles]
    # An answer without tokens stands in every title, as upstream has it, and is the title of no paper.
    span = set(range(len(lower)) if "" in answers else ())
    exact: dict[int, str] = {}
    for answer in answers - {""}:
        token = max(answer.split(), key=len)
        # Only these can hold the answer, so only these are tokenised. Beyond ASCII, a token may be spelled otherwise.
        for rank in [rank for rank, title in enumerate(lower) if token in title or not title.isascii()]:
            key = keys[question.titles[rank]]
            if answer in key:
                span.add(rank)
            if answer == key:
                exact[rank] = key
    ranks = sorted(exact)
    if question.relevant is None:  # answers stand for papers, each found once
        first = {exact[rank]: rank for rank in reversed(ranks)}
        return Outcome({"title_span": sorted(span), "exact_title": ranks}, sorted(first.values()), len(answers - {""}))
    return Outcome({"title_span": sorted(span), "exact_title": ranks}, ranks, question.relevant)


class Keys(dict[str, str]):
    """Title -> key, made when it is first asked for."""

    def __missing__(self, title: str) -> str:
        key = self[title] = title_key(title)
        return key


def columns_of(outcomes: Sequence[Outcome], measures: Sequence[Measure]) -> dict[str, "np.ndarray[Any, Any]"]:
    """Each measure of each question."""
    first = {
        prefix: np.array([next(iter(outcome.hits[rule]), np.inf) for outcome in outcomes])
        for prefix, rule in RULES.items()
    }
    ranks = np.array([rank for outcome in outcomes for rank in outcome.papers], dtype=int)
    rows = np.repeat(np.arange(len(outcomes)), [len(outcome.papers) for outcome in outcomes])
    relevant = np.array([max(1, outcome.relevant) for outcome in outcomes])
    columns = {}
    for measure in measures:
        cutoff = measure.cutoff or np.inf
        if measure.kind == "recall":
            columns[str(measure)] = np.bincount(rows[ranks < cutoff], minlength=len(outcomes)) / relevant
            continue
        for prefix, rank in first.items():
            value = 1.0 if measure.kind == "hit" else 1 / (rank + 1)
            columns[prefix + str(measure)] = np.where(rank < cutoff, value, 0.0)
    return columns
