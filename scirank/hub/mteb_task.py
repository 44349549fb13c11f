"""MTEB's tasks, made of a benchmark or of an export; importing this imports MTEB."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import datasets
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

from ..benchmarks import Benchmark, Corpus, Document, Task
from ..benchmarks.registry import TOP_K
from ..choices import NoRelevant, Split
from ..errors import ScirankError, counted, shown
from ..evaluation import ScoredQuery, check_relevant, evaluate
from ..models.text import paper_text
from ..publishing.citing import OF_BENCHMARK, references
from ..publishing.claims import BENCHMARKS
from ..question_evaluation import evaluate_answers
from ..ranking import ranked
from .errors import client, one_line
from .export.exporting import README
from .export.rows import candidate_papers, documents, judgements, query_texts

LARGEST_POOL = max(AbsTaskRetrieval.k_values)
"""Papers that MTEB keeps of a ranking."""
ABOUT: Mapping[str, Mapping[str, Any]] = {
    "mdcr": {
        "type": "Reranking",
        "main_score": "map",
        "task_subtypes": ["Scientific Reranking"],
        "prompt": {"query": "Given the title and abstract of a scientific paper, retrieve papers that it cites"},
    },
    "oagqa": {
        "type": "Retrieval",
        "main_score": "hit_20",
        "task_subtypes": ["Question Answering Retrieval"],
        "prompt": {"query": "Given a question, retrieve scientific papers that answer it"},
    },
}


class _Measured(AbsTaskRetrieval):
    """Adds the benchmark's own measures, from 0 to 1, to MTEB's."""

    data_loaded: bool = False
    tasks: Mapping[str, Task]
    """Of OAG-QA: papers and answers of each topic that is loaded."""

    def task_specific_scores(
        self,
        _scores: Any,
        qrels: Mapping[str, Mapping[str, int]],
        results: Mapping[str, Mapping[str, float]],
        *,
        hf_subset: str,
        **_: Any,
    ) -> dict[str, float]:
        """The means of a field's or topic's queries."""
        if self.metadata.type == "Reranking":
            queries = [ScoredQuery(hf_subset, query, dict(results[query]), dict(qrels[query])) for query in results]
            found = evaluate(queries, [hf_subset], ("map", "ndcg", "recall_5"), no_relevant=NoRelevant.ZERO)
        else:
            first = {query: ranked(run, TOP_K) for query, run in results.items()}
            found = evaluate_answers([self.tasks[hf_subset]], {hf_subset: first}, ("hit_20", "mrr"))
        return {name: fmean(found.per_query[name]) for name in found.summary if name in found.per_query}


class BenchmarkTask(_Measured):
    """A benchmark that is loaded."""

    template: str | None

    def load_data(self, num_proc: int | None = None, **_: Any) -> None:
        """Make of each field or topic what MTEB reads."""
        if not self.data_loaded:
            splits = self.eval_splits
            self.dataset = {
                group: {split: _split_data(self.tasks[group], self.template) for split in splits}
                for group in self.hf_subsets
            }
            self.dataset_transform(num_proc=num_proc)
            self.data_loaded = True


class ExportedTask(_Measured):
    """A folder or a dataset on the Hub that `scirank export` made."""

    def load_data(self, num_proc: int | None = None, **options: Any) -> None:
        """Have MTEB read it; and of OAG-QA also the answers."""
        if not self.data_loaded:
            super().load_data(num_proc=num_proc, **options)
            if self.metadata.type == "Retrieval":
                self.tasks = {topic: self._topic(topic, *self.eval_splits) for topic in self.hf_subsets}

    def _topic(self, topic: str, split: str) -> Task:
        import pyarrow as pa

        held, place = self.dataset[topic][split], self.metadata.dataset
        asked = datasets.load_dataset(place["path"], topic, split=split, revision=place["revision"])
        papers = {"paper_id": held["corpus"]["id"], "title": held["corpus"]["title"], "text": held["corpus"]["text"]}
        return Task(
            group=topic,
            queries={row["question_id"]: Document("", row["question"]) for row in asked},
            corpus=Corpus(pa.table({name: pa.array(list(column)) for name, column in papers.items()}), "text"),
            candidates=None,
            relevant={
                query: frozenset(paper for paper, right in judged.items() if right)
                for query, judged in held["relevant_docs"].items()
            },
            answers={row["question_id"]: tuple(row["answers"]) for row in asked},
            depth=TOP_K,
        )


def task_of(benchmark: Benchmark, template: str | None, no_relevant: NoRelevant) -> BenchmarkTask:
    """See `mteb_tasks.tasks_of`."""
    tasks = {task.group: task for task in benchmark.tasks}
    if benchmark.asks_questions:
        if no_relevant is not NoRelevant.ERROR:
            raise ScirankError(f"no_relevant is for mdcr; {benchmark.name} counts a question without an answer as 0")
    else:
        _check_pools(benchmark.tasks)
        check_relevant([q for task in benchmark.tasks for q in task.queries if not task.relevant[q]], no_relevant)
        if no_relevant is NoRelevant.SKIP:
            tasks = {group: answerable for group, task in tasks.items() if (answerable := _answerable(task)).queries}
    if not tasks:
        raise ScirankError("nothing to evaluate: no query is left")
    if template is not None:
        paper_text(template, None)  # refuses one that is none, before any work
    kind, _, mini = benchmark.name.partition("-")
    made_from = {
        "data": dict(benchmark.data_sha256),
        "settings": {name: value for name, value in benchmark.settings.items() if name != "groups"},
        "template": template,
        "no_relevant": no_relevant,
    }
    title = f"{BENCHMARKS[kind].title}-{mini}" if mini else BENCHMARKS[kind].title
    metadata = _metadata(kind, title, tasks, benchmark.split, str(benchmark.name), _digest(made_from))
    # MTEB looks a task's description up in its class.
    held = {"metadata": metadata, "tasks": tasks, "template": template}
    made: BenchmarkTask = type("BenchmarkTask", (BenchmarkTask,), held)()
    return made


def task_of_export(path: str, revision: str | None, groups: Sequence[str] | None, split: Split) -> ExportedTask:
    """See `mteb_tasks.exported_tasks`."""
    if (Path(path) / README).is_file():
        if revision is not None:
            raise ScirankError(f"revision is for a dataset on the Hub; {path} is a folder")
        # The card has the hashes of the files that the export was made of.
        revision = hashlib.sha256((Path(path) / README).read_bytes()).hexdigest()[:40]
    elif Path(path).exists():
        raise ScirankError(f"{path} has no {README}: it is no folder that scirank export made")
    elif revision is None:
        with one_line(path, "dataset", f"{path} is no folder here; "):
            revision = str(client().dataset_info(path).sha)
    try:
        configs = datasets.get_dataset_config_names(path, revision)
    except datasets.exceptions.DatasetNotFoundError as error:
        raise ScirankError(f"{path} is no folder here, and the Hub has no such dataset or revision: {error}") from error
    held = [name.removesuffix("-qrels") for name in configs if name.endswith("-qrels")]
    held = [group for group in held if {group, f"{group}-corpus", f"{group}-queries"} <= set(configs)]
    if not held:
        raise ScirankError(
            f"{path} has no configs FIELD-corpus, FIELD-queries and FIELD-qrels: scirank export makes it"
        )
    if groups is not None and (absent := [group for group in groups if group not in held]):
        raise ScirankError(f"{path} has no {shown(absent)}; it has {shown(held)}")
    wanted = [group for group in held if groups is None or group in groups]
    kind = "mdcr" if f"{held[0]}-top_ranked" in configs else "oagqa"
    metadata = _metadata(kind, BENCHMARKS[kind].title, wanted, split, path, revision)
    made: ExportedTask = type("ExportedTask", (ExportedTask,), {"metadata": metadata})()
    return made


def _metadata(kind: str, name: str, groups: Iterable[str], split: str, path: str, revision: str) -> TaskMetadata:
    cited = references()[OF_BENCHMARK[kind]].text
    return TaskMetadata(
        name=name,
        description=BENCHMARKS[kind].task_title,
        dataset={"path": path, "revision": revision},
        category="t2t",
        modalities=["text"],
        eval_splits=[str(split)],
        eval_langs={group: ["eng-Latn"] for group in groups},
        domains=["Academic", "Written"],
        annotations_creators="derived",
        sample_creation="found",
        license="not specified",
        dialect=[],
        reference=found[1] if (found := re.search(r"url = {(.*)}", cited)) else None,
        bibtex_citation=cited,
        **ABOUT[kind],
    )


def _split_data(task: Task, template: str | None) -> dict[str, Any]:
    """A field or topic as MTEB has it; with a template, a paper's text is made here, else by MTEB."""
    if template is None:
        texts = dict(query_texts(task))
        papers = list(documents(task, candidate_papers(task)))
        corpus = dict(zip(("id", "title", "text"), map(list, zip(*papers, strict=True)), strict=True))
    else:
        text = paper_text(template, None)
        texts = {query: text(paper) for query, paper in task.queries.items()}
        ids = list(candidate_papers(task))
        corpus = {"id": ids, "text": [text(task.corpus[paper]) for paper in ids]}
    relevant: dict[str, dict[str, int]] = {}
    for query, paper, right in judgements(task):
        relevant.setdefault(query, {})[paper] = right
    return {
        "corpus": datasets.Dataset.from_dict(corpus),
        "queries": datasets.Dataset.from_dict({"id": list(texts), "text": list(texts.values())}),
        "relevant_docs": relevant,
        "top_ranked": None if task.candidates is None else {q: list(task.candidates[q]) for q in task.queries},
    }


def _answerable(task: Task) -> Task:
    """A field's queries that have a relevant candidate."""
    kept = [query for query in task.queries if task.relevant[query]]
    parts: dict[str, Any] = {
        part: {query: getattr(task, part)[query] for query in kept} for part in ("queries", "candidates", "relevant")
    }
    return replace(task, **parts)


def _check_pools(tasks: Iterable[Task]) -> None:
    """Refuse what MTEB would cut: its measures look at that many papers at most."""
    long = [query for task in tasks for query in task.queries if len(task.pool(query)) > LARGEST_POOL]
    if long:
        raise ScirankError(
            f"{counted(len(long), 'query has', 'queries have')} more than {LARGEST_POOL:,} candidates, of which MTEB "
            f"keeps no more: {shown(long)}. Use scirank.run"
        )


def _digest(made_from: Mapping[str, Any]) -> str:
    """What MTEB tells results on other data by."""
    return hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:40]
