"""`evaluate.load("mdcr_metric", "oagqa")` with all that users do to it."""

import doctest
import json
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import evaluate
import numpy as np
import plain
import pytest
from conftest import WITH_TRANSFORMERS, WITHOUT_TRANSFORMERS, given_often
from hypothesis import assume
from hypothesis import strategies as st

import mdcr_metric
from mdcr_metric.hits import evaluate_questions, parse_hits
from mdcr_metric.outcomes import Question
from mdcr_metric.titles import title_key

NAMES = ("hit_1", "hit_2", "hit_4", "mrr", "mrr_2", "recall_1", "recall_3")
COLUMNS = [prefix + name for name in NAMES for prefix in ("", "exact_") if not (prefix and name.startswith("recall"))]


@pytest.fixture
def metric(tmp_path):
    return evaluate.load("mdcr_metric", "oagqa", cache_dir=str(tmp_path))


@pytest.fixture(scope="module")
def shared_metric():
    """For many computations, each of all its rows."""
    return evaluate.load("mdcr_metric", "oagqa", keep_in_memory=True)


DEEP = "Deep Learning"
MISS, FALSE, EXACT = (False, False), (True, False), (True, True)

# Case -> answers, ranked title, (hit under `title_span`, under `exact_title`).
CASES = {
    "the same": ([DEEP], DEEP, EXACT),
    "one of several": (["Optics", DEEP], DEEP, EXACT),
    "another": (["Optics"], DEEP, MISS),
    "inside": ([DEEP], "A Survey of Deep Learning for Vision", FALSE),
    "at the start": ([DEEP], "Deep Learning for Vision", FALSE),
    "at the end": ([DEEP], "A Survey of Deep Learning", FALSE),
    "exact beside inside": ([DEEP, "Learning"], DEEP, EXACT),
    "after a false start": (["a a b"], "a a a b", FALSE),
    "answer longer than title": (["Deep Learning for Vision"], DEEP, MISS),
    "not contiguous": ([DEEP], "Deep Machine Learning", MISS),
    "other order": ([DEEP], "Learning Deep", MISS),
    "part of a word": (["art"], "Starting", MISS),
    "beginning of a word": (["Optic"], "Optics", MISS),
    "answer empty": ([""], DEEP, FALSE),
    "answer and title empty": ([""], "", FALSE),
    "answer of spaces": ([" \t\xa0\u3000"], DEEP, FALSE),
    "answer of U+200B": (["\u200b"], DEEP, FALSE),
    "answer of U+FEFF and a control character": (["\ufeff\x01"], DEEP, FALSE),
    "answer of private use": (["\ue000"], DEEP, FALSE),
    "title empty": ([DEEP], "", MISS),
    "title of U+200B": ([DEEP], "\u200b", MISS),
    "no answers": ([], DEEP, MISS),
    "no answers, no title": ([], "", MISS),
    "case": (["deep LEARNING"], DEEP, EXACT),
    "case, not ASCII": (["THÉORÈME Д"], "théorème д", EXACT),
    "colon": (["BERT: Pre-training"], "BERT Pre-training", MISS),
    "hyphen": (["Pre-training"], "Pre training", MISS),
    "hyphen, spaces around": (["Pre-training"], "Pre - training", EXACT),
    "other dash": (["Pre-training"], "Pre\u2013training", MISS),
    "full stop": (["Optics"], "Optics.", FALSE),
    "full stop in the answer": (["Optics."], "Optics", MISS),
    "underscore": (["deep_learning"], DEEP, MISS),
    "formula": (["$E=mc^2$"], "On $E = mc ^ 2$", FALSE),
    "spaces": (["  Deep   Learning "], DEEP, EXACT),
    "tab, newline": (["Deep\tLearning"], "Deep\nLearning", EXACT),
    "no-break space": (["Deep\xa0Learning"], DEEP, EXACT),
    "ideographic space": (["Deep\u3000Learning"], DEEP, EXACT),
    "control characters": (["Deep\x1fLearning\x7f"], DEEP, EXACT),
    "U+200B between": (["Deep\u200bLearning"], DEEP, EXACT),
    "soft hyphen": (["Lear\xadning"], "Learning", MISS),
    "composed, decomposed": (["Poincar\xe9"], "Poincare\u0301", EXACT),
    "decomposed, composed": (["Poincare\u0301"], "The Poincar\xe9 conjecture", FALSE),
    "accent left out": (["Poincare"], "Poincar\xe9", MISS),
    "order of marks": (["q\u0307\u0323"], "q\u0323\u0307", EXACT),
    "angstrom sign": (["\u212b"], "\xc5", EXACT),
    "ligature": (["\ufb01nite"], "finite", MISS),
    "ligature twice": (["\ufb01nite"], "\ufb01nite", EXACT),
    "full width": (["\uff21"], "A", MISS),
    "full width, case": (["\uff21"], "\uff41", EXACT),
    "German ss": (["Straße"], "STRASSE", MISS),
    "German capital ß": (["Straße"], "STRA\u1e9eE", EXACT),
    "Greek final sigma, capitals": (["ΟΔΟΣ"], "οδο\u03c2", EXACT),
    "Greek final sigma, other sigma": (["οδο\u03c2"], "οδο\u03c3", MISS),
    "Greek final sigma, in each token": (["ΑΣ"], "\u0391Σ'\u0391", FALSE),
    "Greek with tonos": (["ΆΛΦΑ"], "\u03b1\u0301λφ\u03b1", EXACT),
    "Turkish dotted I": (["İzmir"], "izmir", MISS),
    "Turkish dotted I, decomposed": (["İzmir"], "i\u0307zmir", EXACT),
    "CJK": (["深度学习"], "深度学习", EXACT),
    "CJK inside a run": (["深度学习"], "基于深度学习的视觉", MISS),
    "CJK in brackets": (["深度学习"], "《深度学习》", FALSE),
    "Hangul, decomposed": (["한"], "\u1112\u1161\u11ab", EXACT),
    "emoji": (["🚀"], "To the moon🚀", FALSE),
    "emoji, skin": (["👍"], "👍🏽", FALSE),
    "emoji, joined": (["👩\u200d💻"], "👩💻", EXACT),
    "emoji, variation": (["❤"], "❤\ufe0f", FALSE),
    "digits in words": (["GPT2"], "GPT 2", MISS),
    "digits in words, hyphen": (["GPT-2"], "gpt-2 models", FALSE),
    "digits at the end": (["GPT"], "GPT2", MISS),
    "other digits": (["x2"], "x²", MISS),
    "mark in a word": (["a"], "a\u0301", MISS),
}


