"""scirank run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..choices import (
    Backend,
    Benchmark,
    Dtype,
    Engine,
    Kind,
    MissingText,
    NoRelevant,
    Pooling,
    Recipe,
    Similarity,
    Split,
    Ties,
)
from ..errors import counted
from .app import app
from .options import (
    CACHE_DIR,
    DataDir,
    Disciplines,
    Format,
    Groups,
    Measures,
    MissingTextRule,
    Plot,
    Quiet,
    QuoteRule,
    SaveRankings,
    TieRule,
)
from .printing import check_plot, comma_separated, needs_out, print_results, refuse, save_plot, silence_libraries, tell

MODEL = "Model"
ENCODING = "Encoding"

if TYPE_CHECKING:
    from ..benchmarks import Benchmark as Benchmarks
    from ..results import Result


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
    save_rankings: SaveRankings = False,
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
            help="scirepeval: CLS pooling, minus Euclidean distance, 512 tokens, as SPECTER2's published rows.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option(help="What the model is; default: what it was saved as.", rich_help_panel=MODEL)
    ] = None,
    first_stage: Annotated[
        str | None,
        typer.Option(help="oagqa: whose first papers a cross-encoder scores; default bm25.", rich_help_panel=MODEL),
    ] = None,
    rerank: Annotated[
        int | None, typer.Option(min=1, help="oagqa: how many of these; default 100.", rich_help_panel=MODEL)
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            help="Text of a paper; default '{title} {sep} {abstract}' with the model's separator; or dpr, colbert.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    query_template: Annotated[
        str | None, typer.Option(help="oagqa: text of a question, default '{question}'.", rich_help_panel=MODEL)
    ] = None,
    similarity: Annotated[
        Similarity | None, typer.Option(help="Default: the model's own.", rich_help_panel=MODEL)
    ] = None,
    pooling: Annotated[
        Pooling | None,
        typer.Option(help="Replaces the model's; checkpoints without one need it.", rich_help_panel=MODEL),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Option(
            help="Put before a paper's text; default: the model's prompt for documents.", rich_help_panel=MODEL
        ),
    ] = None,
    query_prompt: Annotated[
        str | None,
        typer.Option(
            help="oagqa: put before a question; default: the model's prompt for queries.", rich_help_panel=MODEL
        ),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Tokens a text is cut to.", rich_help_panel=MODEL)
    ] = None,
    dtype: Annotated[
        Dtype | None,
        typer.Option(
            help="Precision of computing; a lower one prints what it changes. Default: the model's.",
            rich_help_panel=ENCODING,
        ),
    ] = None,
    backend: Annotated[
        Backend | None, typer.Option(help="What computes; default torch.", rich_help_panel=ENCODING)
    ] = None,
    batch_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Tokens encoded together; default: what suits the device.", rich_help_panel=ENCODING),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="Such as cpu or cuda:0; with commas, several that work together: cuda:0,cuda:1.",
            rich_help_panel=ENCODING,
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            help="Encode part I/N of the texts into the cache and stop; auto: as torchrun or SLURM says.",
            rich_help_panel=ENCODING,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Count texts and tokens, say how long it would take, and stop.", rich_help_panel=ENCODING
        ),
    ] = False,
    engine: Annotated[
        Engine | None, typer.Option(help="ray: the workers of a Ray cluster encode.", rich_help_panel=ENCODING)
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(help="The cluster; else RAY_ADDRESS, else one on this machine.", rich_help_panel=ENCODING),
    ] = None,
    ray_workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many; default: one a graphics card, or one for four processors.", rich_help_panel=ENCODING
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep no vectors, use no kept ones.", rich_help_panel=ENCODING)
    ] = False,
    cache_dir: Annotated[Path | None, typer.Option(help=CACHE_DIR, rich_help_panel=ENCODING)] = None,
    revision: Annotated[
        str | None, typer.Option(help="The model's revision on the Hub.", rich_help_panel=MODEL)
    ] = None,
    seed: Annotated[int, typer.Option(help="For random.", rich_help_panel=MODEL)] = 0,
    missing_text: MissingTextRule = MissingText.ERROR,
    no_relevant: Annotated[NoRelevant, typer.Option(help="mdcr: a query that cites no candidate.")] = NoRelevant.ERROR,
    quiet: Quiet = False,
) -> None:
    """Rank a benchmark's papers with models and print the numbers, of MDCR beside the published ones."""
    from ..benchmarks import load_benchmark
    from ..fit import check_choices
    from ..options import model_options
    from ..runner import folder_name
    from ..runner import run as run_model

    saving = {"--save-scores": save_scores, "--save-run": save_run, "--save-rankings": save_rankings}
    needs_out(saving, out)
    chosen: dict[str, Any] = {
        "kind": kind,
        "first_stage": first_stage,
        "rerank": rerank,
        "template": template,
        "query_template": query_template,
        "similarity": similarity,
        "pooling": pooling,
        "prompt": prompt,
        "query_prompt": query_prompt,
        "max_length": max_length,
        "dtype": dtype,
        "backend": backend,
        "batch_tokens": batch_tokens,
        "device": device,
        "engine": engine,
        "ray_address": ray_address,
        "ray_workers": ray_workers,
        "cache": not no_cache,
        "cache_dir": cache_dir,
        "revision": revision,
        "seed": seed,
    }
    wanted = comma_separated(measures)
    options = model_options(like, **chosen)
    check_choices(benchmark, benchmark.asks_questions, options, wanted, ties, no_relevant, save_scores)
    if not benchmark.asks_questions:
        refuse({"--plot": plot}, "oagqa")
    check_plot(plot)
    names = _names(models)
    silence_libraries()
    data = load_benchmark(
        benchmark,
        split=split,
        groups=comma_separated(groups),
        data_dir=data_dir,
        missing_text=missing_text,
        disciplines=comma_separated(disciplines),
        top_k=top_k,
        quotes=quotes,
    )
    if shard is not None or dry_run:
        _prepare(models, data, shard, dry_run, quiet, {"like": like, **chosen})
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
                    save_rankings=save_rankings,
                    overwrite=overwrite,
                    like=like,
                    quiet=quiet,
                    **chosen,
                )
                done.append(result)
                if out is not None and not quiet:
                    tell([f"saved {out / folder_name(name)}"])
    finally:  # what is done is shown whatever happens to the rest
        if done:
            print_results(done, format)
        if done and plot is not None:
            save_plot(done, plot, quiet)
    raise typer.Exit(0 if len(done) == len(models) else 1)


