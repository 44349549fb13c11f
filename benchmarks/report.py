"""The HTML report of three results of OAG-QA's size: how long it takes, how large it is.

python benchmarks/report.py [FILE]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from oagqa_dataset import TOPICS, discipline_of
from scirank.analysis import compare
from scirank.report.page import write_report
from scirank.results import Result
from scirank.results.ranked_lists import RankedList
from scirank.results.summary import calibration_of, summary_of

QUESTIONS, PAPERS = 206, 100
"""Questions of each topic, and papers that are ranked for each."""
CUTOFFS = (1, 5, 10, 20, 50, 100)
SKILL = {"first": 0.2, "second": 0.15, "third": 0.1}
"""How likely any next paper answers."""


def main() -> None:
    """Write the page, and print a table."""
    results = [result(model, chance) for model, chance in SKILL.items()]
    start = time.perf_counter()
    comparison = compare(results)
    compared = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = write_report(sys.argv[1] if len(sys.argv) > 1 else Path(folder, "report.html"), comparison)
        written, size = time.perf_counter(), path.stat().st_size
    print("| | seconds | MB |\n|---|---:|---:|")
    print(
        f"| comparing {len(SKILL)} models on {results[0].summary['queries']:,} questions | {compared - start:.1f} | |"
    )
    print(f"| the page | {written - compared:.1f} | {size / 1e6:.1f} |")


def result(model: str, chance: float) -> Result:
    """A result with invented ranks of the one paper that answers."""
    keys = [(topic, f"{topic}/{at}") for topic in TOPICS for at in range(QUESTIONS)]
    first = np.random.default_rng(round(100 * chance)).geometric(chance, len(keys))
    lists = tuple(ranked(key, row, int(rank) - 1) for row, (key, rank) in enumerate(zip(keys, first, strict=True)))
    hits = {f"hit_{cutoff}": (first <= cutoff).astype(float).tolist() for cutoff in CUTOFFS}
    hits["mrr"] = np.where(first <= PAPERS, 1 / first, 0.0).tolist()
    per_query = {
        "query_id": [query for _, query in keys],
        "group": [topic for topic, _ in keys],
        "part_of": [discipline_of(topic) for topic, _ in keys],
        **hits,
        **{f"exact_{measure}": values for measure, values in hits.items()},
        "relevant": [1] * len(keys),
        "ranked": [PAPERS] * len(keys),
        "tied": [False] * len(keys),
    }
    provenance = {"data_sha256": dict.fromkeys(TOPICS, "0" * 64), "settings": {"groups": list(TOPICS)}}
    return Result(
        model, "oagqa", "test", summary_of(per_query, calibration_of(lists)), per_query, provenance, (), lists
    )


def ranked(key: tuple[str, str], row: int, hit: int) -> RankedList:
    """A question's papers, of 10,000 in a topic."""
    run = {f"{(row * 37 + rank * 101) % 10_000:024x}": 1 - rank / 128 for rank in range(PAPERS)}
    hits = [hit] if hit < PAPERS else []
    rules = {"title_span": hits, "exact_title": hits}
    return RankedList(*key, run, {list(run)[rank] for rank in hits} or {"of no list"}, rules)


if __name__ == "__main__":
    main()
