"""The measures and the tie rule again, as plainly as can be, to test against."""

from itertools import permutations
from math import log2

import numpy as np


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


def all_orders(names, scores, labels):
    """Each measure under every order of equal scores."""
    rankings = []
    for order in permutations(range(len(scores))):
        best_first = sorted(order, key=lambda at: -np.float32(scores[at]))
        rankings.append([labels[at] for at in best_first])
    return {name: [measure(name, ranking) for ranking in rankings] for name in names}
