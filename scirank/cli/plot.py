"""scirank plot."""

from pathlib import Path
from typing import Annotated

import typer

from ..choices import PlotName
from .app import app
from .options import DataDir
from .printing import comma_separated, tell
from .results import SavedResults


@app.command(epilog="Example: scirank plot differences results/scincl results/bm25 --out differences.pdf")
def plot(
    name: Annotated[
        PlotName,
        typer.Argument(
            help="groups: fields or topics with intervals; hits: Hit@K by K; differences: of two models by group; "
            "sources: which negatives stand above citations; speed: quality against time; calibration: scores and hits."
        ),
    ],
    results: SavedResults,
    out: Annotated[Path, typer.Option(help="The file: .svg, .pdf or .png.")],
    measure: Annotated[str | None, typer.Option(help="Such as map or hit_20; by default the published one.")] = None,
    pair: Annotated[str | None, typer.Option(help="differences: two models' names, comma-separated.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Draw results for a paper: readable in print, in grey, and by the colour-blind."""
    from .. import plots

    plots.check_plot(out)
    figure = plots.draw(name, results, measure=measure, pair=comma_separated(pair), data_dir=data_dir)
    plots.save(figure, out)
    tell([f"saved {out}"])
