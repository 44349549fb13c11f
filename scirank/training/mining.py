"""Hard negatives: papers that a model ranks high for a query and that are not right."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mdcr_metric.outcomes import Keys, Question, outcome_of

from ..benchmarks import Benchmark, Task
from ..errors import ScirankError, counted, shown
from ..evaluation import plain_scores
from ..fit import check_choices
from ..models import ModelOptions, load_ranker
from ..progress import Progress
from ..ranking import ranked
from ..rankings import in_order
from .drawing import others
from .queries import Passage, TrainingData, TrainingQuery


def mine(
    data: TrainingData,
    ranker: Any = "bm25",
    *,
    negatives: int = 1,
    depth: int = 100,
    skip: int = 0,
    replace: bool = False,
    progress: Progress | None = None,
    options: ModelOptions | None = None,
) -> TrainingData:
    """Give queries hard negatives: of the first papers of a ranking those that are not right.

    Ranked are, of OAG-QA, all papers of a query's topic, of MDCR its candidates. A paper is right if it is a positive
    or has a positive's text, and, of OAG-QA, also if its title contains an answer, as the rule for hits has it.

    Args:
        data: the queries.
        ranker: a name or an object; see `load_ranker`.
        negatives: how many a query gets.
        depth: how many papers of a ranking are looked at.
        skip: how many of these, the very first, are left out: they may be right without being known as such.
        replace: whether negatives that queries have already are replaced; else these come first.
        progress: what shows how far the ranking has come.
        options: how to use the ranker.

    Returns:
        the same queries; one for which nothing is found has no negative, which `notes` tell.

    Raises:
        ScirankError: no such ranker, options that do not fit, or a ranking that lacks something.
    """
    if negatives < 1 or skip < 0 or depth <= skip:
        raise ScirankError(
            f"negatives {negatives}, depth {depth}, skip {skip}: expected at least 1 negative, and a depth beyond skip"
        )
    options = options or ModelOptions()
    check_choices(data.benchmark.name, data.benchmark.asks_questions, options)
    wanted = [query for query in data.queries if replace or len(query.negatives) < negatives]
    notes = [] if len(wanted) == len(data.queries) else [_kept(len(data.queries) - len(wanted))]
    if not wanted:
        return dataclasses.replace(data, notes=(*data.notes, *notes))
    loaded = load_ranker(ranker, options)
    tasks = list(_tasks(data.benchmark, wanted, depth))
    rankings = in_order(loaded.name, tasks, loaded.rank(tasks, progress or Progress()) if tasks else ())
    found: dict[tuple[str, str], tuple[Passage, ...]] = {}
    for task, ranking in zip(tasks, rankings, strict=True):
        keys = Keys()
        for query in (query for query in wanted if query.group == task.group):
            scores = ranking.scores.get(query.query_id, {})
            papers = _first(loaded.name, task, query.query_id, scores, depth)[skip:]
            had = () if replace else query.negatives
            mined = (paper for paper in _wrong(query, papers, keys) if paper not in had)
            found[task.group, query.query_id] = (*had, *mined)[:negatives]
    queries = tuple(
        dataclasses.replace(query, negatives=found.get((query.group, query.query_id), query.negatives))
        for query in data.queries
    )
    mining = {
        "model": loaded.name,
        "provenance": dict(loaded.provenance()),
        "negatives": negatives,
        "depth": depth,
        "skip": skip,
        "queries": len(wanted),
    }
    return dataclasses.replace(
        data,
        queries=queries,
        seen={**data.seen, "mining": mining},
        notes=(*data.notes, *loaded.notes, *notes, *_few(found, negatives, depth)),
    )


def _tasks(benchmark: Benchmark, queries: Sequence[TrainingQuery], depth: int) -> Iterator[Task]:
    """The benchmark's tasks, with training queries in place of what they ask."""
    for task in benchmark.tasks:
        of_group = {query.query_id: query for query in queries if query.group == task.group}
        if of_group:
            yield dataclasses.replace(
                task,
                queries={name: query.query for name, query in of_group.items()},
                relevant={name: frozenset(paper.id for paper in query.positives) for name, query in of_group.items()},
                answers=None if task.answers is None else {name: query.answers for name, query in of_group.items()},
                depth=depth if task.candidates is None else None,
            )


def _first(name: str, task: Task, query: str, scores: Mapping[str, float], depth: int) -> list[Passage]:
    """A query's first papers, best first."""
    pool = task.pool(query)
    if strangers := [paper for paper in scores if paper not in pool]:
        raise ScirankError(f"{name} ranked what is no paper for {query} of {task.group}: {shown(strangers)}")
    if not scores:
        raise ScirankError(f"{name} ranked no paper for {query} of {task.group}")
    return [Passage(paper, *task.corpus[paper]) for paper in ranked(plain_scores(query, dict(scores)), depth).run]


def _wrong(query: TrainingQuery, papers: Sequence[Passage], keys: Keys) -> list[Passage]:
    """Those of the papers that are not right."""
    hits = outcome_of(Question([paper.title for paper in papers], query.answers), keys).hits["title_span"]
    return others((paper for rank, paper in enumerate(papers) if rank not in {*hits}), query.positives)


def _kept(queries: int) -> str:
    found = counted(queries, "query keeps", "queries keep")
    return f"{found} the negatives that the data gives; replace (--replace) mines others in their place"


def _few(found: Mapping[tuple[str, str], Sequence[Passage]], negatives: int, depth: int) -> Iterator[str]:
    none = [query for (_, query), papers in found.items() if not papers]
    fewer = [query for (_, query), papers in found.items() if 0 < len(papers) < negatives]
    if none:
        queries = counted(len(none), "query has", "queries have")
        yield f"{queries} no negative among the first {depth} papers: {shown(none)}"
    if fewer:
        queries = counted(len(fewer), "query has", "queries have")
        yield f"{queries} fewer than {negatives} negatives among the first {depth} papers: {shown(fewer)}"