def test_what_is_a_hit(metric):
    answers, titles, expected = zip(*CASES.values(), strict=True)
    rows = {"predictions": [[title] for title in titles], "references": answers}
    result = metric.compute(**rows, measures="hit_1", return_per_query=True)
    found = zip(*(result["per_query"][name] for name in ("hit_1", "exact_hit_1")), strict=True)
    assert dict(zip(CASES, found, strict=True)) == dict(zip(CASES, expected, strict=True))
    assert [plain.matches(*pair) for pair in zip(titles, answers, strict=True)] == list(expected)
    assert result["false_hits"] == {"hit_1": expected.count(FALSE)}
    assert result["queries"] == len(CASES)


SIMILAR = st.text(
    "aAbB1 -:.\t\0\x7f\xa0\u3000\u200b\ufeff\u0301\u0323\u0307éÉßẞ\u03c3Σςİ\u0131ﬁ²_深学🚀👩\u200d\ufe0f\ue000\ud800",
    max_size=8,
)
ANY = SIMILAR | st.text(st.characters(), max_size=6)


@given_often(200, 500, ANY, ANY, ANY | st.just(""), st.sampled_from(["", " "]), st.lists(ANY, max_size=2))
def test_hits_are_by_lists_of_tokens(answer, before, after, between, others):
    titles = [before + between + answer + between + after, before, answer.upper(), f" {answer}\n"]
    for title in titles:
        span, exact = plain.matches(title, [answer])
        assert (title_key(answer) in title_key(title)) == span
        assert (title_key(answer) == title_key(title)) == (exact or not plain.tokens(answer + title))
    found = evaluate_questions([Question(titles, [answer, *others])], parse_hits("mrr")).hits
    matches = [plain.matches(title, [answer, *others]) for title in titles]
    for at, rule in enumerate(("title_span", "exact_title")):
        assert found[rule] == [[rank for rank, match in enumerate(matches) if match[at]]]


TITLES = st.sampled_from(["a", "A", "b", "A\tb", "\xe9", "e\u0301 a", "-b", "\u200b", ""])
ANSWERS = st.lists(TITLES, max_size=3) | st.lists(TITLES, min_size=1, max_size=1)
SCORES = (2.0, 1.0, 1 + 1e-12, 0.1, 0.0, -0.0, -3e38, 3e38, 750.0, -750.0)
DISCIPLINES = {"u": "one", "t": "one", "v": "two"}


