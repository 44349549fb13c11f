"""Bi-encoders: a vector a text, a similarity of vectors a score."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..benchmarks import Document, Task
from ..embeddings import Encoder, encode_once
from ..progress import Progress
from ..results import sha256_of_file
from .ranker import ModelOptions, Ranking
from .text import paper_text, template_name


class DenseRanker:
    """Ranks by the similarity of vectors.

    Queries and candidates are papers alike, so both are encoded in the same way. Scores are
    computed pair by pair in single precision; euclidean and manhattan are minus the distance.
    """

    def __init__(
        self,
        name: str,
        encode: Encoder,
        text: Callable[[Document], str],
        similarity: str,
        facts: Mapping[str, Any],
        notes: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.notes = tuple(notes)
        self.encode = encode
        self._text = text
        self._similarity = similarity
        self._facts = facts

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every text of all tasks is encoded once, before the first."""
        import torch
        from sentence_transformers.util import SimilarityFunction

        query_texts = {
            (at, query): self._text(task.queries[query]) for at, task in enumerate(tasks) for query in task.queries
        }
        paper_texts: dict[tuple[int, str], str] = {}
        for task in tasks:
            for paper in dict.fromkeys(paper for query in task.queries for paper in task.pool(query)):
                if (id(task.corpus), paper) not in paper_texts:
                    paper_texts[id(task.corpus), paper] = self._text(task.corpus[paper])
        vectors, rows = encode_once([*query_texts.values(), *paper_texts.values()], self.encode, progress)
        query_rows = dict(zip(query_texts, rows[: len(query_texts)].tolist(), strict=True))
        paper_rows = dict(zip(paper_texts, rows[len(query_texts) :].tolist(), strict=True))
        similarity = SimilarityFunction.to_similarity_pairwise_fn(self._similarity)
        for at, task in enumerate(tasks):
            scores = {}
            for query in task.queries:
                pool = list(task.pool(query))
                right = torch.from_numpy(vectors[[paper_rows[id(task.corpus), paper] for paper in pool]])
                left = torch.from_numpy(vectors[query_rows[at, query]]).expand_as(right)
                scores[query] = dict(zip(pool, similarity(left, right).tolist(), strict=True))
            yield Ranking(task.group, scores)

    def provenance(self) -> Mapping[str, Any]:
        """Model, weights, text and similarity."""
        return {"kind": "bi-encoder", **self._facts, "similarity": self._similarity}


def any_encoder(model: Any, name: str, options: ModelOptions) -> DenseRanker:
    """Anything with `encode(texts)` that gives a vector a text; the rest is the user's to say."""
    prompt = options.prompt or ""

    def encode(texts: list[str]) -> Any:
        return model.encode([prompt + text for text in texts])

    separator = getattr(getattr(model, "tokenizer", None), "sep_token", None)
    return DenseRanker(
        name,
        encode,
        paper_text(options.template, separator),
        options.similarity or "cosine",
        {
            "model": name,
            **_source(model),
            "template": template_name(options.template, separator),
            "prompt": prompt,
        },
        options.ignored_beside("template", "similarity", "prompt"),
    )


def _source(model: Any) -> dict[str, str]:
    """The file that an encoder of the user's own comes from."""
    import inspect

    try:
        path = inspect.getsourcefile(type(model))
    except TypeError:  # built in, or typed into a notebook
        path = None
    return {} if path is None else {"source": path, "source_sha256": sha256_of_file(path)}
