"""scirank cache."""

import sys
import time
from typing import Annotated

import typer

from ..errors import counted
from .app import app
from .options import CacheDir
from .printing import tell

commands = typer.Typer(help="Look after kept vectors.", no_args_is_help=True)
app.add_typer(commands, name="cache")


@commands.command()
def info(cache_dir: CacheDir = None) -> None:
    """Say what is kept, and where."""
    from rich.table import Table

    from ..embeddings.maintenance import held
    from ..embeddings.store import cache_folder
    from ..progress import duration
    from ..report.estimates import size
    from ..report.terminal import console

    cache = cache_folder(cache_dir)
    stores = held(cache)
    table = Table("model", "role", "dtype", "texts", "files", "disk", "last used", "folder", box=None)
    for column in table.columns[3:6]:
        column.justify = "right"
    for each in stores:
        facts = [each.fact(name) for name in ("model", "role", "dtype")]
        used = f"{duration(max(0.0, time.time() - each.used))} ago"
        table.add_row(*facts, f"{each.texts:,}", f"{each.files:,}", size(each.size), used, each.store.folder.name)
    if stores:
        console().print(table)
    console().print(f"{cache}: {size(sum(each.size for each in stores))}", markup=False)


@commands.command()
def verify(
    cache_dir: CacheDir = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove what is damaged; a run encodes it again.")] = False,
) -> None:
    """Read everything, and name what is not as it was written; the exit status is then 1."""
    from ..embeddings.maintenance import damaged, held
    from ..embeddings.store import cache_folder

    cache = cache_folder(cache_dir)
    found = 0
    for path, how in damaged(cache):
        found += 1
        tell([how])
        if remove:
            path.unlink(missing_ok=True)
    files = sum(each.files for each in held(cache)) + (found if remove else 0)
    fate = ", removed" if found and remove else ""
    sys.stdout.write(f"{cache}: {counted(files, 'file', 'files')}, {found} damaged{fate}\n")
    raise typer.Exit(1 if found and not remove else 0)


@commands.command(epilog="Example: scirank cache prune --older-than 30")
def prune(
    cache_dir: CacheDir = None,
    older_than: Annotated[float | None, typer.Option(min=0, help="Days since they were used last.")] = None,
    max_size: Annotated[
        float | None, typer.Option(min=0, help="GB that may stay; what was used longest ago goes first.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Of this model only.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove kept vectors: those that fit all that is said."""
    from ..embeddings.maintenance import prune as prune_stores
    from ..embeddings.store import cache_folder
    from ..report.estimates import size

    largest = None if max_size is None else round(max_size * 1e9)
    gone = prune_stores(cache_folder(cache_dir), older_than, largest, model, dry_run)
    for each in gone:
        sys.stdout.write(f"{each.store.folder}: {counted(each.texts, 'text', 'texts')}, {size(each.size)}\n")
    what = "would be removed" if dry_run else "removed"
    sys.stdout.write(f"{counted(len(gone), 'store', 'stores')}, {size(sum(e.size for e in gone))} {what}\n")
