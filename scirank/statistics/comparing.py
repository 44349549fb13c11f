"""From the values of single queries to estimates with intervals and to differences with tests."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from threadpoolctl import threadpool_limits

from ..errors import ScirankError, counted
from .correction import holm
from .effects import detectable_differences, effect_sizes, tally
from .findings import Difference, Estimate, Statistics
from .intervals import Intervals, intervals
from .randomisation import p_values
from .strata import Strata

Values = Mapping[str, Mapping[str, Sequence[float]]]
"""Model -> measure -> the value of each query, from 0 to 1."""


def compare_values(
    values: Values, strata: Strata, *, resamples: int = 10_000, confidence: float = 0.95, seed: int = 0
) -> Statistics:
    """Estimate every mean, and compare every pair of models.

    The draws follow from the seed and the groups' sizes, so that what is said of two models does not change with a
    third one, apart from `p_holm` of averages.

    Args:
        values: each model's, of the same measures and the same queries in the same order. Of one model there are
            estimates only.
        strata: the queries' groups, and how the average is made of them.
        resamples: of the bootstrap and of the randomisation test.
        confidence: of the intervals, between 0 and 1.
        seed: of the draws.

    Raises:
        ScirankError: no model or no measure, other measures or another number of values, a value that is not finite,
            or a setting out of range.
    """
    if resamples < 1:
        raise ScirankError(f"expected at least one resample, found {resamples}")
    if not 0 < confidence < 1:
        raise ScirankError(f"expected a confidence between 0 and 1, found {confidence}")
    models, measures = list(values), list(next(iter(values.values()), ()))
    if not measures:
        raise ScirankError("there is nothing to compare: expected at least one model with at least one measure")
    of_models = {model: _columns(model, values[model], measures, strata) for model in models}
    pairs = list(combinations(models, 2))
    columns = np.concatenate([*of_models.values(), *(of_models[a] - of_models[b] for a, b in pairs)])
    at = len(models) * len(measures)
    for_draws, for_signs = np.random.default_rng(seed).spawn(2)
    with threadpool_limits(1, "blas"):  # products so thin gain nothing from threads, and lose much on a busy machine
        bounds = intervals(columns, strata, resamples=resamples, confidence=confidence, rng=for_draws)
        p = p_values(columns[at:], strata, resamples=resamples, rng=for_signs) if pairs else np.empty((0, 0))
    estimates = _estimates(list(product(models, measures)), columns[:at], strata, bounds.columns(0, at))
    differences: Iterable[Difference] = ()
    if pairs:
        adjusted = np.vstack([holm(p[:-1]), holm(p[-1].reshape(len(pairs), -1)).reshape(1, -1)])
        names = [(a, b, measure) for (a, b), measure in product(pairs, measures)]
        differences = _differences(names, columns[at:], strata, bounds.columns(at, None), p, adjusted)
    return Statistics(tuple(estimates), tuple(differences), resamples, confidence, seed)


def _columns(model: str, values: Mapping[str, Sequence[float]], measures: Sequence[str], strata: Strata) -> np.ndarray:
    """One model's values, of shape (measures, queries)."""
    if set(values) != set(measures):
        raise ScirankError(f"{model} has the measures {', '.join(values)}; expected {', '.join(measures)}")
    queries = int(strata.sizes[-1])
    for measure in measures:
        if len(values[measure]) != queries:
            found = counted(len(values[measure]), "value", "values")
            raise ScirankError(f"{model}, {measure}: {found} for {counted(queries, 'query', 'queries')}")
    columns = np.array([values[measure] for measure in measures], dtype=np.float64)
    if not np.isfinite(columns).all():
        at, query = np.argwhere(~np.isfinite(columns))[0]
        raise ScirankError(f"{model}, {measures[at]}: value {query + 1} is {columns[at, query]}; expected a number")
    return columns


def _estimates(
    names: Sequence[tuple[str, str]], values: np.ndarray, strata: Strata, bounds: Intervals
) -> Iterator[Estimate]:
    means, sizes = strata.means(values), strata.sizes
    low, high = (np.clip(bound, 0, 1) for bound in (bounds.low, bounds.high))  # of few queries they may be wider
    for column, (model, measure) in enumerate(names):
        for row, group in enumerate((*strata.groups, None)):
            at = row, column
            yield Estimate(
                model=model,
                measure=measure,
                group=group,
                queries=int(sizes[row]),
                mean=100 * float(means[at]),
                low=_percent(low[at]),
                high=_percent(high[at]),
            )


def _differences(
    names: Sequence[tuple[str, str, str]],
    values: np.ndarray,
    strata: Strata,
    bounds: Intervals,
    p: np.ndarray,
    adjusted: np.ndarray,
) -> Iterator[Difference]:
    means, sizes, counts = strata.means(values), strata.sizes, tally(values, strata)
    effects, detectable = effect_sizes(values, strata), detectable_differences(values, strata)
    for column, (a, b, measure) in enumerate(names):
        for row, group in enumerate((*strata.groups, None)):
            at = row, column
            yield Difference(
                a=a,
                b=b,
                measure=measure,
                group=group,
                queries=int(sizes[row]),
                difference=100 * float(means[at]),
                low=_percent(bounds.low[at]),
                high=_percent(bounds.high[at]),
                p=float(p[at]),
                p_holm=float(adjusted[at]),
                effect=_known(effects[at]),
                detectable=_percent(detectable[at]),
                wins=int(counts.wins[at]),
                ties=int(counts.ties[at]),
                losses=int(counts.losses[at]),
            )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _percent(value: float) -> float | None:
    return _known(100 * value)
