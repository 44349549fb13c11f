"""Hit@K by K: how much later an answer may come."""

from typing import TYPE_CHECKING, Any

from mdcr_metric.outcomes import EXACT

from ..errors import ScirankError, shown
from .numbers import about, bounds
from .style import COLUMN, DARK, LINE, add_legend, legend_lines, look, mark, new_figure, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis import Comparison

HIT, EXACT_HIT = "hit_", f"{EXACT}hit_"


@styled()
def hits_plot(comparison: "Comparison") -> "Figure":
    """Hit@K on average over all cutoffs that were evaluated, under both hit rules; intervals for `title_span`.

    Raises:
        ScirankError: results without Hit@K, as of MDCR.
    """
    from matplotlib.lines import Line2D

    cutoffs = sorted(int(m.removeprefix(HIT)) for m in comparison.measures if m.startswith(HIT))
    if not cutoffs:
        raise ScirankError(
            f"this plot is of Hit@K, which OAG-QA has; these results are of {comparison.first.benchmark}, with "
            f"{shown(comparison.measures)}"
        )
    exact = [cutoff for cutoff in cutoffs if f"{EXACT_HIT}{cutoff}" in comparison.measures]
    models, estimate = list(comparison.results), comparison.statistics.estimate
    handles = [mark(at, name) for at, name in enumerate(short_names(models))]
    handles.append(Line2D([], [], color=DARK, label="answer in title"))
    if exact:
        handles.append(Line2D([], [], color=DARK, linestyle="--", label="answer is title"))
    figure = new_figure(COLUMN, 2.6 + legend_lines(handles, COLUMN)[1] * LINE)
    axes = figure.subplots()
    axes.grid(axis="y")
    for at, model in enumerate(models):
        colour, marker, _ = look(at)
        beside = 1.035 ** (at - (len(models) - 1) / 2)  # so that intervals stand beside each other
        found = [estimate(model, f"{HIT}{cutoff}") for cutoff in cutoffs]
        places = [cutoff * beside for cutoff in cutoffs]
        axes.vlines(places, *bounds(found), colour, linewidth=0.9, zorder=2)
        axes.plot(places, [each.mean for each in found], marker=marker, color=colour, zorder=3, clip_on=False)
        hits = [estimate(model, f"{EXACT_HIT}{cutoff}").mean for cutoff in exact]
        style: dict[str, Any] = {"markerfacecolor": "white", "linewidth": 0.8, "linestyle": "--", "clip_on": False}
        axes.plot([cutoff * beside for cutoff in exact], hits, marker=marker, color=colour, markersize=3.2, **style)
    axes.set(xscale="log", xlabel=f"K\n{about(comparison)}", ylabel="Hit@K in percent", ylim=(0, 102))
    axes.set_xticks(cutoffs, [str(cutoff) for cutoff in cutoffs])
    axes.minorticks_off()
    add_legend(figure, handles)
    return figure