@st.composite
def question(draw, titles=6, scores=SCORES):
    """Ranked titles, answers, topic, scores; and how many papers answer, at least those that are ranked."""
    ranked, answers = draw(st.lists(TITLES, max_size=titles)), draw(ANSWERS)
    chosen = draw(st.lists(st.sampled_from(scores), min_size=len(ranked), max_size=len(ranked)))
    relevant = sum(plain.matches(title, answers)[1] for title in ranked)
    relevant += draw(st.integers(0, 2)) if any(map(plain.tokens, answers)) else 0
    return ranked, answers, draw(st.sampled_from("tuv")), sorted(chosen, reverse=True), relevant


def as_arguments(questions, *without):
    predictions, references, groups, scores, relevant = map(list, zip(*questions, strict=True))
    columns = {
        "predictions": predictions,
        "references": references,
        "groups": groups,
        "disciplines": [DISCIPLINES[topic] for topic in groups],
        "scores": scores,
        "relevant": relevant,
    }
    return {name: column for name, column in columns.items() if name not in without}


def is_rounded(found, share):
    return found == round(found, 4) and found == pytest.approx(100 * share, abs=5.0001e-5)


OPTIONAL = ("groups", "disciplines", "scores", "relevant")


@given_often(100, 300, st.lists(question(), min_size=1, max_size=6), st.tuples(*[st.booleans()] * 4))
def test_results_equal_the_plain_implementation(shared_metric, questions, given_columns):
    without = {name for name, is_given in zip(OPTIONAL, given_columns, strict=True) if not is_given}
    if "groups" in without:
        without.add("disciplines")
    result = shared_metric.compute(**as_arguments(questions, *without), measures=NAMES, return_per_query=True)
    assert json.loads(json.dumps(result)) == result
    topics = ["all" if "groups" in without else topic for _, _, topic, _, _ in questions]
    disciplines = None if "disciplines" in without else DISCIPLINES
    labels = [plain.hit_labels(t, a, None if "relevant" in without else n) for t, a, _, _, n in questions]
    values = {name: [plain.hit_measure(name, *row) for row in labels] for name in COLUMNS}
    for name, column in values.items():
        assert result["per_query"][name] == pytest.approx(column, abs=1e-12)
        of_topics, of_disciplines, averages = plain.averages(column, topics, disciplines)
        assert list(result["averages"]) == list(averages)
        assert result["average"] == next(iter(averages))
        assert result[name] == result["averages"][result["average"]][name]
        assert result["unrounded"][name] == pytest.approx(100 * averages[result["average"]])
        for part, expected in (("averages", averages), ("groups", of_topics), ("disciplines", of_disciplines)):
            assert list(result[part]) == list(expected)
            assert all(is_rounded(result[part][row][name], expected[row]) for row in expected), (part, name)
        for topic, mean in of_topics.items():
            assert result["unrounded"]["groups"][topic][name] == pytest.approx(100 * mean)
    scored = "scores" not in without
    per_query = result["per_query"]
    assert list(per_query) == ["row", "group", *COLUMNS, *(["tied"] if scored else [])]
    assert (per_query["row"], per_query["group"]) == (list(range(len(questions))), topics)
    for topic, part in [*result["groups"].items(), (None, result)]:
        rows = [row for row, other in enumerate(topics) if topic in (None, other)]
        false = {
            name: sum(values[name][row] > values[f"exact_{name}"][row] for row in rows)
            for name in NAMES
            if name.startswith("hit")
        }
        assert (part["queries"], part["false_hits"]) == (len(rows), false)
        assert part.get("tied_queries") == (sum(per_query["tied"][row] for row in rows) if scored else None)
        assert topic is None or part.get("discipline") == (disciplines and disciplines[topic])
    assert all(
        part["topics"] == len({topic for topic in topics if DISCIPLINES[topic] == name})
        for name, part in result["disciplines"].items()
    )
    assert result["without_relevant"] == sum(not number for _, number in labels)
    short = {n: sum(len(q[0]) < int(n[-1]) for q in questions) for n in NAMES if n[-1].isdigit()}
    assert result["short_lists"] == {name: number for name, number in short.items() if number}
    assert scored == ("ece" in result) == ("calibration" in result)


