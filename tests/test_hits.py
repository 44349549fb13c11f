"""`evaluate.load("mdcr_metric", "oagqa")` with all that users do to it."""

import doctest
import json
import os
from itertools import product

import evaluate
import numpy as np
import plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdcr_metric
from mdcr_metric.hits import Question, evaluate_questions, parse_hits
from mdcr_metric.titles import title_key

NAMES = ("hit_1", "hit_2", "hit_4", "mrr", "mrr_2", "recall_1", "recall_3")
COLUMNS = [prefix + name for name in NAMES for prefix in ("", "exact_") if not (prefix and name.startswith("recall"))]


@pytest.fixture
def metric():
    return evaluate.load("mdcr_metric", "oagqa")


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
    "answer of U+FEFF and NUL": (["\ufeff\0"], DEEP, FALSE),
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
    "Greek final sigma, in each token": (["ΑΣ"], "ΑΣ'Α", FALSE),
    "Greek with tonos": (["ΆΛΦΑ"], "\u03b1\u0301λφα", EXACT),
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


SIMILAR = st.text("aAbB1 -:.\t\0\x7f\xa0\u3000\u200b\ufeff\u0301\u0323\u0307éÉßẞσΣςİıﬁ²_深学🚀👩\u200d\ufe0f\ue000\ud800", max_size=8)
ANY = SIMILAR | st.text(st.characters(), max_size=6)


@settings(max_examples=500)
@given(ANY, ANY, ANY | st.just(""), st.sampled_from(["", " "]))
def test_keys_compare_as_lists_of_tokens(answer, before, after, between):
    for title in (before + between + answer + between + after, before, answer.upper(), f" {answer}\n"):
        span, exact = plain.matches(title, [answer])
        assert (title_key(answer) in title_key(title)) == span
        assert (title_key(answer) == title_key(title)) == (exact or not plain.tokens(answer + title))


TITLE = st.lists(st.sampled_from(["a", "b", "A", "é", "e\u0301", "-", "\u200b"]), max_size=3).map(" ".join)
SCORE = st.sampled_from([2.0, 1.0, 1 + 1e-12, 0.1, 0.0, -0.0, -3e38, 3e38, 750.0, -750.0])
DISCIPLINES = {"u": "one", "t": "one", "v": "two"}


@st.composite
def question(draw, titles=6):
    """Ranked titles, answers, topic, scores; and how many papers answer, at least those that are ranked."""
    ranked, answers = draw(st.lists(TITLE, max_size=titles)), draw(st.lists(TITLE, max_size=3))
    scores = draw(st.lists(SCORE, min_size=len(ranked), max_size=len(ranked)))
    relevant = sum(plain.matches(title, answers)[1] for title in ranked) + draw(st.integers(0, 2))
    return ranked, answers, draw(st.sampled_from("tuv")), sorted(scores, reverse=True), relevant


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


@given(st.lists(question(), min_size=1, max_size=6), st.lists(st.sampled_from(OPTIONAL), unique=True))
def test_results_equal_the_plain_implementation(shared_metric, questions, without):
    if "groups" in without:
        without.append("disciplines")
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
    counted = {name: sum(map(DISCIPLINES.get(name).__eq__, ())) for name in ()} or {
        name: len({topic for topic in topics if DISCIPLINES[topic] == name}) for name in result["disciplines"]
    }
    assert {name: part["topics"] for name, part in result["disciplines"].items()} == counted
    assert result["without_relevant"] == sum(not number for _, number in labels)
    short = {n: sum(len(q[0]) < int(n[-1]) for q in questions) for n in NAMES if n[-1].isdigit()}
    assert result["short_lists"] == {name: number for name, number in short.items() if number}
    assert scored == ("ece" in result) == ("calibration" in result)
