"""`evaluate.load("mdcr_metric")` with all that users do to it."""

import json
import os
import random

import evaluate
import numpy as np
import plain
import pytest
from conftest import WITH_TRANSFORMERS, WITHOUT_TRANSFORMERS

import mdcr_metric

MEASURES = [
    "map",
    "map_3",
    "ndcg",
    "ndcg_5",
    "recall",
    "recall_5",
    "precision",
    "precision_5",
    "success_2",
    "mrr",
    "mrr_3",
]


@pytest.fixture
def metric():
    return evaluate.load("mdcr_metric")


@pytest.fixture
def rankings():
    """Thousands of rankings full of ties, some of them only in single precision."""
    made = random.Random(5)
    rows = []
    for number in range(3000):
        size = made.randint(1, 12)
        scores = [made.choice([0.1, 0.1 + 1e-12, 0.5, -2.0, 3, 1e30]) for _ in range(size)]
        labels = [made.randint(0, 1) for _ in range(size)]
        labels[made.randrange(size)] = 1
        ids = made.sample(["a", "b", "B", "é", "z", "10", "9", "ß", "-", "日", "aa", "0"], size)
        rows.append((scores, labels, ids, f"group {number % 7}"))
    return [list(column) for column in zip(*rows, strict=True)]


def as_arguments(rankings):
    return dict(zip(("predictions", "references", "candidate_ids", "groups"), rankings, strict=True))


def test_equals_the_plain_implementation(metric, rankings):
    result = metric.compute(**as_arguments(rankings), measures=MEASURES, return_per_query=True)
    scores, labels, ids, groups = rankings
    ranked = [plain.ranked_labels(*row) for row in zip(scores, labels, ids, strict=True)]
    for name in MEASURES:
        values = [plain.measure(name, row) for row in ranked]
        assert result["per_query"][name] == pytest.approx(values, abs=1e-12)
        means = {
            group: 100 * np.mean([v for v, g in zip(values, groups, strict=True) if g == group])
            for group in dict.fromkeys(groups)
        }
        for group, mean in means.items():
            assert result["unrounded"]["groups"][group][name] == pytest.approx(mean, abs=1e-9)
        assert result[name] == round(float(np.mean([round(mean, 4) for mean in means.values()])), 4)


def test_tied_queries_are_those_where_order_matters(metric, rankings):
    few = [column[:400] for column in rankings]
    arguments = as_arguments(few)
    best = metric.compute(**arguments, ties="optimistic", return_per_query=True)["per_query"]
    worst = metric.compute(**arguments, ties="pessimistic", return_per_query=True)["per_query"]
    names = ("map", "ndcg", "recall_5")
    differs = [any(best[name][row] != worst[name][row] for name in names) for row in range(400)]
    assert best["tied"] == worst["tied"] == differs
    assert 0 < sum(differs) < 400
    unimportant = metric.compute(predictions=[[1, 1, 0]], references=[[1, 1, 0]])
    assert unimportant["tied_queries"] == 0


def test_order_of_candidates_is_of_no_account_with_ids(metric):
    rows = [([1, 1, 1, 0], [0, 1, 0, 1], ["a", "b", "c", "d"]), ([0, 1, 1, 1], [1, 0, 0, 1], ["d", "a", "c", "b"])]
    one, other = (metric.compute(predictions=[p], references=[r], candidate_ids=[i]) for p, r, i in rows)
    assert one == other


def test_without_ids_ties_go_against_the_model(metric):
    rows = {"predictions": [[1, 1, 1], [2, 2, 1]], "references": [[1, 0, 0], [1, 0, 0]]}
    assert metric.compute(**rows)["map"] == metric.compute(**rows, ties="pessimistic")["map"] == 41.6667
    assert metric.compute(**rows, ties="optimistic")["map"] == 100


