"""A measure of every group, a mark a model."""

from math import nan
from typing import TYPE_CHECKING, Any

from ..report.formats import label
from .numbers import about, bounds, measure_of, published_beside
from .rows import panels_of, rows_figure
from .style import LINE, add_legend, look, mark, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis import Comparison


@styled()
def groups_plot(comparison: "Comparison", measure: str | None = None, by_value: bool | None = None) -> "Figure":
    """A measure of every field or topic and the average, with intervals; what is published beside, hollow.

    Args:
        comparison: of results.
        measure: its headline by default.
        by_value: groups ordered by the first model's value; else as the benchmark orders them, which is the default
            where topics stand in disciplines.

    Raises:
        ScirankError: no such measure.
    """
    measure = measure_of(comparison, measure)
    statistics, models = comparison.statistics, list(comparison.results)
    published = published_beside(comparison, measure)
    names = short_names([*models, *(f"{row.model}, published" for row in published)])
    handles = [mark(at, name, hollow=at >= len(models)) for at, name in enumerate(names)]
    values = {group: statistics.estimate(models[0], measure, group).mean for group in comparison.first.groups}
    panels = panels_of(comparison, values, by_value)
    line, size = (0.05 + 0.045 * len(names), 2.8) if len(panels) > 1 else (0.06 + 0.06 * len(names), 3.4)
    figure, drawn = rows_figure(panels, max(LINE, line), handles)
    offsets = [0.68 * ((at + 0.5) / len(names) - 0.5) for at in range(len(names))]
    for axes, rows in drawn:
        for at, model in enumerate(models):
            found = [statistics.estimate(model, measure, row.group) for row in rows]
            places = [row.place + offsets[at] for row in rows]
            colour, marker, _ = look(at)
            axes.hlines(places, *bounds(found), colour, linewidth=0.9, zorder=2)
            axes.plot([each.mean for each in found], places, marker, color=colour, markersize=size, zorder=3)
        for at, theirs in enumerate(published, len(models)):
            numbers = [theirs.average if row.group is None else theirs.groups[row.group] for row in rows]
            places = [row.place + offsets[at] for row in rows]
            colour, marker, _ = look(at)
            style: dict[str, Any] = {"color": colour, "markersize": size, "markerfacecolor": "white"}
            axes.plot([of.get(measure, nan) for of in numbers], places, marker, **style, zorder=3)
    figure.supxlabel(f"{label(measure)} in percent\n{about(comparison)}", fontsize="medium")
    add_legend(figure, handles)
    return figure
