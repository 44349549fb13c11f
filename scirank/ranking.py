"""The exact first k of many scores, under the one tie rule: equal scores by id, descending in UTF-8 bytes."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .choices import Similarity
from .errors import ScirankError

if TYPE_CHECKING:
    import numpy as np
    import torch

BLOCK = 2**24
"""Scores of queries that are ranked at once: 64 MB."""
PAPERS = 1_000
"""Papers that are compared at once: what is made in double precision of these stays small."""


class Ranked(NamedTuple):
    """A query's first papers with their scores, best first; and whether the next paper has the last one's score."""

    run: dict[str, float]
    cut_in_tie: bool


def by_tie_rule(papers: Iterable[str]) -> list[str]:
    """Papers in the order in which equals rank."""
    return sorted(papers, key=lambda paper: paper.encode("utf-8", "surrogatepass"), reverse=True)


def ranked(run: Mapping[str, float], depth: int | None) -> Ranked:
    """The first papers of one query's scores, which may be in any order."""
    exact = dict(zip(run, array("f", run.values()), strict=True))
    order = sorted(by_tie_rule(run), key=exact.__getitem__, reverse=True)
    cut = depth is not None and depth < len(order) and exact[order[depth - 1]] == exact[order[depth]]
    return Ranked({paper: exact[paper] for paper in order[:depth]}, cut)


def first(scores: "np.ndarray", depth: int) -> "tuple[np.ndarray, np.ndarray]":
    """Columns of the highest scores of each row, best first, equals by column; and whether equals were cut apart.

    No row is sorted as a whole: a partition finds the lowest score that is in.

    Args:
        scores: float32 of shape (queries, papers), papers in `by_tie_rule` order.
        depth: how many columns, at most that of papers.

    Returns:
        int64 of shape (queries, depth), and bool of shape (queries,).
    """
    import numpy as np

    papers = scores.shape[1]
    if depth < papers:
        lowest = np.partition(scores, papers - depth, axis=1)[:, papers - depth, None]
        inside = scores >= lowest
        cut = inside.sum(axis=1) > depth
        for row in np.flatnonzero(cut):
            equal = np.flatnonzero(scores[row] == lowest[row])
            inside[row, equal[depth - int((scores[row] > lowest[row]).sum()) :]] = False
        columns = (np.flatnonzero(inside) % papers).reshape(len(scores), depth)
    else:
        cut = np.zeros(len(scores), dtype=bool)
        columns = np.broadcast_to(np.arange(papers), scores.shape)
    order = np.argsort(-np.take_along_axis(scores, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), cut


def rank_block(scores: "np.ndarray", papers: Sequence[str], depth: int | None) -> Iterator[Ranked]:
    """The first papers of several queries.

    Args:
        scores: of shape (queries, papers).
        papers: ids, in `by_tie_rule` order.
        depth: how many are wanted; all by default.

    Raises:
        ScirankError: a score is not finite in single precision.
    """
    import numpy as np

    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is told
        scores = np.asarray(scores, dtype=np.float32)
    if not np.isfinite(scores).all():
        row, column = np.argwhere(~np.isfinite(scores))[0]
        raise ScirankError(f"the score of paper {papers[column]} is {scores[row, column]}; expected a finite number")
    columns, cut = first(scores, len(papers) if depth is None else min(depth, len(papers)))
    values = np.take_along_axis(scores, columns, axis=1).tolist()
    names = np.array(list(papers), dtype=object)[columns].tolist()
    for chosen, row, tied in zip(names, values, cut.tolist(), strict=True):
        yield Ranked(dict(zip(chosen, row, strict=True)), tied)


def search(
    queries: "np.ndarray", corpus: "np.ndarray", papers: Sequence[str], similarity: str, depth: int | None
) -> Iterator[Ranked]:
    """Rank a corpus for each query by the similarity of vectors, a block of queries at a time.

    Similarities are computed in double precision and compared in single: in single, a matrix product's last bits
    depend on where in it a paper stands, so that equal vectors would not tie.

    Args:
        queries: float32 of shape (queries, dimensions).
        corpus: float32 of shape (papers, dimensions), a row for each of `papers`.
        papers: ids, in `by_tie_rule` order.
        similarity: `cosine`, `dot`, `euclidean` or `manhattan` (the last two are negated distances).
        depth: how many papers are wanted; all by default.
    """
    import numpy as np
    import torch

    left = torch.tensor(queries, dtype=torch.float64)
    rows = max(1, BLOCK // max(1, len(papers)))
    for start in range(0, len(queries), rows):
        block = left[start : start + rows]
        scores = np.empty((len(block), len(papers)), dtype=np.float32)
        for at in range(0, len(papers), PAPERS):
            right = torch.tensor(corpus[at : at + PAPERS], dtype=torch.float64)
            with np.errstate(over="ignore"):  # what is too large becomes infinite, and is told
                scores[:, at : at + PAPERS] = _compare(similarity, block, right).numpy()
        yield from rank_block(scores, papers, depth)


def _compare(similarity: str, left: "torch.Tensor", right: "torch.Tensor") -> "torch.Tensor":
    """The similarity of each left vector with each right one."""
    import torch
    from torch.nn.functional import normalize

    if similarity == Similarity.COSINE:
        return normalize(left) @ normalize(right).T
    if similarity == Similarity.DOT:
        return left @ right.T
    power = 2.0 if similarity == Similarity.EUCLIDEAN else 1.0
    # By a matrix product, torch's other way, small distances lose most of their digits.
    return -torch.cdist(left, right, p=power, compute_mode="donot_use_mm_for_euclid_dist")
