"""A folder with 100 results of full size: how long a leaderboard of them takes, and reading all their queries.

python benchmarks/results.py
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from mdcr_dataset import FIELDS
from scirank.analysis.leaderboard import leaderboard
from scirank.results import Result
from scirank.results.summary import summary_of

RESULTS, QUERIES = 100, 200
"""Results, and queries of each field."""


def main() -> None:
    """Write the results, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for at in range(RESULTS):
            result(at).save(folder / f"model-{at}")
        command = [sys.executable, "-m", "scirank", "leaderboard", name]
        rows = {
            f"scirank.leaderboard, {RESULTS} results": lambda: leaderboard(folder),
            "the command, start included": lambda: subprocess.run(command, check=True, capture_output=True),
            f"Result.load, {RESULTS} results of {QUERIES * len(FIELDS):,} queries": lambda: [
                Result.load(path) for path in folder.iterdir()
            ],
        }
        print("| | seconds |\n|---|---|")
        for what, work in rows.items():
            start = time.perf_counter()
            work()
            print(f"| {what} | {time.perf_counter() - start:.2f} |")


def result(seed: int) -> Result:
    """A result of MDCR's size with invented values."""
    draw = np.random.default_rng(seed)
    queries = QUERIES * len(FIELDS)
    per_query = {
        "query_id": [str(at) for at in range(queries)],
        "group": [field for field in FIELDS for _ in range(QUERIES)],
        **{measure: draw.beta(0.6, 1.2, queries).tolist() for measure in ("map", "ndcg", "recall_5")},
        "tied": [False] * queries,
    }
    provenance = {"data_sha256": {"benchmark": "0" * 64}, "settings": {"groups": list(FIELDS), "ties": "trec"}}
    return Result(f"model-{seed}", "mdcr", "test", summary_of(per_query), per_query, provenance)


if __name__ == "__main__":
    main()
