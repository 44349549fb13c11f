"""What a checkpoint is, recognised by the names of its weights."""

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..choices import Architecture, Method
from ..errors import ScirankError, listed

Weights = Mapping[str, torch.Tensor]

WEIGHTS = ("model_dict", "model_state_dict")
SETTINGS = ("encoder_params", "arguments")
PROGRESS = ("epoch", "offset", "batch")
SIDES = ("question_model", "ctx_model")
PROJECTION = "linear.weight"
PREFIX = "prefix_encoder."


@dataclass(frozen=True)
class Encoder:
    """The weights of one network.

    Attributes:
        where: what the file calls it.
        network: by their names in BERT; of a prefix's network there need not be any.
        prefix: of shape (length, 2 * layers * hidden size), where there is one.
    """

    where: str
    network: Weights
    prefix: torch.Tensor | None


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds.

    Attributes:
        path: of the file.
        architecture: what it is.
        encoders: of DPR for questions, then for papers; of ColBERT one.
        projection: ColBERT's, of shape (dimensions, hidden size).
        settings: of training, as far as the file has them.
        progress: how far training had come.
    """

    path: Path
    architecture: Architecture
    encoders: tuple[Encoder, ...]
    projection: torch.Tensor | None
    settings: Mapping[str, Any]
    progress: Mapping[str, int]

    @property
    def method(self) -> Method:
        """How it was trained."""
        return Method.FT if self.encoders[0].prefix is None else Method.PT2


def recognise(path: Path, content: Mapping[str, Any]) -> Checkpoint:
    """Say what a file's content is.

    Raises:
        ScirankError: it is neither DPR nor ColBERT, or has parts that cannot be converted.
    """
    weights = _weights(path, content)
    projection = weights.get(PROJECTION)
    if any(key.startswith(SIDES) for key in weights):
        architecture = Architecture.DPR
        encoders = tuple(_encoder(path, side, _below(f"{side}.", weights)) for side in SIDES)
        if left_over := [key for key in weights if not key.startswith(tuple(f"{side}." for side in SIDES))]:
            raise ScirankError(f"{path}: DPR has {' and '.join(SIDES)}; not expected: {listed(left_over)}")
    elif projection is not None:
        architecture = Architecture.COLBERT
        rest = {key: tensor for key, tensor in weights.items() if key != PROJECTION}
        encoders = (_encoder(path, "bert", rest),)
    else:
        raise ScirankError(
            f"{path}: expected the weights of DPR (question_model.*, ctx_model.*) or of ColBERT (bert.* or "
            f"prefix_encoder.*, {PROJECTION}); found {listed(weights)}"
        )
    if len({encoder.prefix is None for encoder in encoders}) > 1:
        raise ScirankError(f"{path}: expected a prefix for {' and for '.join(SIDES)}; only one of them has it")
    progress = {name: content[name] for name in PROGRESS if isinstance(content.get(name), int)}
    return Checkpoint(path, architecture, encoders, projection, _settings(content), progress)


def _weights(path: Path, content: Mapping[str, Any]) -> Weights:
    found = next((content[name] for name in WEIGHTS if name in content), content)
    if not isinstance(found, Mapping) or not found:
        raise ScirankError(f"{path}: expected a dictionary of weights, found {found!r:.80}")
    if others := [str(key) for key, value in found.items() if not isinstance(value, torch.Tensor)]:
        raise ScirankError(
            f"{path}: expected weights, or a dictionary with {' or '.join(WEIGHTS)}; not weights: {listed(others)}"
        )
    # Transformers before 4.31 saved the numbers 0 to 511 as if they were weights.
    return {
        str(key).removeprefix("module."): tensor
        for key, tensor in found.items()
        if not str(key).endswith("embeddings.position_ids")
    }


def _settings(content: Mapping[str, Any]) -> Mapping[str, Any]:
    found = next((content[name] for name in SETTINGS if name in content), None)
    settings = vars(found) if isinstance(found, Namespace) else found
    if not isinstance(settings, Mapping):
        return {}
    plain = str | int | float | bool | None
    return {str(name): value for name, value in settings.items() if isinstance(value, plain)}


def _encoder(path: Path, where: str, weights: Weights) -> Encoder:
    if any(key.startswith("encode_proj.") for key in weights):
        raise ScirankError(
            f"{path}: {where} has encode_proj, a projection of [CLS] (--projection_dim); models with one cannot be "
            "converted, only those whose vector is that of [CLS] itself"
        )
    prefix = _below(PREFIX, weights)
    network: Weights = {key: tensor for key, tensor in weights.items() if not key.startswith(PREFIX)}
    if all(key.startswith("bert.") for key in network):
        network = _below("bert.", network)
    return Encoder(where, network, _prefix(path, where, prefix) if prefix else None)


def _prefix(path: Path, where: str, weights: Weights) -> torch.Tensor:
    """The prefix itself, computed where it was trained as a smaller one and a network over it (`--prefix_mlp`)."""
    match sorted(weights):
        case ["embedding.weight"]:
            return weights["embedding.weight"]
        case ["embedding.weight", "trans.0.bias", "trans.0.weight", "trans.2.bias", "trans.2.weight"]:
            linear = torch.nn.functional.linear
            hidden = linear(weights["embedding.weight"], weights["trans.0.weight"], weights["trans.0.bias"]).tanh()
            return linear(hidden, weights["trans.2.weight"], weights["trans.2.bias"])
        case ["weight"]:
            raise ScirankError(
                f"{path}: {where} has a prompt before the text (--prompt), not a prefix in every layer (--prefix); "
                "only the latter can be converted"
            )
        case names:
            raise ScirankError(
                f"{path}: {where}: expected prefix_encoder.embedding.weight, and with --prefix_mlp trans.0 and trans.2 "
                f"with weight and bias; found {listed(names)}"
            )


def _below(start: str, weights: Weights) -> Weights:
    return {key.removeprefix(start): tensor for key, tensor in weights.items() if key.startswith(start)}
