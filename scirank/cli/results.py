"""scirank verify, leaderboard and merge: results that are on disk."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from .app import app
from .options import Format
from .printing import print_results, tell

SavedResults = Annotated[list[Path], typer.Argument(help="Folders that `run --out` or `score --out` saved.")]


@app.command(epilog="Example: scirank verify results/bm25 results/all-MiniLM-L6-v2")
def verify(results: SavedResults) -> None:
    """Recompute every number of results: from single queries and, where they were saved, from the ranked lists."""
    from ..report.terminal import console
    from ..results.verifying import verify as checks_of

    sound = True
    for folder in results:
        console().print(str(folder), style="bold")
        for check in checks_of(folder):
            holds = "yes" if not check.wrong else f"NO, {len(check.wrong):,} do not"
            console().print(f"  {check.what}: {holds} ({check.compared:,} compared)", soft_wrap=True)
            for wrong in check.wrong[:5]:
                console().print(f"    {wrong}", soft_wrap=True)
            sound = sound and not check.wrong
    raise typer.Exit(0 if sound else 1)


@app.command(epilog="Example: scirank leaderboard results --format markdown")
def leaderboard(
    folder: Annotated[Path, typer.Argument(help="Where to look for results, also in folders inside.")],
    format: Annotated[Format, typer.Option(help="How to print it.")] = Format.TABLE,  # noqa: A002
) -> None:
    """Show every result under a folder, those that can be compared on one board, published rows beside them."""
    from ..analysis.leaderboard import leaderboard as boards_of
    from ..report import leaderboard as report

    boards, unreadable = boards_of(folder)
    if format is Format.TABLE:
        from ..report.terminal import console

        report.print_boards(boards, console())
    else:
        sys.stdout.write(report.FORMATS[format](boards))
    tell(f"not shown: {line}" for line in unreadable)


@app.command(epilog="Example: scirank merge part1/bm25 part2/bm25 --out results/bm25")
def merge(
    results: SavedResults,
    out: Annotated[Path, typer.Option(help="Folder to save the whole in.")],
    format: Annotated[Format, typer.Option(help="How to print it.")] = Format.TABLE,  # noqa: A002
    overwrite: Annotated[bool, typer.Option(help="Replace a result that is there.")] = False,
) -> None:
    """Put results of one model together that are of some fields or topics each."""
    from ..errors import ScirankError
    from ..results import Result
    from ..results.parts import merge as merged
    from ..results.ranked_lists import FILE

    if (out / "result.json").exists() and not overwrite:
        raise ScirankError(f"{out} holds a result; choose another --out, or --overwrite")
    rankings = all((folder / FILE).is_file() for folder in results)
    whole = merged([Result.load(folder, rankings=rankings) for folder in results])
    whole.save(out, rankings=rankings)
    print_results([whole], format)
    tell([f"saved {out}"])
