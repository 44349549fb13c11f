"""Single queries: which changed most between two models, and what each model ranked for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..benchmarks import Benchmark, Document, Task
from ..errors import ScirankError, shown
from ..results import Result
from ..results.ranked_lists import RankedList
from .comparison import Comparison
from .sources import sources_of


@dataclass(frozen=True)
class Change:
    """A query whose measure differs between two models.

    Attributes:
        group: its field or topic.
        query_id: the query.
        a: the measure for one model, in percent.
        b: for the other.
    """

    group: str
    query_id: str
    a: float
    b: float


@dataclass(frozen=True)
class Place:
    """A paper in a ranking.

    Attributes:
        rank: from 1.
        paper: its id.
        score: the model's.
        right: whether it is cited, or answers.
        title: None where texts are not at hand.
        sources: the lists of candidates that it is in, in MDCR.
    """

    rank: int
    paper: str
    score: float
    right: bool
    title: str | None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class QueryView:
    """A query, and what models ranked for it.

    Attributes:
        group: its field or topic.
        query_id: the query.
        document: its text; None where texts are not at hand.
        answers: titles that answer, of a question.
        measures: model -> measure -> value in percent.
        rankings: model -> its first papers.
        right: model -> the places of the papers that are right, wherever they were ranked.
    """

    group: str
    query_id: str
    document: Document | None
    answers: tuple[str, ...]
    measures: Mapping[str, Mapping[str, float]]
    rankings: Mapping[str, tuple[Place, ...]]
    right: Mapping[str, tuple[Place, ...]]


def changes(comparison: Comparison, a: str, b: str, measure: str | None = None, most: int = 20) -> list[Change]:
    """The queries whose measure differs most between two models, largest first; equal ones are left out."""
    measure = measure or comparison.headline
    columns, other = comparison.results[a].per_query, comparison.results[b].per_query
    rows = zip(columns["group"], columns["query_id"], columns[measure], other[measure], strict=True)
    found = [Change(group, query, 100 * one, 100 * two) for group, query, one, two in rows if one != two]
    return sorted(found, key=lambda change: -abs(change.a - change.b))[:most]


def view(
    results: Mapping[str, Result],
    query: str,
    group: str | None = None,
    benchmark: Benchmark | None = None,
    top: int = 10,
) -> QueryView:
    """A query, and what each model ranked for it.

    Args:
        results: name -> result with ranked lists.
        query: its id.
        group: needed where the id occurs in two groups.
        benchmark: for texts and sources.
        top: papers to show.

    Raises:
        ScirankError: no such query, one in several groups, or a result without its lists.
    """
    first = next(iter(results.values()))
    keys = [key for key in first.keys if key[1] == query and group in (None, key[0])]
    if not keys:
        where = f" in {group}" if group else ""
        raise ScirankError(f"no query {query!r}{where}; ids look like {shown(first.per_query['query_id'], 3)}")
    if len(keys) > 1:
        raise ScirankError(f"query {query!r} is in {shown([key[0] for key in keys])}; choose a group (--group)")
    key = keys[0]
    task = None if benchmark is None else next(task for task in benchmark.tasks if task.group == key[0])
    rows = {name: _row(name, result, key) for name, result in results.items()}
    places = {name: _places(result.known_lists()[rows[name]], task) for name, result in results.items()}
    return QueryView(
        group=key[0],
        query_id=query,
        document=None if task is None else task.queries[query],
        answers=() if task is None or task.answers is None else task.answers[query],
        measures={name: _measures(result, rows[name]) for name, result in results.items()},
        rankings={name: found[:top] for name, found in places.items()},
        right={name: tuple(place for place in found if place.right) for name, found in places.items()},
    )


def _row(name: str, result: Result, key: tuple[str, str]) -> int:
    if key not in result.keys:
        raise ScirankError(f"{name} has no query {key[1]!r} in {key[0]}")
    return result.keys.index(key)


def _measures(result: Result, row: int) -> dict[str, float]:
    return {measure: 100 * result.per_query[measure][row] for measure in result.measures}


def _places(ranked: RankedList, task: Task | None) -> tuple[Place, ...]:
    papers = ranked.best_first()
    if not papers:  # a question that nothing was ranked for
        return ()
    hits = None if ranked.hits is None else set(ranked.hits["title_span"])
    titles: Sequence[str | None] = [None] * len(papers) if task is None else task.corpus.titles(papers)
    lists = task.sources[ranked.query_id] if task is not None and task.sources is not None else {}
    return tuple(
        Place(
            rank=at + 1,
            paper=paper,
            score=ranked.run[paper],
            right=paper in ranked.relevant if hits is None else at in hits,
            title=title,
            sources=tuple(sources_of(lists, paper)),
        )
        for at, (paper, title) in enumerate(zip(papers, titles, strict=True))
    )
