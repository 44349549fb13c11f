"""Which negatives are taken for citations, by the list that they come from."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from .numbers import bounds
from .style import COLUMN, DIM, LINE, PAGE, add_legend, legend_lines, literal, look, new_figure, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..statistics import Statistics

IN_A_COLUMN = 24
"""Bars that a column of a paper has room for."""


@styled()
def sources_plot(confusions: "Mapping[str, Statistics]") -> "Figure":
    """How often a negative of each source stands above a true citation, with intervals; lower is better.

    Args:
        confusions: source -> statistics, as `scirank.analysis.sources.confusion` finds them.

    Raises:
        ScirankError: no source.
    """
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke

    if not confusions:
        raise ScirankError("there is no source to plot; expected what confusion() finds in results on MDCR")
    first = next(iter(confusions.values()))
    models = list(dict.fromkeys(each.model for each in first.estimates))
    names = short_names(models)
    width = COLUMN if len(models) * len(confusions) <= IN_A_COLUMN else PAGE
    looks = [look(at) for at in range(len(models))]
    style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.4}
    handles: list[Any] = [
        Patch(facecolor=colour, hatch=hatch, label=name, **style)
        for (colour, _, hatch), name in zip(looks, names, strict=True)
    ]
    figure = new_figure(width, 2.5 + legend_lines([*handles, *handles[:1]], width)[1] * LINE)
    axes = figure.subplots()
    axes.grid(axis="y")
    handles.append(axes.axhline(50, color=DIM, linewidth=0.8, linestyle="--", zorder=0.8, label="by chance"))
    bar = 0.8 / len(models)
    for at, (model, (colour, _, hatch)) in enumerate(zip(models, looks, strict=True)):
        found = [statistics.estimate(model, "above") for statistics in confusions.values()]
        places = [source + (at - (len(models) - 1) / 2) * bar for source in range(len(found))]
        axes.bar(places, [each.mean for each in found], bar, color=colour, hatch=hatch, **style)
        lines = axes.vlines(places, *bounds(found), "black", linewidth=0.9, zorder=3)
        lines.set_path_effects([withStroke(linewidth=2.4, foreground="white")])
    words = [literal(source).split("_") for source in confusions]
    most = max(map(len, words))
    axes.set_xticks(range(len(words)), ["\n".join([*each, *[""] * (most - len(each))]) for each in words])
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(f"negatives from ({first.confidence:.0%} intervals)")
    axes.set_ylabel("above a true citation,\npercent of pairs")
    add_legend(figure, handles)
    return figure
