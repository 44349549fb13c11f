"""Which kind of model a folder, a name on the Hub or an object is."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from ..choices import Kind
from ..errors import ScirankError
from .library import full_name, saying_what_failed

SAVED_AS = {
    "SentenceTransformer": Kind.BI_ENCODER,
    "MultiVectorEncoder": Kind.LATE_INTERACTION,
    "ColBERT": Kind.LATE_INTERACTION,
    "CrossEncoder": Kind.CROSS_ENCODER,
}
"""What sentence-transformers and PyLate write into config_sentence_transformers.json."""
PYLATE = ("query_prefix", "document_prefix")
"""What PyLate wrote there before it wrote what a model is."""
IS_A = {
    Kind.BI_ENCODER: "a bi-encoder",
    Kind.LATE_INTERACTION: "a late-interaction model",
    Kind.CROSS_ENCODER: "a cross-encoder",
}
OWN_WAYS = {
    "SentenceTransformer": ("encode", "encode_document", "encode_query", "preprocess", "forward"),
    "MultiVectorEncoder": ("encode", "encode_document", "encode_query", "preprocess", "forward"),
    "CrossEncoder": ("predict", "preprocess", "forward"),
}
"""Methods that make a model one of its owner's own where somebody has put others in their place."""


def kind_of(name_or_folder: str, asked: str | None, revision: str | None = None) -> Kind:
    """The kind of a model that is to be loaded.

    Args:
        name_or_folder: the model.
        asked: the kind that the user named.
        revision: of a model on the Hub.

    Raises:
        ScirankError: it is of another kind than the one asked for, or of one that is not supported.
    """
    with saying_what_failed(name_or_folder):
        settings = _read(name_or_folder, "config_sentence_transformers.json", revision)
        modules = _read(name_or_folder, "modules.json", revision)
        network = _read(name_or_folder, "config.json", revision)
    architectures = (network or {}).get("architectures") or []
    saved = _saved_as(name_or_folder, settings or {}, modules, architectures)
    if saved is not None:
        return _as_asked(name_or_folder, saved, asked)
    causal = any(architecture.endswith("ForCausalLM") for architecture in architectures)
    if network is not None and asked not in (None, Kind.BI_ENCODER) and not (asked == Kind.CROSS_ENCODER and causal):
        raise ScirankError(
            f"model {name_or_folder!r} is a plain checkpoint: what would make {IS_A[Kind(asked)]} of it has not been "
            "trained; leave --kind out"
        )
    return Kind(asked or Kind.BI_ENCODER)


def kind_of_object(model: Any, name: str, asked: str | None) -> tuple[Kind | None, bool]:
    """The kind of an object, where that is known, and whether it is sentence-transformers' own, in the library's ways.

    Raises:
        ScirankError: it is of another kind than the one asked for, or of one that is not supported.
    """
    if "sentence_transformers" in sys.modules:
        import sentence_transformers as library

        if isinstance(model, library.SparseEncoder):
            raise ScirankError(_not_supported(name, "SparseEncoder"))
        for base, methods in OWN_WAYS.items():
            theirs = getattr(library, base)
            if not isinstance(model, theirs):
                continue
            if all(getattr(type(model), n) is getattr(theirs, n) and n not in vars(model) for n in methods):
                return _as_asked(name, SAVED_AS[base], asked), True
            if SAVED_AS[base] != Kind.BI_ENCODER:  # PyLate's models are bi-encoders by their class
                return _as_asked(name, SAVED_AS[base], asked), False
    return None if asked is None else Kind(asked), False


def _saved_as(name: str, settings: Mapping[str, Any], modules: Any, architectures: list[str]) -> Kind | None:
    """What files say that a model is; None for a plain checkpoint, or where there are none."""
    written = settings.get("model_type")
    if written is not None:
        if written not in SAVED_AS:
            raise ScirankError(_not_supported(name, written))
        return SAVED_AS[written]
    if "HF_ColBERT" in architectures or any(part in settings for part in PYLATE):
        return Kind.LATE_INTERACTION
    if modules is not None:
        return Kind.BI_ENCODER
    if any(architecture.endswith("ForSequenceClassification") for architecture in architectures):
        return Kind.CROSS_ENCODER
    return None


def _as_asked(name: str, kind: Kind, asked: str | None) -> Kind:
    if asked not in (None, kind):
        raise ScirankError(f"model {name!r} is {IS_A[kind]}; use --kind {kind} or leave --kind out")
    return kind


def _not_supported(name: str, written: str) -> str:
    what = "a sparse encoder" if written == "SparseEncoder" else f"of the kind {written}"
    return f"model {name!r} is {what}, which is not supported; these are: {', '.join(IS_A.values())}"


def _read(name_or_folder: str, file: str, revision: str | None) -> Any:
    """A file's JSON; None where there is no such file."""
    from sentence_transformers.util import load_file_path

    path = load_file_path(full_name(name_or_folder), file, revision=revision)
    if path is None:
        return None
    with open(path, encoding="utf-8") as opened:
        return json.load(opened)
