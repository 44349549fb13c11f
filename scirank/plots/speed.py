"""What a model's quality costs: a measure against seconds."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import log10
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ScirankError, shown
from ..report.formats import label
from ..results import Result
from .style import COLUMN, LINE, elided, literal, look, new_figure, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
# Where a label may stand, in points from its mark, the best first.
SIDES = tuple((far * x, far * y) for far, (x, y) in product((5, 9, 14, 20), DIRECTIONS))


class Time(NamedTuple):
    """What ranking took.

    Attributes:
        seconds: of it all; None where it is not known.
        kept: the share of vectors that were in the store before.
    """

    seconds: float | None
    kept: float


@styled()
def speed_plot(results: Sequence[Result], measure: str | None = None) -> "Figure":
    """A measure against the seconds that ranking took.

    A note names the models that are left out: their time is not known, or all of their vectors were in the store, so
    that it says nothing. Where some were, the mark is hollow.

    Args:
        results: of the same queries.
        measure: the first result's headline by default.

    Raises:
        ScirankError: results of other queries, no such measure, or no result whose time says anything.
    """
    from ..analysis.comparison import named
    from ..results.comparability import check_comparable

    if not results:
        raise ScirankError("there is no result to plot")
    check_comparable(results)
    measure = measure or results[0].headline
    if absent := [result.model for result in results if measure not in result.measures]:
        common = [name for name in results[0].measures if all(name in result.measures for result in results)]
        raise ScirankError(f"there is no {measure} of {shown(absent)}; choose one that all have: {shown(common, 30)}")
    models = list(named(results))
    names = short_names(models, 24)
    times = [time_of(result) for result in results]
    seconds = {at: time.seconds for at, time in enumerate(times) if time.seconds is not None and time.kept < 1}
    if not seconds:
        raise ScirankError(
            "no result has a time that says anything: they are of scores that were given, or all of their vectors were "
            "in the store. Run again without it (no_cache=True, --no-cache)"
        )
    notes = [f"{results[0].benchmark} {results[0].split}".strip(), *_notes(models, times, results)]
    figure = new_figure(COLUMN, 2.6 + len(notes) * LINE)
    axes = figure.subplots()
    for at in seconds:
        colour, marker, _ = look(at)
        inside = "white" if times[at].kept else colour
        value = results[at].average[measure]
        axes.plot(seconds[at], value, marker, color=colour, markerfacecolor=inside, markersize=5, label=names[at])
    _scale(axes, list(seconds.values()))
    axes.grid()
    axes.set(xlabel="\n".join(["seconds to rank", *notes]), ylabel=f"{label(measure)} in percent")
    _add_labels(figure, axes)
    return figure


def time_of(result: Result) -> Time:
    """What a result's ranking took; of a merged one, all of its parts together."""
    parts = list(_parts(result.provenance.get("ranking", {})))
    known = all("wall_seconds" in part for part in parts)
    counts = [count for part in parts for count in part.get("texts", {}).values()]
    different = sum(count["different"] for count in counts)
    kept = 1 - sum(count["encoded"] for count in counts) / different if different else 0.0
    return Time(sum(part["wall_seconds"] for part in parts) if known else None, kept)


def _parts(spent: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "merged_from" not in spent:
        yield spent
    for part in spent.get("merged_from", ()):
        yield from _parts(part)


def _notes(models: Sequence[str], times: Sequence[Time], results: Sequence[Result]) -> Iterator[str]:
    """What has to be known of the times."""
    if unknown := [name for name, time in zip(models, times, strict=True) if time.seconds is None]:
        yield f"time not known: {literal(elided(', '.join(unknown), 40))}"
    if stored := [n for n, time in zip(models, times, strict=True) if time.seconds is not None and time.kept == 1]:
        yield f"vectors kept from before: {literal(elided(', '.join(stored), 32))}"
    if any(time.seconds is not None and 0 < time.kept < 1 for time in times):
        yield "hollow: some vectors kept from before"
    machines = [result.provenance.get("environment", {}) for result in results]
    if len({(machine.get("processor"), machine.get("cores")) for machine in machines}) > 1:
        yield "not all on the same machine"


def _scale(axes: Any, seconds: Sequence[float]) -> None:
    """A logarithmic axis with plain numbers, and room for labels at its sides."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = log10(min(seconds)), log10(max(seconds))
    room = 0.12 * (high - low) + 0.15
    axes.set(xscale="log", xlim=(10 ** (low - room), 10 ** (high + room)))
    axes.margins(y=0.12)
    axes.xaxis.set_major_locator(LogLocator(subs=(1,) if high - low > 2 else (1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def _add_labels(figure: "Figure", axes: Any) -> None:
    """The label of each mark beside it, where it covers no mark and no other label, as far as that can be."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Bbox

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    inside = axes.get_window_extent(renderer)
    point = figure.dpi / 72
    marks = list(axes.lines)
    taken = []
    for mark in marks:
        x, y = axes.transData.transform(mark.get_xydata()[0])
        taken.append(Bbox.from_bounds(x - 3 * point, y - 3 * point, 6 * point, 6 * point))
    for mark in marks:
        at = mark.get_xydata()[0]
        text = axes.annotate(mark.get_label(), at, (0, 0), textcoords="offset points", fontsize=7)
        costs = []
        for number, (x, y) in enumerate(SIDES):
            _move(text, x, y)
            box = text.get_window_extent(renderer)
            out = box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1
            costs.append((10 * out + box.count_overlaps(taken), number))
        _move(text, *SIDES[min(costs)[1]])
        taken.append(text.get_window_extent(renderer))


def _move(text: Any, x: int, y: int) -> None:
    """Set a label so far from its mark, on that side of it."""
    text.set_position((x, y))
    text.set_horizontalalignment("left" if x > 0 else "right" if x < 0 else "center")
    text.set_verticalalignment("bottom" if y > 0 else "top" if y < 0 else "center")
