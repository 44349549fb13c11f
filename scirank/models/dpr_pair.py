"""Two encoders under one name, `dpr:QUESTIONS,PAPERS`: DPR as its authors published it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..embeddings import Engine
from ..errors import ScirankError
from .dense import DenseRanker
from .embedded import local_name
from .library import LOADED_WITH, adjusted, full_name, saying_what_failed
from .ranker import ModelOptions
from .record import Record
from .sentence_transformer import wrap_sentence_transformer

if TYPE_CHECKING:
    import torch
    from sentence_transformers.base.modules import Transformer

PREFIX = "dpr:"
ALIASES = {"dpr": "dpr:facebook/dpr-question_encoder-multiset-base,facebook/dpr-ctx_encoder-multiset-base"}
"""The weights of DPR's `hf_bert_base.cp`, which are PT-Retrieval's DPR-FT, as its authors put them on the Hub."""
RECORD = Record("dpr", "ft", "dpr")


def is_dpr_pair(name: str) -> bool:
    """Whether a name stands for two encoders."""
    return name in ALIASES or name.startswith(PREFIX)


def load_dpr_pair(name: str, options: ModelOptions, engine: Engine) -> DenseRanker:
    """Load an encoder for questions and one for papers: DPR's own checkpoints, or any two whose [CLS] is the vector.

    Raises:
        ScirankError: there are not two, one cannot be loaded, or options do not fit.
    """
    from ..architectures.dpr import dpr

    parts = [part.strip() for part in ALIASES.get(name, name).removeprefix(PREFIX).split(",")]
    if len(parts) != 2 or not all(parts):
        raise ScirankError(f"model {name!r}: expected dpr:QUESTION_MODEL,PAPER_MODEL, two names or folders")
    if options.backend not in (None, "torch"):
        raise ScirankError(f"backend {options.backend} is not for two encoders; leave --backend out")
    questions, papers = map(_encoder, parts)
    model = dpr(questions, papers, device=options.device)
    used = (*(option for option in LOADED_WITH if option != "revision"), "backend")
    ranker = wrap_sentence_transformer(adjusted(model, options), name, RECORD.over(options), engine, used)
    ranker.record = RECORD
    return ranker


def _encoder(name: str) -> "Transformer":
    import transformers
    from sentence_transformers.base.modules import Transformer

    from ..architectures.bert import bert_encoder

    folder = full_name(local_name(name))
    with saying_what_failed(name):
        config = transformers.AutoConfig.from_pretrained(folder)
        if config.model_type != "dpr":
            return Transformer(folder)
        # Not AutoTokenizer: in transformers 5.0 DPR's own class minds case whatever the files say.
        tokenizer = transformers.BertTokenizer.from_pretrained(folder)
        weights = _bert_weights(name, folder, config)
    return bert_encoder(_bert_config(config), weights, tokenizer, name)


def _bert_weights(name: str, folder: str, config: Any) -> "Mapping[str, torch.Tensor]":
    """What stands in the one or the other of DPR's two classes, which AutoModel does not tell apart."""
    import transformers

    if config.projection_dim:
        raise ScirankError(f"model {name!r} projects to {config.projection_dim} dimensions, which is not supported")
    if "DPRContextEncoder" in (config.architectures or ()):
        network = transformers.DPRContextEncoder.from_pretrained(folder).ctx_encoder.bert_model
    elif "DPRQuestionEncoder" in (config.architectures or ()):
        network = transformers.DPRQuestionEncoder.from_pretrained(folder).question_encoder.bert_model
    else:
        raise ScirankError(
            f"model {name!r}: expected DPR's encoder of questions or papers, found {config.architectures}"
        )
    weights: Mapping[str, torch.Tensor] = network.state_dict()
    return weights


def _bert_config(config: Any) -> Any:
    from transformers import BertConfig

    known = set(BertConfig().to_dict()) - {"model_type", "architectures"}
    return BertConfig(**{name: value for name, value in config.to_dict().items() if name in known})