@pytest.mark.parametrize("scores", ["minilm", "constant", "minilm_rounded_ties"])
def test_real_papers_give_upstreams_numbers(metric, acmcr, expected, scores):
    benchmark = json.loads((acmcr / "mdcr_test.json").read_text())
    minilm = json.loads((acmcr / "minilm_scores.json").read_text())
    score = {"minilm": lambda s: s, "constant": lambda s: 0, "minilm_rounded_ties": lambda s: round(s, 1)}[scores]
    for field, queries in benchmark.items():
        for query, lists in queries.items():
            pool = {paper: int(name == "true") for name in lists for paper in lists[name]}
            metric.add(
                prediction=[score(minilm[f"{query}_{paper}"]) for paper in pool],
                reference=list(pool.values()),
                candidate_ids=list(pool),
                groups=field,
            )
    result = metric.compute()
    names = ("map", "ndcg", "recall_5")
    assert {name: result[name] for name in names} == expected[scores]["avg"]
    for field, row in expected[scores]["fields"].items():
        assert {name: result["groups"][field][name] for name in names} == row
    assert result["tied_queries"] == (0 if scores == "minilm" else 47)
    assert result["queries"] == 47


def test_groups_are_averaged_without_weights_and_rounded_twice(metric):
    rows = {"predictions": [[2, 1, 0]] * 3, "references": [[0, 1, 0], [1, 0, 0], [0, 0, 1]], "groups": ["b", "b", "a"]}
    result = metric.compute(**rows, measures="mrr")
    assert list(result["groups"]) == ["b", "a"]
    assert result["groups"]["b"] == {"mrr": 75.0, "queries": 2, "tied_queries": 0}
    assert result["groups"]["a"]["mrr"] == 33.3333
    assert result["mrr"] == np.round((75 + 33.3333) / 2, 4)
    assert result["unrounded"]["mrr"] == pytest.approx((75 + 100 / 3) / 2)


ROW = {"predictions": [[0.5, 0.1]], "references": [[1, 0]], "candidate_ids": [["a", "b"]], "groups": ["g"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictions": [[0.5, float("nan")]]}, "row 0, candidate 1: expected a finite score .*nan"),
        ({"predictions": [[0.5, float("-inf")]]}, "row 0, candidate 1: expected a finite score"),
        ({"predictions": [[0.5, 1e39]]}, "row 0, candidate 1: expected a finite score"),
        ({"predictions": [[0.5, None]]}, "row 0, candidate 1: expected a number as score, found None"),
        ({"predictions": [[0.5, "0.1"]]}, "row 0, candidate 1: expected a number as score, found '0.1'"),
        ({"predictions": [[0.5, True]]}, "expected a number as score, found True"),
        ({"predictions": [[0.5]]}, "row 0: 1 predictions but 2 references"),
        ({"predictions": [[]], "references": [[]], "candidate_ids": [[]]}, "row 0: no candidates"),
        ({"predictions": [0.5]}, "row 0: predictions should be a list, found 0.5"),
        ({"predictions": "ab"}, "predictions: expected a row for each query"),
        ({"predictions": [[0.5, 0.1]] * 2}, "predictions has 2 rows, references has 1"),
        ({"predictions": None}, "predictions is missing"),
        ({"references": None}, "references is missing"),
        ({"references": [[1, 0.9]]}, "row 0, candidate 1: expected 0 or 1 as reference, found 0.9"),
        ({"references": [[2, 0]]}, "row 0, candidate 0: expected 0 or 1 as reference, found 2"),
        ({"references": [["1", 0]]}, "expected 0 or 1 as reference, found '1'"),
        ({"references": [[None, 1]]}, "expected 0 or 1 as reference, found None"),
        ({"references": [[0, 0]]}, r"1 queries have no relevant candidate \(rows 0\); pass no_relevant"),
        ({"candidate_ids": [["a", "a"]]}, "row 0: id 'a' stands twice"),
        ({"candidate_ids": [["1", 1]]}, "row 0: id '1' stands twice"),
        ({"candidate_ids": [["a"]]}, "row 0: 2 predictions but 1 candidate_ids"),
        ({"candidate_ids": [["a", 0.5]]}, "row 0, candidate 1: expected a string as id, found 0.5"),
        ({"candidate_ids": ["ab"]}, "row 0: candidate_ids should be a list, found 'ab'"),
        ({"groups": [None]}, "row 0: expected a name as group, found None"),
        ({"groups": [""]}, "row 0: expected a name as group"),
        ({"groups": ["g", "g"]}, "predictions has 1 rows, groups has 2"),
        ({"candidate_ids": [["a", "b\0c"]]}, r"row 0: id 'b\\x00c' has a NUL or an unpaired surrogate"),
        ({"groups": ["\ud800"]}, "row 0: group .* has a NUL or an unpaired surrogate"),
        ({"predictions": [[0.5, 10**400]]}, "row 0, candidate 1: expected a finite score"),
        ({"predictions": [[0.5, np.array([1, 2])]]}, "row 0, candidate 1: expected a number as score"),
        ({"references": [[1, np.array([1, 0])]]}, "row 0, candidate 1: expected 0 or 1"),
        ({"references": [[0, 0]], "no_relevant": "skip"}, "none of the 1 queries has a relevant candidate"),
        ({"measures": ["recall_99999999999999999999"]}, "cutoff can be at most 1,000,000"),
        ({"measures": 5}, "measures should be a list of names, found 5"),
        ({"measures": ["map_0"]}, "unknown measure 'map_0'; valid are map, ndcg"),
        ({"measures": "bpref"}, "unknown measure 'bpref'"),
        ({"measures": []}, "measures is empty"),
        ({"ties": "random"}, "unknown ties 'random'; valid are trec, optimistic"),
        ({"no_relevant": "drop"}, "unknown no_relevant 'drop'; valid are error, zero, skip"),
    ],
)
def test_bad_input_is_one_clear_error_and_leaves_nothing_behind(metric, change, message):
    with pytest.raises(ValueError, match=message):
        metric.compute(**(ROW | change))
    assert metric.compute(**ROW)["queries"] == 1


