"""From what a user names, or passes, to a ranker."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..choices import Kind
from ..embeddings import Encoder, Engine
from ..embeddings.store import cache_folder
from ..errors import ScirankError
from . import embedded
from .dpr_pair import is_dpr_pair, load_dpr_pair
from .kinds import kind_of, kind_of_object
from .ranker import OF_A_RUN, ModelOptions, Ranker
from .record import read_record

if TYPE_CHECKING:
    from .dense import DenseRanker
    from .late_interaction import LateInteractionRanker

METHODS = ("encode", "encode_query", "predict", "rank")
"""What tells a model from a function that makes one."""


def load_ranker(model: Any, options: ModelOptions | None = None) -> Ranker:
    """Load a model.

    Args:
        model: `bm25`, `random`, `minilm` (comes with the extra `demo`), the name or folder of a
            bi-encoder, late-interaction model or cross-encoder, `dpr` or `dpr:QUESTIONS,PAPERS` for two encoders,
            `module:factory` for whatever that
            function makes, or an object: one of sentence-transformers' models, a ranker, or anything
            with `encode(texts)`, or with `predict(pairs)`.
        options: how to use it.

    Raises:
        ScirankError: no such model, or options that do not fit it.
    """
    options = options or ModelOptions()
    devices = tuple(device for device in (options.device or "").split(",") if device)
    cache = cache_folder(options.cache_dir) if options.cache else None
    if isinstance(model, str | os.PathLike):
        name = os.fspath(model)
        if len(devices) < 2 and options.engine is None:
            return _by_name(name, options, Engine(cache))
        # The model that stands here has only to know what it is; others load it where they encode.
        engine = Engine(
            cache,
            devices,
            Reload(name, options),
            ray=options.engine is not None,
            ray_address=options.ray_address,
            ray_workers=options.ray_workers,
        )
        return _by_name(name, replace(options, device="cpu"), engine)
    if len(devices) > 1 or options.engine is not None:
        raise ScirankError("several devices, or Ray, need a model that is named, which each of their processes loads")
    return _wrapped(model, type(model).__name__, options, Engine(cache))


@dataclass(frozen=True)
class Reload:
    """Loads a model by its name in another process."""

    name: str
    options: ModelOptions

    def __call__(self, device: str | None) -> Mapping[str, Encoder]:
        """Its encoders, by role."""
        # A first stage has no part in these.
        ranker: Any = _by_name(self.name, replace(self.options, device=device, first_stage=None), Engine())
        encoders: Mapping[str, Encoder] = ranker.encoders
        return encoders


def model_name(model: str) -> str:
    """What a model that was named is called in results: a folder by its own name, without those above it."""
    if model == embedded.NAME:
        return "all-MiniLM-L6-v2"
    return os.path.basename(os.path.normpath(os.path.abspath(model))) if os.path.isdir(model) else model


def _by_name(name: str, options: ModelOptions, engine: Engine) -> Ranker:
    if name == "random":
        from .chance import ChanceRanker

        return ChanceRanker(options.seed, options.ignored_beside("seed"))
    if name == "bm25":
        from .bm25 import BM25Ranker

        return BM25Ranker(
            options.template, options.query_template, options.ignored_beside("template", "query_template")
        )
    if _is_factory(name):
        return _wrapped(_import_factory(name), name, options, engine)
    if is_dpr_pair(name):
        return load_dpr_pair(name, options, engine)
    folder, called = embedded.local_name(name), model_name(name)
    kind = kind_of(folder, options.kind, options.revision)
    if kind == Kind.CROSS_ENCODER:
        from .cross_encoder import load_cross_encoder

        return load_cross_encoder(folder, called, options, engine, _first_stage(options, engine))
    record = read_record(folder, options.revision)
    ranker = _two_sided(kind, folder, called, options if record is None else record.over(options), engine)
    ranker.record = record
    return ranker


def _two_sided(
    kind: Kind, folder: str, called: str, options: ModelOptions, engine: Engine
) -> "DenseRanker | LateInteractionRanker":
    if kind == Kind.LATE_INTERACTION:
        from .late_interaction import load_late_interaction

        return load_late_interaction(folder, called, options, engine)
    from .sentence_transformer import load_sentence_transformer

    return load_sentence_transformer(folder, called, options, engine)


def _first_stage(options: ModelOptions, engine: Engine) -> Ranker:
    """What chooses the papers that a cross-encoder scores; all but where it runs is its own."""
    name = options.first_stage or "bm25"
    of_a_run = {option: getattr(options, option) for option in OF_A_RUN}
    loaded = name not in ("bm25", "random") and not _is_factory(name)
    device = ",".join(engine.devices) or options.device if loaded else None
    return load_ranker(name, ModelOptions(device=device, **of_a_run))


def _is_factory(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", name)) and not os.path.exists(name)


def _import_factory(name: str) -> Any:
    """What `factory()` of `module:factory` returns; the module may lie in the working folder."""
    module_name, _, factory_name = name.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        factory: Any = import_module(module_name)
        for part in factory_name.split("."):
            factory = getattr(factory, part)
        made = not isinstance(factory, type) and any(hasattr(factory, method) for method in METHODS)
        return factory if made else factory()
    except Exception as error:  # whatever the user's own code raises
        raise ScirankError(
            f"model {name!r} could not be made: {type(error).__name__}: {error}; "
            "expected module:factory, a function or class without required arguments"
        ) from error


def _wrapped(model: Any, name: str, options: ModelOptions, engine: Engine) -> Ranker:
    kind, of_the_library = kind_of_object(model, name, options.kind)
    if of_the_library:
        return _wrapped_as(kind, model, name, options, engine)
    scores_pairs = callable(getattr(model, "predict", None)) and not hasattr(model, "encode")
    if kind != Kind.CROSS_ENCODER and callable(getattr(model, "rank", None)):
        if absent := [part for part in ("name", "notes", "provenance") if not hasattr(model, part)]:
            raise ScirankError(f"model {name!r} has rank() but no {' and no '.join(absent)}; see scirank.Ranker")
        if ignored := options.ignored_beside():
            raise ScirankError(f"model {name!r} ranks by itself: {'; '.join(ignored)}")
        ranker: Ranker = model
        return ranker
    from .own_encoder import any_cross_encoder, any_encoder

    if kind == Kind.CROSS_ENCODER or (kind is None and scores_pairs):
        return any_cross_encoder(model, name, options, engine, _first_stage(options, engine))
    return any_encoder(model, name, replace(options, kind=kind), engine)


def _wrapped_as(kind: Kind | None, model: Any, name: str, options: ModelOptions, engine: Engine) -> Ranker:
    if kind == Kind.LATE_INTERACTION:
        from .late_interaction import wrap_late_interaction

        return wrap_late_interaction(model, name, options, engine)
    if kind == Kind.CROSS_ENCODER:
        from .cross_encoder import wrap_cross_encoder

        return wrap_cross_encoder(model, name, options, engine, _first_stage(options, engine))
    from .sentence_transformer import wrap_sentence_transformer

    return wrap_sentence_transformer(model, name, options, engine)
