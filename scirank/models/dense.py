"""Bi-encoders: a vector a text, a similarity of vectors a score."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..benchmarks import Document, Task
from ..embeddings import Encoder, Vectors
from ..errors import ScirankError
from ..progress import Progress
from ..ranking import by_tie_rule, search
from ..results import sha256_of_file
from .ranker import ModelOptions, Ranking, ranking_of
from .text import paper_text, question_text, template_name

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Side:
    """How the texts of papers, or of questions, are made and encoded."""

    text: Callable[[Document], str]
    encode: Encoder


class DenseRanker:
    """Ranks by the similarity of vectors.

    Where queries are papers too, as in MDCR, they are encoded as papers. Scores are in single
    precision, for candidates pair by pair; euclidean and manhattan are minus the distance.
    """

    def __init__(
        self,
        name: str,
        papers: Side,
        questions: Side,
        similarity: str,
        facts: Mapping[str, Any],
        notes: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.notes = tuple(notes)
        self.papers = papers
        self.questions = questions
        self._similarity = similarity
        self._facts = facts

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every text of all tasks is encoded once, before the first."""
        papers: dict[tuple[int, str], str] = {}
        questions: dict[tuple[str, str], str] = {}
        queries: dict[tuple[str, str], str] = {}
        for task in tasks:
            side, texts = (self.papers, queries) if task.answers is None else (self.questions, questions)
            texts |= {(task.group, query): side.text(document) for query, document in task.queries.items()}
            pools = [task.corpus] if task.candidates is None else map(task.pool, task.queries)
            for paper in dict.fromkeys(paper for pool in pools for paper in pool):
                if (id(task.corpus), paper) not in papers:
                    papers[id(task.corpus), paper] = self.papers.text(task.corpus[paper])
        paper_vectors = Vectors.of({**queries, **papers}, self.papers.encode, progress, "encoding papers")
        question_vectors = Vectors.of(questions, self.questions.encode, progress, "encoding questions")
        for task in tasks:
            vectors = paper_vectors if task.answers is None else question_vectors
            asked = vectors.take([(task.group, query) for query in task.queries])
            if len(asked) and asked.shape[1] != paper_vectors.array.shape[1]:
                raise ScirankError(
                    f"{self.name} gave vectors of {asked.shape[1]} dimensions for questions and of "
                    f"{paper_vectors.array.shape[1]} for papers; they have to be the same"
                )
            if task.candidates is None:
                ids = by_tie_rule(task.corpus)
                corpus = paper_vectors.take([(id(task.corpus), paper) for paper in ids])
                found = search(asked, corpus, ids, self._similarity, task.depth)
                yield ranking_of(task.group, dict(zip(task.queries, found, strict=True)))
            else:
                yield Ranking(task.group, self._pool_scores(task, asked, paper_vectors))

    def provenance(self) -> Mapping[str, Any]:
        """Model, weights, text and similarity."""
        return {"kind": "bi-encoder", **self._facts, "similarity": self._similarity}

    def _pool_scores(self, task: Task, asked: "np.ndarray", papers: Vectors) -> dict[str, dict[str, float]]:
        import torch
        from sentence_transformers.util import SimilarityFunction

        similarity = SimilarityFunction.to_similarity_pairwise_fn(self._similarity)
        scores = {}
        for query, vector in zip(task.queries, asked, strict=True):
            pool = list(task.pool(query))
            right = torch.from_numpy(papers.take([(id(task.corpus), paper) for paper in pool]))
            left = torch.from_numpy(vector).expand_as(right)
            scores[query] = dict(zip(pool, similarity(left, right).tolist(), strict=True))
        return scores


def any_encoder(model: Any, name: str, options: ModelOptions) -> DenseRanker:
    """Anything with `encode(texts)` that gives a vector a text; the rest is the user's to say."""
    prompt, query_prompt = options.prompt or "", options.query_prompt or ""
    encode_papers = getattr(model, "encode_document", None) or model.encode
    encode_questions = getattr(model, "encode_query", None) or model.encode

    separator = getattr(getattr(model, "tokenizer", None), "sep_token", None)
    return DenseRanker(
        name,
        Side(paper_text(options.template, separator), lambda texts: encode_papers([prompt + text for text in texts])),
        Side(
            question_text(options.query_template),
            lambda texts: encode_questions([query_prompt + text for text in texts]),
        ),
        options.similarity or "cosine",
        {
            "model": name,
            **_source(model),
            "template": template_name(options.template, separator),
            "query_template": options.query_template,
            "prompt": prompt,
            "query_prompt": query_prompt,
        },
        options.ignored_beside("template", "query_template", "similarity", "prompt", "query_prompt"),
    )


def _source(model: Any) -> dict[str, str]:
    """The file that an encoder of the user's own comes from."""
    import inspect

    try:
        path = inspect.getsourcefile(type(model))
    except TypeError:  # built in, or typed into a notebook
        path = None
    return {} if path is None else {"source": path, "source_sha256": sha256_of_file(path)}
