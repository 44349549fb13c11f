"""BERT from a state dict, written plainly: what converted models are compared with."""

import torch
from torch.nn.functional import gelu, layer_norm, linear

HEADS = 4


def last_hidden(weights, ids, mask=None, prefix=None, first=0):
    """The last hidden state of one text, of shape (tokens, hidden size).

    `prefix` has each layer's keys, then its values; `first` is the position of the first token.
    """

    def apply(name, x):
        return linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(name, x):
        scale = weights[f"{name}.LayerNorm.weight"]
        return layer_norm(x, scale.shape, scale, weights[f"{name}.LayerNorm.bias"], 1e-12)

    def heads(x):
        return x.view(len(x), HEADS, -1).transpose(0, 1)

    def embedded(name, index):
        return weights[f"embeddings.{name}_embeddings.weight"][index]

    mask = torch.ones(len(ids)) if mask is None else torch.tensor(mask)
    x = embedded("word", ids) + embedded("position", range(first, first + len(ids))) + embedded("token_type", 0)
    x = norm("embeddings", x)
    size = x.shape[1]
    layer = 0
    while (name := f"encoder.layer.{layer}") + ".output.dense.weight" in weights:
        query, key, value = (apply(f"{name}.attention.self.{part}", x) for part in ("query", "key", "value"))
        seen = mask
        if prefix is not None:
            own = prefix[:, 2 * layer * size : 2 * (layer + 1) * size]
            key, value = torch.cat([own[:, :size], key]), torch.cat([own[:, size:], value])
            seen = torch.cat([torch.ones(len(prefix)), mask])
        scores = heads(query) @ heads(key).transpose(1, 2) / (size / HEADS) ** 0.5
        found = scores.masked_fill(seen == 0, float("-inf")).softmax(-1) @ heads(value)
        found = found.transpose(0, 1).reshape(len(x), size)
        x = norm(f"{name}.attention.output", apply(f"{name}.attention.output.dense", found) + x)
        inner = gelu(apply(f"{name}.intermediate.dense", x))
        x = norm(f"{name}.output", apply(f"{name}.output.dense", inner) + x)
        layer += 1
    return x
