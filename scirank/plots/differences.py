"""How much better one model is than another, group by group: a forest plot."""

from typing import TYPE_CHECKING, Any

from ..errors import ScirankError, shown
from ..report.formats import label
from .numbers import about, measure_of
from .rows import panels_of, rows_figure
from .style import COLOURS, DARK, DIM, LINE, add_legend, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis import Comparison
    from ..statistics import Difference

SPLIT = "wins/ties/\nlosses"


@styled()
def differences_plot(
    comparison: "Comparison", a: str, b: str, measure: str | None = None, by_value: bool | None = None
) -> "Figure":
    """How much better a model is than another, by field or topic and on average, with intervals; at the right, queries.

    Args:
        comparison: of results.
        a: a model's name in the comparison.
        b: another's.
        measure: the comparison's headline by default.
        by_value: groups ordered by their difference, as for `groups_plot`.

    Raises:
        ScirankError: no such model or measure.
    """
    from matplotlib.lines import Line2D

    from ..report.comparing import LEVEL

    measure = measure_of(comparison, measure)
    found = _differences(comparison, a, b, measure)
    panels = panels_of(comparison, {group: each.difference for group, each in found.items() if group}, by_value)
    look: dict[str, Any] = {"color": COLOURS[0], "marker": "o", "linewidth": 0.9}
    handles = [
        Line2D([], [], label=f"p < {LEVEL}", **look),
        Line2D([], [], label=f"p ≥ {LEVEL}", markerfacecolor="white", **look),
        Line2D([], [], label="average", **look | {"color": DARK, "marker": "D"}),
    ]
    figure, drawn = rows_figure(panels, LINE, handles, above=1.8)
    for axes, rows in drawn:
        axes.axvline(0, color=DIM, linewidth=0.8, zorder=1)
        for row in rows:
            each = found[row.group]
            marker, colour = ("D", DARK) if row.average else ("o", COLOURS[0])
            inside = colour if each.p_holm < LEVEL else "white"
            if each.low is not None and each.high is not None:
                axes.hlines(row.place, each.low, each.high, colour, linewidth=0.9, zorder=2)
            axes.plot(each.difference, row.place, marker, color=colour, markerfacecolor=inside, zorder=3)
        right = axes.twinx()
        right.set_ylim(axes.get_ylim())
        counts = [f"{found[row.group].wins}/{found[row.group].ties}/{found[row.group].losses}" for row in rows]
        right.set_yticks([-1.6, *(row.place for row in rows)], [SPLIT, *counts])
        right.tick_params(axis="y", length=0)
        right.spines["left"].set_visible(False)
    one, other = short_names([a, b], 24)
    what = f"{one} − {other}\npoints of {label(measure)}, p after Holm\n{about(comparison)}"  # noqa: RUF001
    figure.supxlabel(what, fontsize="medium")
    add_legend(figure, handles)
    return figure


def _differences(comparison: "Comparison", a: str, b: str, measure: str) -> "dict[str | None, Difference]":
    """The difference of every group and, of None, the average, whichever of the two came first."""
    for name in (a, b):
        if name not in comparison.results:
            known = shown(list(comparison.results), 30)
            raise ScirankError(f"there is no model {name!r} in this comparison; choose of {known}")
    if a == b:
        raise ScirankError(f"a difference is of two models; found {a!r} twice")
    first, second = sorted((a, b), key=list(comparison.results).index)
    of = comparison.statistics.difference
    found = {group: of(first, second, measure, group) for group in (*comparison.first.groups, None)}
    return found if first == a else {group: each.turned() for group, each in found.items()}
