"""An untrained DPR or ColBERT."""

from typing import TYPE_CHECKING, Any

from ..choices import Architecture, Method
from ..models.embedded import local_name
from ..models.library import A_BASE, from_hub, full_name, saying_what_failed
from .settings import Settings

if TYPE_CHECKING:
    from sentence_transformers.base.modules import Transformer


def build(
    architecture: str,
    method: str,
    base: str,
    settings: Settings,
    revision: str | None = None,
    device: str | None = None,
) -> Any:
    """Put a `SentenceTransformer` (DPR) or a `MultiVectorEncoder` (ColBERT) around a base model.

    The seed draws what is new.

    Raises:
        ScirankError: the base model cannot be loaded, or takes no prefix.
    """
    from transformers import set_seed

    set_seed(settings.seed)
    with saying_what_failed(base, A_BASE):
        if architecture == Architecture.COLBERT:
            from ..architectures.colbert import colbert

            return colbert(
                _encoder(method, base, settings, revision, position_offset=True),
                dimensions=settings.dimensions,
                query_tokens=settings.query_tokens,
                paper_tokens=settings.paper_tokens,
                device=device,
            )
        from ..architectures.dpr import dpr

        questions = _encoder(method, base, settings, revision, position_offset=False)
        papers = _encoder(method, base, settings, revision, position_offset=False)
    return dpr(questions, papers, query_tokens=settings.query_tokens, paper_tokens=settings.paper_tokens, device=device)


def _encoder(method: str, base: str, settings: Settings, revision: str | None, position_offset: bool) -> "Transformer":
    if method == Method.PT2:
        from ..architectures.prefix import PrefixTransformer

        return PrefixTransformer(
            base,
            prefix_length=settings.prefix_length,
            position_offset=position_offset,
            base_revision=revision,
        )
    from sentence_transformers.base.modules import Transformer

    return Transformer(full_name(local_name(base)), **from_hub(revision=revision))


def freeze_unused(model: Any, queries_are_papers: bool) -> None:
    """Keep from training what gets no gradient: several processes wait for the gradient of everything that is trained.

    Args:
        model: what `build` made.
        queries_are_papers: whether DPR's encoder of questions has nothing to do, as in MDCR.
    """
    from sentence_transformers.base.modules import Router

    for name, parameter in model.named_parameters():
        if ".pooler." in name:
            parameter.requires_grad_(False)
    if queries_are_papers and isinstance(model[0], Router):
        model[0].sub_modules["query"].requires_grad_(False)
