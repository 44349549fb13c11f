"""Which negatives a model takes for citations, by the list that they come from."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..benchmarks import Benchmark
from ..errors import ScirankError
from ..results import Result
from ..results.ranked_lists import RankedList
from ..statistics import Statistics, compare_values, strata

TRUE = "true"


def confusion(
    results: Mapping[str, Result],
    benchmark: Benchmark,
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[str, Statistics]:
    """How often a negative of each source stands above a true citation: of all pairs of the two in a query.

    A pair with the same score, in single precision, counts half. Shares are averaged over queries, then fields, in
    percent; lower is better. A paper that stands in several lists counts in each, and as true where it is in that one.

    Args:
        results: of MDCR, with ranked lists; name -> result.
        benchmark: what they are of.
        resamples: of the bootstrap and of the test.
        confidence: of the intervals.
        seed: of the draws.

    Returns:
        source -> statistics with the one measure `above`.

    Raises:
        ScirankError: a benchmark without such lists, or a result without its ranked lists.
    """
    sources = {(task.group, query): lists for task in benchmark.tasks for query, lists in (task.sources or {}).items()}
    if not sources:
        raise ScirankError(f"{benchmark.name} does not say which list a candidate comes from; MDCR does")
    runs = {name: {each[:2]: each for each in result.known_lists()} for name, result in results.items()}
    found = {}
    for source in dict.fromkeys(source for lists in sources.values() for source in lists if source != TRUE):
        shares: dict[tuple[str, str], list[float]] = {}
        for key, lists in sources.items():
            pairs = _pairs(lists, source)
            share = [_above(of[key], *pairs) for of in runs.values() if key in of]
            known = [each for each in share if each is not None]
            if len(known) == len(runs):
                shares[key] = known
        if shares:
            values = {name: {"above": [share[at] for share in shares.values()]} for at, name in enumerate(runs)}
            groups = strata([group for group, _ in shares])
            found[source] = compare_values(values, groups, resamples=resamples, confidence=confidence, seed=seed)
    return found


def sources_of(lists: Mapping[str, Sequence[str]], paper: str) -> Iterator[str]:
    """The lists that a candidate stands in."""
    return (source for source, papers in lists.items() if paper in papers)


def _pairs(lists: Mapping[str, Sequence[str]], source: str) -> tuple[list[str], list[str]]:
    true = set(lists[TRUE])
    return sorted(true), sorted(set(lists.get(source, ())) - true)


def _above(ranked: RankedList, true: Sequence[str], wrong: Sequence[str]) -> float | None:
    right, other = (
        np.array([ranked.run[paper] for paper in papers if paper in ranked.run], np.float32) for papers in (true, wrong)
    )
    if not len(right) or not len(other):
        return None
    return float((other[:, None] > right).mean() + (other[:, None] == right).mean() / 2)
