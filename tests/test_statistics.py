"""Intervals, tests and effect sizes: against scipy, against plain versions, and against a truth that is known."""

import inspect
import math
import tracemalloc
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, kstest, permutation_test

from mdcr_metric.hits import PerQuestion
from mdcr_metric.hits_summary import summarise_questions
from mdcr_metric.queries import PerQuery
from mdcr_metric.summary import summarise
from scirank.errors import ScirankError
from scirank.statistics import compare_values, effects, intervals, randomisation, strata
from scirank.statistics.correction import holm
from scirank.statistics.effects import detectable_differences, effect_sizes, tally
from scirank.statistics.randomisation import p_values

RNG = "rng" if "rng" in inspect.signature(bootstrap).parameters else "random_state"
PARTS = {"t0": "physics", "t1": "physics", "t2": "biology", "t3": "physics", "t4": "chemistry"}
AVERAGES = ("macro_groups", "macro_disciplines", "over_questions")
DATASETS = 1_000
"""Simulated ones, each a column. All share their draws, which leaves every one's interval and p as good as alone."""


def uneven(seed=0, queries=60):
    """Groups of 5 topics, no two of one size, in no order."""
    return np.random.default_rng(seed).choice(list(PARTS), queries, p=(0.3, 0.1, 0.25, 0.2, 0.15)).tolist()


def even(groups=19, size=30):
    return strata([f"g{group}" for group in range(groups) for _ in range(size)])


def skewed(seed, *shape):
    """Many are near 0 and some near 1, as average precisions are; the mean is 1 / 3."""
    return np.random.default_rng(seed).beta(0.6, 1.2, shape)


def bounds_of(values, grouped, seed=0, resamples=500, confidence=0.95):
    rng = np.random.default_rng(seed)
    return intervals.intervals(values, grouped, resamples=resamples, confidence=confidence, rng=rng)


def p_of(differences, grouped, seed=0, resamples=2_000):
    return p_values(differences, grouped, resamples=resamples, rng=np.random.default_rng(seed))


def share_error(share, number):
    """Four standard deviations of a share."""
    return 4 * math.sqrt(share * (1 - share) / number)


def three_models(queries=60):
    return {
        model: {"map": skewed(2 * at, queries), "hit_1": np.round(skewed(2 * at + 1, queries))}
        for at, model in enumerate(("x", "y", "z"))
    }


# Strata


@pytest.mark.parametrize("seed", range(3))
def test_averages_are_those_of_the_metrics(seed):
    groups, columns = uneven(seed), {"hit_1": skewed(seed, 60), "exact_hit_1": skewed(seed + 9, 60)}
    lists = {name: values.tolist() for name, values in columns.items()}
    of_questions = summarise_questions(PerQuestion(lists, None, {}), groups, PARTS)
    for average, theirs in zip(AVERAGES, ("macro_topics", "macro_disciplines", "over_questions"), strict=True):
        means = strata(groups, PARTS, average).means(np.stack(list(columns.values())))
        rounded = [of_questions["averages"][theirs][name] for name in columns]
        assert (100 * means[-1]).tolist() == pytest.approx(rounded, abs=5.1e-5)
    headline = 100 * strata(groups, PARTS, "macro_disciplines").means(columns["hit_1"][None])[-1, 0]
    assert headline == pytest.approx(of_questions["unrounded"]["hit_1"], rel=1e-12)
    of_queries = summarise(PerQuery(lists, [False] * 60), groups)["unrounded"]
    means = strata(groups).means(columns["hit_1"][None])[:, 0]
    unrounded = [of_queries["groups"][group]["hit_1"] for group in strata(groups).groups] + [of_queries["hit_1"]]
    assert (100 * means).tolist() == pytest.approx(unrounded, rel=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_groups_come_in_the_order_of_their_first_query_and_share_all_weight(average):
    groups = uneven()
    grouped = strata(groups, PARTS, average)
    assert list(grouped.groups) == list(dict.fromkeys(groups))
    assert sorted(np.concatenate(grouped.rows)) == list(range(60))
    assert all(
        {groups[row] for row in rows} == {group} for group, rows in zip(grouped.groups, grouped.rows, strict=True)
    )
    assert grouped.sizes.tolist() == [*(groups.count(group) for group in grouped.groups), 60]
    assert grouped.weights.sum() == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "no queries"),
        ((["t0"], {}, "micro"), "unknown average 'micro'; valid are macro_groups"),
        ((["t0", "t1"], {"t0": "physics"}, "macro_disciplines"), "not known of t1"),
        ((["t0"], None, "macro_disciplines"), "not known of t0"),
    ],
)
def test_strata_that_cannot_be(arguments, message):
    with pytest.raises(ScirankError, match=message):
        strata(*arguments)


