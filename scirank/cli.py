"""The command line: parses, calls, prints. Everything heavy is imported where it is needed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .choices import (
    Benchmark,
    Missing,
    MissingText,
    NoRelevant,
    Pooling,
    Quotes,
    Recipe,
    Similarity,
    Split,
    Ties,
)

if TYPE_CHECKING:
    from .results import Result

app = typer.Typer(
    name="scirank",
    help="Evaluate scientific-text models: MDCR, citation recommendation in 19 fields; OAG-QA, questions in 87 topics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Example: scirank run minilm bm25 random --benchmark mdcr-mini",
)


class BenchmarkFiles(StrEnum):
    """Benchmarks whose files can be scored or audited."""

    MDCR = "mdcr"
    OAGQA = "oagqa"
    OAGQA_MINI = "oagqa-mini"


class Reproduction(StrEnum):
    """What can be reproduced."""

    MDCR_SCINCL = "mdcr-scincl"


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    LATEX = "latex"
    MARKDOWN = "markdown"


DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder with upstream's files, or OAG-QA's zip; else MDCR_DATA_DIR or OAGQA_DATA_DIR, else a download."
    ),
]
Measures = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated; mdcr: map, ndcg, recall, precision, success, mrr, with or without _K; "
        "oagqa: hit_K, recall_K, mrr. Default: the published ones."
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        "--fields",
        "--topics",
        help="Comma-separated fields or topics, such as 'Art,Biology' or 'optics'; all by default.",
    ),
]
Disciplines = Annotated[
    str | None, typer.Option(help="oagqa: also the topics of these disciplines, such as 'physics,algebra'.")
]
QuoteRule = Annotated[
    Quotes | None,
    typer.Option(
        help="oagqa: a stray quote that swallows rows: refuse, end rows with lines (literal), or lose them as upstream."
    ),
]
Plot = Annotated[Path | None, typer.Option(help="oagqa: save a reliability plot, .png, .pdf or .svg.")]
TieRule = Annotated[Ties, typer.Option(help="mdcr: how equal scores are ordered; trec is what published tables used.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]


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
    quiet: Quiet = False,
) -> None:
    """Evaluate scores of MDCR's pairs, as upstream's evaluate.py does, or rankings of OAG-QA's papers.

    The table goes to standard output; ties, missing and extra pairs are told on standard error.
    """
    import gc

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
        from .scoring import score as score_files

        _require(of_mdcr)
        _refuse(of_oagqa, "oagqa")
        result = score_files(
            str(benchmark_file),
            str(scores_file),
            groups=_comma_separated(groups),
            measures=_comma_separated(measures),
            ties=ties,
            missing=missing,
            no_relevant=no_relevant,
        )
    else:
        from .question_scoring import score_run
        from .report.plots import check_calibration

        _require({"--run": run})
        _check_plot(plot)
        of_mdcr |= {"--ties": None if ties is Ties.TREC else ties}
        _refuse(of_mdcr | {"--no-relevant": None if no_relevant is NoRelevant.ZERO else no_relevant}, "mdcr")
        result = score_run(
            run or [],
            benchmark,
            groups=_comma_separated(groups),
            disciplines=_comma_separated(disciplines),
            data_dir=data_dir,
            quotes=quotes,
            name=name,
            measures=_comma_separated(measures),
            missing=missing,
        )
        if plot is not None:
            check_calibration(result)
    if format is Format.TABLE and benchmark is BenchmarkFiles.MDCR:
        from .report.upstream import upstream_text

        sys.stdout.write(upstream_text(result, str(benchmark_file), str(scores_file)) + "\n")
    else:
        _print_results([result], format)
    _tell(() if quiet else result.notes)
    if out is not None:
        result.save(out)
    if plot is not None:
        _save_plot([result], plot, quiet)


@app.command(epilog="Example: scirank run allenai/specter2_base bm25 --benchmark mdcr --out results")
def run(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...",
            help="bm25, random, minilm, a sentence-transformers name or folder, or module:factory for any encoder.",
        ),
    ],
    benchmark: Annotated[Benchmark, typer.Option(help="What to run on.")] = Benchmark.MDCR,
    split: Annotated[Split, typer.Option(help="mdcr: which split.")] = Split.TEST,
    groups: Groups = None,
    disciplines: Disciplines = None,
    top_k: Annotated[int | None, typer.Option(min=1, help="oagqa: papers kept of a ranking; default 100.")] = None,
    quotes: QuoteRule = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None, typer.Option(help="Save OUT/MODEL/result.json and per_query.parquet as each model ends.")
    ] = None,
    save_scores: Annotated[
        bool,
        typer.Option("--save-scores", help="mdcr: also save scores.json, for `scirank score` and upstream's script."),
    ] = False,
    save_run: Annotated[
        bool, typer.Option("--save-run", help="Also save run.trec and qrels.trec, for trec_eval, ir_measures and such.")
    ] = False,
    plot: Plot = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a saved result that was made in another way.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print the numbers.")] = Format.TABLE,  # noqa: A002
    measures: Measures = None,
    ties: TieRule = Ties.TREC,
    like: Annotated[
        Recipe | None,
        typer.Option(
            help="scirepeval: CLS pooling, minus Euclidean distance, 512 tokens, as SPECTER2's published rows."
        ),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            help="Text of a paper, default '{title} {sep} {abstract}'; {sep} is the model's separator; or dpr, colbert."
        ),
    ] = None,
    query_template: Annotated[str | None, typer.Option(help="oagqa: text of a question, default '{question}'.")] = None,
    similarity: Annotated[Similarity | None, typer.Option(help="Default: the model's own.")] = None,
    pooling: Annotated[
        Pooling | None, typer.Option(help="Replaces the model's; checkpoints without one need it.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Put before a paper's text; default: the model's prompt for documents.")
    ] = None,
    query_prompt: Annotated[
        str | None, typer.Option(help="oagqa: put before a question; default: the model's prompt for queries.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Tokens a text is cut to.")] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Texts encoded together.")] = 32,
    device: Annotated[str | None, typer.Option(help="Such as cpu or cuda:0.")] = None,
    revision: Annotated[str | None, typer.Option(help="The model's revision on the Hub.")] = None,
    seed: Annotated[int, typer.Option(help="For random.")] = 0,
    missing_text: Annotated[
        MissingText,
        typer.Option(help="mdcr: a listed paper without a record: refuse, take its text as empty, or leave it out."),
    ] = MissingText.ERROR,
    no_relevant: Annotated[NoRelevant, typer.Option(help="mdcr: a query that cites no candidate.")] = NoRelevant.ERROR,
    quiet: Quiet = False,
) -> None:
    """Rank a benchmark's papers with models and print the numbers, of MDCR beside the published ones."""
    from .benchmarks import load_benchmark
    from .fit import check_choices
    from .runner import folder_name, model_options
    from .runner import run as run_model

    if (save_scores or save_run) and out is None:
        raise typer.BadParameter("--save-scores and --save-run need --out")
    chosen: dict[str, Any] = {
        "template": template,
        "query_template": query_template,
        "similarity": similarity,
        "pooling": pooling,
        "prompt": prompt,
        "query_prompt": query_prompt,
        "max_length": max_length,
        "batch_size": batch_size,
        "device": device,
        "revision": revision,
        "seed": seed,
    }
    wanted = _comma_separated(measures)
    options = model_options(like, **chosen)
    check_choices(benchmark, benchmark.asks_questions, options, wanted, ties, no_relevant, save_scores)
    if not benchmark.asks_questions:
        _refuse({"--plot": plot}, "oagqa")
    _check_plot(plot)
    names = _names(models)
    _silence_libraries()
    data = load_benchmark(
        benchmark,
        split=split,
        groups=_comma_separated(groups),
        data_dir=data_dir,
        missing_text=missing_text,
        disciplines=_comma_separated(disciplines),
        top_k=top_k,
        quotes=quotes,
    )
    done: list[Result] = []
    try:
        for model, name in zip(models, names, strict=True):
            # A model that fails takes nothing from the others.
            with _whatever_it_raises(name):
                result = run_model(
                    model,
                    data,
                    name=name,
                    out=out,
                    measures=wanted,
                    ties=ties,
                    no_relevant=no_relevant,
                    save_scores=save_scores,
                    save_run=save_run,
                    overwrite=overwrite,
                    like=like,
                    quiet=quiet,
                    **chosen,
                )
                done.append(result)
                if out is not None and not quiet:
                    _tell([f"saved {out / folder_name(name)}"])
    finally:  # what is done is shown whatever happens to the rest
        if done:
            _print_results(done, format)
        if done and plot is not None:
            _save_plot(done, plot, quiet)
    raise typer.Exit(0 if len(done) == len(models) else 1)


