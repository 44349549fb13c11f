"""What a model ranked for each query: in memory, and as a file beside a result."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from mdcr_metric.outcomes import RULES

from ..errors import ScirankError, shown
from ..ranking import ranked
from .files import read_columns, whole_file

FILE = "rankings.parquet"
COLUMNS = {"group": "string", "query_id": "string", "paper": "string", "score": "double", "relevant": "bool"}


class RankedList(NamedTuple):
    """A query's ranked papers.

    Attributes:
        group: field or topic.
        query_id: the query.
        run: paper -> score.
        relevant: the papers that are right; some may not be in `run`.
        hits: of questions: hit rule -> ranks, from 0, of the papers whose titles answer; `run` is then best first.
    """

    group: str
    query_id: str
    run: Mapping[str, float]
    relevant: Collection[str]
    hits: Mapping[str, Sequence[int]] | None = None

    def best_first(self) -> list[str]:
        """Papers in the order that measures see: by score in single precision, equal ones by id, both falling."""
        return list(self.run) if self.hits is not None else list(ranked(self.run, None).run)


def write_rankings(path: Path, lists: Iterable[RankedList]) -> None:
    """Write lists as Parquet, whole or not at all: a row a paper, `group`, `query_id`, `paper`, `score`, `relevant`.

    Rows are best first in each query. Of questions there are also `title_span` and `exact_title`: whether the
    paper's title answers under that rule.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    of_rules: dict[str, list[bool]] = {}
    for each in lists:
        papers = each.best_first()
        columns["group"] += [each.group] * len(papers)
        columns["query_id"] += [each.query_id] * len(papers)
        columns["paper"] += papers
        columns["score"] += [float(each.run[paper]) for paper in papers]
        columns["relevant"] += [paper in each.relevant for paper in papers]
        for rule, ranks in (each.hits or {}).items():
            hit = set(ranks)
            of_rules.setdefault(rule, []).extend(rank in hit for rank in range(len(papers)))
    table = pa.table(columns | of_rules)
    with whole_file(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_rankings(path: Path, queries: Sequence[tuple[str, str]], questions: bool) -> list[RankedList]:
    """Read what `write_rankings` wrote. Papers that are right and were not ranked are not known any more.

    Args:
        path: the file.
        queries: group and id of each query; one that is not in the file had nothing ranked for it.
        questions: whether they are questions, whose lists have hits.

    Returns:
        a list a query.

    Raises:
        ScirankError: the file is absent, is not of this form, or is of other queries.
    """
    rules = tuple(RULES.values()) if questions else ()
    if not path.is_file():
        raise ScirankError(f"{path} is absent: ranked lists are saved on request (--save-rankings, save_rankings=True)")
    columns = read_columns(path, COLUMNS | dict.fromkeys(rules, "bool"))
    lists = {
        (group, query): _list(group, query, list(rows), rules)
        for (group, query), rows in groupby(zip(*columns.values(), strict=True), key=itemgetter(0, 1))
    }
    if strangers := sorted(lists.keys() - set(queries)):
        names = shown([f"{query} ({group})" for group, query in strangers])
        raise ScirankError(f"{path} is of queries that per_query.parquet beside it has not: {names}")
    nothing: dict[str, list[int]] | None = {rule: [] for rule in rules} or None
    return [lists.get(key) or RankedList(*key, {}, frozenset(), nothing) for key in queries]


def _list(group: str, query: str, rows: Sequence[tuple[Any, ...]], rules: Sequence[str]) -> RankedList:
    hits = {rule: [rank for rank, row in enumerate(rows) if row[at]] for at, rule in enumerate(rules, len(COLUMNS))}
    run = {row[2]: row[3] for row in rows}
    return RankedList(group, query, run, frozenset(row[2] for row in rows if row[4]), hits or None)