# Intervals


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("confidence", [0.95, 0.5])
def test_intervals_are_scipys(average, confidence):
    values, grouped = skewed(1, 4, 60), strata(uneven(), PARTS, average)
    found = bounds_of(values, grouped, confidence=confidence)
    same = {"method": "percentile", "n_resamples": 500, "confidence_level": confidence, "vectorized": True}
    parts = [values[:, rows] for rows in grouped.rows]
    draws, distribution = np.random.default_rng(0), 0
    for place, part in enumerate(parts):
        theirs = bootstrap((part,), np.mean, axis=-1, **same, **{RNG: draws})
        mean, wider = part.mean(axis=1), math.sqrt(part.shape[1] / (part.shape[1] - 1))
        for bound, of_scipy in zip((found.low, found.high), theirs.confidence_interval, strict=True):
            assert bound[place] == pytest.approx(mean + wider * (of_scipy - mean), rel=1e-12)
        scipys = theirs.bootstrap_distribution - mean[:, None]
        distribution = distribution + grouped.weights[place] * (mean[:, None] + wider * scipys)
    tail = (1 - confidence) / 2
    for bound, at in zip((found.low, found.high), (tail, 1 - tail), strict=True):
        assert bound[-1] == pytest.approx(np.quantile(distribution, at, axis=1), rel=1e-12)


def test_few_queries_in_many_groups_are_as_uncertain_as_they_are():
    found = bounds_of(skewed(7, DATASETS, 40 * 4), even(40, 4), resamples=1_000)
    covered = (found.low[-1] <= 1 / 3) & (found.high[-1] >= 1 / 3)
    assert covered.mean() == pytest.approx(0.95, abs=share_error(0.95, DATASETS))


def test_intervals_are_paired():
    a, b = skewed(0, 60), skewed(1, 60)
    grouped = strata(uneven())
    rng = np.random.default_rng(3)
    means = intervals.resampled_means(np.stack([a, b, a - b]), 200, rng)
    assert means[:, 0] - means[:, 1] == pytest.approx(means[:, 2], abs=1e-12)
    shifted = bounds_of(np.stack([a - (a - 0.1)]), grouped)
    assert shifted.low == pytest.approx(0.1)
    assert shifted.high == pytest.approx(0.1)


def test_one_query_cannot_be_resampled():
    values = skewed(0, 2, 11)
    found = bounds_of(values, strata(["lone", *["many"] * 10]))
    assert np.isnan(found.low[0]).all()
    assert np.isnan(found.high[0]).all()
    for bound in (found.low, found.high):
        assert bound[-1] == pytest.approx((values[:, 0] + bound[1]) / 2)
    assert np.isnan(bounds_of(values[:, :2], strata(["one", "two"])).low).all()


@pytest.mark.parametrize("cells", [1, 100, 10**9])
def test_batches_change_nothing(monkeypatch, cells):
    values, grouped = skewed(0, 3, 60), strata(uneven())
    bounds, p = bounds_of(values, grouped), p_of(values - 0.3, grouped)
    monkeypatch.setattr(intervals, "CELLS", cells)
    monkeypatch.setattr(randomisation, "CELLS", cells)
    assert bounds_of(values, grouped).low == pytest.approx(bounds.low, rel=1e-12)
    assert p_of(values - 0.3, grouped).tolist() == p.tolist()


