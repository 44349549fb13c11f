"""scirank mine."""

from pathlib import Path
from typing import Annotated

import typer

from ..choices import Benchmark, MissingText
from ..errors import counted
from .app import app
from .options import DataDir, Disciplines, Groups, MissingTextRule, QuerySource, Quiet, QuoteRule
from .printing import comma_separated, silence_libraries, tell


@app.command(epilog="Example: scirank mine bm25 --benchmark oagqa --topics optics --out pairs.jsonl")
def mine(
    out: Annotated[Path, typer.Option(dir_okay=False, help="The file to write: JSON lines in the form of DPR's.")],
    model: Annotated[str, typer.Argument(help="What ranks the papers: a name as in scirank run.")] = "bm25",
    benchmark: Annotated[Benchmark, typer.Option(help="Whose queries and papers.")] = Benchmark.OAGQA,
    groups: Groups = None,
    disciplines: Disciplines = None,
    data_dir: DataDir = None,
    source: QuerySource = None,
    quotes: QuoteRule = None,
    missing_text: MissingTextRule = MissingText.ERROR,
    negatives: Annotated[int, typer.Option(min=1, help="Hard negatives a query.")] = 1,
    depth: Annotated[int, typer.Option(min=1, help="Papers of a ranking that are looked at.")] = 100,
    skip: Annotated[int, typer.Option(min=0, help="The first of these to leave out: they may be right too.")] = 0,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also for queries that have negatives, in place of these.")
    ] = False,
    device: Annotated[str | None, typer.Option(help="Such as cpu or cuda:0; with commas, several.")] = None,
    quiet: Quiet = False,
) -> None:
    """Save training queries with the papers that answer them, and with hard negatives out of a model's ranking."""
    from ..options import model_options
    from ..progress import Progress
    from ..training.drawing import training_data
    from ..training.examples_file import write_examples
    from ..training.mining import mine as mine_negatives

    silence_libraries()
    data = training_data(
        benchmark,
        groups=comma_separated(groups),
        disciplines=comma_separated(disciplines),
        data_dir=data_dir,
        quotes=quotes,
        missing_text=missing_text,
        source=source,
    )
    mined = mine_negatives(
        data,
        model,
        negatives=negatives,
        depth=depth,
        skip=skip,
        replace=replace,
        progress=Progress(quiet),
        options=model_options(device=device),
    )
    write_examples(out, mined.queries, benchmark)
    numbers = (
        counted(len(mined.queries), "query", "queries"),
        counted(sum(len(query.positives) for query in mined.queries), "positive", "positives"),
        counted(sum(len(query.negatives) for query in mined.queries), "hard negative", "hard negatives"),
    )
    notes = [f"note: {note}" for note in (*mined.benchmark.notes, *mined.notes)]
    tell([] if quiet else [*notes, f"saved {out}: {', '.join(numbers)}"])
