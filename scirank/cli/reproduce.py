"""scirank reproduce."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .app import app


class Reproduction(StrEnum):
    """What can be reproduced."""

    MDCR_SCINCL = "mdcr-scincl"


@app.command(epilog="Example: scirank reproduce mdcr-scincl --data-dir data")
def reproduce(
    what: Annotated[Reproduction, typer.Argument(help="Whose published table.")],
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Folder with mdcr_test.json and scincl_scores.json; else MDCR_DATA_DIR, else a download."),
    ] = None,
) -> None:
    """Score upstream's own file and say, field by field, whether the published table comes out.

    The exit code is 0 if every printed digit is the same, else 1.
    """
    from ..report.comparison import comparison_table
    from ..report.terminal import console
    from ..reproduce import reproduce_scincl

    rows = reproduce_scincl(data_dir)
    same = sum(row.same for row in rows)
    console().print(comparison_table(rows))
    console().print(f"{same} of {len(rows)} published rows of SciNCL come out to the last digit")
    raise typer.Exit(0 if same == len(rows) else 1)