@pytest.mark.parametrize("draw", [intervals.resampled_means, randomisation.flipped_means])
def test_memory_is_that_of_a_batch(draw):
    values = skewed(0, 2, 5_000)
    tracemalloc.start()
    draw(values, 1_000, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6  # all draws at once would be 40 MB


def test_intervals_cover_the_truth():
    found = bounds_of(skewed(5, DATASETS, 19 * 30), even(), resamples=2_000)
    covered = (found.low <= 1 / 3) & (found.high >= 1 / 3)
    assert covered[-1].mean() == pytest.approx(0.95, abs=share_error(0.95, DATASETS))
    # Of few queries and skewed values, percentile intervals are known to be too narrow.
    assert 0.93 < covered[:-1].mean() < 0.955


@pytest.mark.full
def test_intervals_of_whole_fields_cover_the_truth():
    found = bounds_of(skewed(6, 4_000, 19 * 200), even(size=200), resamples=2_000)
    covered = (found.low <= 1 / 3) & (found.high >= 1 / 3)
    assert covered[-1].mean() == pytest.approx(0.95, abs=share_error(0.95, 4_000))
    assert covered[:-1].mean() == pytest.approx(0.95, abs=0.01)


# Randomisation


def scipys_p(a, b, weights, resamples):
    def mean_difference(x, y, axis):
        return ((x - y) * weights).sum(axis=axis)

    if len(a) == 1:
        return 1.0
    how = {"permutation_type": "samples", "vectorized": True, "n_resamples": resamples, RNG: np.random.default_rng(1)}
    return permutation_test((a, b), mean_difference, **how).pvalue


def query_weights(grouped):
    found = np.empty(grouped.sizes[-1])
    for rows, weight in zip(grouped.rows, grouped.weights, strict=True):
        found[rows] = weight / len(rows)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("queries", "resamples"), [(12, np.inf), (150, 20_000)])
def test_p_is_scipys(seed, queries, resamples):
    a, b, grouped = skewed(seed, queries), skewed(seed + 50, queries), strata(uneven(seed, queries))
    found = p_of((a - b)[None], grouped, resamples=20_000)[:, 0]
    # scipy's is exact for few queries, and twice the smaller of two one-sided shares.
    drawn = queries > 12
    theirs = [scipys_p(a[rows], b[rows], 1 / len(rows), resamples) for rows in grouped.rows]
    theirs.append(scipys_p(a, b, query_weights(grouped), resamples))
    for ours, p in zip(found, theirs, strict=True):
        assert ours == pytest.approx(p, abs=share_error(p, 20_000) + drawn * 2 * share_error(p / 2, 20_000) + 1e-4)


TENTHS = st.integers(-10, 10).map(lambda tenth: Fraction(tenth, 10))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("aab"), TENTHS), min_size=1, max_size=9))
def test_equals_count_in_spite_of_rounding(drawn):
    grouped = strata([group for group, _ in drawn])
    differences = [difference for _, difference in drawn]
    found = p_of(np.array([differences], dtype=np.float64), grouped, resamples=4_000)[:, 0]

    def mean(signs, rows):
        return sum(signs[row] * differences[row] for row in rows) / len(rows)

    every = list(product((1, -1), repeat=len(drawn)))
    by_group = [[abs(mean(signs, rows)) for signs in every] for rows in grouped.rows]
    average = [abs(sum(mean(signs, rows) for rows in grouped.rows)) for signs in every]
    for ours, means in zip(found, [*by_group, average], strict=True):
        p = sum(value >= means[0] for value in means) / len(means)
        assert ours == pytest.approx(p, abs=1.5 * share_error(p, 4_000) + 1 / 4_001)


def test_no_difference_is_certain_to_be_chance():
    grouped = strata(["a", "a", "b", "b", "b", "c"])
    assert p_of(np.zeros((2, 6)), grouped).tolist() == [[1, 1]] * 4
    cancelled = np.array([[0.1, 0.2, 0.1, 0.2, -0.3, 0.5]])
    assert p_of(cancelled, grouped)[1:3, 0].tolist() == [1, 1]


