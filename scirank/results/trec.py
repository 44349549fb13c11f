"""Rankings and relevance in the formats of trec_eval, which ir_measures, ranx and other tools read."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..benchmarks.task import Task
from ..errors import ScirankError
from .files import whole_file
from .ranked_lists import RankedList

FILES = ("run.trec", "qrels.trec")
NOTHING = "-"
"""Stands for a paper where a query has neither a ranked nor a relevant one."""


def write_lists(folder: Path, lists: Iterable[RankedList], model: str, by_rank: bool = False) -> None:
    """Write `run.trec` and `qrels.trec`, each whole or not at all.

    Papers of a topic are written as `topic/paper`, since their ids repeat in every topic. Relevant
    are, of OAG-QA, the papers whose title is an answer's (`exact_title`).

    Args:
        folder: made if absent.
        lists: what was ranked; of questions with all papers that are right, see `with_relevant`.
        model: its name.
        by_rank: write whole numbers that fall with the rank in place of scores, so that there are no equal ones.

    Raises:
        ScirankError: an id with a blank in it, or a query in two groups, which these formats cannot hold.
    """
    tag = "".join(model.split()) or "scirank"
    runs, qrels = [], []
    written: set[str] = set()
    for each in lists:
        query = each.query_id
        if query in written:
            raise ScirankError(
                f"query {query} is in two groups, which TREC files cannot tell apart; write some groups at a time "
                "(--groups)"
            )
        written.add(query)
        topic = "" if each.hits is None else f"{each.group}/"
        order = each.best_first()
        for rank, paper in enumerate(order, 1):
            score = len(order) - rank + 1 if by_rank else each.run[paper]
            runs.append(f"{query} Q0 {topic}{paper} {rank} {score!r} {tag}")
        # Of candidates all are judged. Tools leave out a query that is not judged at all, where it has to count 0.
        judged = sorted(each.run if each.hits is None else each.relevant) or order[:1] or [NOTHING]
        qrels += [f"{query} 0 {topic}{paper} {int(paper in each.relevant)}" for paper in judged]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines, columns in zip(FILES, (runs, qrels), (6, 4), strict=True):
        if wrong := [line for line in lines if len(line.split()) != columns]:
            raise ScirankError(f"an id with a blank cannot be written to {name}: {wrong[0]!r}")
        with whole_file(folder / name) as path:
            path.write_text("".join(line + "\n" for line in lines), "utf-8")


def with_relevant(lists: Iterable[RankedList], tasks: Sequence[Task]) -> list[RankedList]:
    """Lists with all papers that are right: of those that were read again, only the ranked ones are known."""
    relevant = {task.group: task.relevant for task in tasks}
    return [each._replace(relevant=relevant[each.group][each.query_id]) for each in lists]


def reordered(lists: Iterable[RankedList]) -> int:
    """How many lists trec_eval's rule, equal scores by id, brings into another order than they have."""
    return sum(each.best_first() != each._replace(hits=None).best_first() for each in lists)
