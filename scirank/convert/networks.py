"""An encoder's weights as a module of sentence-transformers."""

from pathlib import Path

import torch
from sentence_transformers.base.modules import Transformer
from transformers import AutoConfig, AutoTokenizer

from ..architectures.bert import POOLER, bert_encoder
from ..architectures.prefix import PrefixTransformer
from ..errors import ScirankError, listed
from ..models.embedded import local_name
from ..models.library import A_BASE, full_name, saying_what_failed
from .checkpoint import Encoder


def whole_network(path: Path, encoder: Encoder, base: str, revision: str | None) -> Transformer:
    """A fine-tuned network, with its base model's configuration and tokenizer.

    Raises:
        ScirankError: the base model is not there, or is another kind of network.
    """
    name = full_name(local_name(base))
    with saying_what_failed(base, A_BASE):
        config = AutoConfig.from_pretrained(name, revision=revision)
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision)
    if config.model_type != "bert":
        raise ScirankError(f"base model {base!r} is of the type {config.model_type}; expected bert, as upstream's are")
    return bert_encoder(config, encoder.network, tokenizer, f"{path}: {encoder.where}")


def prefixed_network(
    path: Path, encoder: Encoder, base: str, revision: str | None, *, position_offset: bool
) -> PrefixTransformer:
    """A base model with a trained prefix.

    Only the prefix is kept, so weights of the network that stand beside it in the file have to be the base model's own.

    Raises:
        ScirankError: the base model is not there, is another kind of network, or not the one in the file.
    """
    prefix = encoder.prefix
    if prefix is None or prefix.dim() != 2:
        raise ScirankError(f"{path}: {encoder.where}: expected a prefix of two dimensions")
    with saying_what_failed(base, A_BASE):
        module = PrefixTransformer(
            base, prefix_length=len(prefix), position_offset=position_offset, base_revision=revision
        )
    own = module.model.state_dict()
    others = [
        key
        for key, tensor in encoder.network.items()
        if key not in POOLER and (key not in own or not torch.equal(tensor.to(own[key].dtype), own[key]))
    ]
    if others:
        raise ScirankError(
            f"{path}: besides its prefix, {encoder.where} has weights that are not of {base!r}: {listed(others)}. "
            "Name the model that it was trained from"
        )
    try:
        module.load_prefix({"prefix": prefix})
    except ScirankError as error:
        raise ScirankError(f"{path}: {encoder.where}: {error}") from error
    return module
