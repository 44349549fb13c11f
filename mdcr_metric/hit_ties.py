"""Which questions have equal scores whose order could change a measure."""

from bisect import bisect_right
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .measures import Measure
from .outcomes import Outcome
from .outcomes import Question
from .outcomes import columns_of
from .titles import title_key


def tied_questions(
    questions: Sequence[Question], outcomes: Sequence[Outcome], measures: Sequence[Measure]
) -> list[bool]:
    """Whether the best and the worst order of equal scores give other values.

    Of a list cut between equal scores the papers left out are not known: at best the last equals
    are all hits, as far as there can be so many, at worst none is.
    """
    tied = [False] * len(questions)
    bounds = {row: found for row, question in enumerate(questions) if (found := _bounds(question))}
    if bounds:
        best, worst = (
            columns_of([_reordered(questions[row], outcomes[row], bounds[row], first) for row in bounds], measures)
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


def _reordered(question: Question, outcome: Outcome, bounds: Sequence[int], hits_first: bool) -> Outcome:
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
    return Outcome(
        {
            "title_span": span if always else moved(span, {}, most),
            "exact_title": moved(exact, {}, found if outcome.relevant else 0),
        },
        moved(outcome.papers, _copies(question, outcome, bounds), min(outcome.relevant, size)),
        outcome.relevant,
    )


def _copies(question: Question, outcome: Outcome, bounds: Sequence[int]) -> dict[int, int]:
    """Rank where an answer is found -> how often its title is among the equals there."""
    if question.relevant is not None:
        return {}
    keys = {rank: title_key(question.titles[rank]) for rank in outcome.hits["exact_title"]}
    place = {rank: bisect_right(bounds, rank) for rank in keys}
    return {
        rank: sum(keys[other] == keys[rank] and place[other] == place[rank] for other in keys)
        for rank in outcome.papers
    }
