"""Real papers to vectors to measures with all-MiniLM-L6-v2: SentenceTransformer.encode, MTEB's evaluate, scirank.

python benchmarks/encode.py [FOLDER [TEXTS]] [--rounds ROUNDS] [--no-bfloat16]

FOLDER is in MDCR's format. TEXTS limits it to its first queries, until they and their candidates are that many papers.
Each way is a process of its own; they take turns. Of what is timed, `encode` only encodes, MTEB's `evaluate` encodes,
ranks and measures, and scirank's ranking encodes, keeps the vectors and ranks. Models are loaded outside of it, and
have encoded some papers.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from mteb_task import metadata

from mdcr_dataset import MINI
from scirank import load_benchmark, load_ranker, run
from scirank.benchmarks import Benchmark
from scirank.models import ModelOptions
from scirank.models.embedded import NAME, embedded_minilm
from scirank.models.text import paper_text
from scirank.progress import Progress

ACMCR = Path(__file__).resolve().parents[2] / "shared" / "data" / "acmcr"
SEPARATOR = "[SEP]"
TEMPLATE = f"{{title}} {SEPARATOR} {{abstract}}"
MEASURES = {"MAP": "map", "nDCG": "ndcg", "R@5": "recall_5"}
WARM_UP = 8
THREADS = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Found:
    """What a way gave.

    Attributes:
        spent: seconds by the clock, `wall_seconds`, and of the processor, `cpu_seconds`.
        texts: those that were encoded.
        vectors: of the papers, in the order of `papers`.
        measures: macro over groups, percent.
    """

    spent: Mapping[str, float]
    texts: Sequence[str]
    vectors: np.ndarray
    measures: Mapping[str, float]


def timed(act: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What a function gives, and what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = act()
    return found, {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def limited(benchmark: Benchmark, most: int) -> Benchmark:
    """The first queries with their candidates, relevant ones first, until they are about that many papers."""
    tasks, left = [], most
    for task in benchmark.tasks:
        pools = {}
        for query in task.queries:
            if left > 1:
                pool = sorted(task.pool(query), key=lambda paper: paper not in task.relevant[query])
                pools[query] = tuple(pool[: left - 1])
                left -= 1 + len(pools[query])
        if pools:
            queries = {query: task.queries[query] for query in pools}
            relevant = {query: task.relevant[query].intersection(pool) for query, pool in pools.items()}
            tasks.append(replace(task, queries=queries, candidates=pools, relevant=relevant))
    return replace(benchmark, groups=tuple(task.group for task in tasks), tasks=tuple(tasks))


def papers(benchmark: Benchmark) -> dict[str, str]:
    """The text of each paper that is a query or a candidate, as scirank makes it."""
    text = paper_text(TEMPLATE, SEPARATOR)
    return {
        paper: text(task.corpus[paper])
        for task in benchmark.tasks
        for query in task.queries
        for paper in (query, *task.pool(query))
    }


def minilm() -> Any:
    """The model as the library loads it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(embedded_minilm()))


def lengths(model: Any, texts: Sequence[str]) -> np.ndarray:
    """How many tokens the model sees of each text."""
    return model.preprocess(list(texts))["attention_mask"].sum(dim=1).numpy()


def plain(benchmark: Benchmark, few: Benchmark, _cache: Path) -> Found:
    """The library's `encode`, every default; the measures of its vectors are scirank's."""
    model = minilm()
    model.encode(list(papers(few).values()), show_progress_bar=False)
    texts = list(papers(benchmark).values())
    vectors, spent = timed(lambda: model.encode(texts, show_progress_bar=False))
    known = dict(zip(texts, vectors, strict=True))

    class Known:
        def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
            return [known[text] for text in texts]

    result = run(Known(), benchmark, template=TEMPLATE, cache=False, quiet=True)
    return Found(spent, texts, vectors, result.summary)


