"""Equal scores in pytrec_eval, ir_measures and ranx: one set of scores, rounded in several ways, given to each.

python benchmarks/ties.py [--data-dir FOLDER]

Needs ranx beside the extra `test`. The folder has MDCR's files; without it, mdcr-mini is used.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

import ir_measures
import numpy as np
import ranx

import scirank
from mdcr_metric import evaluate_queries, parse_measures
from scirank.results.ranked_lists import RankedList

Runs = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]
Values = dict[str, dict[str, float]]  # measure -> query -> value
MEASURES = {
    "map": ("AP", "map"),
    "ndcg": ("nDCG", "ndcg"),
    "recall_5": ("R@5", "recall@5"),
    "mrr_10": ("RR@10", "mrr@10"),
}
"""Measure -> its name in ir_measures, and in ranx."""
SAME = 1e-7
"""Values that are nearer than this are the same."""
NUMBERS = np.random.default_rng(0)


def distinct(run: Mapping[str, float]) -> list[float]:
    """Scores in a random order, of which none are equal."""
    return [float(score) for score in NUMBERS.permutation(len(run))]


SCORES: dict[str, Callable[[Mapping[str, float]], list[float]]] = {
    "all different": distinct,
    "BM25": lambda run: list(run.values()),
    "BM25, 1 decimal": lambda run: [round(score, 1) for score in run.values()],
    "all equal": lambda run: [0.0] * len(run),
    "equal in single precision": lambda run: [1 + 1e-12 * score for score in distinct(run)],
}


def by_scirank(runs: Runs, qrels: Qrels, ties: str = "trec") -> Values:
    """By pytrec_eval; under other policies, the bounds and the mean over all orders."""
    found = evaluate_queries(list(runs.values()), list(qrels.values()), parse_measures(MEASURES), ties)
    return {str(measure): dict(zip(runs, values, strict=True)) for measure, values in found.values.items()}


def by_ir_measures(runs: Runs, qrels: Qrels) -> Values:
    """By the providers that ir_measures chooses."""
    names = {theirs: ours for ours, (theirs, _) in MEASURES.items()}
    found: Values = {ours: {} for ours in MEASURES}
    for row in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], qrels, runs):
        found[names[str(row.measure)]][row.query_id] = row.value
    return found


def by_ranx(runs: Runs, qrels: Qrels) -> Values:
    """By ranx, candidates in the order given."""
    run = ranx.Run(runs)
    ranx.evaluate(ranx.Qrels(qrels), run, [theirs for _, theirs in MEASURES.values()])
    return {ours: dict(run.scores[theirs]) for ours, (_, theirs) in MEASURES.items()}


def backwards(runs: Runs) -> Runs:
    """The same scores, candidates in the other order."""
    return {query: dict(reversed(run.items())) for query, run in runs.items()}


def tied(runs: Runs, qrels: Qrels) -> int:
    """Queries in which the order of scores that are equal in single precision can change a measure."""
    return sum(evaluate_queries(list(runs.values()), list(qrels.values()), parse_measures(MEASURES)).tied)


def table(lists: Sequence[RankedList]) -> None:
    """Print what each tool makes of each set of scores: means of the fields' means, in points."""
    groups: dict[str, list[str]] = {}
    for each in lists:
        groups.setdefault(each.group, []).append(each.query_id)
    qrels = {each.query_id: {paper: int(paper in each.relevant) for paper in each.run} for each in lists}

    def mean(values: Mapping[str, float]) -> float:
        return 100 * fmean(fmean(values[query] for query in queries) for queries in groups.values())

    print(
        "| scores | measure | queries with ties | pytrec_eval | ir_measures | ranx | ranx, candidates reversed "
        "| ranx - pytrec_eval | queries that differ: ir_measures, ranx, reversed | worst, mean, best order |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, scored in SCORES.items():
        runs = {each.query_id: dict(zip(each.run, scored(each.run), strict=True)) for each in lists}
        ours = by_scirank(runs, qrels)
        others = [by_ir_measures(runs, qrels), by_ranx(runs, qrels), by_ranx(backwards(runs), qrels)]
        orders = [by_scirank(runs, qrels, ties) for ties in ("pessimistic", "expected", "optimistic")]
        count = tied(runs, qrels)
        for measure in MEASURES:
            means = [mean(values[measure]) for values in (ours, *others)]
            differ = [
                sum(abs(values[measure][query] - ours[measure][query]) > SAME for query in runs) for values in others
            ]
            bounds = " ".join(f"{mean(values[measure]):.2f}" for values in orders)
            print(
                f"| {name} | {measure} | {count} | "
                + " | ".join(f"{value:.2f}" for value in means)
                + f" | {means[2] - means[0]:+.2f} | {' '.join(map(str, differ))} | {bounds} |"
            )


def main() -> None:
    """Rank with BM25, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-dir", type=Path)
    folder = parser.parse_args().data_dir
    result = scirank.run("bm25", "mdcr" if folder else "mdcr-mini", data_dir=folder, quiet=True)
    print(f"{result.title}; ranx {version('ranx')}, ir-measures {version('ir-measures')}, "
          f"pytrec_eval-terrier {version('pytrec_eval-terrier')}, numba {version('numba')}\n")  # fmt: skip
    table(result.known_lists())


if __name__ == "__main__":
    main()