def test_nothing_to_evaluate(metric):
    with pytest.raises(ValueError, match="nothing to evaluate"):
        metric.compute()
    with pytest.raises(ValueError, match="nothing to evaluate"):
        metric.compute(predictions=[], references=[])
    with pytest.raises(ValueError, match="none of the 1 queries has a relevant candidate"):
        metric.compute(predictions=[[1]], references=[[0]], no_relevant="skip")
    with pytest.raises(ValueError, match=r"unknown config 'oag' .* valid are mdcr, oagqa"):
        evaluate.load("mdcr_metric", "oag")


def test_a_refused_call_loses_nothing_and_doubles_nothing(metric):
    metric.add_batch(**ROW)
    with pytest.raises(ValueError, match="row 1, candidate 0: expected a finite score"):
        metric.add_batch(**(ROW | {"predictions": [[float("nan"), 1]]}))
    with pytest.raises(ValueError, match="row 1: candidate_ids, groups given for some rows and not for others"):
        metric.add_batch(predictions=[[1, 2]], references=[[1, 0]])
    metric.add(prediction=[1, 2], reference=[0, 0], candidate_ids=["a", "b"], groups="g")
    with pytest.raises(ValueError, match="rows 1"):
        metric.compute()
    with pytest.raises(ValueError, match="unknown measure"):
        metric.compute(measures=["what"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'measure'"):
        metric.compute(measure=["map"])
    result = metric.compute(no_relevant="zero")
    assert (result["queries"], result["map"], result["without_relevant"]) == (2, 50.0, 1)


@pytest.mark.parametrize(("policy", "queries", "value"), [("zero", 2, 50.0), ("skip", 1, 100.0)])
def test_queries_without_a_relevant_candidate(metric, policy, queries, value):
    rows = {"predictions": [[0.5, 0.1], [1, 2]], "references": [[1, 0], [0, 0]]}
    result = metric.compute(**rows, no_relevant=policy, return_per_query=True)
    assert (result["queries"], result["map"], result["without_relevant"]) == (queries, value, 1)
    assert result["per_query"]["row"] == list(range(queries))


def test_arrays_and_tensors(metric):
    import torch

    scores, labels = [[0.25, 0.5, 0.75], [3.0, 2.0, 1.0]], [[0, 1, 0], [0, 0, 1]]
    plain_result = metric.compute(predictions=scores, references=labels)
    for make in (
        np.array,
        np.float32,
        lambda x: torch.tensor(x, dtype=torch.bfloat16),
        lambda x: [np.array(r) for r in x],
    ):
        assert metric.compute(predictions=make(scores), references=np.array(labels)) == plain_result
    assert metric.compute(predictions=torch.tensor(scores), references=torch.tensor(labels).bool()) == plain_result


def test_adding_in_parts_combining_and_keeping_in_memory(rankings):
    few = as_arguments([column[:60] for column in rankings])
    whole = evaluate.load("mdcr_metric").compute(**few)
    for options in ({}, {"keep_in_memory": True}):
        metric = evaluate.load("mdcr_metric", **options)
        for row in range(0, 60, 17):
            metric.add_batch(**{name: column[row : row + 17] for name, column in few.items()})
        assert metric.compute() == whole
    combined = evaluate.combine(["mdcr_metric"])
    combined.add_batch(**few)
    assert combined.compute() == whole
    combined.add_batch(predictions=[[1, 2]], references=[[0, 1]], candidate_ids=None, groups=None)
    assert combined.compute()["map"] == 100
    assert (
        evaluate.combine({"mine": evaluate.load("mdcr_metric")}, force_prefix=True).compute(**few)["mine_map"]
        == whole["map"]
    )


WORKER = f"""
import json
{WITHOUT_TRANSFORMERS}
import evaluate, mdcr_metric
{WITH_TRANSFORMERS}
rank, folder = int(sys.argv[1]), sys.argv[2]
metric = evaluate.load("mdcr_metric", num_process=3, process_id=rank, experiment_id="test", cache_dir=folder)
for row in range(rank, 9, 3):
    metric.add(prediction=[1.0, row, 4.5], reference=[0, 1, 0], candidate_ids=["a", "b", "c"], groups=str(row % 2))
result = metric.compute()
print(json.dumps(result))
"""


def test_several_processes(python, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as pool:
        outputs = list(pool.map(lambda rank: python(WORKER, rank, tmp_path / "cache").stdout, range(3)))
    results = [json.loads(output) for output in outputs]
    assert results[1:] == [None, None]
    alone = evaluate.load("mdcr_metric").compute(
        predictions=[[1.0, row, 4.5] for row in range(9)],
        references=[[0, 1, 0]] * 9,
        candidate_ids=[["a", "b", "c"]] * 9,
        groups=[str(row % 2) for row in range(9)],
    )
    same = ("map", "ndcg", "recall_5", "queries", "tied_queries", "groups")
    assert {name: results[0][name] for name in same} == {name: alone[name] for name in same}


def test_loading_from_anywhere(python, tmp_path):
    folder = os.path.dirname(mdcr_metric.__file__)
    for code in ("import evaluate, mdcr_metric", "import mdcr_metric, evaluate"):
        done = python(
            f"{WITHOUT_TRANSFORMERS}{code}{WITH_TRANSFORMERS}"
            f"print(evaluate.load('mdcr_metric').compute(predictions=[[1, 2]], references=[[0, 1]])['map'])"
        )
        assert done.stdout.split() == ["100.0"]
    # As a folder that has become a Space: without the package.
    done = python(
        f"{WITHOUT_TRANSFORMERS}sys.modules['mdcr_metric'] = None\nimport evaluate{WITH_TRANSFORMERS}"
        f"metric = evaluate.load({folder!r})\n"
        "print(metric.compute(predictions=[[1, 1]], references=[[0, 1]], ties='expected')['map'])"
    )
    assert done.stdout.split() == ["75.0"]


def test_importing_is_light(python):
    code = (
        "import sys, mdcr_metric; print([m for m in ('evaluate', 'datasets', 'torch', 'pandas') if m in sys.modules])"
    )
    assert python(code).stdout.strip() == "[]"


def test_the_documented_example(metric):
    import doctest

    assert "mdcr_metric" in metric.inputs_description
    parsed = doctest.DocTestParser().get_doctest(metric.inputs_description, {}, "inputs", None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0
