"""Sentence-transformers models: loading, choosing how they pool and cut, and recording what they are."""

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from .dense import DenseRanker, Side
from .ranker import ModelOptions
from .text import paper_text, question_text, template_name

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""Names under which sentence-transformers looks for a model's prompt for documents, in its order."""
LOOKED_AT = ("template", "query_template", "similarity", "prompt", "query_prompt", "batch_size")


def load_sentence_transformer(name_or_folder: str, name: str, options: ModelOptions) -> DenseRanker:
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
        why = str(error).strip().splitlines()[0]
        raise ScirankError(
            f"model {name_or_folder!r} could not be loaded: {_hint(name_or_folder)}{why} "
            "Expected a folder, a name on the Hub, bm25, random, minilm or module:factory"
        ) from error
    notes = []
    if options.pooling is not None:
        notes = _set_pooling(model, options.pooling)
    if options.max_length is not None:
        _set_max_length(model, options.max_length)
    if plain and options.pooling is None:
        notes.append("no pooling of its own, so mean pooling is used; choose with pooling (--pooling) cls or mean")
    return wrap_sentence_transformer(model, name, options, ("pooling", "max_length", "device", "revision"), notes)


def _hint(name: str) -> str:
    if name.lower() in ("bm25", "random", "minilm"):
        return f"did you mean {name.lower()}? "
    if os.path.isfile(f"{name}.py") or os.path.isfile(name):
        return f"a file of that name is here; name what makes the model, as in {name.removesuffix('.py')}:FACTORY. "
    return "no such folder is here. " if name.startswith((".", "/", "~")) else ""


def wrap_sentence_transformer(
    model: "SentenceTransformer",
    name: str,
    options: ModelOptions,
    also_used: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> DenseRanker:
    """A loaded sentence-transformers model, as it is: its pooling, length and device are its owner's business.

    Args:
        model: the model.
        name: what to call it.
        options: how to use it.
        also_used: options that whoever loaded it looked at.
        notes: lines that become part of the result.
    """
    separator = getattr(model.tokenizer, "sep_token", None)
    prompts = model.prompts or {}
    document = next((prompts[key] for key in DOCUMENT_PROMPTS if prompts.get(key)), None)
    prompt = options.prompt if options.prompt is not None else document
    query_prompt = options.query_prompt if options.query_prompt is not None else prompts.get("query")

    def encode_papers(texts: list[str]) -> Any:
        return model.encode_document(texts, prompt=prompt, batch_size=options.batch_size, show_progress_bar=False)

    def encode_questions(texts: list[str]) -> Any:
        return model.encode_query(texts, prompt=query_prompt, batch_size=options.batch_size, show_progress_bar=False)

    facts = {
        "model": name,
        **_facts(model),
        "template": template_name(options.template, separator),
        "query_template": options.query_template,
        "prompt": prompt,
        "query_prompt": query_prompt,
        "batch_size": options.batch_size,
    }
    return DenseRanker(
        name,
        Side(paper_text(options.template, separator), encode_papers),
        Side(question_text(options.query_template), encode_questions),
        options.similarity or str(model.similarity_fn_name or "cosine"),
        facts,
        (*options.ignored_beside(*LOOKED_AT, *also_used), *notes),
    )


def _pooling_at(model: "SentenceTransformer") -> int | None:
    from sentence_transformers.sentence_transformer.modules import Pooling

    return next((place for place, module in enumerate(model) if isinstance(module, Pooling)), None)


def _set_pooling(model: "SentenceTransformer", mode: str) -> list[str]:
    """Replace the pooling; what that leaves of the model's own is worth a note."""
    from sentence_transformers.sentence_transformer.modules import Pooling

    place = _pooling_at(model)
    if place is None:
        raise ScirankError("this model has no pooling to choose")
    model[place] = Pooling(model[place].embedding_dimension, str(mode))
    later = [type(module).__name__ for module in list(model)[place + 1 :]]
    return [f"the chosen pooling is followed by the model's own {', '.join(later)}"] if later else []


def _set_max_length(model: "SentenceTransformer", tokens: int) -> None:
    most = getattr(getattr(model.transformers_model, "config", None), "max_position_embeddings", None)
    if tokens < 1 or (most is not None and tokens > most):
        raise ScirankError(f"max_length {tokens} is out of range; this model takes 1 to {most} tokens")
    model.max_seq_length = tokens


def _facts(model: "SentenceTransformer") -> dict[str, Any]:
    import torch

    config = getattr(model.transformers_model, "config", None)
    first = next(model.parameters(), None)
    place = _pooling_at(model)
    return {
        "revision": getattr(config, "_commit_hash", None),
        "weights_sha256": _weights_sha256(model),
        "modules": [type(module).__name__ for module in model],
        "pooling": None if place is None else str(model[place].pooling_mode),
        "max_length": model.max_seq_length if math.isfinite(model.max_seq_length or 0) else None,
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