def mteb(benchmark: Benchmark, few: Benchmark, _cache: Path) -> Found:
    """MTEB's evaluate: a reranking task of one subset, so that a candidate of several groups is encoded once."""
    import datasets
    import mteb as library
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

    datasets.disable_progress_bars()
    encoded: list[tuple[list[str], np.ndarray]] = []

    class Encoder(SentenceTransformerEncoderWrapper):
        def encode(self, inputs: Any, **options: Any) -> np.ndarray:
            vectors = super().encode(inputs, **options)
            encoded.append((list(inputs.dataset["text"]), vectors))
            return vectors

    class Papers(AbsTaskRetrieval):
        k_values = (1, 5, 1_000)
        metadata = metadata("Papers", "Reranking", "map_at_1000")

        def __init__(self, benchmark: Benchmark) -> None:
            super().__init__()
            texts = papers(benchmark)
            asked = {f"{task.group}/{query}": (task, query) for task in benchmark.tasks for query in task.queries}
            pools = {name: list(task.pool(query)) for name, (task, query) in asked.items()}
            corpus = list(dict.fromkeys(paper for pool in pools.values() for paper in pool))
            queries = [query for _, query in asked.values()]
            self.encoded = [*queries, *corpus]
            self.groups = {name: task.group for name, (task, _) in asked.items()}
            split = {
                "corpus": documents(corpus, [texts[paper] for paper in corpus]),
                "queries": documents(list(asked), [texts[query] for query in queries]),
                "relevant_docs": {
                    name: dict.fromkeys(task.relevant[query], 1) for name, (task, query) in asked.items()
                },
                "top_ranked": pools,
            }
            self.dataset = {"default": {"test": split}}
            self.data_loaded = True

        def task_specific_scores(self, scores: dict[str, dict[str, float]], *_: Any, **__: Any) -> dict[str, float]:
            """Macro over groups, as MDCR has it; MTEB's own averages are over queries."""
            theirs = {"map": "map_cut_1000", "ndcg": "ndcg_cut_1000", "recall_5": "recall_5"}
            return {name: 100 * self._macro(scores, their) for name, their in theirs.items()}

        def _macro(self, scores: dict[str, dict[str, float]], measure: str) -> float:
            by_group: dict[str, list[float]] = {}
            for query, values in scores.items():
                by_group.setdefault(self.groups[query], []).append(values[measure])
            return float(np.mean([np.mean(values) for values in by_group.values()]))

    def documents(ids: list[str], texts: list[str]) -> datasets.Dataset:
        return datasets.Dataset.from_dict({"id": ids, "text": texts})

    def evaluate(task: Papers) -> dict[str, float]:
        found = library.evaluate(encoder, task, cache=None, overwrite_strategy="always", show_progress_bar=False)
        return found.task_results[0].scores["test"][0]

    encoder = Encoder(minilm())
    evaluate(Papers(few))
    encoded.clear()
    task = Papers(benchmark)
    scores, spent = timed(lambda: evaluate(task))
    vectors = np.concatenate([vectors for _, vectors in encoded])
    known = dict(zip(task.encoded, vectors, strict=True))
    return Found(
        spent,
        [text for texts, _ in encoded for text in texts],
        np.stack([known[paper] for paper in papers(benchmark)]),
        scores,
    )


def scirank(benchmark: Benchmark, few: Benchmark, cache: Path, dtype: str | None = None) -> Found:
    """A whole run, of which the ranking is timed."""
    options = {"similarity": "cosine", "dtype": dtype}
    run(NAME, few, cache=False, quiet=True, **options)
    options["cache_dir"] = str(cache)
    result = run(NAME, benchmark, quiet=True, **options)
    ranker: Any = load_ranker(NAME, ModelOptions(**options))
    job = ranker.jobs(benchmark.tasks)[0]
    vectors = ranker.engine.encode(job, Progress()).take(range(len(job.texts)))
    known = dict(zip(job.texts, vectors, strict=True))
    return Found(
        result.provenance["ranking"],
        list(known),
        np.stack([known[text] for text in papers(benchmark).values()]),
        result.summary,
    )


def bfloat16(benchmark: Benchmark, few: Benchmark, cache: Path) -> Found:
    """The same in half of the bytes."""
    return scirank(benchmark, few, cache, "bfloat16")


WAYS: dict[str, Callable[[Benchmark, Benchmark, Path], Found]] = {
    "plain": plain,
    "mteb": mteb,
    "scirank": scirank,
    "again": scirank,
    "bfloat16": bfloat16,
}
NAMES = {
    "plain": "SentenceTransformer.encode",
    "mteb": "MTEB",
    "scirank": "scirank, float32",
    "again": "scirank again, out of its store",
    "bfloat16": "scirank, bfloat16",
}


def take_turn(way: str, benchmark: Benchmark, scratch: Path) -> None:
    """Carry one way out; print what it took, and leave its vectors in a folder."""
    found = WAYS[way](benchmark, limited(benchmark, WARM_UP), scratch / "cache")
    np.save(scratch / f"{way}.npy", found.vectors)
    measures = {name: found.measures[name] for name in MEASURES.values()}
    tokens = int(lengths(minilm(), found.texts).sum())
    print(json.dumps({**found.spent, "texts": len(found.texts), "tokens": tokens, **measures}))


def rate(dtype: str) -> float:
    """Operations a second in the product that the model has most of; the best of ten."""
    import torch

    left, right = (torch.rand(rows, 384, dtype=getattr(torch, dtype)) for rows in (2_048, 1_536))
    best = float("inf")
    with torch.inference_mode():
        for _ in range(10):
            started = time.perf_counter()
            torch.nn.functional.linear(left, right)
            best = min(best, time.perf_counter() - started)
    return 2 * 2_048 * 384 * 1_536 / best


