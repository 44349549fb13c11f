"""Measures of single questions, from ranked titles and answers' titles, under both hit rules."""

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from .hit_ties import tied_questions
from .measures import Measure
from .measures import parse_measures
from .outcomes import RULES
from .outcomes import Keys
from .outcomes import Question
from .outcomes import columns_of
from .outcomes import outcome_of

KINDS = ("hit", "recall", "mrr")
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


def parse_hits(names: str | Iterable[str]) -> tuple[Measure, ...]:
    """Measures by name: `hit_K`, `recall_K`, `mrr` or `mrr_K`. Raises ValueError for others."""
    measures = parse_measures(names, KINDS)
    for measure in measures:
        if measure.kind != "mrr" and measure.cutoff is None:
            raise ValueError(f"measure {measure} needs a cutoff, such as {measure}_20")
    return measures


def measure_names(measures: Sequence[Measure]) -> list[str]:
    """The names of the values that measures give, under both rules."""
    return [prefix + str(m) for m in measures for prefix in RULES if not prefix or m.kind != "recall"]


def evaluate_questions(questions: Sequence[Question], measures: Sequence[Measure]) -> PerQuestion:
    """Evaluate questions. A title is tokenised at most once, however often it is ranked.

    Args:
        questions: what was ranked.
        measures: as `parse_hits` gives them.

    Returns:
        for `hit_K` and `mrr` two measures, that of `title_span` under the name itself and that of
        `exact_title` with `exact_` before it.
    """
    keys = Keys()
    outcomes = [outcome_of(question, keys) for question in questions]
    tied = None
    if any(question.scores is not None for question in questions):
        tied = tied_questions(questions, outcomes, measures)
    return PerQuestion(
        values={name: values.tolist() for name, values in columns_of(outcomes, measures).items()},
        tied=tied,
        hits={rule: [outcome.hits[rule] for outcome in outcomes] for rule in RULES.values()},
    )


def answering_ranks(titles: Sequence[str], answers: Sequence[str]) -> list[int]:
    """The ranks, from 0, of titles that are an answer (`exact_title`)."""
    return outcome_of(Question(titles, answers), Keys()).hits["exact_title"]


def short_lists(lengths: Sequence[int], measures: Sequence[Measure]) -> dict[str, int]:
    """Measure -> how many questions have fewer ranked papers than its cutoff, where any has."""
    short = {str(m): sum(length < m.cutoff for length in lengths) for m in measures if m.cutoff}
    return {name: number for name, number in short.items() if number}
