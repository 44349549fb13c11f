"""scirank prepare: names that work without an import."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..hub.prepared import Part
from .app import app
from .options import DataDir, Quiet, QuoteRule
from .printing import silence_libraries, tell

if TYPE_CHECKING:
    from ..hub.prepared import Prepared


@app.command(epilog="Example: scirank prepare mdcr --data-dir data/mdcr; then load_dataset('mdcr', 'Biology') anywhere")
def prepare(
    what: Annotated[Part | None, typer.Argument(help="What to prepare.", show_default=False)] = None,
    data_dir: DataDir = None,
    quotes: QuoteRule = None,
    force: Annotated[bool, typer.Option("--force", help="Prepare anew even what is up to date.")] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Only say what is there, from where, by what, and whether it is stale.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Fill the Hugging Face caches once, so that load_dataset and evaluate.load know the names without an import."""
    if what is None and not status:
        raise typer.BadParameter(f"missing what to prepare: {', '.join(Part)}")
    if status and (
        given := [n for n, v in {"--data-dir": data_dir, "--quotes": quotes, "--force": force}.items() if v]
    ):
        raise typer.BadParameter(f"{' and '.join(given)}: --status prepares nothing")
    silence_libraries()
    from ..hub import prepare as hub

    if status:
        print_prepared(hub.status(what or Part.ALL))
    else:
        done = hub.prepare(what or Part.ALL, data_dir, quotes=quotes, force=force, quiet=quiet)
        if not quiet:
            print_prepared(done)


def print_prepared(prepared: "list[Prepared]") -> None:
    """One table, and a line for what is stale."""
    from rich.table import Table

    from ..report.estimates import size
    from ..report.terminal import console

    table = Table("name", "state", "configs", "rows of all", "disk", "prepared", "by", "from", box=None)
    table.columns[2].justify = table.columns[4].justify = "right"
    for each in prepared:
        record = each.record
        if record is None:
            table.add_row(each.name, each.state)
            continue
        rows = ", ".join(f"{split} {count:,}" for split, count in record.configs.get("all", {}).items())
        configs = str(len(record.configs) or "")
        by = ", ".join(f"{package} {version}" for package, version in record.packages.items())
        source = "" if not record.configs else record.source or "a download"
        table.add_row(each.name, each.state, configs, rows, size(each.size), record.time, by, source)
    console().print(table)
    for folder in dict.fromkeys(each.folder.parent for each in prepared if each.record):
        held = sum(each.size for each in prepared if each.folder.parent == folder)
        console().print(f"{folder}: {size(held)}", soft_wrap=True)
    tell(f"{each.name} is stale: {each.why}; {_again(each)}" for each in prepared if each.why)


def _again(stale: "Prepared") -> str:
    import shlex

    record = stale.record
    options = []
    if record is not None and record.source is not None:
        options += ["--data-dir", record.source]
    if record is not None and record.quotes is not None:
        options += ["--quotes", record.quotes]
    what = "metric" if stale.name == "mdcr_metric" else stale.name
    return "run " + shlex.join(["scirank", "prepare", what, *options])
