"""Expectations over all orders of equal scores: closed forms against enumeration."""

from statistics import fmean

import plain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcr_metric import Measure, evaluate_queries
from mdcr_metric.expected import expected_values

NAMES = [
    f"{kind}{cutoff}"
    for kind in ("map", "ndcg", "recall", "precision", "success", "mrr")
    for cutoff in ("", "_1", "_2", "_4", "_9")
]
MEASURES = [Measure.parse(name) for name in NAMES]


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0]), st.integers(0, 1)), min_size=1, max_size=5))
def test_equals_the_mean_over_all_orders(pairs):
    scores, labels = [list(column) for column in zip(*pairs, strict=True)]
    run, qrel = ({str(at): value for at, value in enumerate(column)} for column in (scores, labels))
    orders = plain.all_orders(NAMES, scores, labels)
    for name, value in zip(NAMES, expected_values(run, qrel, MEASURES), strict=True):
        assert value == pytest.approx(fmean(orders[name]), abs=1e-12), name


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0]), st.integers(0, 1)), min_size=1, max_size=5))
def test_optimistic_and_pessimistic_are_the_extremes(pairs):
    scores, labels = [list(column) for column in zip(*pairs, strict=True)]
    run, qrel = ({str(at): value for at, value in enumerate(column)} for column in (scores, labels))
    orders = plain.all_orders(NAMES, scores, labels)
    for policy, extreme in (("optimistic", max), ("pessimistic", min)):
        found = evaluate_queries([run], [qrel], MEASURES, policy)
        for measure in MEASURES:
            values = orders[str(measure)]
            assert found.values[measure][0] == pytest.approx(extreme(values), abs=1e-12)
            if policy == "optimistic" and max(values) - min(values) > 1e-9:
                assert found.tied == [True]


def test_measures_print_as_they_parse():
    assert [str(measure) for measure in MEASURES] == NAMES
    assert [str(Measure.parse(name)) for name in ("MAP", "nDCG@10", "R@5", "P@1", "S@3", "MRR")] == [
        "map", "ndcg_10", "recall_5", "precision_1", "success_3", "mrr",
    ]  # fmt: skip
    for bad in ("map_", "map_-1", "ndcg@", "", "recall_05", "f1", "map 5"):
        with pytest.raises(ValueError, match="unknown measure"):
            Measure.parse(bad)
