"""Training queries as the rows that sentence-transformers' trainers take: a query, a right paper, wrong papers."""

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..benchmarks import Document
from ..errors import ScirankError, counted
from .drawing import others
from .queries import Passage, TrainingQuery

if TYPE_CHECKING:
    from datasets import Dataset

QUERY, POSITIVE, NEGATIVE = "query", "positive", "negative_{}"
LOOKED_AT = 50
"""Papers of a group among which one that is not right for a query is looked for first: all may be very many."""
Text = Callable[[Document], str]


def rows(
    queries: Sequence[TrainingQuery], paper: Text, question: Text, negatives: int, seed: int
) -> "tuple[Dataset, list[str]]":
    """A row for each pair of a query and a paper that is right for it.

    Args:
        queries: what to train on.
        paper: the text of a paper.
        question: the text of a query.
        negatives: how many wrong papers a row has: a query's first for its first row, the next for the next, and round
            again; where it has too few, papers that are right for other queries of its group are drawn.
        seed: of that.

    Returns:
        the rows, with the columns `query`, `positive`, `negative_1` and so on, and what is worth telling.
    """
    from datasets import Dataset

    draw = random.Random(seed)
    columns: dict[str, list[str]] = {name: [] for name in columns_for(negatives)}
    pools: dict[str, list[Passage]] = {}
    for query in queries:
        pools.setdefault(query.group, []).extend(query.positives)
    drawn = 0
    for query in queries:
        wrong = list(query.negatives)
        if len(wrong) < negatives:
            drawn += 1
            wrong += _drawn(query, pools[query.group], negatives - len(wrong), draw)
        for at, right in enumerate(query.positives):
            beside = [wrong[place % len(wrong)] for place in range(at * negatives, (at + 1) * negatives)]
            row = (question(query.query), *(paper(Document(each.title, each.text)) for each in (right, *beside)))
            for name, text in zip(columns, row, strict=True):
                columns[name].append(text)
    notes = [f"{counted(drawn, 'query has', 'queries have')} too few hard negatives; papers of others were drawn"]
    return Dataset.from_dict(columns), notes if drawn else []


def columns_for(negatives: int) -> list[str]:
    """The names of the columns."""
    return [QUERY, POSITIVE, *(NEGATIVE.format(at) for at in range(1, negatives + 1))]


def _drawn(query: TrainingQuery, pool: Sequence[Passage], wanted: int, draw: random.Random) -> list[Passage]:
    """Some of a group's right papers that are not right for this query."""
    some = draw.sample(pool, min(len(pool), wanted + LOOKED_AT))
    found = others(some, query.positives) or others(pool, query.positives)
    if not found:
        raise ScirankError(
            f"query {query.query_id} has too few negatives, and its group no other paper; choose hard_negatives 0"
        )
    return [draw.choice(found) for _ in range(wanted)]