def test_percentages_are_rounded_once(metric):
    """A sixth and nothing: 16.6667 and 0 would make 8.3334."""
    rows = {"predictions": [["a"]] * 7, "references": [["a"], *[["b"]] * 6], "groups": ["t"] * 6 + ["u"]}
    result = metric.compute(**rows, disciplines=["one"] * 7, measures="hit_1")
    assert result["groups"]["t"]["hit_1"] == 16.6667
    assert result["hit_1"] == result["disciplines"]["one"]["hit_1"] == result["averages"]["macro_topics"]["hit_1"]
    assert result["hit_1"] == 8.3333
    assert result["averages"]["over_questions"]["hit_1"] == 14.2857


@pytest.mark.parametrize(
    ("answers", "relevant", "without"),
    [
        ([], None, 1),
        ([""], None, 1),
        ([" "], None, 1),
        (["\u200b"], None, 1),
        (["", "b"], None, 0),
        (["b"], 0, 1),
        ([], 3, 0),
    ],
)
def test_questions_without_an_answering_paper(metric, answers, relevant, without):
    column = {} if relevant is None else {"relevant": [relevant]}
    result = metric.compute(predictions=[["a"]], references=[answers], **column, measures="recall_1")
    assert (result["without_relevant"], result["recall_1"]) == (without, 0)


def test_measures_by_default_and_as_papers_write_them(metric):
    rows = {"predictions": [["a"]], "references": [["a"]]}
    hits = [f"{prefix}hit_{cutoff}" for cutoff in (1, 5, 10, 20, 50, 100) for prefix in ("", "exact_")]
    names = [*hits, "mrr", "exact_mrr", "recall_20", "recall_100"]
    assert list(metric.compute(**rows)["averages"]["macro_topics"]) == names
    other = metric.compute(**rows, measures=["Hit@20", "H@1", "R@5", "MRR", "MRR@10", "mrr"])["unrounded"]
    assert [name for name in other if "exact" not in name] == ["hit_20", "hit_1", "recall_5", "mrr", "mrr_10", "groups"]


def differs(names, lists):
    """Whether a measure has several values, over lists of labels with the number of relevant papers."""
    return any(len({plain.hit_measure(name, *each) for each in lists}) > 1 for name in names)


SOME_NAMES = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


TIES = (1.0, 1 + 1e-12, 0.0, -0.0)


@given_often(100, 300, st.lists(question(titles=5, scores=TIES), min_size=1, max_size=4), SOME_NAMES, st.booleans())
def test_tied_are_those_where_an_order_of_equals_matters(shared_metric, questions, names, known):
    columns = as_arguments(questions, *([] if known else ["relevant"]))
    result = shared_metric.compute(**columns, measures=names, return_per_query=True)
    expected = []
    for ranked, answers, _, scores, relevant in questions:
        labels, number = plain.hit_labels(ranked, answers, relevant if known else None)
        columns = [name for name in COLUMNS if name.removeprefix("exact_") in names]
        expected.append(differs(columns, [([labels[at] for at in order], number) for order in plain.orders(scores)]))
    assert result["per_query"]["tied"] == expected
    assert result["tied_queries"] == sum(expected)


def test_single_precision_and_both_zeros_tie(metric):
    rows = {"predictions": [["a", "b"]] * 4, "references": [["b"]] * 4, "measures": "hit_1", "return_per_query": True}
    scores = [[1 + 1e-12, 1], [1 + 1e-6, 1], [0.0, -0.0], [1e-46, 0]]
    assert metric.compute(**rows, scores=scores)["per_query"]["tied"] == [True, False, True, True]
    without = metric.compute(**rows)
    assert "tied_queries" not in without
    assert "tied" not in without["per_query"]
    assert "tied_queries" not in without["groups"]["all"]


def tied(names, **question):
    return evaluate_questions([Question(**question)], parse_hits(names)).tied == [True]


