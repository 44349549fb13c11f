"""Write an MDCR of full size, made of random words: 19 fields, 200 queries each, 60 candidates, about 200,000 papers.

python benchmarks/synthetic.py FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

from mdcr_dataset import FIELDS

QUERIES = 200
LISTS = {"bm25": 9, "scincl": 9, "specter": 9, "graph": 9, "most_cited": 9, "random": 10, "true": 5}
PAPERS = 200_000
WORDS = 190  # with words of six letters, 1.3 kB a paper and 250 MB in all


def write(folder: Path, seed: int = 0) -> None:
    """Write `mdcr_test.json`, `mdcr_test_data.jsonl` and `scores.json` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    ids = [str(number) for number in random.choice(10**9, PAPERS, replace=False)]
    vocabulary = np.array(["".join(random.choice(list("abcdefghijklmnoprstuvwy"), 6)) for _ in range(20_000)])
    with open(folder / "mdcr_test_data.jsonl", "w", encoding="utf-8") as file:
        for paper in ids:
            words = vocabulary[random.integers(0, len(vocabulary), WORDS)]
            record = {"paper_id": paper, "title": " ".join(words[:12]), "abstract": " ".join(words[12:])}
            file.write(json.dumps(record) + "\n")
    benchmark: dict[str, dict[str, dict[str, list[str]]]] = {}
    scores: dict[str, float] = {}
    for field in FIELDS:
        benchmark[field] = {}
        for query in random.choice(ids, QUERIES, replace=False).tolist():
            pool = iter(random.choice(ids, sum(LISTS.values()), replace=False).tolist())
            lists = {name: [next(pool) for _ in range(size)] for name, size in LISTS.items()}
            benchmark[field][query] = lists
            scores |= {
                f"{query}_{paper}": float(np.float32(random.normal())) for ids_ in lists.values() for paper in ids_
            }
    (folder / "mdcr_test.json").write_text(json.dumps(benchmark), "utf-8")
    (folder / "scores.json").write_text(json.dumps(scores), "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
