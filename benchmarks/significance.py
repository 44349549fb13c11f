"""Intervals and tests of every mean and difference: `compare_values` on an MDCR and an OAG-QA of full size.

python benchmarks/significance.py [ROUNDS]
"""

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np

from scirank.statistics import Strata, compare_values, strata

CASES = {
    "MDCR: 2 models, 3 measures, 19 fields of 200 queries": (2, 19),
    "OAG-QA: 5 models, 3 measures, 87 topics of 200 questions": (5, 87),
}
MEASURES = ("map", "ndcg", "recall_5")


def made(models: int, groups: int, queries: int = 200) -> tuple[dict[str, dict[str, np.ndarray]], Strata]:
    """Values that are skewed as average precisions are, and their groups."""
    random = np.random.default_rng(0)
    values = {
        f"model {model}": {measure: random.beta(0.6, 1.2, groups * queries) for measure in MEASURES}
        for model in range(models)
    }
    return values, strata([f"group {group}" for group in range(groups) for _ in range(queries)])


def timed(act: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds by the clock, and of the processor."""
    found = []
    for _ in range(rounds):
        wall, cpu = perf_counter(), process_time()
        act()
        found.append((perf_counter() - wall, process_time() - cpu))
    return median(wall for wall, _ in found), median(cpu for _, cpu in found)


def main(rounds: int = 5) -> None:
    """Print seconds of calls inside one process."""
    print(f"10,000 resamples, median of {rounds} calls\n")
    print("| | seconds | CPU seconds |")
    print("|---|---:|---:|")
    for name, (models, groups) in CASES.items():
        values, grouped = made(models, groups)
        wall, cpu = timed(lambda values=values, grouped=grouped: compare_values(values, grouped), rounds)
        print(f"| {name} | {wall:.2f} | {cpu:.2f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
