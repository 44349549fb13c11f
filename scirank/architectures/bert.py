"""BERT's weights, wherever they come from, as the encoder that sentence-transformers puts first."""

import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError, counted, listed

if TYPE_CHECKING:
    import torch
    from sentence_transformers.base.modules import Transformer

POOLER = ("pooler.dense.weight", "pooler.dense.bias")
"""Of no use in DPR and ColBERT, whose files may lack it; it is 0 then, so that a model is the same each time."""


def bert_encoder(config: Any, weights: "Mapping[str, torch.Tensor]", tokenizer: Any, origin: str) -> "Transformer":
    """An encoder with given weights.

    Args:
        config: a `BertConfig`.
        weights: by the names that a `BertModel` has, all of them but the pooler's.
        tokenizer: transformers' own.
        origin: what to call the weights in messages.

    Raises:
        ScirankError: weights are missing, left over, or of another shape.
    """
    import torch
    from sentence_transformers.base.modules import Transformer
    from transformers import BertModel

    network = BertModel(config)
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    if missing := [name for name in expected if name not in weights and name not in POOLER]:
        raise ScirankError(f"{origin}: weights are missing: {listed(missing)}")
    if left := [name for name in weights if name not in expected]:
        raise ScirankError(f"{origin}: weights are left over: {listed(left)}")
    if other := [name for name in weights if tuple(weights[name].shape) != expected[name]]:
        name = other[0]
        raise ScirankError(
            f"{origin}: {counted(len(other), 'weight has', 'weights have')} another shape than the configuration says; "
            f"{name}: found {tuple(weights[name].shape)}, expected {expected[name]}"
        )
    absent = {name: torch.zeros(expected[name]) for name in POOLER if name not in weights}
    network.load_state_dict({**weights, **absent})
    # Where a file that is mapped into memory cannot be deleted, it is left to the system.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return Transformer(folder)
