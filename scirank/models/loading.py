"""From what a user names, or passes, to a ranker."""

import os
import re
import sys
from importlib import import_module
from typing import Any

from ..errors import ScirankError
from . import embedded
from .ranker import ModelOptions, Ranker


def load_ranker(model: Any, options: ModelOptions | None = None) -> Ranker:
    """Load a model.

    Args:
        model: `bm25`, `random`, `minilm` (comes with the extra `demo`), a sentence-transformers
            name or folder, `module:factory` for whatever that function makes, or an object: a
            ranker, or anything with `encode(texts)`.
        options: how to use it.

    Raises:
        ScirankError: no such model, or options that do not fit it.
    """
    options = options or ModelOptions()
    if isinstance(model, str | os.PathLike):
        return _by_name(os.fspath(model), options)
    return _wrapped(model, type(model).__name__, options)


def model_name(model: str) -> str:
    """What a model that was named is called in results: a folder by its own name, without those above it."""
    if model == embedded.NAME:
        return "all-MiniLM-L6-v2"
    return os.path.basename(os.path.normpath(os.path.abspath(model))) if os.path.isdir(model) else model


def _by_name(name: str, options: ModelOptions) -> Ranker:
    if name == "random":
        from .chance import ChanceRanker

        return ChanceRanker(options.seed, options.ignored_beside("seed"))
    if name == "bm25":
        from .bm25 import BM25Ranker

        return BM25Ranker(
            options.template, options.query_template, options.ignored_beside("template", "query_template")
        )
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", name) and not os.path.exists(name):
        return _wrapped(_import_factory(name), name, options)
    from .sentence_transformer import load_sentence_transformer

    folder = str(embedded.embedded_minilm()) if name == embedded.NAME else name
    return load_sentence_transformer(folder, model_name(name), options)


def _import_factory(name: str) -> Any:
    """What `factory()` of `module:factory` returns; the module may lie in the working folder."""
    module_name, _, factory_name = name.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        factory: Any = import_module(module_name)
        for part in factory_name.split("."):
            factory = getattr(factory, part)
        return factory() if isinstance(factory, type) or not hasattr(factory, "encode") else factory
    except Exception as error:  # whatever the user's own code raises
        raise ScirankError(
            f"model {name!r} could not be made: {type(error).__name__}: {error}; "
            "expected module:factory, a function or class without required arguments"
        ) from error


def _wrapped(model: Any, name: str, options: ModelOptions) -> Ranker:
    if callable(getattr(model, "rank", None)):
        if absent := [part for part in ("name", "notes", "provenance") if not hasattr(model, part)]:
            raise ScirankError(f"model {name!r} has rank() but no {' and no '.join(absent)}; see scirank.Ranker")
        if ignored := options.ignored_beside():
            raise ScirankError(f"model {name!r} ranks by itself: {'; '.join(ignored)}")
        ranker: Ranker = model
        return ranker
    two_sided = all(callable(getattr(model, side, None)) for side in ("encode_query", "encode_document"))
    if not callable(getattr(model, "encode", None)) and not two_sided:
        raise ScirankError(f"model {name!r}: expected something with encode(texts) or rank(tasks), found {model!r:.80}")
    if hasattr(model, "encode_document") and hasattr(model, "similarity_fn_name"):
        from .sentence_transformer import wrap_sentence_transformer

        return wrap_sentence_transformer(model, name, options)
    from .dense import any_encoder

    return any_encoder(model, name, options)
