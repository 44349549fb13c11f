"""`scirank score` as a whole process beside a bare script, on 228,000 pairs; and what `--help` takes.

python benchmarks/score.py [ROUNDS]
"""

import sys
from pathlib import Path

from measure import compare, show, synthetic_mdcr


def main(rounds: int = 15) -> None:
    """Print seconds and memory of whole processes."""
    folder = synthetic_mdcr()
    benchmark, scores = str(folder / "mdcr_test.json"), str(folder / "scores.json")
    scirank = str(Path(sys.executable).with_name("scirank"))
    files = ["--benchmark-file", benchmark, "--scores-file", scores]
    commands = {
        "bare script": [sys.executable, str(Path(__file__).with_name("bare_score.py")), benchmark, scores],
        "scirank score": [scirank, "score", "mdcr", *files],
        "scirank --help": [scirank, "--help"],
    }
    print(f"median of {rounds} runs\n")
    show(compare(commands, rounds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
