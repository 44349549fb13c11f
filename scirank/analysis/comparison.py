"""Results beside each other: the same queries, with intervals and tests."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ..errors import ScirankError, shown
from ..results import Result
from ..results.comparability import cautions, check_comparable
from ..results.parts import restricted
from ..statistics import Statistics, compare_values, strata
from ..statistics.strata import Strata

AVERAGE = "AVG"
"""What tables call the average over groups."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Results on the same queries.

    Attributes:
        results: name -> result, in the order given; the same queries in the same order in each.
        measures: those that all have.
        statistics: intervals and tests.
        cautions: what differs between them and bears on what a difference means.
    """

    results: Mapping[str, Result]
    measures: tuple[str, ...]
    statistics: Statistics
    cautions: tuple[str, ...]

    @property
    def first(self) -> Result:
        """Any of the results, for what all have in common."""
        return next(iter(self.results.values()))

    @property
    def headline(self) -> str:
        """The measure that tables of groups show."""
        named = self.first.headline
        return named if named in self.measures else self.measures[0]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two names, the earlier first."""
        return list(combinations(self.results, 2))

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.results)} on {self.first.title})"

    def __str__(self) -> str:
        from ..report.comparing import as_text

        return as_text(self)


def compare(
    results: "Sequence[Result | str | os.PathLike[str]]",
    *,
    measures: str | Sequence[str] | None = None,
    groups: str | Sequence[str] | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare results: means with intervals, and every two of them with a test.

    Intervals are of the bootstrap, queries drawn anew within each group, the same for all models; tests are
    randomisation tests, p = (b + 1) / (n + 1), with Holm's correction over the groups of a pair and, of averages, over
    the pairs.

    Args:
        results: results, or folders that they were saved in.
        measures: names; all that the results have in common by default.
        groups: fields or topics; all by default, which have to be the same.
        resamples: of the bootstrap and of the test.
        confidence: of the intervals.
        seed: of the draws.

    Raises:
        ScirankError: the results cannot be compared: saying why.
    """
    given = [each if isinstance(each, Result) else Result.load(each) for each in results]
    if not given:
        raise ScirankError("there is no result to compare")
    if groups is not None:
        given = [restricted(result, [groups] if isinstance(groups, str) else groups) for result in given]
    check_comparable(given)
    first = given[0]
    common = [measure for measure in first.measures if all(measure in result.measures for result in given)]
    wanted = [measures] if isinstance(measures, str) else measures
    if absent := [measure for measure in wanted or () if measure not in common]:
        raise ScirankError(f"not all results have {shown(absent)}; common measures are {shown(common, 30)}")
    chosen = tuple(common if wanted is None else wanted)
    by_name = named(given)
    beside = {name: _in_order(result, first.keys) for name, result in by_name.items()}
    values = {name: {measure: result.per_query[measure] for measure in chosen} for name, result in beside.items()}
    statistics = compare_values(values, strata_of(first), resamples=resamples, confidence=confidence, seed=seed)
    return Comparison(beside, chosen, statistics, tuple(cautions(by_name)))


def strata_of(result: Result) -> Strata:
    """A result's queries by group, weighted as its average is."""
    columns = result.per_query
    parts = dict(zip(columns["group"], columns["part_of"], strict=True)) if "part_of" in columns else None
    return strata(columns["group"], parts, result.summary.get("average", "macro_groups").replace("topics", "groups"))


def named(results: Sequence[Result]) -> dict[str, Result]:
    """Results by their model's name, with a number where several are of one model."""
    models = Counter(result.model for result in results)
    seen: Counter[str] = Counter()
    found = {}
    for result in results:
        seen[result.model] += 1
        found[result.model + (f" #{seen[result.model]}" if models[result.model] > 1 else "")] = result
    return found


def _in_order(result: Result, keys: list[tuple[str, str]]) -> Result:
    """A result whose queries stand in the order of `keys`, which are its own."""
    if result.keys == keys:
        return result
    place = {key: row for row, key in enumerate(result.keys)}
    order = [place[key] for key in keys]
    columns: dict[str, list[Any]] = {name: [values[row] for row in order] for name, values in result.per_query.items()}
    lists = None if result.lists is None else tuple(result.lists[row] for row in order)
    return replace(result, per_query=columns, lists=lists)