def operations(texts: Sequence[str]) -> float:
    """Of a token, in the mean over those of some texts: two for each weight, and attention to the whole text."""
    import torch

    model = minilm()
    network = model.transformers_model
    weights = sum(m.weight.numel() for m in network.encoder.modules() if isinstance(m, torch.nn.Linear))
    tokens = lengths(model, texts)
    seen = float((tokens**2).sum() / tokens.sum())
    return 2 * weights + 4 * seen * network.config.hidden_size * network.config.num_hidden_layers


def show(costs: Mapping[str, Mapping[str, float]], vectors: Mapping[str, np.ndarray]) -> None:
    """Print a Markdown table; ratios are of texts a second."""
    per_second = {way: c["texts"] / c["wall_seconds"] for way, c in costs.items()}
    names = ["texts", "seconds", "CPU s", "texts/s", "tokens/s", "ratio", "largest difference", *MEASURES]
    print(f"| | {' | '.join(names)} |\n|---{'|---:' * len(names)}|")
    for way, c in costs.items():
        cells = [
            f"{c['texts']:,}",
            f"{c['wall_seconds']:.2f}",
            f"{c['cpu_seconds']:.2f}",
            f"{per_second[way]:,.1f}",
            f"{c['tokens'] / c['wall_seconds']:,.0f}",
            f"{per_second[way] / per_second['mteb']:.2f}",
            f"{np.abs(vectors[way] - vectors['plain']).max():.1e}",
            *(f"{c[name]:.2f}" for name in MEASURES.values()),
        ]
        print(f"| {NAMES[way]} | {' | '.join(cells)} |")


def show_bfloat16(costs: Mapping[str, Mapping[str, float]], vectors: Mapping[str, np.ndarray]) -> None:
    """Print what half of the bytes change."""
    single, half = (vectors[way].astype(np.float64) for way in ("scirank", "bfloat16"))
    norms = np.linalg.norm(single, axis=1) * np.linalg.norm(half, axis=1)
    lowest = float(((single * half).sum(axis=1) / norms).min())
    points = [f"{title} {costs['bfloat16'][m] - costs['scirank'][m]:+.4f}" for title, m in MEASURES.items()]
    print(f"\nbfloat16 beside float32, points: {', '.join(points)}; lowest cosine of two vectors {lowest:.6f}")


def show_limit(cost: Mapping[str, float], texts: Sequence[str], rates: Mapping[str, float]) -> None:
    """Print how many tokens a second the matrix rate allows, and the share of it that was reached."""
    needed = operations(texts)
    print(f"\n{needed / 1e6:.1f} million operations a token\n")
    print("| | GFLOP/s | most tokens/s | share reached |\n|---|---:|---:|---:|")
    for dtype, per_second in rates.items():
        most = per_second / needed
        share = f"{cost['tokens'] / cost['wall_seconds'] / most:.0%}" if dtype == "float32" else ""
        print(f"| {dtype} | {per_second / 1e9:.1f} | {most:,.0f} | {share} |")


def main(folder: Path, benchmark: Benchmark, most: int, rounds: int, ways: Sequence[str]) -> None:
    """Print tables; of several rounds, median seconds and the last round's vectors."""
    texts = papers(benchmark)
    print(f"{len(texts):,} papers of {folder.name}, {THREADS} threads, median of rounds: {rounds}\n")
    found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    rates = {"float32": 0.0, "bfloat16": 0.0}
    for _ in range(rounds):
        rates = {dtype: max(best, rate(dtype)) for dtype, best in rates.items()}
        with TemporaryDirectory(prefix="scirank-") as scratch:
            for way in ways:
                command = [sys.executable, __file__, str(folder), str(most), "--way", way, "--scratch", scratch]
                turn = subprocess.run(command, capture_output=True, text=True)
                if turn.returncode:
                    sys.exit(turn.stderr)
                found[way].append(json.loads(turn.stdout.splitlines()[-1]))
            vectors = {way: np.load(Path(scratch) / f"{way}.npy") for way in ways}
    costs = {
        way: turns[-1] | {name: median(turn[name] for turn in turns) for name in ("wall_seconds", "cpu_seconds")}
        for way, turns in found.items()
    }
    show(costs, vectors)
    if "bfloat16" in costs:
        show_bfloat16(costs, vectors)
    show_limit(costs["scirank"], list(texts.values()), rates)


if __name__ == "__main__":
    import torch

    torch.set_num_threads(THREADS)
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=ACMCR if ACMCR.exists() else MINI)
    parser.add_argument("texts", nargs="?", type=int, default=0, help="0 is all")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--no-bfloat16", action="store_true", help="it is slow where the processor has no use for it")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = load_benchmark("mdcr", data_dir=given.folder)
    chosen = limited(chosen, given.texts) if given.texts else chosen
    if given.way:
        take_turn(given.way, chosen, given.scratch)
    else:
        ways = [way for way in WAYS if not (given.no_bfloat16 and way == "bfloat16")]
        main(given.folder, chosen, given.texts, given.rounds, ways)
