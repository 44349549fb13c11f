"""The plots by name, and from results, or folders, to a figure."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError, shown
from ..results import Result
from .calibration import reliability_plot
from .differences import differences_plot
from .groups import groups_plot
from .hits import HIT, hits_plot
from .sources import sources_plot
from .speed import speed_plot
from .style import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis import Comparison

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Plot:
    """A plot that can be had by name.

    Attributes:
        shows: what is on it, in a line.
        make: results and options -> a figure.
        options: those of `draw` that it has a use for.
        rankings: whether it needs results with their ranked lists.
    """

    shows: str
    make: "Callable[[Sequence[Result], Options], Figure]"
    options: tuple[str, ...] = ()
    rankings: bool = False


def _groups(results: Sequence[Result], options: Options) -> "Figure":
    return groups_plot(_compared(results, _measure(results, options), options), options.get("measure"))


def _differences(results: Sequence[Result], options: Options) -> "Figure":
    comparison = _compared(results, _measure(results, options), options)
    pair = options.get("pair") or comparison.results
    if len(pair) != 2:
        raise ScirankError(
            f"a difference is of two models; choose them (pair=, --pair) of {shown(list(comparison.results), 30)}"
        )
    a, b = pair
    return differences_plot(comparison, a, b, options.get("measure"))


def _hits(results: Sequence[Result], options: Options) -> "Figure":
    hits = [measure for measure in results[0].measures if HIT in measure]
    common = [measure for measure in hits if all(measure in result.measures for result in results)]
    return hits_plot(_compared(results, common or None, options))


def _sources(results: Sequence[Result], options: Options) -> "Figure":
    from ..analysis.comparison import named
    from ..analysis.data import benchmark_of
    from ..analysis.sources import confusion
    from ..results.comparability import check_comparable

    check_comparable(results)
    benchmark = benchmark_of(results[0], options.get("data_dir"))
    return sources_plot(confusion(named(results), benchmark, **_draws(options)))


def _speed(results: Sequence[Result], options: Options) -> "Figure":
    return speed_plot(results, options.get("measure"))


def _calibration(results: Sequence[Result], options: Options) -> "Figure":
    return reliability_plot(results, options.get("rule") or "title_span")


DRAWS = ("resamples", "confidence", "seed")
PLOTS: dict[str, Plot] = {
    "groups": Plot("a measure of every field or topic, with intervals", _groups, ("measure", *DRAWS)),
    "hits": Plot("oagqa: Hit@K by K, under both hit rules", _hits, DRAWS),
    "differences": Plot("how much better one of two models is", _differences, ("measure", "pair", *DRAWS)),
    "sources": Plot(
        "mdcr: which negatives stand above citations, by their source", _sources, ("data_dir", *DRAWS), rankings=True
    ),
    "speed": Plot("a measure against the seconds that ranking took", _speed, ("measure",)),
    "calibration": Plot("oagqa: whether scores say how likely a paper is a hit", _calibration, ("rule",)),
}


def draw(name: str, results: "Sequence[Result | str | os.PathLike[str]]", **options: Any) -> "Figure":
    """A plot of results.

    Args:
        name: one of `PLOTS`.
        results: results, or folders that they were saved in.
        options: of the plot; None is as if it was not given. `measure`; `pair`, two models' names; `data_dir` as of
            `load_benchmark`; `rule`, `title_span` or `exact_title`; `resamples`, `confidence` and `seed` of intervals.

    Raises:
        ScirankError: no such plot, an option that it has no use for, or results that it cannot be made of.
    """
    need_matplotlib()
    if name not in PLOTS:
        raise ScirankError(f"there is no plot {name!r}; choose one of {shown(list(PLOTS), 30)}")
    plot = PLOTS[name]
    given = {option: value for option, value in options.items() if value is not None}
    if unused := [option for option in given if option not in plot.options]:
        raise ScirankError(f"plot {name} has no use for {shown(unused)}; it takes {shown(plot.options, 30)}")
    loaded = [each if isinstance(each, Result) else Result.load(each, rankings=plot.rankings) for each in results]
    if not loaded:
        raise ScirankError("there is no result to plot")
    return plot.make(loaded, given)


def _measure(results: Sequence[Result], options: Options) -> str | None:
    """The measure that was chosen, else the headline; None, for all, where not all results have that."""
    headline = results[0].headline if all(results[0].headline in result.measures for result in results) else None
    return options.get("measure") or headline


def _compared(results: Sequence[Result], measures: str | Sequence[str] | None, options: Options) -> "Comparison":
    """A comparison by what is drawn only: by all measures it takes many times as long."""
    from ..analysis import compare

    return compare(results, measures=measures, **_draws(options))


def _draws(options: Options) -> dict[str, Any]:
    return {name: options[name] for name in DRAWS if name in options}
