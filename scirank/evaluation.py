"""From scores and relevance to numbers, for whoever made the scores."""

import math
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mdcr_metric import DEFAULT_MEASURES, LARGEST_SCORE, evaluate_queries, parse_measures

from .choices import NoRelevant, Ties
from .errors import ScirankError, counted, shown
from .results.ranked_lists import RankedList
from .results.summary import summary_of


class ScoredQuery(NamedTuple):
    """A query's scores by candidate (`run`), and 0 or 1 for the same candidates (`qrel`)."""

    group: str
    query_id: str
    run: dict[str, float]
    qrel: dict[str, int]


@dataclass(frozen=True)
class Evaluation:
    """Numbers of a set of queries.

    `summary` is what `mdcr_metric` returns (percent); `per_query` has the columns `query_id`,
    `group`, each measure (0 to 1) and `tied`; `notes` say what was counted as 0 or left out;
    `lists` are what was evaluated, a list a row of `per_query`.
    """

    summary: dict[str, Any]
    per_query: dict[str, list[Any]]
    notes: tuple[str, ...]
    lists: tuple[RankedList, ...]


def evaluate(
    queries: Sequence[ScoredQuery],
    groups: Iterable[str],
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    no_relevant: str = NoRelevant.ERROR,
) -> Evaluation:
    """Evaluate scored queries.

    Args:
        queries: what was scored.
        groups: all groups of the benchmark; one without any query left is told of.
        measures: names as `mdcr_metric.Measure` parses them; by default those that MDCR publishes.
        ties: one of `mdcr_metric.POLICIES`.
        no_relevant: `error`, `zero` or `skip` for a query without a relevant candidate.

    Raises:
        ScirankError: nothing to evaluate, or a query without a relevant candidate under `error`.
        ValueError: an unknown measure or policy.
    """
    notes = []
    if without := [query.query_id for query in queries if not any(query.qrel.values())]:
        check_relevant(without, no_relevant)
        fate = "left out" if no_relevant == NoRelevant.SKIP else "counted as 0"
        found = counted(len(without), "query", "queries")
        notes.append(f"{found} without a relevant candidate, {fate}: {shown(without)}")
        if no_relevant == NoRelevant.SKIP:
            queries = [query for query in queries if any(query.qrel.values())]
    if not queries:
        raise ScirankError("nothing to evaluate: no query is left")
    kept = {query.group for query in queries}
    if lost := [group for group in groups if group not in kept]:
        found = counted(len(lost), "group", "groups")
        notes.append(f"{found} without any query, not part of the average: {shown(lost)}")
    parsed = DEFAULT_MEASURES if measures is None else parse_measures(measures)
    values = evaluate_queries([query.run for query in queries], [query.qrel for query in queries], parsed, ties)
    per_query: dict[str, list[Any]] = {
        "query_id": [query.query_id for query in queries],
        "group": [query.group for query in queries],
        **{str(measure): column for measure, column in values.values.items()},
        "tied": values.tied,
    }
    summary = summary_of(per_query)
    if summary["tied_queries"]:
        notes.append(f"{tied_note(summary)} (tie rule: {ties})")
    lists = (RankedList(q.group, q.query_id, q.run, {paper for paper, one in q.qrel.items() if one}) for q in queries)
    return Evaluation(summary, per_query, tuple(notes), tuple(lists))


def tied_note(summary: Mapping[str, Any], one: str = "query has", more: str = "queries have") -> str:
    """In how many queries equal scores matter."""
    queries = counted(summary["queries"], one, more)
    return f"{summary['tied_queries']:,} of {queries} equal scores whose order could change a measure"


def check_relevant(without: Sequence[str], no_relevant: str) -> None:
    """Refuse queries without a relevant candidate, unless the policy says what to do with them."""
    if NoRelevant(no_relevant) is NoRelevant.ERROR and without:
        raise ScirankError(
            f"{counted(len(without), 'query has', 'queries have')} no relevant candidate: {shown(without)}. "
            "Choose no_relevant (--no-relevant): zero counts them as 0, skip leaves them out"
        )


def plain_scores(query: str, run: dict[str, Any]) -> dict[str, float]:
    """A query's scores as plain numbers. Raises ScirankError for what is not finite in single precision."""
    if _all_finite(run.values()):
        return run
    run = {paper: value.item() if hasattr(value, "item") else value for paper, value in run.items()}
    for paper, value in run.items():
        if type(value) not in (float, int):
            raise ScirankError(f"the score of {query}_{paper} should be a number, found {value!r:.80}")
        if not -LARGEST_SCORE <= value <= LARGEST_SCORE:
            raise ScirankError(
                f"the score of {query}_{paper} should be finite in single precision, found {value!r:.40}"
            )
    return run


def _all_finite(values: Collection[Any]) -> bool:
    """Whether all are finite numbers, told without a loop in Python: this runs for every query."""
    try:
        # In single precision what is too large is infinite, and a sum is finite only if every term is.
        return {*map(type, values)} <= {float, int} and math.isfinite(sum(array("f", values)))
    except OverflowError:
        return False
