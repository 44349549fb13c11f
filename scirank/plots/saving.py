"""Figures into files."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..results.files import whole_file
from .style import need_matplotlib, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Neither the time nor the version, so that the same figure gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"Creator": "scirank", "Producer": None, "CreationDate": None},
    "svg": {"Creator": "scirank", "Date": None},
}


def check_plot(path: Path) -> None:
    """Raise ScirankError, before anything is made, where a plot cannot be saved under a name."""
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ScirankError(f"plot {str(path)!r}: expected a name that ends in .png, .pdf or .svg")
    need_matplotlib()


def save(figure: "Figure", path: str | os.PathLike[str]) -> Path:
    """Save a figure, whole or not at all, as the ending of the name says: .svg, .pdf or .png.

    The same figure gives the same bytes. Text stays text: fonts are in a PDF, and in an SVG those of who looks at it.

    Raises:
        ScirankError: another ending.
    """
    path = Path(path)
    check_plot(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        _write(figure, temporary, path.suffix.removeprefix(".").lower())
    return path


def as_svg(figure: "Figure") -> str:
    """A figure as the text of an SVG."""
    out = io.StringIO()
    _write(figure, out, "svg")
    return out.getvalue()


def _write(figure: "Figure", to: Path | io.StringIO, kind: str) -> None:
    for axes in figure.axes:  # the layout begins where the last one ended, and would end a little beside it
        if (place := axes.get_subplotspec()) is not None:
            axes.set_subplotspec(place)
    with styled():
        figure.savefig(to, format=kind, dpi=300, metadata=METADATA[kind])
