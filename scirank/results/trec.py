"""Rankings and relevance in the formats of trec_eval, which ir_measures and other tools read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..benchmarks.task import Task
from ..errors import ScirankError
from .files import whole_file

FILES = ("run.trec", "qrels.trec")
Scores = Mapping[str, Mapping[str, Mapping[str, float]]]


def write_trec(folder: Path, tasks: Sequence[Task], scores: Scores, model: str) -> None:
    """Write `run.trec` and `qrels.trec`, each whole or not at all.

    Papers of a topic are written as `topic/paper`, since their ids repeat in every topic. Relevant
    are, of OAG-QA, the papers whose title is an answer's (`exact_title`).

    Raises:
        ScirankError: an id with a blank in it, which these formats cannot hold.
    """
    tag = "".join(model.split()) or "scirank"
    runs, qrels = [], []
    written: set[str] = set()
    for task in tasks:
        for query, run in scores[task.group].items():
            if query in written:
                raise ScirankError(
                    f"query {query} is in two groups, which TREC files cannot tell apart; run them apart"
                )
            written.add(query)
            # trec_eval orders by score and id, so ranks are for the eye.
            order = sorted(run, key=lambda paper: (run[paper], paper.encode()), reverse=True)
            runs += [f"{query} Q0 {task.global_id(p)} {rank} {run[p]!r} {tag}" for rank, p in enumerate(order, 1)]
            judged = task.relevant[query] if task.candidates is None else task.candidates[query]
            # Tools leave out a query that is not judged at all, where it has to count 0.
            papers = sorted(judged) or order[:1]
            qrels += [f"{query} 0 {task.global_id(paper)} {int(paper in task.relevant[query])}" for paper in papers]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines, columns in zip(FILES, (runs, qrels), (6, 4), strict=True):
        if wrong := [line for line in lines if len(line.split()) != columns]:
            raise ScirankError(f"an id with a blank cannot be written to {name}: {wrong[0]!r}")
        with whole_file(folder / name) as path:
            path.write_text("".join(line + "\n" for line in lines), "utf-8")
