"""scirank compare and scirank show: results beside each other, and single queries of theirs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import app
from .options import DataDir, Format, Groups, Measures
from .printing import comma_separated, tell
from .results import SavedResults

if TYPE_CHECKING:
    from ..analysis import Comparison
    from ..benchmarks import Benchmark
    from ..results import Result


@app.command(epilog="Example: scirank compare results/scincl results/specter2 results/bm25 --queries 20")
def compare(
    results: SavedResults,
    measures: Measures = None,
    groups: Groups = None,
    format: Annotated[Format, typer.Option(help="csv and json have every number in full.")] = Format.TABLE,  # noqa: A002
    queries: Annotated[
        int,
        typer.Option(
            min=0, help="Also the queries that changed most, so many a pair, with the first papers of both models."
        ),
    ] = 0,
    data_dir: DataDir = None,
    resamples: Annotated[int, typer.Option(min=1, help="Of the bootstrap and of the test.")] = 10_000,
    confidence: Annotated[float, typer.Option(min=0.01, max=0.999, help="Of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the draws.")] = 0,
) -> None:
    """Say what the difference of results is worth: intervals, tests, what could be detected, by field or topic.

    Where the benchmark's files are at hand (--data-dir, or as `run` finds them): also titles and, of MDCR, queries
    by their abstracts and, from ranked lists, how often a negative of each source stands above a true citation.
    """
    from ..analysis import compare as compared

    found = compared(
        list(loaded(results).values()),
        measures=comma_separated(measures),
        groups=comma_separated(groups),
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
    if format is not Format.TABLE:
        from ..report.compared import FORMATS

        sys.stdout.write(FORMATS[format](found))
        tell(found.cautions)
        return
    _print(found, at_hand(found.first, data_dir), queries)


@app.command(epilog="Example: scirank show results/scincl results/bm25 --query 2064675550 --data-dir data")
def show(
    results: SavedResults,
    query: Annotated[str, typer.Option(help="The query's id.")],
    group: Annotated[str | None, typer.Option(help="Its field or topic, where an id is in several.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Papers of each model.")] = 10,
    data_dir: DataDir = None,
) -> None:
    """Show one query: its text, and what each model ranked for it. Needs results saved with --save-rankings."""
    from ..analysis.queries import view
    from ..report.query import print_query
    from ..report.terminal import console
    from ..results.comparability import check_comparable

    found = loaded(results, rankings=True)
    check_comparable(list(found.values()))
    benchmark = at_hand(next(iter(found.values())), data_dir)
    print_query(view(found, query, group, benchmark, top), console())


def loaded(folders: list[Path], rankings: bool = False) -> "dict[str, Result]":
    """Results by a name of their own, with their ranked lists where all have them, or all have to."""
    from ..analysis.comparison import named
    from ..results import Result
    from ..results.ranked_lists import FILE

    rankings = rankings or all((folder / FILE).is_file() for folder in folders)
    return named([Result.load(folder, rankings=rankings) for folder in folders])


def at_hand(result: "Result", data_dir: Path | None) -> "Benchmark | None":
    """The benchmark with its texts, unless that would take a download, or other files are where nobody named any."""
    from ..analysis.data import benchmark_of, needs_download

    if needs_download(result, data_dir):
        return None
    try:
        return benchmark_of(result, data_dir)
    except ValueError as error:
        if data_dir is not None:
            raise
        tell([f"texts are left out: {error}"])
        return None


def _print(found: "Comparison", benchmark: "Benchmark | None", queries: int) -> None:
    from ..analysis.queries import changes
    from ..analysis.subsets import subsets
    from ..report import comparing
    from ..report.changes import print_changes
    from ..report.page import sources_of
    from ..report.terminal import console

    comparing.print_comparison(found, console())
    if parts := subsets(found, benchmark):
        comparing.print_subsets(parts, found, console())
    if sources := sources_of(found, benchmark):
        comparing.print_confusion(sources, console())
    for pair in found.pairs if queries else ():
        print_changes(
            changes(found, *pair, most=queries), {name: found.results[name] for name in pair}, benchmark, console()
        )
    if benchmark is None:
        tell(["without the benchmark's files (--data-dir) there are no titles, abstracts and sources of candidates"])
