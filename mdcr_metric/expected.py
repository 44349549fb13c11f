"""Exact expectations of the measures when equal scores stand in random order.

Closed forms after McSherry and Najork, "Computing Information Retrieval Performance Measures
Efficiently in the Presence of Tied Scores" (ECIR 2008). A tie group is (start, size, relevant):
`start` candidates rank above it, and of its `size` candidates `relevant` are relevant.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from itertools import groupby
from math import comb
from math import log2

from .measures import Measure
from .ties import as_float32

TieGroup = tuple[int, int, int]


def expected_values(run: Mapping[str, float], qrel: Mapping[str, int], measures: Sequence[Measure]) -> list[float]:
    """The expectation of each measure for one query, from 0 to 1; 0 where nothing is relevant."""
    groups = _tie_groups(run, qrel)
    return [FORMS[measure.kind](groups, measure.cutoff or len(run)) for measure in measures]


def _tie_groups(run: Mapping[str, float], qrel: Mapping[str, int]) -> list[TieGroup]:
    pairs = sorted(zip(as_float32(run), (qrel[candidate] for candidate in run), strict=True), reverse=True)
    groups, start = [], 0
    for _, members in groupby(pairs, key=lambda pair: pair[0]):
        labels = [label for _, label in members]
        groups.append((start, len(labels), sum(labels)))
        start += len(labels)
    return groups


def _relevant(groups: Sequence[TieGroup]) -> int:
    return sum(relevant for _, _, relevant in groups)


def _hits(groups: Sequence[TieGroup], cutoff: int) -> float:
    return sum(relevant * min(size, max(0, cutoff - start)) / size for start, size, relevant in groups)


def _precision(groups: Sequence[TieGroup], cutoff: int) -> float:
    return _hits(groups, cutoff) / cutoff


def _recall(groups: Sequence[TieGroup], cutoff: int) -> float:
    return _hits(groups, cutoff) / max(1, _relevant(groups))


def _success(groups: Sequence[TieGroup], cutoff: int) -> float:
    for start, size, relevant in groups:
        if relevant:
            places = min(size, max(0, cutoff - start))
            return 1 - comb(size - relevant, places) / comb(size, places)
    return 0.0


def _mrr(groups: Sequence[TieGroup], cutoff: int) -> float:
    for start, size, relevant in groups:
        if relevant:
            places = min(size - relevant + 1, max(0, cutoff - start))
            ways = comb(size, relevant)
            return sum(comb(size - at, relevant - 1) / ways / (start + at) for at in range(1, places + 1))
    return 0.0


def _ndcg(groups: Sequence[TieGroup], cutoff: int) -> float:
    gain = sum(
        relevant / size / log2(rank + 1)
        for start, size, relevant in groups
        for rank in range(start + 1, min(start + size, cutoff) + 1)
    )
    best = sum(1 / log2(rank + 1) for rank in range(1, min(_relevant(groups), cutoff) + 1))
    return gain / best if best else 0.0


def _average_precision(groups: Sequence[TieGroup], cutoff: int) -> float:
    total, above = 0.0, 0
    for start, size, relevant in groups:
        # Given a relevant candidate at `at`, each other place of the group is relevant with this chance.
        others = (relevant - 1) / (size - 1) if size > 1 else 0.0
        for at in range(1, min(size, cutoff - start) + 1):
            total += relevant / size * (1 + above + others * (at - 1)) / (start + at)
        above += relevant
    return total / max(1, above)


FORMS = {
    "map": _average_precision,
    "ndcg": _ndcg,
    "recall": _recall,
    "precision": _precision,
    "success": _success,
    "mrr": _mrr,
}
