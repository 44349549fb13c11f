"""scirank publish: a result on a model's page."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..choices import Form, Split
from .app import app
from .printing import silence_libraries, tell


@app.command(
    epilog="Example: scirank publish results/scincl --repo ORG/MODEL --dataset ORG/mdcr; the same with --push sends it"
)
def publish(
    result: Annotated[Path, typer.Argument(help="Folder that `run --out` or `score --out` saved.")],
    repo: Annotated[str, typer.Option(help="The model's repository on the Hub, ORG/MODEL.")],
    dataset: Annotated[str, typer.Option(help="The benchmark's repository on the Hub, ORG/DATASET.")],
    form: Annotated[
        Form, typer.Option(help="A file in .eval_results, or the metadata model-index of the card.")
    ] = Form.EVAL_RESULTS,
    push: Annotated[bool, typer.Option("--push", help="Send it, as one commit; without it, it is only shown.")] = False,
    pr: Annotated[bool, typer.Option("--pr", help="With --push: as a pull request.")] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace other values of the same measures of the same dataset.")
    ] = False,
    task: Annotated[
        str | None,
        typer.Option(help="eval-results: the tasks' ids in the dataset's eval.yaml; default '{measure}'."),
    ] = None,
    split: Annotated[
        Split | None, typer.Option(help="Of files of scores of MDCR, which do not say which split they are of.")
    ] = None,
    dataset_revision: Annotated[
        str | None, typer.Option(help="The commit of the dataset whose data was evaluated.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="An address where the result can be looked up, such as the saved folder's.")
    ] = None,
) -> None:
    """Show what a result would add to a model's page on the Hub, and with --push send it."""
    if pr and not push:
        raise typer.BadParameter("--pr is for --push")
    silence_libraries()
    from ..publishing import prepare
    from ..publishing import push as send
    from ..results import Result

    change = prepare(
        Result.load(result),
        repo,
        dataset,
        form=form,
        overwrite=overwrite,
        task=task,
        split=split,
        dataset_revision=dataset_revision,
        source=source,
    )
    sys.stdout.write(change.preview)
    sys.stdout.flush()
    tell(f"note: {note}" for note in change.cautions)
    if push and (change.unread or change.before != change.after):
        tell([f"pushed {send(change, pr)}"])
    elif change.unread:
        tell([f"what is there could not be looked at: {change.unread}"])
    if not push:
        tell(["nothing was sent; --push sends it"])
