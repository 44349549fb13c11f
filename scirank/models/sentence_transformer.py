"""Sentence-transformers' bi-encoders, static embeddings among them: how they pool, and recording what they are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..embeddings import Encoder, Engine
from ..errors import ScirankError
from .dense import DenseRanker
from .facts import facts_of, key_of
from .library import LOADED_WITH, TEXT_OPTIONS, budget_of, full_name, load_model, prompts_of
from .module_encoder import ModuleEncoder
from .ranker import ModelOptions
from .sides import Side
from .text import paper_text, question_text, text_facts

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


def load_sentence_transformer(name_or_folder: str, name: str, options: ModelOptions, engine: Engine) -> DenseRanker:
    """A sentence-transformers model, or a plain transformers checkpoint with a pooling.

    Raises:
        ScirankError: the model cannot be loaded, or options do not fit it.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import is_sentence_transformer_model

    model = load_model(SentenceTransformer, name_or_folder, options)
    notes = []
    if options.pooling is not None:
        notes = _set_pooling(model, options.pooling)
    elif not is_sentence_transformer_model(full_name(name_or_folder), revision=options.revision):
        notes.append("no pooling of its own, so mean pooling is used; choose with pooling (--pooling) cls or mean")
    return wrap_sentence_transformer(model, name, options, engine, (*LOADED_WITH, "pooling"), notes)


def wrap_sentence_transformer(
    model: "SentenceTransformer",
    name: str,
    options: ModelOptions,
    engine: Engine,
    also_used: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> DenseRanker:
    """A loaded sentence-transformers model, as it is: its pooling, length and device are its owner's business.

    Args:
        model: the model.
        name: what to call it.
        options: how to use it.
        engine: how texts are encoded.
        also_used: options that whoever loaded it looked at.
        notes: lines that become part of the result.
    """
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    separator = getattr(model.tokenizer, "sep_token", None)
    prompt, query_prompt = prompts_of(model, options)
    facts = {"model": name, **facts_of(model)}
    budget = budget_of(model, options)

    def encoder(task: str, put_before: str | None) -> Encoder:
        key = key_of(model, facts, task, put_before)
        return ModuleEncoder(model, task, put_before or "", key, budget, lambda features: _embedding(model, features))

    return DenseRanker(
        name,
        Side(paper_text(options.template, separator), encoder("document", prompt)),
        Side(question_text(options.query_template), encoder("query", query_prompt)),
        options.similarity or str(model.similarity_fn_name or "cosine"),
        {
            **({"kind": "static"} if isinstance(model[0], StaticEmbedding) else {}),
            **facts,
            **text_facts(options, separator, prompt, query_prompt),
            "batch_tokens": budget.tokens,
        },
        (*options.ignored_beside(*TEXT_OPTIONS, "similarity", *also_used), *notes),
        engine,
    )


def _embedding(model: "SentenceTransformer", features: Any) -> Any:
    embedding = features["sentence_embedding"]
    return embedding if model.truncate_dim is None else embedding[..., : model.truncate_dim]


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