@given_often(150, 300, question(titles=4, scores=TIES), SOME_NAMES)
def test_a_list_cut_between_equals_is_tied_where_what_was_left_out_could_matter(question, names):
    """Each of the last equals could have been a paper that is not known, as far as any is left to be found."""
    ranked, answers, _, scores, relevant = question
    assume(ranked)
    labels, _ = plain.hit_labels(ranked, answers, relevant)
    start = next(at for at, score in enumerate(scores) if np.float32(score) == np.float32(scores[-1]))
    wanted = [plain.tokens(answer) for answer in answers]
    kinds = [(True, False) if [] in wanted else (False, False)]
    if any(wanted):
        kinds += [(True, False), (True, True)]
    lists = []
    for order in plain.orders(scores):
        for last in product(kinds, repeat=len(ranked) - start):
            found = [*(labels[at] for at in order[:start]), *((*kind, -at) for at, kind in enumerate(last, 1))]
            if sum(exact for _, exact, _ in found) <= relevant:
                lists.append((found, relevant))
    columns = [name for name in COLUMNS if name.removeprefix("exact_") in names]
    whole = {"titles": ranked, "answers": answers, "scores": scores, "relevant": relevant}
    assert tied(names, **whole, cut_in_tie=True) == differs(columns, lists)


# Measures, ranked titles, answers, scores, relevant papers -> tied where the list is whole, and where it was cut.
CUT = {
    "first of its equals a hit": (("hit_2",), ["a", "b", "b"], ["a"], [2, 1, 1], 1, False, False),
    "the cut is beyond the cutoff": (("hit_1",), ["b", "b", "b"], ["a"], [3, 1, 1], 1, False, False),
    "the cut is at the cutoff": (("hit_2",), ["b", "b"], ["a"], [3, 1], 1, False, True),
    "a hit could have been left out itself": (("hit_2",), ["b", "a"], ["a"], [3, 1], 1, False, True),
    "all papers found before": (("recall_2", "mrr"), ["a", "b"], ["a"], [3, 1], 1, False, False),
    "papers left to be found": (("recall_2",), ["a", "b"], ["a"], [3, 1], 2, False, True),
    "no answers": (("hit_1", "mrr", "recall_1"), ["b", "b"], [], [1, 1], 0, False, False),
    "an answer in every title": (("hit_1", "mrr"), ["b", "b"], [""], [1, 1], 0, False, False),
    "order inside only": (("mrr",), ["a", "b"], ["a"], [1, 1], 1, True, True),
    "the same title twice": (("recall_1",), ["a", "A"], ["a"], [1, 1], None, False, True),
}


@pytest.mark.parametrize("case", CUT)
def test_tied_by_example(case):
    names, titles, answers, scores, relevant, whole, cut = CUT[case]
    columns = {"titles": titles, "answers": answers, "scores": scores, "relevant": relevant}
    assert (tied(names, **columns), tied(names, **columns, cut_in_tie=True)) == (whole, cut)


@given_often(40, 200, st.lists(question(titles=8), min_size=1, max_size=8))
def test_calibration_equals_a_plain_loop(shared_metric, questions):
    result = shared_metric.compute(**as_arguments(questions))
    for at, (name, rule) in enumerate((("ece", "title_span"), ("exact_ece", "exact_title"))):
        hits = [[plain.matches(title, answers)[at] for title in ranked] for ranked, answers, *_ in questions]
        error, bins = plain.calibration([scores for _, _, _, scores, _ in questions], hits)
        found = result["calibration"][rule]
        assert result[name] == found.pop("ece") == pytest.approx(error, abs=1e-12)
        assert found == {column: pytest.approx(values, abs=1e-12) for column, values in bins.items()}


@pytest.mark.parametrize(
    ("titles", "scores", "ece", "exact_ece"),
    [
        (["a", "b"], [3e38, -3e38], 0.0, 0.0),
        (["b", "a"], [1e4, -1e4], 1.0, 1.0),
        (["a b", "a"], [7, 7], 0.5, 0.0),  # of two, each has a half: both hit, or one
        (["a"], [-5], 0.0, 0.0),
        (["a c"], [0], 0.0, 1.0),
        ([*"bbbba", "a"], [0] * 6, 0.0, 0.0),  # the sixth is of no account
        ([], [], 0.0, 0.0),
    ],
)
def test_calibration_by_hand(metric, titles, scores, ece, exact_ece):
    result = metric.compute(predictions=[titles], references=[["a"]], scores=[scores])
    assert (result["ece"], result["exact_ece"]) == pytest.approx((ece, exact_ece), abs=1e-12)
    assert sum(result["calibration"]["title_span"]["count"]) == min(5, len(titles))


