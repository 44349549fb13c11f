"""A 250 MB papers file becomes a dataset, cold: `load_dataset("json")` beside `load_dataset("mdcr")`.

python benchmarks/load.py [ROUNDS]
"""

import sys

from measure import compare, show, synthetic_mdcr

LOAD = """
import sys, tempfile, datasets, mdcr_dataset
with tempfile.TemporaryDirectory() as cache:
    datasets.load_dataset({arguments}, cache_dir=cache)
"""


def main(rounds: int = 5) -> None:
    """Print seconds and memory of whole processes, imports included."""
    folder = synthetic_mdcr()
    papers = folder / "mdcr_test_data.jsonl"
    forms = {
        'load_dataset("json")': f'"json", data_files={str(papers)!r}, split="train"',
        'load_dataset("mdcr", "corpus")': f'"mdcr", "corpus", data_dir={str(folder)!r}, split="test"',
        'load_dataset("mdcr")': f'"mdcr", data_dir={str(folder)!r}, split="test"',
        'load_dataset("mdcr", "Biology")': f'"mdcr", "Biology", data_dir={str(folder)!r}, split="test"',
    }
    print(f"{papers.stat().st_size / 1e6:.0f} MB of papers, median of {rounds} runs\n")
    show(compare({name: [sys.executable, "-c", LOAD.format(arguments=form)] for name, form in forms.items()}, rounds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
