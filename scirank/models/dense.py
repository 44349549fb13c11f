"""Bi-encoders: a vector a text, a similarity of vectors a score."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..benchmarks import Document, Task
from ..embeddings import Encoder, encode_once
from ..errors import ScirankError
from ..progress import Progress
from .ranker import ModelOptions, Ranking
from .text import paper_text, template_name

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


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
        self._encode = encode
        self._text = text
        self._similarity = similarity
        self._facts = facts

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every text of all tasks is encoded once, before the first."""
        import torch
        from sentence_transformers.util import SimilarityFunction

        texts: dict[tuple[int, str], str] = {}
        for at, task in enumerate(tasks):
            texts |= {(at, query): self._text(paper) for query, paper in task.queries.items()}
            for paper in _candidates(task, task.queries):
                if (id(task.corpus), paper) not in texts:
                    texts[id(task.corpus), paper] = self._text(task.corpus[paper])
        vectors, rows = encode_once(list(texts.values()), self._encode, progress)
        row_of = dict(zip(texts, rows.tolist(), strict=True))
        similarity = SimilarityFunction.to_similarity_pairwise_fn(self._similarity)
        for at, task in enumerate(tasks):
            scores = {}
            for query in task.queries:
                candidates = list(_candidates(task, [query]))
                right = torch.from_numpy(vectors[[row_of[id(task.corpus), paper] for paper in candidates]])
                left = torch.from_numpy(vectors[row_of[at, query]]).expand_as(right)
                scores[query] = dict(zip(candidates, similarity(left, right).tolist(), strict=True))
            yield Ranking(task.group, scores)

    def provenance(self) -> Mapping[str, Any]:
        """Model, weights, text and similarity."""
        return {"kind": "bi-encoder", **self._facts, "similarity": self._similarity}


def sentence_transformer(name_or_folder: str, name: str, options: ModelOptions) -> DenseRanker:
    """A sentence-transformers model, or a plain transformers checkpoint with a pooling.

    Raises:
        ScirankError: the model cannot be loaded, or options do not fit it.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import is_sentence_transformer_model

    try:
        plain = not is_sentence_transformer_model(name_or_folder, revision=options.revision)
        model = SentenceTransformer(name_or_folder, device=options.device, revision=options.revision)
    except (OSError, ValueError) as error:
        raise ScirankError(
            f"model {name_or_folder!r} could not be loaded: {str(error).strip().splitlines()[0]} Expected a folder, "
            "a name on the Hub, bm25, random, minilm or module:factory"
        ) from error
    ranker = from_sentence_transformer(model, name, options)
    if plain and options.pooling is None:
        ranker.notes += ("no pooling of its own, so mean pooling is used; choose with pooling (--pooling) cls or mean",)
    return ranker


def from_sentence_transformer(model: "SentenceTransformer", name: str, options: ModelOptions) -> DenseRanker:
    """A loaded sentence-transformers model."""
    if options.pooling is not None:
        _set_pooling(model, options.pooling)
    if options.max_length is not None:
        _set_max_length(model, options.max_length)
    separator = getattr(model.tokenizer, "sep_token", None)
    prompts = model.prompts or {}
    document = next((prompts[key] for key in ("document", "passage", "corpus") if prompts.get(key)), None)
    prompt = options.prompt if options.prompt is not None else document

    def encode(texts: list[str]) -> Any:
        return model.encode_document(texts, prompt=prompt, batch_size=options.batch_size, show_progress_bar=False)

    facts = {
        "model": name,
        **_facts(model),
        "template": template_name(options.template, separator),
        "prompt": prompt,
        "batch_size": options.batch_size,
    }
    text = paper_text(options.template, separator)
    similarity = options.similarity or str(model.similarity_fn_name or "cosine")
    return DenseRanker(name, encode, text, similarity, facts, options.beyond(*set(vars(options)) - {"seed"}))


def any_encoder(model: Any, name: str, options: ModelOptions) -> DenseRanker:
    """Anything with `encode(texts)` that gives a vector a text; the rest is the user's to say."""
    prompt = options.prompt or ""

    def encode(texts: list[str]) -> Any:
        return model.encode([prompt + text for text in texts])

    tokenizer = getattr(model, "tokenizer", None)
    separator = getattr(tokenizer, "sep_token", None)
    facts = {"model": name, "template": template_name(options.template, separator), "prompt": prompt}
    text = paper_text(options.template, separator)
    notes = options.beyond("template", "similarity", "prompt")
    return DenseRanker(name, encode, text, options.similarity or "cosine", facts, notes)


def _candidates(task: Task, queries: Sequence[str] | Mapping[str, Any]) -> Iterator[str]:
    if task.candidates is None:
        return iter(task.corpus)
    return iter(dict.fromkeys(paper for query in queries for paper in task.candidates[query]))


def _set_pooling(model: "SentenceTransformer", mode: str) -> None:
    from sentence_transformers.sentence_transformer.modules import Pooling

    places = [place for place, module in enumerate(model) if isinstance(module, Pooling)]
    if not places:
        raise ScirankError("this model has no pooling to choose")
    model[places[0]] = Pooling(model[places[0]].embedding_dimension, mode)


def _set_max_length(model: "SentenceTransformer", tokens: int) -> None:
    most = getattr(getattr(model.transformers_model, "config", None), "max_position_embeddings", None)
    if tokens < 1 or (most is not None and tokens > most):
        raise ScirankError(f"max_length {tokens} is out of range; this model takes 1 to {most} tokens")
    model.max_seq_length = tokens


def _facts(model: "SentenceTransformer") -> dict[str, Any]:
    import torch
    from sentence_transformers.sentence_transformer.modules import Pooling

    config = getattr(model.transformers_model, "config", None)
    first = next(model.parameters(), None)
    return {
        "revision": getattr(config, "_commit_hash", None),
        "weights_sha256": _weights_sha256(model),
        "pooling": next((str(module.pooling_mode) for module in model if isinstance(module, Pooling)), None),
        "max_length": model.max_seq_length,
        "dtype": None if first is None else str(first.dtype).removeprefix("torch."),
        "backend": model.get_backend(),
        "device": str(model.device),
        "threads": torch.get_num_threads(),
    }


def _weights_sha256(model: "SentenceTransformer") -> str:
    """Of all parameters and buffers as loaded: names, types and bytes, in the order of names."""
    import hashlib

    import torch

    digest = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()
