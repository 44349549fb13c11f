"""Encoders of a user's own: any object with `encode(texts)`, or that scores pairs with `predict(pairs)`."""

from collections.abc import Mapping
from typing import Any

from ..choices import Kind
from ..embeddings import Engine
from ..errors import ScirankError
from ..results import sha256_of_file
from .cross_encoder import RERANK, CrossEncoderRanker
from .dense import DenseRanker
from .late_interaction import LateInteractionRanker, refuse_similarity
from .module_encoder import FunctionEncoder
from .ranker import ModelOptions, Ranker
from .sides import Side
from .text import paper_text, question_text, template_name, text_facts


def any_encoder(model: Any, name: str, options: ModelOptions, engine: Engine) -> DenseRanker | LateInteractionRanker:
    """An object with `encode(texts)`, or `encode_query` and `encode_document`; the rest is the user's to say.

    It gives a vector a text, or several where the kind is late interaction. Vectors are kept from run to run only where
    the object has a string `fingerprint` that stands for everything that determines them.

    Raises:
        ScirankError: it has no such methods, or options do not fit it.
    """
    two_sided = all(callable(getattr(model, side, None)) for side in ("encode_query", "encode_document"))
    if not callable(getattr(model, "encode", None)) and not two_sided:
        raise ScirankError(f"model {name!r}: expected something with encode(texts) or rank(tasks), found {model!r:.80}")
    prompt, query_prompt = options.prompt or "", options.query_prompt or ""
    separator = _separator(model)
    sides = (
        Side(
            paper_text(options.template, separator),
            FunctionEncoder(
                getattr(model, "encode_document", None) or model.encode, prompt, _key(model, name, "document", prompt)
            ),
        ),
        Side(
            question_text(options.query_template),
            FunctionEncoder(
                getattr(model, "encode_query", None) or model.encode,
                query_prompt,
                _key(model, name, "query", query_prompt),
            ),
        ),
    )
    facts = {**_facts(model, name), **text_facts(options, separator, prompt, query_prompt)}
    used = ("kind", "template", "query_template", "prompt", "query_prompt")
    if options.kind == Kind.LATE_INTERACTION:
        refuse_similarity(options)
        return LateInteractionRanker(name, *sides, "maxsim", facts, options.ignored_beside(*used), engine)
    notes = options.ignored_beside(*used, "similarity")
    return DenseRanker(name, *sides, options.similarity or "cosine", facts, notes, engine)


def any_cross_encoder(
    model: Any, name: str, options: ModelOptions, engine: Engine, first_stage: Ranker
) -> CrossEncoderRanker:
    """An object with `predict(pairs)`, which gives a score a pair.

    Raises:
        ScirankError: it has no such method, or options do not fit it.
    """
    if not callable(getattr(model, "predict", None)):
        raise ScirankError(f"model {name!r}: expected something with predict(pairs), found {model!r:.80}")

    def scores(pairs: list[tuple[str, str]]) -> Any:
        import numpy as np

        found = model.predict(pairs)
        found = found if hasattr(found, "ndim") else np.asarray(found)
        return found[:, None] if found.ndim == 1 else found

    return CrossEncoderRanker(
        name,
        paper_text(options.template, _separator(model)),
        question_text(options.query_template),
        FunctionEncoder(scores, "", _key(model, name, "pairs", "")),
        first_stage,
        options.rerank or RERANK,
        {
            **_facts(model, name),
            "template": template_name(options.template, _separator(model)),
            "query_template": options.query_template,
        },
        options.ignored_beside("kind", "template", "query_template", "first_stage", "rerank"),
        engine,
    )


def _separator(model: Any) -> str | None:
    return getattr(getattr(model, "tokenizer", None), "sep_token", None)


def _key(model: Any, name: str, role: str, prompt: str) -> Mapping[str, Any] | None:
    fingerprint = getattr(model, "fingerprint", None)
    if not isinstance(fingerprint, str):
        return None
    return {"model": name, "fingerprint": fingerprint, "role": role, "prompt": prompt}


def _facts(model: Any, name: str) -> dict[str, Any]:
    """Name, and the file that it comes from."""
    import inspect

    try:
        path = inspect.getsourcefile(type(model))
    except TypeError:  # built in, or typed into a notebook
        path = None
    return {
        "model": name,
        **({} if path is None else {"source": path, "source_sha256": sha256_of_file(path)}),
    }
