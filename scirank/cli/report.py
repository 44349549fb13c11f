"""scirank report."""

from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .compare import at_hand, loaded
from .options import DataDir, Groups, Measures
from .printing import comma_separated, tell
from .results import SavedResults


@app.command(epilog="Example: scirank report results/scincl results/bm25 --html report.html --data-dir data")
def report(
    results: SavedResults,
    html: Annotated[Path, typer.Option("--html", help="The file to write.")],
    measures: Measures = None,
    groups: Groups = None,
    top: Annotated[int, typer.Option(min=1, help="Papers of each model that are shown for a query.")] = 10,
    megabytes: Annotated[float, typer.Option(min=0.1, help="The most that the file may take, about.")] = 20,
    data_dir: DataDir = None,
) -> None:
    """Write one HTML file of results: tables that sort, plots, every query with what was ranked for it, provenance.

    Nothing is loaded from elsewhere. What was ranked is there where results were saved with --save-rankings; titles,
    abstracts and sources of candidates where the benchmark's files are at hand.
    """
    from ..analysis import compare
    from ..report.page import write_report

    found = compare(list(loaded(results).values()), measures=comma_separated(measures), groups=comma_separated(groups))
    write_report(html, found, at_hand(found.first, data_dir), top=top, limit=int(megabytes * 1_000_000))
    tell([*found.cautions, f"saved {html}"])
