"""DPR: an encoder for questions and one for papers, the vector of [CLS], the dot product."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Router, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

if TYPE_CHECKING:
    from torch.nn import Module

TOKENS = 256
"""Of a question or a paper, as upstream's `--sequence_length`."""


def dpr(
    questions: Transformer,
    papers: Transformer,
    *,
    query_tokens: int = TOKENS,
    paper_tokens: int = TOKENS,
    device: str | None = None,
) -> SentenceTransformer:
    """Put two encoders together, each cut to its length.

    A paper's text is `title [SEP] abstract` in one string (template `dpr`): what the tokenizer makes of it is what
    upstream makes of the pair, with token types all zero, cut at the end and closed by [SEP].
    """
    for encoder, tokens in ((questions, query_tokens), (papers, paper_tokens)):
        encoder.max_seq_length = min(tokens, encoder.max_seq_length or tokens)
    router = Router.for_query_document(_cls_vector(questions), _cls_vector(papers))
    return SentenceTransformer(modules=[router], similarity_fn_name="dot", device=device)


def _cls_vector(encoder: Transformer) -> "Sequence[Module]":
    return [encoder, Pooling(encoder.get_embedding_dimension(), "cls")]
