"""What the page says in words: its heading, a verdict a pair, what measures and tests are."""

from collections.abc import Iterator, Sequence

from mdcr_metric.outcomes import EXACT

from ...analysis.comparison import Comparison
from ...statistics import Statistics
from ..comparing import LEVEL
from ..formats import label
from .numbers import fixed, p_value, rounded

NAMED = 3
"""Models that a heading names."""
MEASURES = {
    "map": "mean average precision: the precision at the rank of each right paper{first}, over all right papers",
    "ndcg": "normalised discounted cumulative gain: a right paper{first} counts 1 / log₂(rank + 1); the sum is a share "
    "of the most that is possible",
    "recall": "the share of a query's right papers that are ranked{first}",
    "precision": "the share of right papers{first}",
    "success": "the share of queries with a right paper{first}",
    "mrr": "the reciprocal of the first right paper's rank{first}; 0 if there is none",
    "hit": "the share of questions with a paper{first} that answers",
}
HIT_RULES = (
    ("title_span", "a paper answers if an answer's words stand together in its title; upstream's rule"),
    ("exact_title", "a paper answers if its title is an answer; recall is always by this rule"),
)


def heading(comparison: Comparison) -> str:
    """The models, as far as they are few, and the benchmark."""
    names = list(comparison.results)
    models = sentence_list(names) if len(names) <= NAMED else f"{len(names)} models"
    return f"{models} on {comparison.first.benchmark}"


def verdict(comparison: Comparison, a: str, b: str) -> str:
    """What the headline measure's average says of two models."""
    found = comparison.statistics.difference(a, b, comparison.headline)
    above = found.turned() if found.difference < 0 else found
    better, worse, low, high = above.a, above.b, above.low, above.high
    size = f"{fixed(rounded(above.difference))} points {label(comparison.headline)}"
    share = f"{100 * comparison.statistics.confidence:g}\u00a0%"
    interval = "" if low is None or high is None else f"{share} {fixed(rounded(low))} to {fixed(rounded(high))}, "
    pairs = len(comparison.pairs)
    p = f"p\u00a0=\u00a0{p_value(rounded(found.p_holm, 4))}".replace("=\u00a0<", "<\u00a0")
    sure = f"{interval}{p}{f', Holm over {pairs} pairs' if pairs > 1 else ''}"
    if found.p_holm < LEVEL:
        return f"{better} is above {worse} by {size} ({sure})."
    if not found.difference:
        told = f"{a} and {b}: no difference could be shown; both are the same ({sure})"
    else:
        told = f"{a} and {b}: no difference could be shown ({size} in favour of {better}; {sure})"
    if found.detectable is None:
        return f"{told}."
    return f"{told}; this benchmark would find differences from {found.detectable:.1f} points on."


def definitions(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Each measure, and what it is."""
    for measure in dict.fromkeys(name.removeprefix(EXACT) for name in comparison.measures):
        kind, _, cutoff = measure.partition("_")
        yield label(measure), MEASURES[kind].format(first=f" among the first {cutoff}" if cutoff else "")
    if comparison.first.asks_questions:
        yield from HIT_RULES


def methods(statistics: Statistics, pairs: int, group: str) -> Iterator[tuple[str, str]]:
    """How intervals and tests were made."""
    draws = f"{statistics.resamples:,} draws, seed {statistics.seed}"
    share = f"{100 * statistics.confidence:g} %"
    yield (
        "Interval",
        f"{share}, percentile bootstrap, rescaled for small groups: queries drawn anew within each {group}, {draws}",
    )
    if pairs:
        yield "p", f"paired randomisation test, two-sided: signs drawn anew, {draws}"
        averages = f" and, of averages, over the {pairs} pairs" if pairs > 1 else ""
        yield "Holm", f"p corrected over the {group}s of a pair{averages}"
        yield "d", "Cohen's d_z: the mean difference over the standard deviation of differences"
        yield "Wins, ties, losses", "queries on which the first model is better, the same, worse"


def sentence_list(names: Sequence[str]) -> str:
    """Names with commas and an `and`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
