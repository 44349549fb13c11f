"""Figures with a line a group: as high as the lines need, in two panels where they are many, the average apart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .style import COLUMN, DARK, FAINT, LINE, PAGE, legend_lines, new_figure, spaced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..analysis import Comparison

ONE_PANEL = 40
"""Lines that one panel may have."""


class Row(NamedTuple):
    """A line of a panel.

    Attributes:
        text: what stands at its left.
        group: what is drawn on it; None for the average.
        heading: it only names the discipline of those below.
        place: lines below the panel's first.
    """

    text: str
    group: str | None
    heading: bool = False
    place: float = 0

    @property
    def average(self) -> bool:
        """Whether it is the average's."""
        return self.group is None and not self.heading


Panels = list[list[Row]]
"""The average is the last row of the last."""


def panels_of(comparison: "Comparison", values: Mapping[str, float], by_value: bool | None) -> Panels:
    """The lines of a comparison's groups, and of the average.

    Args:
        comparison: of results.
        values: of each group, to order by.
        by_value: highest first; else the benchmark's order, topics under their disciplines. By default topics stand
            under their disciplines and fields are ordered by value.
    """
    parts = {group: row.get("discipline") for group, row in comparison.first.summary["groups"].items()}
    if by_value is None:
        by_value = not comparison.first.asks_questions
    if by_value or None in parts.values():
        groups = sorted(parts, key=lambda group: -values[group]) if by_value else list(parts)
        blocks = [[Row(spaced(group), group)] for group in groups]
    else:
        blocks = [
            [Row(spaced(part), None, heading=True)]
            + [Row(spaced(group), group) for group, its in parts.items() if its == part]
            for part in dict.fromkeys(parts.values())
        ]
    panels = _halves(blocks)
    panels[-1].append(Row("average", None))
    return panels


def _halves(blocks: Sequence[list[Row]]) -> Panels:
    """Blocks in one panel or, where these are many lines, in two of about the same height."""
    rows = [row for block in blocks for row in block]
    if len(rows) <= ONE_PANEL:
        return [rows]
    ends = [sum(map(len, blocks[: at + 1])) for at in range(len(blocks))]
    cut = min(ends, key=lambda end: abs(end - (len(rows) + 1) / 2))
    return [rows[:cut], rows[cut:]]


def _placed(rows: Sequence[Row], line: float) -> Iterator[Row]:
    """Rows with their places: headings are as high as text, the average stands apart."""
    top = -0.5
    for row in rows:
        height = LINE / line if row.heading else 1
        top += 0.5 * row.average
        yield row._replace(place=top + height / 2)
        top += height


def rows_figure(
    panels: Panels, line: float, handles: Sequence[Any], above: float = 0
) -> tuple["Figure", list[tuple[Any, list[Row]]]]:
    """A figure with its panels, lines named, and room for a legend; each panel's axes, and the rows to draw on.

    Args:
        panels: of lines.
        line: how high each is, in inches.
        handles: of the legend.
        above: lines to leave free above the first.
    """
    width = PAGE if len(panels) > 1 else COLUMN
    panels = [list(_placed(rows, line)) for rows in panels]
    last = max(rows[-1].place for rows in panels)
    figure = new_figure(width, (last + 1.4 + above) * line + (legend_lines(handles, width)[1] + 4) * LINE)
    every = figure.subplots(1, len(panels), sharex=True, squeeze=False)[0]
    for axes, rows in zip(every, panels, strict=True):
        axes.set_ylim(last + 0.7, -0.7 - above)
        axes.set_yticks([row.place for row in rows], [row.text for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        for label, row in zip(axes.get_yticklabels(), rows, strict=True):
            if row.group is None:
                label.set_fontweight("bold")
            if row.average:
                axes.axhline(row.place - 0.75, color=DARK, linewidth=0.6)
            if not row.heading:
                axes.axhline(row.place, color=FAINT, linewidth=0.5, zorder=0.5)
    return figure, [(axes, [row for row in rows if not row.heading]) for axes, rows in zip(every, panels, strict=True)]