def _prepare(
    models: list[str], data: "Benchmarks", shard: str | None, dry_run: bool, quiet: bool, options: dict[str, Any]
) -> None:
    """Encode one part, or say what that would take."""
    from .. import preparing

    done = 0
    for model, name in zip(models, _names(models), strict=True):
        with _whatever_it_raises(name):
            if dry_run:
                from ..report.estimates import print_estimates

                print_estimates(name, preparing.estimate(model, data, shard=shard, quiet=quiet, **options))
            else:
                texts = preparing.encode(model, data, shard=shard, quiet=quiet, **options)
                told = f"{name}: part {shard} is there; {counted(texts, 'text was', 'texts were')} missing"
                tell([] if quiet else [told])
            done += 1
    raise typer.Exit(0 if done == len(models) else 1)


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
        tell([f"error: {model}: {kind}{error}{more}"])


def _names(models: list[str]) -> list[str]:
    """What each model is called in results: folders of the same name by the way to them."""
    from ..errors import ScirankError
    from ..models import model_name
    from ..runner import folder_name

    short = [model_name(model) for model in models]
    names = [model if short.count(name) > 1 else name for model, name in zip(models, short, strict=True)]
    if len({folder_name(name) for name in names}) < len(names):
        raise ScirankError(f"two models would both be saved under one name: {', '.join(names)}; run them apart")
    return names
