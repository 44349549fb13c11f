"""Measures of some queries only: those with an abstract and those without, those with ties and those without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..benchmarks import Benchmark
from ..statistics import Statistics, compare_values, strata
from .comparison import Comparison


@dataclass(frozen=True)
class Subset:
    """Some of the queries; means are over them all, whatever their group."""

    name: str
    queries: int
    statistics: Statistics


def subsets(comparison: Comparison, benchmark: Benchmark | None = None) -> list[Subset]:
    """A comparison of some queries only, for each subset that has any and is not all.

    Args:
        comparison: of results.
        benchmark: what they are of; without it, it is not known which texts there are.
    """
    members: dict[str, list[bool]] = {}
    if all("tied" in result.per_query for result in comparison.results.values()):
        tied = [any(each) for each in zip(*(r.per_query["tied"] for r in comparison.results.values()), strict=True)]
        members["equal scores that could change a measure, in any"] = tied
        members["none"] = [not each for each in tied]
    if benchmark is not None and not benchmark.asks_questions:
        has = _with_abstract(benchmark)
        members["the query has an abstract"] = [has[key][0] for key in comparison.first.keys]
        members["the query has none"] = [not has[key][0] for key in comparison.first.keys]
        members["a cited paper has none"] = [not has[key][1] for key in comparison.first.keys]
    return [
        Subset(name, sum(inside), _statistics(comparison, inside))
        for name, inside in members.items()
        if 0 < sum(inside) < len(inside)
    ]


def _with_abstract(benchmark: Benchmark) -> Mapping[tuple[str, str], tuple[bool, bool]]:
    """Whether a query's paper, and whether all papers that it cites, have an abstract."""
    found = {}
    for task in benchmark.tasks:
        for query, paper in task.queries.items():
            cited = all(task.corpus[each].text for each in task.relevant[query])
            found[task.group, query] = (bool(paper.text), cited)
    return found


def _statistics(comparison: Comparison, inside: Sequence[bool]) -> Statistics:
    rows = [row for row, each in enumerate(inside) if each]
    values = {
        name: {measure: [result.per_query[measure][row] for row in rows] for measure in comparison.measures}
        for name, result in comparison.results.items()
    }
    kept = comparison.statistics
    return compare_values(
        values,
        strata(["all"] * len(rows)),
        resamples=kept.resamples,
        confidence=kept.confidence,
        seed=kept.seed,
    )
