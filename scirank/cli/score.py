"""scirank score."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..choices import Missing, NoRelevant, Ties
from .app import app
from .options import (
    BenchmarkFiles,
    DataDir,
    Disciplines,
    Format,
    Groups,
    Measures,
    Plot,
    Quiet,
    QuoteRule,
    SaveRankings,
    TieRule,
)
from .printing import check_plot, comma_separated, needs_out, print_results, refuse, require, save_plot, tell


@app.command(
    epilog="Examples: scirank score mdcr --benchmark-file mdcr_test.json --scores-file scincl_scores.json; "
    "scirank score oagqa --data-dir oagqa-topic-v2 --run my.run",
)
def score(
    benchmark: Annotated[BenchmarkFiles, typer.Argument(help="Which benchmark the files are of.")],
    benchmark_file: Annotated[
        str | None, typer.Option("--benchmark-file", "--benchmark_file", help="mdcr: mdcr_test.json or mdcr_val.json.")
    ] = None,
    scores_file: Annotated[
        str | None,
        typer.Option("--scores-file", "--scores_file", help='mdcr: JSON, {"queryid_candidateid": score, ...}.'),
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(help="oagqa: a TREC run, or JSON lines with question, ids, scores; repeated: parts of one."),
    ] = None,
    data_dir: DataDir = None,
    format: Annotated[Format, typer.Option(help="table is, of mdcr, upstream's layout, byte for byte.")] = Format.TABLE,  # noqa: A002
    missing: Annotated[
        Missing,
        typer.Option(
            help="A pair without a score, or a question without a ranking: refuse, rank below all others (nothing is "
            "found), or leave out."
        ),
    ] = Missing.ERROR,
    no_relevant: Annotated[
        NoRelevant, typer.Option(help="mdcr: a query that cites no candidate: zero is upstream's way.")
    ] = NoRelevant.ZERO,
    ties: TieRule = Ties.TREC,
    measures: Measures = None,
    groups: Groups = None,
    disciplines: Disciplines = None,
    quotes: QuoteRule = None,
    name: Annotated[str | None, typer.Option(help="oagqa: what to call the model; default: the files' names.")] = None,
    plot: Plot = None,
    out: Annotated[Path | None, typer.Option(help="Folder to save result.json and per_query.parquet in.")] = None,
    save_rankings: SaveRankings = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate scores of MDCR's pairs, as upstream's evaluate.py does, or rankings of OAG-QA's papers.

    The table goes to standard output; ties, missing and extra pairs are told on standard error.
    """
    import gc

    needs_out({"--save-rankings": save_rankings}, out)
    gc.disable()  # a short process that makes 500,000 small objects and frees none of them
    of_mdcr = {"--benchmark-file": benchmark_file, "--scores-file": scores_file}
    of_oagqa = {
        "--run": run,
        "--data-dir": data_dir,
        "--disciplines": disciplines,
        "--quotes": quotes,
        "--plot": plot,
        "--name": name,
    }
    if benchmark is BenchmarkFiles.MDCR:
        from ..scoring import score as score_files

        require(of_mdcr)
        refuse(of_oagqa, "oagqa")
        result = score_files(
            str(benchmark_file),
            str(scores_file),
            groups=comma_separated(groups),
            measures=comma_separated(measures),
            ties=ties,
            missing=missing,
            no_relevant=no_relevant,
        )
    else:
        from ..plots import check_calibration
        from ..question_scoring import score_run

        require({"--run": run})
        check_plot(plot)
        of_mdcr |= {"--ties": None if ties is Ties.TREC else ties}
        refuse(of_mdcr | {"--no-relevant": None if no_relevant is NoRelevant.ZERO else no_relevant}, "mdcr")
        result = score_run(
            run or [],
            benchmark,
            groups=comma_separated(groups),
            disciplines=comma_separated(disciplines),
            data_dir=data_dir,
            quotes=quotes,
            name=name,
            measures=comma_separated(measures),
            missing=missing,
        )
        if plot is not None:
            check_calibration(result)
    if format is Format.TABLE and benchmark is BenchmarkFiles.MDCR:
        from ..report.upstream import upstream_text

        sys.stdout.write(upstream_text(result, str(benchmark_file), str(scores_file)) + "\n")
    else:
        print_results([result], format)
    tell(() if quiet else result.notes)
    if out is not None:
        result.save(out, rankings=save_rankings)
    if plot is not None:
        save_plot([result], plot, quiet)
