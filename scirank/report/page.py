"""What the HTML report of a comparison is made of."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..analysis.comparison import Comparison
from ..analysis.sources import confusion
from ..benchmarks import Benchmark
from ..statistics import Statistics
from .formats import label
from .html import write_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAIRS = 3
"""Pairs of models that have a plot of their differences; tables have all."""


def write_report(
    path: str | os.PathLike[str],
    comparison: Comparison,
    benchmark: Benchmark | None = None,
    *,
    top: int = 10,
    limit: int = 20_000_000,
) -> Path:
    """Write a comparison as one HTML file, with every plot that its results allow.

    Args:
        path: of the file.
        comparison: as `scirank.compare` gives it.
        benchmark: for titles, abstracts and sources of candidates.
        top: papers of each model that are shown for a query.
        limit: bytes of the file, about.
    """
    from ..plots.saving import as_svg

    sources = sources_of(comparison, benchmark)
    figures = [(title, as_svg(figure)) for title, figure in _figures(comparison, sources)]
    return write_html(path, comparison, benchmark, figures=figures, confusion=sources, top=top, limit=limit)


def sources_of(comparison: Comparison, benchmark: Benchmark | None) -> Mapping[str, Statistics] | None:
    """How often negatives of each source stand above citations; None where that cannot be said."""
    if benchmark is None or benchmark.asks_questions or any(each.lists is None for each in comparison.results.values()):
        return None
    drawn = comparison.statistics
    return confusion(
        comparison.results, benchmark, resamples=drawn.resamples, confidence=drawn.confidence, seed=drawn.seed
    )


def _figures(comparison: Comparison, sources: Mapping[str, Statistics] | None) -> "Iterator[tuple[str, Figure]]":
    from .. import plots
    from ..plots.speed import time_of

    results, measure = list(comparison.results.values()), label(comparison.headline)
    yield f"{measure} by group", plots.groups_plot(comparison)
    for a, b in comparison.pairs[:PAIRS]:
        yield f"{a} and {b}", plots.differences_plot(comparison, a, b)
    if sources:
        yield "Negatives above citations", plots.sources_plot(sources)
    if any(name.startswith("hit_") for name in comparison.measures):
        yield "Hit@K", plots.hits_plot(comparison)
    if all("calibration" in result.summary for result in results):
        yield "Calibration", plots.reliability_plot(results)
    times = [time_of(result) for result in results]
    if sum(time.seconds is not None and time.kept < 1 for time in times) > 1:
        yield "Quality and time", plots.speed_plot(results)
