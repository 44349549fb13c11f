"""The measures and the tie rule again, as plainly as can be, to test against."""

import unicodedata
from itertools import permutations
from math import exp, log2
from statistics import fmean

import numpy as np
import regex


def ranked_labels(scores, labels, ids):
    """Labels from best to worst: float32 scores descending, equal ones by id, descending in UTF-8 bytes."""
    rows = sorted(
        zip(np.float32(scores).tolist(), (i.encode() for i in ids), labels, strict=True),
        key=lambda row: row[:2],
        reverse=True,
    )
    return [label for _, _, label in rows]


def measure(name, labels):
    kind, _, cutoff = name.partition("_")
    cut = int(cutoff) if cutoff else len(labels)
    top, relevant = labels[:cut], sum(labels)
    if not relevant:
        return 0.0
    precisions = [sum(top[: at + 1]) / (at + 1) for at, label in enumerate(top) if label]
    gains = [1 / log2(at + 2) for at, label in enumerate(top) if label]
    ideal = [1 / log2(at + 2) for at in range(min(relevant, cut))]
    return {
        "map": sum(precisions) / relevant,
        "ndcg": sum(gains) / sum(ideal),
        "recall": sum(top) / relevant,
        "precision": sum(top) / cut,
        "success": float(any(top)),
        "mrr": next((1 / (at + 1) for at, label in enumerate(top) if label), 0.0),
    }[kind]


def orders(scores):
    """Every ranking that equal scores allow, as places, best first."""
    for order in permutations(range(len(scores))):
        yield sorted(order, key=lambda at: -np.float32(scores[at]))


def all_orders(names, scores, labels):
    """Each measure under every order of equal scores."""
    rankings = [[labels[at] for at in order] for order in orders(scores)]
    return {name: [measure(name, ranking) for ranking in rankings] for name in names}


TOKENS = regex.compile(r"([\p{L}\p{N}\p{M}]+)|([^\p{Z}\p{C}])")


def tokens(text):
    return [found.group().lower() for found in TOKENS.finditer(unicodedata.normalize("NFD", text))]


def matches(title, answers):
    """Whether a title is a hit under `title_span`, and under `exact_title`."""
    title, answers = tokens(title), [tokens(answer) for answer in answers]
    starts = range(len(title) + 1)
    span = any(
        title[at : at + len(answer)] == answer for answer in answers for at in starts if at + len(answer) <= len(title)
    )
    return span, title != [] and title in answers


def hit_measure(name, labels, relevant):
    """A measure of one question.

    Args:
        labels: for each ranked title whether it is a hit, whether it is exactly one, and what it is.
        relevant: how many of "what it is" there are to find.
    """
    kind, _, cutoff = name.removeprefix("exact_").partition("_")
    top = labels[: int(cutoff)] if cutoff else labels
    if kind == "recall":
        return len({which for _, exact, which in top if exact}) / relevant if relevant else 0.0
    first = next((at for at, (span, exact, _) in enumerate(top, 1) if (exact if "exact_" in name else span)), None)
    return 0.0 if first is None else 1.0 if kind == "hit" else 1 / first


def hit_labels(titles, answers, relevant=None):
    """What `hit_measure` takes; where the number of relevant papers is not known, titles stand for papers."""
    kinds = [tuple(tokens(title)) for title in titles]
    labels = [(*matches(title, answers), kind) for title, kind in zip(titles, kinds, strict=True)]
    if relevant is None:
        return labels, len({tuple(tokens(answer)) for answer in answers} - {()})
    return [(span, exact, at) for at, (span, exact, _) in enumerate(labels)], relevant


def averages(values, topics, disciplines=None):
    """The means of topics, those of disciplines, and the averages over them; `disciplines`: topic -> discipline."""
    rows = list(zip(values, topics, strict=True))
    of_topics = {topic: fmean(value for value, other in rows if other == topic) for topic in topics}
    named = {topic: disciplines[topic] for topic in of_topics} if disciplines else {}
    of_disciplines = {
        name: fmean(of_topics[topic] for topic in named if named[topic] == name) for name in named.values()
    }
    averages = {"macro_disciplines": fmean(of_disciplines.values())} if named else {}
    return of_topics, of_disciplines, averages | {
        "macro_topics": fmean(of_topics.values()), "over_questions": fmean(values),
    }  # fmt: skip


def calibration(scores, hits):
    """Expected calibration error of the first five, with its ten bins."""
    bins = [[] for _ in range(10)]
    for row, labels in zip(scores, hits, strict=True):
        chances = [exp(score - row[0]) for score in row[:5]]
        for chance, label in zip(chances, labels[:5], strict=True):
            share = chance / sum(chances)
            bins[sum(share > edge / 10 for edge in range(1, 10))].append((share, label))
    count = [len(inside) for inside in bins]
    confidence, accuracy = ([fmean(pair[at] for pair in inside) if inside else 0.0 for inside in bins] for at in (0, 1))
    error = sum(abs(a - c) * n for a, c, n in zip(accuracy, confidence, count, strict=True)) / max(1, sum(count))
    return error, {"count": count, "confidence": confidence, "accuracy": accuracy}
