"""Search and measures for 87 topics of 10,000 papers and 206 questions, 384 dimensions: scirank, FAISS flat, MTEB.

python benchmarks/search.py [TOPICS]

Each way is a process of its own, on the same vectors, which are made topic by topic outside of what is timed. FAISS
has no measures, so the same measures as scirank's follow it. MTEB's are its own.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from mteb_task import metadata
from synthetic_oagqa import DIMENSIONS, SyntheticTopic, make, topics

TOP_K = 100


class Clock:
    """Seconds by the clock and of the processor, by phase."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = {}
        self.cpu = 0.0

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Time what stands in the block."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[phase] = self.wall.get(phase, 0.0) + time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


def with_scirank_measures(clock: Clock, count: int, search: Callable[[SyntheticTopic, list[str]], list[Any]]) -> float:
    """Search topic by topic, then evaluate all; gives Hit@20, macro over topics."""
    import pyarrow as pa

    from oagqa_dataset import discipline_of
    from scirank.benchmarks import Corpus, Document, Task
    from scirank.question_evaluation import evaluate_answers
    from scirank.ranking import by_tie_rule

    tasks, found = [], {}
    for name in topics(count):
        topic = make(name)
        ids = [str(row) for row in range(len(topic.titles))]
        asked = [f"{name}/{row}" for row in range(len(topic.answers))]
        task = Task(
            group=name,
            queries={query: Document("", "") for query in asked},
            corpus=Corpus(pa.table({"paper_id": ids, "title": topic.titles, "text": [""] * len(ids)}), "text"),
            candidates=None,
            relevant={q: frozenset([ids[row]]) for q, row in zip(asked, topic.answers, strict=True)},
            answers={q: (topic.titles[row],) for q, row in zip(asked, topic.answers, strict=True)},
            depth=TOP_K,
            part_of=discipline_of(name),
        )
        order = by_tie_rule(ids)
        topic.papers[:] = topic.papers[[int(paper) for paper in order]]
        with clock("search"):
            found[name] = dict(zip(asked, search(topic, order), strict=True))
        tasks.append(task)
    with clock("measures"):
        summary = evaluate_answers(tasks, found).summary
    return float(summary["averages"]["macro_topics"]["hit_20"])


def scirank(clock: Clock, count: int) -> float:
    """Our own search."""
    from scirank.ranking import search

    return with_scirank_measures(
        clock, count, lambda topic, ids: list(search(topic.questions, topic.papers, ids, "cosine", TOP_K))
    )


def faiss(clock: Clock, count: int) -> float:
    """FAISS's exact index; which of equal scores it gives is its own business."""
    import faiss as library

    from scirank.ranking import Ranked

    def search(topic: SyntheticTopic, ids: list[str]) -> list[Ranked]:
        index = library.IndexFlatIP(DIMENSIONS)
        index.add(topic.papers)
        scores, rows = index.search(topic.questions, TOP_K)
        return [
            Ranked(dict(zip([ids[row] for row in best], values, strict=True)), False)
            for best, values in zip(rows.tolist(), scores.tolist(), strict=True)
        ]

    return with_scirank_measures(clock, count, search)


def mteb(clock: Clock, count: int) -> float:
    """MTEB's evaluate on a task with a subset for each topic, and an encoder that has its vectors already."""
    import datasets
    import mteb as library
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.models.abs_encoder import AbsEncoder
    from mteb.models.model_meta import ModelMeta

    datasets.disable_progress_bars()
    total = 0.0
    current: dict[str, SyntheticTopic] = {}

    class Topic(AbsTaskRetrieval):
        k_values = (1, 5, 10, 20, 50, 100)
        metadata = metadata("Topic", "Retrieval", "hit_rate_at_20")

        def load_data(self, **_: Any) -> None:
            topic = current["topic"]
            split = {
                "corpus": datasets.Dataset.from_dict(
                    {
                        "id": [str(row) for row in range(len(topic.titles))],
                        "title": topic.titles,
                        "text": topic.titles,
                    }
                ),
                "queries": datasets.Dataset.from_dict(
                    {"id": [f"q{row}" for row in range(len(topic.answers))], "text": ["?"] * len(topic.answers)}
                ),
                "relevant_docs": {f"q{row}": {str(answer): 1} for row, answer in enumerate(topic.answers)},
                "top_ranked": None,
            }
            self.dataset = {"default": {"test": split}}
            self.data_loaded = True

    class Encoder(AbsEncoder):
        mteb_model_meta = ModelMeta.create_empty({"name": "own/vectors", "revision": "0"})

        def __init__(self) -> None:
            pass

        def encode(self, _inputs: Any, *, prompt_type: Any = None, **_: Any) -> np.ndarray:
            topic = current["topic"]
            return topic.questions if "query" in str(prompt_type).lower() else topic.papers

        def similarity(self, left: Any, right: Any) -> Any:
            import torch

            return torch.as_tensor(left) @ torch.as_tensor(right).T

    for name in topics(count):
        current["topic"] = make(name)
        task = Topic()
        task.load_data()
        with clock("search and measures"):
            result = library.evaluate(
                Encoder(), tasks=[task], cache=None, overwrite_strategy="always", show_progress_bar=False
            )
        total += 100 * float(result.task_results[0].scores["test"][0]["hit_rate_at_20"])
    return total / count


WAYS = {"scirank": scirank, "faiss": faiss, "mteb": mteb}
NAMES = {"scirank": "scirank", "faiss": "FAISS flat, measures of scirank", "mteb": "MTEB"}


def main(count: int) -> None:
    """Print a Markdown table."""
    print(f"{count} topics\n\n| | search s | measures s | together s | ratio | CPU s | peak MB | Hit@20 |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    first = None
    for way, name in NAMES.items():
        run = subprocess.run([sys.executable, __file__, str(count), way], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        found = json.loads(run.stdout.splitlines()[-1])
        together = sum(found["wall"].values())
        first = first or together
        phases = [f"{found['wall'][phase]:.1f}" if phase in found["wall"] else "" for phase in ("search", "measures")]
        print(
            f"| {name} | {' | '.join(phases)} | {together:.1f} | {together / first:.2f} | {found['cpu']:.1f} | "
            f"{found['memory']:.0f} | {found['hit_20']:.2f} |"
        )


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else len(topics())
    if len(sys.argv) < 3:
        main(number)
    else:
        WAYS[sys.argv[2]](Clock(), 1)  # imports and first calls are not what is compared
        timer = Clock()
        hit_20 = WAYS[sys.argv[2]](timer, number)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"wall": timer.wall, "cpu": timer.cpu, "memory": peak, "hit_20": hit_20}))