ROW = {
    "predictions": [["A", "B"]],
    "references": [["B"]],
    "groups": ["t"],
    "disciplines": ["d"],
    "scores": [[0.5, 0.1]],
    "relevant": [1],
}
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictions": [["A", None]]}, "row 0, predictions 1: expected a title, found None"),
        ({"predictions": [["A", b"B"]]}, "row 0, predictions 1: expected a title, found b'B'"),
        ({"predictions": [["A", ["B"]]]}, r"row 0, predictions 1: expected a title, found \['B'\]"),
        ({"predictions": [[1, 2]]}, "row 0, predictions 0: expected a title, found 1"),
        ({"predictions": np.ones((1, 2))}, "row 0, predictions 0: expected a title, found 1.0"),
        ({"predictions": [["A", "\ud800"]]}, "row 0.*surrogate"),
        ({"predictions": ["AB"]}, "row 0: predictions should be a list, found 'AB'"),
        ({"predictions": [iter("AB")]}, "row 0: predictions should be a list"),
        ({"predictions": [None]}, "row 0: predictions should be a list, found None"),
        ({"predictions": "AB"}, "predictions: expected a row for each query, found 'AB'"),
        ({"predictions": 1}, "predictions: expected a row for each query, found 1"),
        ({"predictions": [["A", "B"]] * 2}, "predictions has 2 rows, references has 1"),
        ({"predictions": None}, "predictions is missing"),
        ({"references": None}, "references is missing"),
        ({"references": ["B"]}, "row 0: references should be a list, found 'B'"),
        ({"references": [{"B"}]}, "row 0: references should be a list"),
        ({"references": [["B", NAN]]}, "row 0, references 1: expected a title, found nan"),
        ({"references": [["\udfff"]]}, "row 0.*surrogate"),
        ({"groups": [None]}, "row 0: expected a name as group, found None"),
        ({"groups": [""]}, "row 0: expected a name as group, found ''"),
        ({"groups": [["t"]]}, "row 0: expected a name as group"),
        ({"groups": ["t\0"]}, "row 0: group .* has a NUL"),
        ({"groups": ["t", "u"]}, "predictions has 1 rows, groups has 2"),
        ({"disciplines": [3]}, "row 0: expected a name as discipline, found 3"),
        ({"scores": [[0.1, 0.5]]}, r"row 0: the score at rank 2 is above that before it \(0.5 > 0.1\)"),
        ({"scores": [[0.5]]}, "row 0: 2 predictions but 1 scores"),
        ({"scores": [[]]}, "row 0: 2 predictions but 0 scores"),
        ({"scores": [None]}, "row 0: scores should be a list, found None"),
        ({"scores": [0.5]}, "row 0: scores should be a list, found 0.5"),
        ({"scores": [[0.5, NAN]]}, "row 0, candidate 1: expected a finite score .*nan"),
        ({"scores": [[INF, 0.5]]}, "row 0, candidate 0: expected a finite score .*inf"),
        ({"scores": [[0.5, -1e39]]}, "row 0, candidate 1: expected a finite score"),
        ({"scores": [["0.5", 0.1]]}, "row 0, candidate 0: expected a number as score, found '0.5'"),
        ({"scores": [[True, 0.1]]}, "row 0, candidate 0: expected a number as score, found True"),
        ({"relevant": [-1]}, "row 0: relevant should be a number of papers, found -1"),
        ({"relevant": [1.0]}, "row 0: relevant should be a number of papers, found 1.0"),
        ({"relevant": np.array([1.0])}, "row 0: relevant should be a number of papers, found 1.0"),
        ({"relevant": [True]}, "row 0: relevant should be a number of papers, found True"),
        ({"relevant": ["1"]}, "row 0: relevant should be a number of papers, found '1'"),
        ({"relevant": [None]}, "row 0: relevant should be a number of papers, found None"),
        ({"relevant": [["B"]]}, "row 0: relevant should be a number of papers"),
        ({"relevant": [np.array([1, 2])]}, "row 0: relevant should be a number of papers"),
        ({"relevant": [2**63]}, "row 0: relevant should be a number of papers"),
        ({"relevant": [0]}, "row 0: .*relevant"),  # one is ranked
        ({"measures": "map"}, "unknown measure 'map'; valid are hit, recall, mrr"),
        ({"measures": ["exact_hit_1"]}, "unknown measure 'exact_hit_1'"),
        ({"measures": ["hit_0"]}, "unknown measure 'hit_0'"),
        ({"measures": "hit"}, "measure hit needs a cutoff, such as hit_20"),
        ({"measures": ["mrr", "recall"]}, "measure recall needs a cutoff, such as recall_20"),
        ({"measures": []}, "measures is empty"),
        ({"measures": 20}, "measures should be a list of names, found 20"),
        ({"measures": "hit_1000001"}, "cutoff can be at most 1,000,000"),
    ],
)
def test_bad_input_is_one_clear_error_and_leaves_nothing_behind(metric, change, message):
    with pytest.raises(ValueError, match=message):
        metric.compute(**(ROW | change))
    assert metric.compute(**ROW)["queries"] == 1


