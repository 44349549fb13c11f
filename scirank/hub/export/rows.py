"""A task as MTEB and BEIR have it: a corpus, queries, judgements, and candidates where there are some."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...benchmarks.task import Task

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa


def query_texts(task: Task) -> Iterator[tuple[str, str]]:
    """Each query and its text: title and abstract with a blank between, as MTEB joins those of a document."""
    for query, document in task.queries.items():
        yield query, f"{document.title} {document.text}".strip()


def judgements(task: Task) -> Iterator[tuple[str, str, int]]:
    """Query, paper, 1 or 0: of every candidate; without candidates, of the papers that are right.

    A question that no paper answers has one 0, as tools leave out a query without any line, where it has to count 0.
    """
    for query, right in task.relevant.items():
        judged = sorted(right) or [next(iter(task.corpus))] if task.candidates is None else task.candidates[query]
        yield from ((query, paper, int(paper in right)) for paper in judged)


def candidate_papers(task: Task) -> Mapping[str, None]:
    """Each paper that some query has to rank, once."""
    if task.candidates is None:
        return dict.fromkeys(task.corpus)
    return dict.fromkeys(paper for pool in task.candidates.values() for paper in pool)


def in_two_groups(tasks: Iterable[Task]) -> list[str]:
    """Queries that were in an earlier field already."""
    homes: dict[str, str] = {}
    return [query for task in tasks for query in task.queries if homes.setdefault(query, task.group) != task.group]


def documents(task: Task, papers: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Paper, title, text."""
    for paper in papers:
        title, text = task.corpus[paper]
        yield paper, title, text


class Tables:
    """The same as tables of MTEB's columns."""

    def __init__(self) -> None:
        import datasets

        text, score = datasets.Value("string"), datasets.Value("int64")
        self.corpus = datasets.Features({"_id": text, "title": text, "text": text})
        self.queries = datasets.Features({"_id": text, "text": text})
        self.qrels = datasets.Features({"query-id": text, "corpus-id": text, "score": score})
        self.top_ranked = datasets.Features({"query-id": text, "corpus-ids": datasets.Sequence(text)})

    def of(self, task: Task) -> "Iterator[tuple[str, datasets.Features, pa.Table]]":
        """Kind, features and table: queries and judgements, and of a task with candidates also its papers and these."""
        yield "queries", self.queries, _table(self.queries, query_texts(task))
        yield "qrels", self.qrels, _table(self.qrels, judgements(task))
        if task.candidates is not None:
            yield "corpus", self.corpus, _table(self.corpus, documents(task, candidate_papers(task)))
            yield "top_ranked", self.top_ranked, _table(self.top_ranked, task.candidates.items())


def _table(features: "datasets.Features", rows: Iterable[tuple[object, ...]]) -> "pa.Table":
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [()] * len(features)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, features.arrow_schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=features.arrow_schema)
