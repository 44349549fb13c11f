"""scirank cite: whom to cite for results."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from .app import app
from .printing import tell
from .results import SavedResults


class Bibliography(StrEnum):
    """How citations are printed."""

    BIBTEX = "bibtex"


@app.command(epilog="Example: scirank cite results/scincl results/bm25 > references.bib")
def cite(
    results: SavedResults,
    format: Annotated[Bibliography, typer.Option(help="How to print them.")] = Bibliography.BIBTEX,  # noqa: A002
) -> None:
    """Print whom to cite: the benchmark, the models, and the tools that made the results."""
    from ..publishing import citations
    from ..results import Result

    found = citations([Result.load(folder) for folder in results])
    sys.stdout.write(found.bibtex)
    tell(found.remarks)