ADDED = {name: column * 2 for name, column in ROW.items()}
LESS = {name: column for name, column in ROW.items() if name not in ("scores", "relevant")}
REFUSED = {
    "bad row": (ROW | {"scores": [[1, 2]]}, ValueError, "row 2: the score at rank 2 is above"),
    "columns left out": (LESS, ValueError, "row 2: relevant, scores given for some rows and not for others"),
    "two disciplines": (ROW | {"disciplines": ["e"]}, ValueError, "row 2: topic 't' is of discipline 'e' here"),
    "surrogate": (ROW | {"predictions": [["\ud800", "B"]]}, ValueError, "row 2"),
    "measure": ({"measures": "map"}, ValueError, "unknown measure 'map'"),
    "column": ({"candidate_ids": [["a"]]}, TypeError, "'candidate_ids'; columns are predictions, references, groups"),
    "option": ({"ties": "trec"}, TypeError, "unexpected keyword argument 'ties'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_call_loses_nothing(metric, case):
    refused, error, message = REFUSED[case]
    whole = metric.compute(**ADDED)
    metric.add_batch(**ADDED)
    with pytest.raises(error, match=message):
        metric.compute(**refused)
    assert metric.compute() == whole


def test_a_refused_row_is_not_added(metric):
    metric.add(prediction=["A"], reference=["A"], groups="t")
    for bad, message in (
        ({"prediction": "A", "reference": ["A"], "groups": "t"}, "row 1: predictions should be a list, found 'A'"),
        ({"prediction": ["A"], "reference": ["A"]}, "row 1: groups given for some rows"),
        ({"prediction": ["A"], "reference": ["A"], "groups": "t", "topics": "t"}, "unknown columns topics; valid are"),
    ):
        with pytest.raises(ValueError, match=message):
            metric.add(**bad)
    with pytest.raises(ValueError, match="row 2: predictions should be a list"):
        metric.add_batch(predictions=[["A"], "A"], references=[["A"], ["A"]], groups=["t", "t"])
    assert metric.compute()["queries"] == 1
    with pytest.raises(ValueError, match="nothing to evaluate"):
        metric.compute()


def test_recall_is_never_above_100(metric):
    with pytest.raises(ValueError, match=r"row 0: .*relevant"):
        metric.compute(predictions=[["A", "a"]], references=[["A"]], relevant=[1], measures="recall_2")


def test_arrays_tensors_tuples_and_generators(metric):
    import torch

    titles, answers, scores, relevant = [["A", "B"], ["C", "D"]], [["B"], ["E"]], [[0.5, 0.25], [3.0, -2.0]], [1, 2]
    whole = metric.compute(predictions=titles, references=answers, scores=scores, relevant=relevant)
    for strings, numbers, integers in (
        (np.array, np.array, np.array),
        (lambda rows: np.array(rows, dtype=object), np.float16, np.uint8),
        (tuple, torch.tensor, torch.tensor),
        (iter, iter, iter),
        (lambda rows: (tuple(row) for row in rows), lambda rows: (torch.tensor(row) for row in rows), tuple),
        (lambda rows: map(np.array, rows), lambda rows: map(np.float32, rows), lambda rows: map(np.int8, rows)),
        (
            lambda rows: [list(map(np.str_, row)) for row in rows],
            lambda rows: [list(map(np.half, r)) for r in rows],
            list,
        ),
        (
            list,
            lambda rows: torch.tensor(rows, dtype=torch.bfloat16, requires_grad=True),
            lambda rows: map(torch.tensor, rows),
        ),
    ):
        columns = {"predictions": strings(titles), "references": strings(answers)}
        assert metric.compute(**columns, scores=numbers(scores), relevant=integers(relevant)) == whole


def test_adding_in_parts_combining_and_keeping_in_memory():
    rows = [(["A", "B"], ["b"]), (["C"], ["a", "c"]), (["A B"], ["B"]), ([], ["A"]), (["D", "E", "F"], ["f"])]
    few = as_arguments([(*row, "tuv"[at % 3], [5, 5, 1][: len(row[0])], 1) for at, row in enumerate(rows * 4)])
    whole = evaluate.load("mdcr_metric", "oagqa").compute(**few)
    for options in ({}, {"keep_in_memory": True}):
        metric = evaluate.load("mdcr_metric", "oagqa", **options)
        for row in range(0, 20, 7):
            metric.add_batch(**{name: column[row : row + 7] for name, column in few.items()})
        assert metric.compute() == whole
        for row in range(15):
            prediction, reference, *others = (few[name][row] for name in few)
            metric.add(prediction=prediction, reference=reference, **dict(zip(OPTIONAL, others, strict=True)))
        assert metric.compute(**{name: column[15:] for name, column in few.items()}) == whole
    combined = evaluate.combine([evaluate.load("mdcr_metric", "oagqa")])
    combined.add_batch(**few)
    assert combined.compute() == whole
    assert combined.compute(**few) == whole
    combined.add_batch(predictions=[["A"]], references=[["A"]], **dict.fromkeys(OPTIONAL))
    assert combined.compute()["exact_hit_1"] == 100


WORKER = f"""
import json
{WITHOUT_TRANSFORMERS}
import evaluate, mdcr_metric
{WITH_TRANSFORMERS}
rank, folder = int(sys.argv[1]), sys.argv[2]
metric = evaluate.load(
    "mdcr_metric", "oagqa", num_process=2, process_id=rank, experiment_id="test", cache_dir=folder)
for row in range(rank, 8, 2):
    metric.add(prediction=["A", "B", "A B"], reference=["AB"[row // 2 % 2]], groups=str(row % 4), disciplines="d",
               scores=[1, 1, 0], relevant=1 + row)
print(json.dumps(metric.compute()))
"""


def test_several_processes(python, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda rank: python(WORKER, rank, tmp_path / "cache").stdout, range(2)))
    result, nothing = map(json.loads, outputs)
    assert nothing is None
    rows = [row for rank in range(2) for row in range(rank, 8, 2)]
    assert result == evaluate.load("mdcr_metric", "oagqa").compute(
        predictions=[["A", "B", "A B"]] * 8,
        references=[["AB"[row // 2 % 2]] for row in rows],
        groups=[str(row % 4) for row in rows],
        disciplines=["d"] * 8,
        scores=[[1, 1, 0]] * 8,
        relevant=[1 + row for row in rows],
    )


def test_processes_give_the_same_columns(tmp_path):
    def work(rank):
        metric = evaluate.load(
            "mdcr_metric", "oagqa", num_process=2, process_id=rank, experiment_id="test", cache_dir=str(tmp_path)
        )
        metric.add(prediction=["A"], reference=["A"], **({"scores": [1]} if rank else {}))
        return metric.compute()

    with ThreadPoolExecutor(2) as pool:
        first, second = [pool.submit(work, rank) for rank in range(2)]
        assert second.result() is None
        with pytest.raises(ValueError, match="one process gave scores and another did not; give them in all or none"):
            first.result()


def test_loading_in_a_fresh_process(python):
    compute = "metric.compute(predictions=[['A B', 'A']], references=[['a']], scores=[[1, 1]])"
    shown = "print(result['hit_1'], result['exact_hit_1'], result['tied_queries'], result['exact_ece'])"
    folder = os.path.dirname(mdcr_metric.__file__)
    for load in (
        f"import evaluate, mdcr_metric{WITH_TRANSFORMERS}metric = evaluate.load('mdcr_metric', 'oagqa')",
        # As a folder that has become a Space: without the package.
        "sys.modules['mdcr_metric'] = None\n"
        f"import evaluate{WITH_TRANSFORMERS}metric = evaluate.load({folder!r}, 'oagqa')",
    ):
        done = python(f"{WITHOUT_TRANSFORMERS}{load}\nresult = {compute}\n{shown}")
        assert done.stdout.split() == ["100.0", "0.0", "1", "0.0"]


@pytest.mark.parametrize("config", ["mdcr", "oagqa"])
def test_the_documented_example(config):
    text = evaluate.load("mdcr_metric", config).inputs_description
    parsed = doctest.DocTestParser().get_doctest(text, {}, config, None, 0)
    assert len(parsed.examples) >= 4
    assert doctest.DocTestRunner().run(parsed).failed == 0


def test_disciplines_need_topics(metric):
    with pytest.raises(ValueError, match="row 0: disciplines need groups"):
        metric.compute(predictions=[["A"]], references=[["A"]], disciplines=["physics"])