def test_p_is_never_0():
    p = p_of(np.ones((1, 200)), strata(["a"] * 200), resamples=999)
    assert p.tolist() == [[0.001]] * 2


def null(seed, groups=19, size=30):
    """Differences of models of which neither is better."""
    return skewed(seed, DATASETS, groups * size) - skewed(seed + 1, DATASETS, groups * size)


def test_p_is_uniform_where_there_is_nothing_to_find():
    p = p_of(null(20), even())
    for alpha in (0.01, 0.05, 0.1, 0.5):
        assert (p[-1] <= alpha).mean() == pytest.approx(alpha, abs=share_error(alpha, DATASETS))
        assert (p[:-1] <= alpha).mean() == pytest.approx(alpha, abs=2 * share_error(alpha, 19 * DATASETS))
    assert kstest(p[-1], "uniform").pvalue > 0.001


def test_ties_make_the_test_no_bolder():
    p = p_of(np.round(skewed(30, DATASETS, 300)) - np.round(skewed(31, DATASETS, 300)), even(10))
    assert (p[:-1] <= 0.05).mean() <= 0.05
    assert (p[-1] <= 0.05).mean() <= 0.05 + share_error(0.05, DATASETS)


def test_holm_keeps_the_chance_of_any_false_finding():
    p = p_of(null(40), even())[:-1]
    any_raw, any_adjusted = (p <= 0.05).any(axis=0).mean(), (holm(p) <= 0.05).any(axis=0).mean()
    assert any_raw > 0.5
    assert any_adjusted <= 0.05 + share_error(0.05, DATASETS)


# Correction


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 0.5]), min_size=1, max_size=7))
def test_holm_is_bonferroni_closed(p):
    """An adjusted p is the largest of Bonferroni's over all families that the test is in."""
    tests = range(len(p))
    families = [family for size in tests for family in combinations(tests, size + 1)]
    plain = [max(min(1, len(f) * min(p[at] for at in f)) for f in families if test in f) for test in tests]
    assert holm(np.array(p)).tolist() == pytest.approx(plain, rel=1e-12)
    assert holm(np.column_stack([p, p[::-1]])).T.tolist() == [holm(np.array(q)).tolist() for q in (p, p[::-1])]


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


# Effects


def test_effects_by_hand():
    grouped = strata(["a", "b", "a", "b", "b"], average="over_questions")
    differences = np.array([[0.1, 0.0, 0.3, -0.2, 0.5]])
    of_a, of_b = np.var([0.1, 0.3], ddof=1), np.var([0.0, -0.2, 0.5], ddof=1)
    deviation = math.sqrt(0.4 * of_a + 0.6 * of_b)
    expected = [0.2 / math.sqrt(of_a), 0.1 / math.sqrt(of_b), 0.14 / deviation]
    assert effect_sizes(differences, grouped)[:, 0].tolist() == pytest.approx(expected)
    errors = [math.sqrt(of_a / 2), math.sqrt(of_b / 3), math.sqrt(0.16 * of_a / 2 + 0.36 * of_b / 3)]
    z = 1.959963984540054 + 0.8416212335729143
    found = detectable_differences(differences, grouped)[:, 0]
    assert found.tolist() == pytest.approx([z * error for error in errors])
    counts = tally(np.array([[0.1, 1e-13, -0.3, -1e-13, 0.5]]), grouped)
    assert [counts.wins[:, 0].tolist(), counts.ties[:, 0].tolist(), counts.losses[:, 0].tolist()] == [
        [1, 1, 2],
        [0, 2, 2],
        [1, 0, 1],
    ]


@pytest.mark.parametrize("statistic", [effect_sizes, detectable_differences])
def test_what_cannot_be_said(statistic):
    same = statistic(np.array([[0.1 + 0.2] * 3 + [0.2, 0.3]]), strata([*"aaabb"]))[:, 0]
    assert [math.isnan(value) for value in same] == [True, False, False]
    lone = statistic(np.array([[0.1, 0.2, 0.4]]), strata([*"abb"]))[:, 0]
    assert [math.isnan(value) for value in lone] == [True, False, True]


