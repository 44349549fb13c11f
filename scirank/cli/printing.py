"""What commands share in looking at their options and showing their results."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from .options import Format

if TYPE_CHECKING:
    from ..results import Result


def require(options: Mapping[str, Any]) -> None:
    """Refuse a call in which an option that is needed was not given."""
    if absent := [name for name, value in options.items() if not value]:
        raise typer.BadParameter(f"missing {' and '.join(absent)}")


def refuse(options: Mapping[str, Any], benchmark: str) -> None:
    """Refuse a call in which an option was given that is for another benchmark."""
    if given := [name for name, value in options.items() if value]:
        raise typer.BadParameter(f"{' and '.join(given)} {'is' if len(given) == 1 else 'are'} for {benchmark}")


def needs_out(options: Mapping[str, Any], out: Path | None) -> None:
    """Refuse a call in which something is to be saved and there is no folder."""
    if out is None and (given := [name for name, value in options.items() if value]):
        raise typer.BadParameter(f"{', '.join(given)}: no --out to save in")


def comma_separated(names: str | None) -> list[str] | None:
    """The names in a text."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def tell(lines: Iterable[str]) -> None:
    """Lines on standard error."""
    for line in lines:
        sys.stderr.write(f"{line}\n")


def print_results(results: "list[Result]", format: Format) -> None:  # noqa: A002
    """Results on standard output."""
    if format is Format.TABLE:
        from ..report import terminal

        terminal.print_results(results, terminal.console())
    else:
        from ..report.formats import FORMATS

        sys.stdout.write(FORMATS[format](results))


def check_plot(path: Path | None) -> None:
    """Refuse a plot that could not be saved, before there is anything to plot."""
    if path is not None:
        from .. import plots

        plots.check_plot(path)


def save_plot(results: "list[Result]", path: Path, quiet: bool) -> None:
    """Save the reliability plot."""
    from .. import plots

    plots.save_reliability(results, path)
    tell([] if quiet else [f"saved {path}"])


def silence_libraries() -> None:
    """The bars and remarks of the libraries would stand among our own lines."""
    import logging

    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if "transformers" in sys.modules:  # which has read its variables by now
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