@app.command(epilog="Examples: scirank audit mdcr --data-dir data; scirank audit oagqa --data-dir oagqa-topic-v2")
def audit(
    benchmark: Annotated[BenchmarkFiles, typer.Argument(help="Which benchmark the files are of.")],
    data_dir: DataDir = None,
    split: Annotated[Split | None, typer.Option(help="mdcr: one split; by default all that the folder holds.")] = None,
    topics: Annotated[str | None, typer.Option(help="oagqa: comma-separated topics; all by default.")] = None,
    disciplines: Disciplines = None,
) -> None:
    """Count what the files hold, and what is odd in them: duplicates, ids and answers without a record, and more."""
    from .report.terminal import console

    if benchmark is BenchmarkFiles.MDCR:
        from .audit_mdcr import audit_mdcr
        from .report.audit_mdcr import audit_tables as mdcr_tables

        _refuse({"--topics": topics, "--disciplines": disciplines}, "oagqa")
        for found in audit_mdcr(data_dir, split):
            console().print(*mdcr_tables(found), sep="\n")
    else:
        from .audit_oagqa import audit_oagqa
        from .report.audit_oagqa import audit_tables as oagqa_tables

        _refuse({"--split": split}, "mdcr")
        if benchmark is BenchmarkFiles.OAGQA_MINI:
            from oagqa_dataset import MINI

            _refuse({"--data-dir": data_dir}, "oagqa; the small one comes with the package")
            data_dir = MINI
        found_topics = audit_oagqa(data_dir, _comma_separated(topics), _comma_separated(disciplines))
        console().print(*oagqa_tables(found_topics), sep="\n")


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
    from .report.comparison import comparison_table
    from .report.terminal import console
    from .reproduce import reproduce_scincl

    rows = reproduce_scincl(data_dir)
    same = sum(row.same for row in rows)
    console().print(comparison_table(rows))
    console().print(f"{same} of {len(rows)} published rows of SciNCL come out to the last digit")
    raise typer.Exit(0 if same == len(rows) else 1)


