"""Measures of single questions, from ranked titles and answers' titles, under both hit rules."""

from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .measures import Measure
from .measures import parse_measures
from .titles import title_key

KINDS = ("hit", "recall", "mrr")
RULES = {"": "title_span", "exact_": "exact_title"}
"""Prefix of a measure's name -> the hit rule that it is under; recall is about papers, so under `exact_title` only."""
DEFAULT_HITS = ("hit_1", "hit_5", "hit_10", "hit_20", "hit_50", "hit_100", "mrr", "recall_20", "recall_100")


@dataclass(frozen=True)
class PerQuestion:
    """Measures of each question, from 0 to 1.

    Attributes:
        values: measure -> a value a question.
        tied: whether the order of equal scores could change any; None where no scores were given.
        hits: rule -> the ranks, from 0, of each question's hits.
    """

    values: dict[str, list[float]]
    tied: list[bool] | None
    hits: dict[str, list[list[int]]]


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


def parse_hits(names: str | Iterable[str]) -> tuple[Measure, ...]:
    """Measures by name: `hit_K`, `recall_K`, `mrr` or `mrr_K`. Raises ValueError for others."""
    measures = parse_measures(names, KINDS)
    for measure in measures:
        if measure.kind != "mrr" and measure.cutoff is None:
            raise ValueError(f"measure {measure} needs a cutoff, such as {measure}_20")
    return measures


def evaluate_questions(questions: Sequence[Question], measures: Sequence[Measure]) -> PerQuestion:
    """Evaluate questions. A title is tokenised at most once, however often it is ranked.

    Args:
        questions: what was ranked.
        measures: as `parse_hits` gives them.

    Returns:
        for `hit_K` and `mrr` two measures, that of `title_span` under the name itself and that of
        `exact_title` with `exact_` before it.
    """
    keys = _Keys()
    outcomes = [_outcome(question, keys) for question in questions]
    tied = None
    if any(question.scores is not None for question in questions):
        tied = _tied(questions, outcomes, measures)
    return PerQuestion(
        values={name: values.tolist() for name, values in _columns(outcomes, measures).items()},
        tied=tied,
        hits={rule: [outcome.hits[rule] for outcome in outcomes] for rule in RULES.values()},
    )


def answering_ranks(titles: Sequence[str], answers: Sequence[str]) -> list[int]:
    """The ranks, from 0, of titles that are an answer (`exact_title`)."""
    return _outcome(Question(titles, answers), _Keys()).hits["exact_title"]


@dataclass(frozen=True)
class _Outcome:
    """What was found for a question.

    Attributes:
        hits: rule -> the ranks of its hits.
        papers: the ranks where one more of the answering papers is found.
        relevant: how many answering papers there are.
    """

    hits: dict[str, list[int]]
    papers: list[int]
    relevant: int


def _columns(outcomes: Sequence[_Outcome], measures: Sequence[Measure]) -> dict[str, "np.ndarray[Any, Any]"]:
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


def _outcome(question: Question, keys: Mapping[str, str]) -> _Outcome:
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
        return _Outcome({"title_span": sorted(span), "exact_title": ranks}, sorted(first.values()), len(answers - {""}))
    return _Outcome({"title_span": sorted(span), "exact_title": ranks}, ranks, question.relevant)


class _Keys(dict[str, str]):
    """Title -> key, made when it is first asked for."""

    def __missing__(self, title: str) -> str:
        key = self[title] = title_key(title)
        return key


def _tied(questions: Sequence[Question], outcomes: Sequence[_Outcome], measures: Sequence[Measure]) -> list[bool]:
    """Whether the best and the worst order of equal scores give other values.

    Of a list cut between equal scores the papers left out are not known: at best the last equals
    are all hits, as far as there can be so many, at worst none is.
    """
    tied = [False] * len(questions)
    bounds = {row: found for row, question in enumerate(questions) if (found := _bounds(question))}
    if bounds:
        best, worst = (
            _columns([_reordered(questions[row], outcomes[row], bounds[row], first) for row in bounds], measures)
            for first in (True, False)
        )
        differs = np.any([best[name] != worst[name] for name in best], axis=0)
        for row, differ in zip(bounds, differs.tolist(), strict=True):
            tied[row] = differ
    return tied


def _bounds(question: Question) -> list[int]:
    """Where other scores begin, with both ends; empty where no two are equal."""
    scores = np.asarray(question.scores, dtype=np.float32)
    changes = np.flatnonzero(scores[1:] != scores[:-1]) + 1
    if not len(scores) or (len(changes) == len(scores) - 1 and not question.cut_in_tie):
        return []
    return [0, *changes.tolist(), len(scores)]


def _reordered(question: Question, outcome: _Outcome, bounds: Sequence[int], hits_first: bool) -> _Outcome:
    """The outcome with hits first, or last, between each two bounds."""
    always = any(not title_key(answer) for answer in question.answers)

    def moved(ranks: Sequence[int], copies: Mapping[int, int], most: int) -> list[int]:
        places: list[int] = []
        for start, end in pairwise(bounds):
            inside = sorted((copies.get(rank, 1) for rank in ranks if start <= rank < end), reverse=True)
            if question.cut_in_tie and end == len(question.titles):
                inside = [1] * min(end - start, most - len(places)) if hits_first else []
            # What is found again by a copy is found once: its copies fill the places behind it.
            first = start if hits_first else end - sum(inside)
            steps = [1] * len(inside) if hits_first else inside
            places += [first + sum(steps[:at]) for at in range(len(steps))]
        return places

    size = len(question.titles)
    span, exact = outcome.hits["title_span"], outcome.hits["exact_title"]
    most = size if question.answers else 0
    found = min(outcome.relevant, size) if question.relevant is not None else size
    return _Outcome(
        {
            "title_span": span if always else moved(span, {}, most),
            "exact_title": moved(exact, {}, found if outcome.relevant else 0),
        },
        moved(outcome.papers, _copies(question, outcome, bounds), min(outcome.relevant, size)),
        outcome.relevant,
    )


def _copies(question: Question, outcome: _Outcome, bounds: Sequence[int]) -> dict[int, int]:
    """Rank where an answer is found -> how often its title is among the equals there."""
    if question.relevant is not None:
        return {}
    keys = {rank: title_key(question.titles[rank]) for rank in outcome.hits["exact_title"]}
    place = {rank: bisect_right(bounds, rank) for rank in keys}
    return {
        rank: sum(keys[other] == keys[rank] and place[other] == place[rank] for other in keys)
        for rank in outcome.papers
    }


def short_lists(questions: Sequence[Question], measures: Sequence[Measure]) -> dict[str, int]:
    """Measure -> how many questions have fewer ranked papers than its cutoff, where any has."""
    lengths = [len(question.titles) for question in questions]
    short = {str(m): sum(length < m.cutoff for length in lengths) for m in measures if m.cutoff}
    return {name: number for name, number in short.items() if number}
