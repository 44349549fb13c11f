"""Bi-encoders: a vector a text, a similarity of vectors a score."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..benchmarks import Task
from ..progress import Progress
from ..ranking import by_tie_rule, search
from .ranker import Ranking, ranking_of
from .sides import Encoded, TwoSidedRanker

if TYPE_CHECKING:
    import numpy as np


class DenseRanker(TwoSidedRanker):
    """Ranks by the similarity of vectors.

    Scores are in single precision, for candidates pair by pair; euclidean and manhattan are minus the distance.
    """

    kind = "bi-encoder"
    several = False

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every text of all tasks is encoded once, before the first."""
        papers, questions = self.encoded(tasks, progress)
        for task in tasks:
            asked = (papers if task.answers is None else questions).take(task.queries, task.queries)
            if task.candidates is None:
                ids = by_tie_rule(task.corpus)
                found = search(asked, papers.take(task.corpus, ids), ids, self.similarity, task.depth)
                yield ranking_of(task.group, dict(zip(task.queries, found, strict=True)))
            else:
                yield Ranking(task.group, self._pool_scores(task, asked, papers))

    def _pool_scores(self, task: Task, asked: "np.ndarray", papers: Encoded) -> dict[str, dict[str, float]]:
        import torch
        from sentence_transformers.util import SimilarityFunction

        similarity = SimilarityFunction.to_similarity_pairwise_fn(self.similarity)
        row = {
            paper: at for at, paper in enumerate(dict.fromkeys(p for query in task.queries for p in task.pool(query)))
        }
        vectors = torch.from_numpy(papers.take(task.corpus, row))
        scores = {}
        for query, vector in zip(task.queries, asked, strict=True):
            pool = list(task.pool(query))
            right = vectors[[row[paper] for paper in pool]]
            left = torch.from_numpy(vector).expand_as(right)
            scores[query] = dict(zip(pool, similarity(left, right).tolist(), strict=True))
        return scores
