"""The least script that does what `scirank score` does: two files by `json`, pytrec_eval once a field."""

import json
import sys

import numpy as np
import pytrec_eval

MEASURES = ("map", "ndcg", "recall_5")

with open(sys.argv[1]) as file:
    benchmark = json.load(file)
with open(sys.argv[2]) as file:
    scores = json.load(file)
table = {}
for field, queries in benchmark.items():
    qrels, run = {}, {}
    for query, lists in queries.items():
        qrels[query] = {paper: int(source == "true") for source in lists for paper in lists[source]}
        run[query] = {paper: scores[f"{query}_{paper}"] for paper in qrels[query]}
    found = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES)).evaluate(run).values()
    table[field] = {name: np.round(100 * np.mean([values[name] for values in found]), 4) for name in MEASURES}
table["AVG"] = {name: np.round(np.mean([row[name] for row in table.values()]), 4) for name in MEASURES}
for field, row in table.items():
    print(field, *(f"{name}: {value}" for name, value in row.items()), sep="\t")
