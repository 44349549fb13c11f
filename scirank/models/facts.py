"""What a sentence-transformers model is: for the record, and for the key that its vectors are kept under."""

import hashlib
import json
import math
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentence_transformers.base.model import BaseModel
    from torch.nn import Module

LIBRARIES = ("sentence-transformers", "tokenizers", "torch", "transformers")
MACHINE = ("device", "threads")
"""Facts that a vector does not depend on, beyond its last bits."""
FLEETING = ("_name_or_path", "_commit_hash", "transformers_version", "dtype", "torch_dtype")
"""Entries of a configuration that say where it came from, or are facts of their own."""


def facts_of(model: "BaseModel") -> dict[str, Any]:
    """Revision, weights, configuration, modules, pooling, length, precision, backend, and the machine."""
    import torch

    config = getattr(model.transformers_model, "config", None)
    first = next(model.parameters(), None)
    length = getattr(model, "max_seq_length", None)
    # A prefix's network is its base model's: so is the commit that it knows of.
    base = next((module for module in model.modules() if hasattr(module, "base_sha256")), None)
    of_base = {} if base is None else {"base_model": base.base_model, "base_revision": base.base_revision}
    return {
        "revision": getattr(config, "_commit_hash", None) if base is None else None,
        **of_base,
        "weights_sha256": weights_sha256(model),
        "configuration_sha256": configuration_sha256(model),
        "modules": [type(module).__name__ for module in model.children()],
        "pooling": next((str(m.pooling_mode) for m in model.modules() if hasattr(m, "pooling_mode")), None),
        "max_length": length if math.isfinite(length or 0) else None,
        "dtype": None if first is None else str(first.dtype).removeprefix("torch."),
        "backend": model.get_backend(),
        "device": str(model.device),
        "threads": torch.get_num_threads(),
    }


def key_of(model: "BaseModel", facts: Mapping[str, Any], role: str, prompt: str | None) -> dict[str, Any] | None:
    """All that determines a vector besides its text; None where that is not seen: weights outside of PyTorch."""
    if facts["backend"] != "torch" or facts["configuration_sha256"] is None or not _of_libraries(model):
        return None
    return {
        **{name: value for name, value in facts.items() if name not in MACHINE},
        "role": role,
        "prompt": prompt,
        "dimensions": getattr(model, "truncate_dim", None),
        "libraries": {library: version(library).partition("+")[0] for library in LIBRARIES},
    }


def parameters_of(model: "Module") -> dict[str, int]:
    """How many numbers a model has, and how many of them are trained."""
    every = list(model.parameters())
    return {"all": sum(p.numel() for p in every), "trained": sum(p.numel() for p in every if p.requires_grad)}


def weights_sha256(model: "Module", but: str | None = None) -> str:
    """Of all parameters and buffers as loaded: names, types and bytes, in the order of names.

    Args:
        model: whose.
        but: how the names of those begin that are left out.
    """
    import torch

    digest = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        if but is not None and key.startswith(but):
            continue
        digest.update(f"{key}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def configuration_sha256(model: "BaseModel") -> str | None:
    """Of each module's configuration, networks' and tokenizers'; None where a tokenizer does not tell what it does."""
    parts: list[Any] = []
    for module in model.modules():
        if getattr(module, "tokenizer", None) is not None and module is not model:
            parts.append(_tokenizer(module.tokenizer))
        if callable(getattr(module, "get_config_dict", None)):
            parts.append([type(module).__name__, module.get_config_dict()])
        if hasattr(getattr(module, "config", None), "to_dict"):
            parts.append([type(module).__name__, module.config.to_dict()])
    if None in parts:
        return None
    return hashlib.sha256(json.dumps(_lasting(parts), sort_keys=True, default=str).encode()).hexdigest()


def _tokenizer(tokenizer: Any) -> list[Any] | None:
    """All that a fast tokenizer does; of transformers' without lengths, which each call sets."""
    fast = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(fast, "to_str"):
        return None
    if fast is tokenizer:
        return [fast.to_str()]
    copy = type(fast).from_str(fast.to_str())
    copy.no_truncation()
    copy.no_padding()
    sides = [getattr(tokenizer, name, None) for name in ("truncation_side", "padding_side", "chat_template")]
    return [type(tokenizer).__name__, copy.to_str(), *sides]


def _of_libraries(model: "BaseModel") -> bool:
    """Whether every module's code is that of a release: not a user's own, nor changed by adapters or hooks."""
    modules = list(model.modules())
    ours = all(
        type(module).__module__.split(".")[0] in ("scirank", "sentence_transformers", "transformers", "torch")
        for module in modules
    )
    return ours and not any(module._forward_hooks or module._forward_pre_hooks for module in modules)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _lasting(inner) for key, inner in value.items() if key not in FLEETING}
    return [_lasting(inner) for inner in value] if isinstance(value, list | tuple) else value
