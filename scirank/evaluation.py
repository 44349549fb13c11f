"""From scores and relevance to numbers, for whoever made the scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mdcr_metric import DEFAULT_MEASURES, evaluate_queries, parse_measures, summarise

from .errors import ScirankError, shown

NO_RELEVANT = ("error", "zero", "skip")
MEASURES = tuple(str(measure) for measure in DEFAULT_MEASURES)


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
    `group`, each measure (0 to 1) and `tied`; `notes` say what was counted as 0 or left out.
    """

    summary: dict[str, Any]
    per_query: dict[str, list[Any]]
    notes: tuple[str, ...]


def evaluate(
    queries: Iterable[ScoredQuery],
    groups: Iterable[str],
    measures: str | Sequence[str] = MEASURES,
    ties: str = "trec",
    no_relevant: str = "error",
) -> Evaluation:
    """Evaluate scored queries.

    Args:
        queries: what was scored.
        groups: all groups of the benchmark; one without any query left is told of.
        measures: names as `mdcr_metric.Measure` parses them.
        ties: one of `mdcr_metric.POLICIES`.
        no_relevant: `error`, `zero` or `skip` for a query without a relevant candidate.

    Raises:
        ScirankError: nothing to evaluate, or a query without a relevant candidate under `error`.
        ValueError: an unknown measure or policy.
    """
    queries = list(queries)
    notes = []
    if without := [query.query_id for query in queries if not any(query.qrel.values())]:
        check_relevant(without, no_relevant)
        fate = "left out" if no_relevant == "skip" else "counted as 0"
        notes.append(f"{len(without):,} queries without a relevant candidate, {fate}: {shown(without)}")
        if no_relevant == "skip":
            queries = [query for query in queries if any(query.qrel.values())]
    if not queries:
        raise ScirankError("nothing to evaluate: no query is left")
    group_of_each = [query.group for query in queries]
    kept = set(group_of_each)
    if lost := [group for group in groups if group not in kept]:
        notes.append(f"{len(lost):,} groups without any query, not part of the average: {shown(lost)}")
    parsed = parse_measures(measures)
    values = evaluate_queries([query.run for query in queries], [query.qrel for query in queries], parsed, ties)
    per_query: dict[str, list[Any]] = {
        "query_id": [query.query_id for query in queries],
        "group": group_of_each,
        **{str(measure): column for measure, column in values.values.items()},
        "tied": values.tied,
    }
    summary = summarise(values, group_of_each)
    if summary["tied_queries"]:
        notes.append(
            f"{summary['tied_queries']:,} of {len(queries):,} queries have equal scores whose order could change "
            f"a measure (tie rule: {ties})"
        )
    return Evaluation(summary, per_query, tuple(notes))


def check_relevant(without: Sequence[str], no_relevant: str) -> None:
    """Refuse queries without a relevant candidate, unless the policy says what to do with them."""
    if no_relevant not in NO_RELEVANT:
        raise ScirankError(f"unknown policy {no_relevant!r} for no_relevant; valid are {', '.join(NO_RELEVANT)}")
    if without and no_relevant == "error":
        raise ScirankError(
            f"{len(without):,} queries have no relevant candidate: {shown(without)}. "
            "Choose no_relevant (--no-relevant): zero counts them as 0, skip leaves them out"
        )
