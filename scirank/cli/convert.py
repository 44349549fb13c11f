"""scirank convert."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import Quiet
from .printing import silence_libraries, tell

ARCHITECTURES = {"dpr": "DPR", "colbert": "ColBERT"}
METHODS = {"ft": "fine-tuned", "pt2": "P-Tuning v2"}


@app.command(epilog="Example: scirank convert dpr_biencoder.39.1045 --to dpr-pt2")
def convert(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A checkpoint of PT-Retrieval, facebookresearch/DPR or ColBERT v1.")
    ],
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the model is saved.")],
    base: Annotated[
        str, typer.Option(help="The model that it was trained from: a name on the Hub, a folder, or minilm.")
    ] = "bert-base-uncased",
    revision: Annotated[str | None, typer.Option(help="Of a base model on the Hub.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model that is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Turn an original checkpoint into a folder that sentence-transformers and `scirank run` load.

    What it is follows from the file. Nothing in a file is run: only weights and plain values are read.
    """
    import shlex

    from ..convert.conversion import convert as convert_file

    silence_libraries()
    made = convert_file(file, to, base=base, revision=revision, overwrite=overwrite)
    record = made.record
    every, own = made.parameters["all"], made.parameters["trained"]
    kept = "" if own == every else f", {own:,} of them the file's"
    sys.stdout.write(
        f"{ARCHITECTURES[record.architecture]}, {METHODS[record.method]}: {every:,} parameters{kept}\nsaved {to}\n"
    )
    tell([] if quiet else made.notes)
    tell([] if quiet else [f"next: scirank run {shlex.quote(str(to))} --benchmark oagqa"])
