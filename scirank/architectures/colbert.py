"""ColBERT: one encoder, 128 numbers a token, the sum of each query token's best match."""

import string
from typing import TYPE_CHECKING

from sentence_transformers import MultiVectorEncoder
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

if TYPE_CHECKING:
    import torch

DIMENSIONS = 128
QUERY_TOKENS = 32
PAPER_TOKENS = 300
MARKERS = {"query": "[unused0]", "document": "[unused1]"}
"""What stands behind [CLS]: ColBERT's [Q] and [D], two entries of BERT's vocabulary that have no other use."""
PLAIN_MARKERS = {"query": "[Q]", "document": "[D]"}
"""For vocabularies without those: text like any other."""
INITIAL_DEVIATION = 0.02


def colbert(
    encoder: Transformer,
    projection: "torch.Tensor | None" = None,
    *,
    dimensions: int = DIMENSIONS,
    query_tokens: int = QUERY_TOKENS,
    paper_tokens: int = PAPER_TOKENS,
    device: str | None = None,
) -> MultiVectorEncoder:
    """Put a projection, masks and markers to an encoder.

    A query is filled up with [MASK] to its length; these are not attended to, but score. Punctuation in papers does not
    score. Upstream lets it score 0 instead, so that there no best match is negative.

    Args:
        encoder: its tokenizer learns the markers.
        projection: its weights, of shape (dimensions, hidden size); drawn by default.
        dimensions: of a token's vector, where the projection is drawn.
        query_tokens: of a query, markers included.
        paper_tokens: of a paper, at most.
        device: where it is.
    """
    import torch

    if projection is None:
        projection = torch.randn(dimensions, encoder.get_embedding_dimension()) * INITIAL_DEVIATION
    encoder.document_length = min(paper_tokens, encoder.max_seq_length or paper_tokens)
    encoder.query_expansion = {"strategy": "fixed", "attend": False, "length": query_tokens}
    dense = Dense(
        projection.shape[1],
        projection.shape[0],
        bias=False,
        activation_function=torch.nn.Identity(),
        init_weight=projection,
        module_input_name="token_embeddings",
    )
    return MultiVectorEncoder(
        modules=[
            encoder,
            dense,
            MultiVectorMask(skiplist_words=list(string.punctuation)),
            Normalize(module_input_name="token_embeddings"),
        ],
        prompts={side: f"{marker} " for side, marker in _markers(encoder).items()},
        device=device,
    )


def _markers(encoder: Transformer) -> dict[str, str]:
    """The markers that the vocabulary has, each as one token."""
    from transformers import AddedToken

    tokenizer = encoder.tokenizer
    vocabulary = tokenizer.get_vocab()
    if not all(marker in vocabulary for marker in MARKERS.values()):
        return PLAIN_MARKERS
    tokens = [AddedToken(marker, normalized=False, special=True) for marker in MARKERS.values()]
    tokenizer.add_special_tokens({"additional_special_tokens": tokens})
    return MARKERS
