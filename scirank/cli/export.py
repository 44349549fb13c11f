"""scirank export: a benchmark as a dataset repository."""

from pathlib import Path
from typing import Annotated

import typer

from ..choices import Benchmark, Layout, MissingText, Split
from .app import app
from .options import DataDir, Groups, MissingTextRule, QuoteRule
from .printing import comma_separated, silence_libraries, tell


@app.command(
    epilog="Examples: scirank export mdcr --to repository --data-dir data; scirank export oagqa --to beir --layout beir"
)
def export(
    benchmark: Annotated[Benchmark, typer.Argument(help="What is exported.")],
    to: Annotated[Path, typer.Option(help="The folder, which appears whole or not at all.")],
    data_dir: DataDir = None,
    layout: Annotated[
        Layout,
        typer.Option(help="A dataset repository in Parquet for the Hub, with MTEB's configs; or BEIR's JSON lines."),
    ] = Layout.HUB,
    groups: Groups = None,
    missing_text: MissingTextRule = MissingText.ERROR,
    quotes: QuoteRule = None,
    split: Annotated[
        Split | None, typer.Option(help="mdcr, beir: which split; test by default. The layout hub has all.")
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="mdcr, beir: all fields in one, rather than a folder a field.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier export in that folder.")] = False,
) -> None:
    """Write a benchmark as a folder that the Hub, datasets, pandas, DuckDB, MTEB or BEIR's tools read."""
    silence_libraries()
    from ..hub.export import export_dataset

    written = export_dataset(
        benchmark,
        to,
        data_dir=data_dir,
        layout=layout,
        groups=comma_separated(groups),
        missing_text=missing_text,
        quotes=quotes,
        split=split,
        whole=whole,
        overwrite=overwrite,
    )
    tell(f"note: {note}" for note in written.notes)
    tell([f"saved {written.folder}: {written.files:,} files, {written.bytes:,} bytes"])
