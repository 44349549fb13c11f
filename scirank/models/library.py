"""What the kinds of sentence-transformers models share: loading, prompts, batches."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..embeddings import Budget
from ..errors import ScirankError
from .ranker import ModelOptions

if TYPE_CHECKING:
    from sentence_transformers.base.model import BaseModel

DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""Names under which sentence-transformers looks for a model's prompt for documents, in its order."""
TEXT_OPTIONS = ("kind", "template", "query_template", "prompt", "query_prompt", "batch_tokens")
LOADED_WITH = ("max_length", "device", "revision", "dtype", "backend")
ANY_MODEL = "a folder, a name on the Hub, bm25, random, minilm or module:factory"
A_BASE = "a base model: a folder, a name on the Hub, or minilm"
TOKENS_TOGETHER = {"cpu": 2_048, "mps": 16_384}
"""What a batch has on a kind of device: on a processor, what stays in its caches."""
TOKENS_TOGETHER_ELSEWHERE = 65_536
TEXTS_TOGETHER = 1_024
OUR_MODULE = "scirank.architectures.prefix.PrefixTransformer"


def load_model(kind: type[Any], name_or_folder: str, options: ModelOptions) -> Any:
    """A model of one of sentence-transformers' kinds, with length, precision and backend as chosen.

    Raises:
        ScirankError: it cannot be loaded, or options do not fit it.
    """
    backend = options.backend or "torch"
    if backend != "torch" and options.dtype is not None:
        raise ScirankError(f"dtype is for the backend torch; with {backend} the model's file has its own")
    try:
        with saying_what_failed(name_or_folder):
            model = _constructed(kind, name_or_folder, options, backend)
    except ScirankError:
        raise
    except Exception as error:  # what is not installed is told by an Exception of no kind
        if backend == "torch":
            raise
        raise ScirankError(f"backend {backend} cannot be used: {first_line(error)}") from error
    return adjusted(model, options)


def adjusted(model: Any, options: ModelOptions) -> Any:
    """A loaded model with length and precision as chosen."""
    if options.max_length is not None:
        _set_max_length(model, options.max_length)
    if options.dtype is not None:
        import torch

        model.to(getattr(torch, options.dtype))
    return model


def from_hub(**where: Any) -> dict[str, dict[str, Any]]:
    """Arguments of sentence-transformers' `Transformer` that say where its files are; each writes into its own."""
    given = {name: value for name, value in where.items() if value is not None}
    return {kind: dict(given) for kind in ("model_kwargs", "processor_kwargs", "config_kwargs")}


def full_name(name_or_folder: str) -> str:
    """A name on the Hub with its owner, where it is one of those that sentence-transformers completes."""
    from sentence_transformers.util import ORIGINAL_TRANSFORMER_MODELS

    complete = "/" in name_or_folder or "\\" in name_or_folder or os.path.exists(name_or_folder)
    if complete or name_or_folder.lower() in ORIGINAL_TRANSFORMER_MODELS:
        return name_or_folder
    return f"sentence-transformers/{name_or_folder}"


@contextmanager
def saying_what_failed(name_or_folder: str, expected: str = ANY_MODEL) -> Iterator[None]:
    """Turn what a library raises about a model into one error that says what was expected."""
    try:
        yield
    except ScirankError:
        raise
    except (OSError, ValueError) as error:
        raise ScirankError(
            f"model {name_or_folder!r} could not be loaded: {_hint(name_or_folder)}{first_line(error)} "
            f"Expected {expected}"
        ) from error


def prompts_of(model: "BaseModel", options: ModelOptions) -> tuple[str | None, str | None]:
    """What is put before papers and before questions: as chosen, else as the model has it."""
    own = {name: prompt for name, prompt in (model.prompts or {}).items() if prompt}
    document = next((own[name] for name in DOCUMENT_PROMPTS if name in own), None)
    return (
        document if options.prompt is None else options.prompt,
        own.get("query") if options.query_prompt is None else options.query_prompt,
    )


def budget_of(model: "BaseModel", options: ModelOptions) -> Budget:
    """What one batch has, by the device; texts without attention cost so little that only their number counts."""
    if model.transformers_model is None:
        return Budget(2**20, TEXTS_TOGETHER)
    suits = TOKENS_TOGETHER.get(model.device.type, TOKENS_TOGETHER_ELSEWHERE)
    return Budget(options.batch_tokens or suits, TEXTS_TOGETHER)


def _constructed(kind: type[Any], name_or_folder: str, options: ModelOptions, backend: str) -> Any:
    """A model; one with our own prefix module by that class, which the library would not import for a folder."""
    where: dict[str, Any] = {"device": options.device, "revision": options.revision, "backend": backend}
    if not _names_our_module(name_or_folder, options.revision):
        return kind(name_or_folder, **where)
    if backend != "torch":
        raise ScirankError(f"backend {backend} is not for models of P-Tuning v2; leave --backend out")
    from ..architectures.prefix import PrefixTransformer

    return kind._load_with_module_classes(name_or_folder, {OUR_MODULE: PrefixTransformer}, **where)


def _names_our_module(name_or_folder: str, revision: str | None) -> bool:
    from sentence_transformers.util import load_file_path

    for file in ("modules.json", "router_config.json"):
        path = load_file_path(full_name(name_or_folder), file, revision=revision)
        if path is not None and OUR_MODULE in Path(path).read_text(encoding="utf-8"):
            return True
    return False


def _hint(name: str) -> str:
    if name.lower() in ("bm25", "random", "minilm"):
        return f"did you mean {name.lower()}? "
    if os.path.isfile(f"{name}.py") or os.path.isfile(name):
        return f"a file of that name is here; name what makes the model, as in {name.removesuffix('.py')}:FACTORY. "
    return "no such folder is here. " if name.startswith((".", "/", "~")) and not os.path.exists(name) else ""


def first_line(error: Exception) -> str:
    """What an error says first."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _set_max_length(model: "BaseModel", tokens: int) -> None:
    most = getattr(getattr(model.transformers_model, "config", None), "max_position_embeddings", None)
    if tokens < 1 or (most is not None and tokens > most):
        raise ScirankError(f"max_length {tokens} is out of range; this model takes 1 to {most} tokens")
    model.max_seq_length = tokens
