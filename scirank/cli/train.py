"""scirank train."""

from pathlib import Path
from typing import Annotated

import typer

from ..choices import Architecture, Benchmark, Dtype, Method, MissingText, Schedule
from .app import app
from .options import DataDir, Disciplines, Format, Groups, MissingTextRule, QuerySource, Quiet, QuoteRule
from .printing import comma_separated, print_results, silence_libraries, tell

DATA = "Data"
SETTINGS = "Settings (default: upstream's)"


@app.command(epilog="Example: scirank train dpr --method pt2 --held-out optics --out models/dpr-pt2")
def train(
    architecture: Annotated[
        Architecture, typer.Argument(help="Two encoders and a vector a text, or a vector a token.")
    ],
    out: Annotated[Path, typer.Option(file_okay=False, help="The model's folder.")],
    method: Annotated[
        Method, typer.Option(help="ft: all weights; pt2: P-Tuning v2, prefixes (and ColBERT's projection) only.")
    ] = Method.FT,
    base: Annotated[
        str, typer.Option(help="What is trained: a name on the Hub, a folder, or minilm.")
    ] = "bert-base-uncased",
    revision: Annotated[str | None, typer.Option(help="The base's revision on the Hub.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint of a training that did not end.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace the model's folder, and checkpoints of a training that did not end."),
    ] = False,
    device: Annotated[str | None, typer.Option(help="cpu, to keep off graphics cards.")] = None,
    format: Annotated[Format, typer.Option(help="How to print what came out.")] = Format.TABLE,  # noqa: A002
    quiet: Quiet = False,
    benchmark: Annotated[
        Benchmark, typer.Option(help="oagqa's questions, or mdcr's validation split.", rich_help_panel=DATA)
    ] = Benchmark.OAGQA,
    groups: Groups = None,
    disciplines: Disciplines = None,
    held_out: Annotated[
        str | None,
        typer.Option(help="Topics, or fields of mdcr's test split, to evaluate in the end.", rich_help_panel=DATA),
    ] = None,
    watch: Annotated[
        str | None,
        typer.Option(
            help="Topics, or fields of mdcr's validation split, to evaluate while training.", rich_help_panel=DATA
        ),
    ] = None,
    watch_steps: Annotated[
        int | None, typer.Option(min=1, help="After how many steps; default: each epoch.", rich_help_panel=DATA)
    ] = None,
    allow_seen: Annotated[
        bool,
        typer.Option("--allow-seen", help="Train also on queries that are evaluated in the end.", rich_help_panel=DATA),
    ] = False,
    examples: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="Training queries with their negatives, as scirank mine or DPR's tools save them.",
            rich_help_panel=DATA,
        ),
    ] = None,
    data_dir: DataDir = None,
    source: QuerySource = None,
    quotes: QuoteRule = None,
    missing_text: MissingTextRule = MissingText.ERROR,
    learning_rate: Annotated[
        float | None, typer.Option(help="AdamW's, at its highest.", rich_help_panel=SETTINGS)
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Queries together, a device.", rich_help_panel=SETTINGS)
    ] = None,
    mini_batch: Annotated[
        int | None,
        typer.Option(help="Texts together in memory (GradCache), for large batches.", rich_help_panel=SETTINGS),
    ] = None,
    epochs: Annotated[
        float | None, typer.Option(help="Times that each pair is seen.", rich_help_panel=SETTINGS)
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Batches, in place of epochs.", rich_help_panel=SETTINGS)] = None,
    warmup: Annotated[
        float | None, typer.Option(help="Part of the steps in which the rate rises.", rich_help_panel=SETTINGS)
    ] = None,
    schedule: Annotated[Schedule | None, typer.Option(help="Of the rate afterwards.", rich_help_panel=SETTINGS)] = None,
    clip: Annotated[float | None, typer.Option(help="Largest norm of the gradient.", rich_help_panel=SETTINGS)] = None,
    hard_negatives: Annotated[
        int | None, typer.Option(help="A query; mined by BM25.", rich_help_panel=SETTINGS)
    ] = None,
    prefix_length: Annotated[
        int | None, typer.Option(help="pt2: keys and values a layer.", rich_help_panel=SETTINGS)
    ] = None,
    query_tokens: Annotated[int | None, typer.Option(help="Of a question.", rich_help_panel=SETTINGS)] = None,
    paper_tokens: Annotated[int | None, typer.Option(help="Of a paper.", rich_help_panel=SETTINGS)] = None,
    dtype: Annotated[Dtype | None, typer.Option(help="Mixed precision.", rich_help_panel=SETTINGS)] = None,
    seed: Annotated[int | None, typer.Option(help="Of weights, order and dropout.", rich_help_panel=SETTINGS)] = None,
    checkpoint_steps: Annotated[
        int, typer.Option(min=1, help="Steps between checkpoints.", rich_help_panel=SETTINGS)
    ] = 500,
) -> None:
    """Train DPR or ColBERT, save the model, load it again, and evaluate it on what was held out."""
    silence_libraries()
    from ..training.train import train as train_model

    trained = train_model(
        architecture,
        method,
        out=out,
        base=base,
        revision=revision,
        benchmark=benchmark,
        groups=comma_separated(groups),
        disciplines=comma_separated(disciplines),
        held_out=comma_separated(held_out),
        data_dir=data_dir,
        quotes=quotes,
        missing_text=missing_text,
        source=source,
        examples=examples,
        watch=comma_separated(watch),
        watch_steps=watch_steps,
        checkpoint_steps=checkpoint_steps,
        allow_seen=allow_seen,
        resume=resume,
        overwrite=overwrite,
        device=device,
        quiet=quiet,
        learning_rate=learning_rate,
        batch_size=batch_size,
        mini_batch=mini_batch,
        epochs=epochs,
        steps=steps,
        warmup=warmup,
        schedule=schedule,
        clip=clip,
        hard_negatives=hard_negatives,
        prefix_length=prefix_length,
        query_tokens=query_tokens,
        paper_tokens=paper_tokens,
        dtype=None if dtype is Dtype.FLOAT32 else dtype,
        seed=seed,
    )
    if trained.result is not None:
        print_results([trained.result], format)
    elif held_out is None and not quiet:
        tell([f"nothing was held out; evaluate it with: scirank run {out} --benchmark {benchmark}"])
