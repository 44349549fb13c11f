"""A checkpoint turned into a model's folder."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..architectures.colbert import PAPER_TOKENS, QUERY_TOKENS, colbert
from ..architectures.dpr import TOKENS, dpr
from ..choices import Architecture
from ..errors import ScirankError
from ..models.embedded import lasting_name
from ..models.facts import parameters_of
from ..models.record import Record, refuse_existing, write_record
from ..results import sha256_of_file
from ..results.files import whole_folder
from .checkpoint import Checkpoint, Encoder, recognise
from .networks import prefixed_network, whole_network
from .reading import read_checkpoint

if TYPE_CHECKING:
    from sentence_transformers.base.model import BaseModel
    from sentence_transformers.base.modules import Transformer

BASE = "bert-base-uncased"


@dataclass(frozen=True)
class Converted:
    """What was made of a file.

    Attributes:
        folder: where the model is.
        record: what it is and where it came from.
        parameters: how many it has (`all`), and how many of them are the file's (`trained`), not the base model's.
        notes: what its user should know.
    """

    folder: Path
    record: Record
    parameters: Mapping[str, int]
    notes: tuple[str, ...]


def convert(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    base: str = BASE,
    revision: str | None = None,
    overwrite: bool = False,
) -> Converted:
    """Make a model's folder of a checkpoint of THUDM/P-tuning-v2 (PT-Retrieval), facebookresearch/DPR or ColBERT v1.

    Args:
        path: the file; what it is follows from the names of its weights.
        out: the folder, which appears whole or not at all.
        base: the model that it was trained from: a name on the Hub, a folder, or `minilm`.
        revision: of a base model on the Hub.
        overwrite: replace a model that is there.

    Raises:
        ScirankError: the file is of another kind, does not fit the base model, or the folder is there already.
    """
    folder = Path(os.path.abspath(out))
    refuse_existing(folder, overwrite)
    file = Path(path)
    checkpoint = recognise(file, read_checkpoint(file))
    base = lasting_name(base)
    model = (_dpr if checkpoint.architecture is Architecture.DPR else _colbert)(checkpoint, base, revision)
    source = {
        "file": file.name,
        "sha256": sha256_of_file(file),
        **checkpoint.progress,
        "settings": checkpoint.settings,
        "base": base,
        "base_revision": getattr(getattr(model.transformers_model, "config", None), "_commit_hash", None) or revision,
    }
    architecture = checkpoint.architecture
    record = Record(architecture, checkpoint.method, template=architecture, source={"converted_from": source})
    with whole_folder(folder) as new:
        model.save_pretrained(str(new), create_model_card=False)
        write_record(new, record)
    return Converted(folder, record, parameters_of(model), tuple(_notes(checkpoint, base, model)))


def _dpr(checkpoint: Checkpoint, base: str, revision: str | None) -> "BaseModel":
    tokens = _number(checkpoint, "sequence_length", TOKENS)
    questions, papers = (_network(checkpoint, encoder, base, revision) for encoder in checkpoint.encoders)
    return dpr(questions, papers, query_tokens=tokens, paper_tokens=tokens, device="cpu")


def _colbert(checkpoint: Checkpoint, base: str, revision: str | None) -> "BaseModel":
    projection = checkpoint.projection
    encoder = _network(checkpoint, checkpoint.encoders[0], base, revision)
    hidden = encoder.get_embedding_dimension()
    if projection is None or projection.dim() != 2 or projection.shape[1] != hidden:
        raise ScirankError(
            f"{checkpoint.path}: expected linear.weight of shape (dimensions, {hidden}), as {base!r} has"
        )
    return colbert(
        encoder,
        projection.float(),
        query_tokens=_number(checkpoint, "query_maxlen", QUERY_TOKENS),
        paper_tokens=_number(checkpoint, "doc_maxlen", PAPER_TOKENS),
        device="cpu",
    )


def _network(checkpoint: Checkpoint, encoder: Encoder, base: str, revision: str | None) -> "Transformer":
    if encoder.prefix is None:
        return whole_network(checkpoint.path, encoder, base, revision)
    offset = checkpoint.architecture is Architecture.COLBERT
    return prefixed_network(checkpoint.path, encoder, base, revision, position_offset=offset)


def _number(checkpoint: Checkpoint, name: str, default: int) -> int:
    value = checkpoint.settings.get(name)
    return value if type(value) is int and value > 0 else default


def _notes(checkpoint: Checkpoint, base: str, model: "BaseModel") -> Iterator[str]:
    settings = checkpoint.settings
    trained_from = settings.get("pretrained_model_cfg")
    if isinstance(trained_from, str) and Path(trained_from).name != Path(base).name:
        yield f"the file says that it was trained from {trained_from}; the base model is {base}"
    if checkpoint.architecture is Architecture.DPR:
        lower = settings.get("do_lower_case")
        lowers = model.tokenizer.tokenize("A") == model.tokenizer.tokenize("a")
        if lower is not None and bool(lower) != lowers:
            does = "ignores case" if lowers else "minds case"
            yield f"the file says do_lower_case={lower}, but the base model's tokenizer {does}, and is used as it is"
        return
    if settings.get("similarity") == "l2":
        yield (
            "trained with l2, scored with the dot product, as upstream does; for vectors of length 1 the order is the "
            "same, but a paper's punctuation was worth -1 in training and is worth 0 or nothing in scoring"
        )
    if settings.get("mask_punctuation") is False:
        yield "trained with punctuation; here a paper's punctuation does not score, as in upstream's evaluation"
    if (tokens := _number(checkpoint, "doc_maxlen", PAPER_TOKENS)) != PAPER_TOKENS:
        yield (
            f"papers are cut at {tokens} tokens, as in training; upstream's evaluation takes {PAPER_TOKENS} "
            "(document_length in sentence_bert_config.json)"
        )
