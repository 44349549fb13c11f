"""What all plots look like: sizes for a paper of two columns, and marks that differ by more than their colour."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ScirankError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN, PAGE = 3.5, 7.2
"""Widths in inches: of a column, and of both."""
NAME = 40
"""Characters of a model's name that there is room for."""
CHARACTER, LINE = 0.058, 0.15
"""About what a character of small text is wide, and a line of it high, in inches."""
# Okabe and Ito's colours, which the colour-blind tell apart, in an order in which neighbours differ in grey too; grey
# in the place of their yellow, which is too light for lines on paper.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#CC79A7", "#009E73", "#56B4E9", "#D55E00", "#999999")
MARKERS = "os^Dv*PX"
HATCHES = ("", "////", "....", r"\\\\", "xxxx", "----", "||||", "++++")
FAINT, DIM, DARK = "0.9", "0.55", "0.15"
"""Greys: of guides, of lines that something is held against, and of what is said of no model."""
SETTINGS: dict[str, Any] = {
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.2,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "hatch.linewidth": 0.7,
    "figure.dpi": 150,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "scirank",
}


class Look(NamedTuple):
    """What tells a model from the others: any one of these does for the first eight, two for 64."""

    colour: str
    marker: str
    hatch: str


def look(at: int) -> Look:
    """The look of the model in a place."""
    number = len(COLOURS)
    shape = (at + at // number) % number
    return Look(COLOURS[at % number], MARKERS[shape], HATCHES[shape])


def need_matplotlib() -> None:
    """Raise ScirankError where there is no matplotlib."""
    if find_spec("matplotlib") is None:
        raise ScirankError("plots need matplotlib, of the extra `notebook`: pip install 'scirank[notebook]'")


@contextmanager
def styled() -> Iterator[None]:
    """Our settings for what is made inside, also as a decorator; the user's hold again afterwards."""
    need_matplotlib()
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        yield


def new_figure(width: float, height: float) -> "Figure":
    """A figure that no global state knows of; all that is in it finds its place when it is drawn."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def literal(text: str) -> str:
    """Text that is shown as it is: without formulas, and a label also where it begins with an underscore."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def elided(text: str, width: int = NAME) -> str:
    """A text, or as much of its two ends as there is room for."""
    if len(text) <= width:
        return text
    start = width // 3  # names of models differ at their ends more often
    return f"{text[:start]}…{text[start + 1 - width :]}"


def short_names(names: Sequence[str], width: int = NAME) -> list[str]:
    """Names that fit and differ, numbered where what is left of them is the same."""
    numbers: Counter[str] = Counter()
    found = []
    for name in names:
        short = elided(name, width)
        numbers[short] += 1
        found.append(literal(short if numbers[short] == 1 else f"{short} ({numbers[short]})"))
    return found


def spaced(name: str) -> str:
    """A topic's, or a source's, name as text."""
    return literal(elided(name.replace("_", " "), 36))


def mark(at: int, label: str, hollow: bool = False) -> Any:
    """A model's mark for a legend; hollow, of one number without an interval."""
    from matplotlib.lines import Line2D

    colour, marker, _ = look(at)
    inside: dict[str, Any] = {"markerfacecolor": "white", "linestyle": "none"} if hollow else {}
    return Line2D([], [], color=colour, marker=marker, label=label, **inside)


def legend_lines(handles: Sequence[Any], width: float) -> tuple[int, int]:
    """The columns and lines of a legend that is not to be wider than a figure."""
    longest = max(len(handle.get_label()) for handle in handles)
    columns = min(len(handles), max(1, int((width - 0.1) / (longest * CHARACTER + 0.4))))
    return columns, ceil(len(handles) / columns)


def add_legend(figure: "Figure", handles: Sequence[Any]) -> None:
    """A legend above all."""
    columns, _ = legend_lines(handles, figure.get_figwidth())
    figure.legend(handles=list(handles), loc="outside upper center", ncols=columns, borderaxespad=0.2)
