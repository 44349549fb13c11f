"""What is drawn of a comparison."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import ScirankError, shown
from ..results import PublishedRow, published

if TYPE_CHECKING:
    from ..analysis import Comparison
    from ..statistics import Estimate


def measure_of(comparison: "Comparison", measure: str | None) -> str:
    """The measure to draw. Raises ScirankError where the results do not have it."""
    if measure is None:
        return comparison.headline
    if measure not in comparison.measures:
        found = shown(comparison.measures, 30)
        raise ScirankError(f"there is no measure {measure!r} to plot; choose one that was compared: {found}")
    return measure


def about(comparison: "Comparison") -> str:
    """What is drawn, in a few words: benchmark, split, intervals."""
    first = comparison.first
    return f"{first.benchmark} {first.split}".strip() + f", {comparison.statistics.confidence:.0%} intervals"


def bounds(found: "Sequence[Estimate]") -> tuple[list[float], list[float]]:
    """Where intervals begin and end: at the mean, where there are none."""
    low = [each.mean if each.low is None else each.low for each in found]
    return low, [each.mean if each.high is None else each.high for each in found]


def published_beside(comparison: "Comparison", measure: str) -> list[PublishedRow]:
    """What is published of the same queries by this measure."""
    first = comparison.first
    same = published.published_beside(first.benchmark, first.split, first.groups)
    return [row for row in same if all(measure in numbers for numbers in row.groups.values())]