def test_the_detectable_difference_is_found_four_times_in_five():
    grouped = even()
    noise = (np.random.default_rng(50).exponential(1, (DATASETS, 19 * 30)) - 1) * 0.2
    detectable = 2.8016 * 0.2 / math.sqrt(19 * 30)
    differences = noise + detectable
    assert detectable_differences(differences, grouped)[-1].mean() == pytest.approx(detectable, rel=0.01)
    power = (p_of(differences, grouped)[-1] <= effects.ALPHA).mean()
    assert power == pytest.approx(effects.POWER, abs=share_error(0.8, DATASETS))


# All together


def test_every_cell_is_of_what_it_says():
    values, groups = three_models(), uneven()
    grouped = strata(groups, PARTS, "macro_disciplines")
    found = compare_values(values, grouped, resamples=200)
    places = [*grouped.groups, None]
    assert [(e.model, e.measure, e.group) for e in found.estimates] == list(product("xyz", ("map", "hit_1"), places))
    cells = [(a, b, m, g) for (a, b), m, g in product(combinations("xyz", 2), ("map", "hit_1"), places)]
    assert [(d.a, d.b, d.measure, d.group) for d in found.differences] == cells
    for one in found.estimates:
        inside = grouped.rows[places.index(one.group)] if one.group else range(60)
        assert one.queries == len(inside)
        if one.group:
            assert one.mean == pytest.approx(100 * values[one.model][one.measure][inside].mean())
        assert one.low <= one.mean <= one.high
        assert one.low < one.high or one.measure == "hit_1"
    for one in found.differences:
        inside = list(grouped.rows[places.index(one.group)] if one.group else range(60))
        apart = (values[one.a][one.measure] - values[one.b][one.measure])[inside]
        counts = [(apart > 0).sum(), (apart == 0).sum(), (apart < 0).sum()]
        assert [one.wins, one.ties, one.losses] == counts
        means = [found.estimate(model, one.measure, one.group).mean for model in (one.a, one.b)]
        assert one.difference == pytest.approx(means[0] - means[1])
        assert one.low <= one.difference <= one.high
        assert one.queries == len(inside)
        if one.group:
            assert one.effect == pytest.approx(apart.mean() / apart.std(ddof=1))
            assert one.detectable == pytest.approx(280.1585 * apart.std(ddof=1) / math.sqrt(len(apart)), rel=1e-5)
        family = [
            other.p
            for other in found.differences
            if other.measure == one.measure
            and ((other.a, other.b) == (one.a, one.b) and other.group if one.group else other.group is None)
        ]
        assert one.p_holm == pytest.approx(holm(np.array(family))[family.index(one.p)])


@pytest.mark.parametrize("pair", list(combinations("xyz", 2)))
@pytest.mark.parametrize("measure", ["map", "hit_1"])
def test_two_models_alone_are_the_same(pair, measure):
    grouped = strata(uneven())
    together = compare_values(three_models(), grouped, resamples=200)
    alone = compare_values({model: {measure: three_models()[model][measure]} for model in pair}, grouped, resamples=200)
    for one in alone.estimates:
        other = together.estimate(one.model, measure, one.group)
        assert one.queries == other.queries
        assert (one.mean, one.low, one.high) == pytest.approx((other.mean, other.low, other.high), rel=1e-12)
    for one in alone.differences:
        other = together.difference(*pair, measure, one.group)
        assert one.p == other.p
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-12)
        assert one.group is None or one.p_holm == other.p_holm


def test_a_seed_gives_the_same_again():
    grouped = strata(uneven())
    first = compare_values(three_models(), grouped, resamples=100, seed=7)
    assert compare_values(three_models(), grouped, resamples=100, seed=7) == first
    assert (first.resamples, first.confidence, first.seed) == (100, 0.95, 7)
    other = compare_values(three_models(), grouped, resamples=100, seed=8)
    assert other.estimates != first.estimates
    assert [one.p for one in other.differences] != [one.p for one in first.differences]