@app.callback(invoke_without_command=True)
def _root(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if show:
        from .version import __version__

        sys.stdout.write(f"scirank {__version__}\n")
        raise typer.Exit


def main() -> None:
    """Run the command line; an error that the user can mend is one message, not a traceback."""
    with _one_message():
        app()


@contextmanager
def _one_message() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # The reader of a pipe has gone; what remains cannot be flushed to it either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError) as error:
        if os.environ.get("SCIRANK_TRACEBACK"):
            raise
        _tell([f"error: {error}"])
        sys.exit(1)


@contextmanager
def _whatever_it_raises(model: str) -> Iterator[None]:
    """Tell what went wrong with a model, whose code may raise anything, and go on."""
    try:
        yield
    except Exception as error:
        if os.environ.get("SCIRANK_TRACEBACK"):
            raise
        kind = "" if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: "
        more = kind and " (SCIRANK_TRACEBACK=1 shows where)"
        _tell([f"error: {model}: {kind}{error}{more}"])


def _names(models: list[str]) -> list[str]:
    """What each model is called in results: folders of the same name by the way to them."""
    from .errors import ScirankError
    from .models import model_name
    from .runner import folder_name

    short = [model_name(model) for model in models]
    names = [model if short.count(name) > 1 else name for model, name in zip(models, short, strict=True)]
    if len({folder_name(name) for name in names}) < len(names):
        raise ScirankError(f"two models would both be saved under one name: {', '.join(names)}; run them apart")
    return names


def _require(options: dict[str, Any]) -> None:
    if absent := [name for name, value in options.items() if not value]:
        raise typer.BadParameter(f"missing {' and '.join(absent)}")


def _refuse(options: dict[str, Any], benchmark: str) -> None:
    if given := [name for name, value in options.items() if value]:
        raise typer.BadParameter(f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for {benchmark}")


def _check_plot(plot: Path | None) -> None:
    if plot is not None:
        from .report.plots import check_plot

        check_plot(plot)


def _save_plot(results: "list[Result]", path: Path, quiet: bool) -> None:
    from .report.plots import save_reliability

    save_reliability(results, path)
    _tell([] if quiet else [f"saved {path}"])


def _comma_separated(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def _tell(lines: Any) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n")


def _print_results(results: "list[Result]", format: Format) -> None:  # noqa: A002
    if format is Format.TABLE:
        from .report.terminal import console, print_results

        print_results(results, console())
    else:
        from .report.formats import FORMATS

        sys.stdout.write(FORMATS[format](results))


def _silence_libraries() -> None:
    """The bars and remarks of the libraries would stand among our own lines."""
    import logging

    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
