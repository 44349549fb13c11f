"""Whether scores say how likely a paper is a hit: a reliability plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..results import Result
from .saving import check_plot, save
from .style import COLUMN, DIM, LINE, add_legend, legend_lines, look, new_figure, short_names, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_calibration(result: Result) -> None:
    """Raise ScirankError where a result has no calibration to plot."""
    if "calibration" not in result.summary:
        raise ScirankError(f"{result.model}: no calibration; it is for OAG-QA, of rankings that have scores")


@styled()
def reliability_plot(results: Sequence[Result], rule: str = "title_span") -> "Figure":
    """How often papers are hits, by how likely their scores say it is: a line a model, on the diagonal at best.

    Args:
        results: of OAG-QA, with scores.
        rule: the hit rule, `title_span` or `exact_title`.

    Raises:
        ScirankError: a result has no calibration.
    """
    from ..analysis.comparison import named

    for result in results:
        check_calibration(result)
    every: list[dict[str, Any]] = [result.summary["calibration"][rule] for result in results]
    names = short_names(list(named(results)), 30)
    figure = new_figure(COLUMN, 3.6)
    lines, bars = figure.subplots(2, 1, height_ratios=(3, 1), sharex=True)
    handles = lines.plot([0, 1], [0, 1], color=DIM, linestyle="--", linewidth=0.8, label="calibrated")
    lines.grid()
    bars.grid()
    for at, (name, found) in enumerate(zip(names, every, strict=True)):
        colour, marker, _ = look(at)
        place = [at_ for at_, count in enumerate(found["count"]) if count]
        confidence = [found["confidence"][bin_] for bin_ in place]
        accuracy = [found["accuracy"][bin_] for bin_ in place]
        label = f"{name}, ECE {found['ece']:.3f}"
        handles += lines.plot(confidence, accuracy, marker=marker, color=colour, label=label)
        share = [found["count"][bin_] / sum(found["count"]) for bin_ in place]
        bars.plot(confidence, share, marker=marker, color=colour)
    lines.set(ylabel="share of hits", xlim=(0, 1), ylim=(-0.02, 1.02))
    about = f"{results[0].benchmark} {results[0].split}".strip()
    bars.set(xlabel=f"softmax of the scores\n{about}, first 5 papers, {rule}", ylabel="share of\npapers")
    bars.set_ylim(0, 1.1 * bars.get_ylim()[1])
    figure.set_figheight(3.6 + legend_lines(handles, COLUMN)[1] * LINE)
    add_legend(figure, [*handles[1:], handles[0]])
    return figure


def save_reliability(results: Sequence[Result], path: Path) -> None:
    """Save the plot; the ending of the file's name says how. Raises ScirankError as the two others do."""
    check_plot(path)
    save(reliability_plot(results), path)