def test_the_order_of_queries_does_not_matter_to_what_is_exact():
    groups, order = uneven(), np.random.default_rng(1).permutation(60)
    shuffled = {
        model: {measure: values[order].tolist() for measure, values in measures.items()}
        for model, measures in three_models().items()
    }
    first = compare_values(three_models(), strata(groups), resamples=100)
    second = compare_values(shuffled, strata([groups[row] for row in order]), resamples=100)
    for one in first.estimates:
        other = second.estimate(one.model, one.measure, one.group)
        assert (one.queries, one.mean) == pytest.approx((other.queries, other.mean), rel=1e-12)
    for one in first.differences:
        other = second.difference(one.a, one.b, one.measure, one.group)
        assert (one.wins, one.ties, one.losses) == (other.wins, other.ties, other.losses)
        for name in ("difference", "effect", "detectable"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)


def test_a_model_and_its_copy():
    values = {"x": three_models()["x"], "copy": three_models()["x"]}
    for one in compare_values(values, strata(uneven()), resamples=100).differences:
        assert (one.difference, one.low, one.high, one.p, one.p_holm) == (0, 0, 0, 1, 1)
        assert (one.effect, one.detectable) == (None, None)
        assert (one.wins, one.ties, one.losses) == (0, one.queries, 0)


def test_a_group_of_one_query():
    values = {"x": {"map": [0.5, 0.25, 0.75]}, "y": {"map": [0.25, 0.5, 0.0]}}
    found = compare_values(values, strata(["lone", "pair", "pair"]), resamples=100)
    lone = found.difference("x", "y", "map", "lone")
    assert (lone.difference, lone.low, lone.high, lone.p, lone.effect, lone.detectable) == (
        25,
        None,
        None,
        1,
        None,
        None,
    )
    assert found.estimate("x", "map", "lone").low is None
    assert found.estimate("x", "map").low is not None
    assert found.difference("x", "y", "map").detectable is None


def test_one_model_has_estimates_only():
    grouped = strata(uneven())
    alone = compare_values({"x": three_models()["x"]}, grouped, resamples=100)
    assert alone.differences == ()
    assert len(alone.estimates) == 2 * 6
    with pytest.raises(ScirankError, match="x was not compared with y by map for the average"):
        alone.difference("x", "y", "map")
    with pytest.raises(ScirankError, match="there is no mrr of x for t0"):
        alone.estimate("x", "mrr", "t0")


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ({}, {}, "nothing to compare"),
        ({"x": {}}, {}, "nothing to compare"),
        ({"x": {"map": [0.5]}}, {}, "x, map: 1 value for 2 queries"),
        ({"x": {"map": [0.5, 1]}, "y": {"map": [0.5, 1, 0]}}, {}, "y, map: 3 values for 2 queries"),
        ({"x": {"map": [0.5, 1]}, "y": {"ndcg": [0.5, 1]}}, {}, "y has the measures ndcg; expected map"),
        ({"x": {"map": [0.5, math.nan]}}, {}, "x, map: value 2 is nan"),
        ({"x": {"map": [math.inf, 1]}}, {}, "x, map: value 1 is inf"),
        ({"x": {"map": [0.5, 1]}}, {"resamples": 0}, "at least one resample"),
        ({"x": {"map": [0.5, 1]}}, {"confidence": 1.0}, "between 0 and 1"),
        ({"x": {"map": [0.5, 1]}}, {"confidence": math.nan}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_compared(values, settings, message):
    with pytest.raises(ScirankError, match=message):
        compare_values(values, strata(["a", "a"]), **settings)


def test_an_interval_stays_where_measures_can_be():
    found = compare_values({"x": {"map": [1.0, 1.0, 0.2]}}, strata(["g"] * 3), resamples=200).estimate("x", "map", "g")
    assert found.high == 100
    assert 0 <= found.low < found.mean
