"""scirank push: an exported dataset, or the metric's Space, to the Hub."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ScirankError
from .app import app
from .printing import silence_libraries, tell

if TYPE_CHECKING:
    from ..hub.push import Plan

commands = typer.Typer(
    help="Show what a folder would change in a repository on the Hub, ask, and send it as one commit.",
    no_args_is_help=True,
)
app.add_typer(commands, name="push")

Private = Annotated[bool, typer.Option("--private", help="Create the repository as a private one.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@commands.command(epilog="Example: scirank push dataset exported/mdcr ORG/mdcr --private --i-may-redistribute")
def dataset(
    folder: Annotated[Path, typer.Argument(help="What `scirank export` wrote.")],
    repo: Annotated[str, typer.Argument(help="The dataset's repository on the Hub, ORG/NAME.")],
    private: Private = False,
    may_redistribute: Annotated[
        bool,
        typer.Option(
            "--i-may-redistribute",
            help="You may give these papers' texts to others. Needed for all but mdcr-mini and oagqa-mini.",
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Make a repository the same as an exported dataset's folder; what else it has is deleted."""
    _quiet_unless_watched()
    from ..hub.push import plan_dataset

    _send(plan_dataset(folder, repo, private=private, may_redistribute=may_redistribute), yes)


@commands.command(epilog="Example: scirank push metric ORG/mdcr_metric")
def metric(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[FOLDER] REPO",
            help="The metric's folder, by default the installed package; and its Space on the Hub, ORG/NAME.",
        ),
    ],
    private: Private = False,
    yes: Yes = False,
) -> None:
    """Send the metric's files to its Space."""
    if len(places) > 2:
        raise typer.BadParameter(f"expected a folder and a repository, found {len(places)} names")
    _quiet_unless_watched()
    from ..hub.push import plan_metric

    _send(plan_metric(places[-1], *places[:-1], private=private), yes)


def _quiet_unless_watched() -> None:
    if not sys.stderr.isatty():
        silence_libraries()


def _send(plan: "Plan", yes: bool) -> None:
    from ..hub.push import push

    sys.stdout.write(plan.preview)
    sys.stdout.flush()
    if not plan.is_needed:
        tell([f"nothing to push: {plan.address} has all of it already"])
        return
    if not yes:
        if not sys.stdin.isatty():
            raise ScirankError("nothing was pushed: there is nobody to ask; with --yes this is sent")
        if not typer.confirm("Send it?", err=True):
            tell(["nothing was pushed"])
            raise typer.Exit(1)
    tell([f"pushed {push(plan)}"])
