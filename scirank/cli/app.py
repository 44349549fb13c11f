"""The application: what every command is part of, and how its errors look."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from .printing import tell

app = typer.Typer(
    name="scirank",
    help="Evaluate scientific-text models: MDCR, citation recommendation in 19 fields; OAG-QA, questions in 87 topics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Example: scirank run minilm bm25 random --benchmark mdcr-mini",
)


@app.callback(invoke_without_command=True)
def _root(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if show:
        from ..version import __version__

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
        tell([f"error: {error}"])
        sys.exit(1)
