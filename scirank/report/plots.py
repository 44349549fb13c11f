"""Plots; matplotlib comes with the extra `notebook`."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..results import Result
from ..results.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "os^Dv*PX"
# Okabe and Ito's colours, which the colour-blind tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")


def check_plot(path: Path) -> None:
    """Raise ScirankError, before anything is made, where a plot cannot be saved under a name."""
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ScirankError(f"plot {str(path)!r}: expected a name that ends in .png, .pdf or .svg")
    if find_spec("matplotlib") is None:
        raise ScirankError("plots need matplotlib, of the extra `notebook`: pip install 'scirank[notebook]'")


def check_calibration(result: Result) -> None:
    """Raise ScirankError where a result has no calibration to plot."""
    if "calibration" not in result.summary:
        raise ScirankError(f"{result.model}: no calibration; it is for OAG-QA, of rankings that have scores")


def reliability_plot(results: Sequence[Result], rule: str = "title_span") -> "Figure":
    """How often papers are hits, by how likely their scores say it is: a line a model, on the diagonal at best.

    Args:
        results: of OAG-QA, with scores.
        rule: the hit rule, `title_span` or `exact_title`.

    Raises:
        ScirankError: a result has no calibration.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 5.6), layout="constrained")
    lines, bars = figure.subplots(2, 1, height_ratios=(3, 1), sharex=True)
    lines.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1, label="calibrated")
    for at, result in enumerate(results):
        check_calibration(result)
        found: dict[str, Any] = result.summary["calibration"][rule]
        place = [at_ for at_, count in enumerate(found["count"]) if count]
        style: dict[str, Any] = {
            "color": COLOURS[at % len(COLOURS)],
            "label": f"{result.model}, ECE {found['ece']:.3f}",
        }
        confidence = [found["confidence"][bin_] for bin_ in place]
        lines.plot(confidence, [found["accuracy"][b] for b in place], marker=MARKERS[at % len(MARKERS)], **style)
        share = [found["count"][b] / sum(found["count"]) for b in place]
        bars.plot(confidence, share, marker=MARKERS[at % len(MARKERS)], color=style["color"])
    lines.set(
        ylabel="share of hits", xlim=(0, 1), ylim=(-0.02, 1.02), title=f"{results[0].benchmark}: first 5 papers, {rule}"
    )
    lines.legend(frameon=False, fontsize="small")
    bars.set(xlabel="softmax of the scores", ylabel="share of papers")
    bars.set_ylim(0, 1.1 * bars.get_ylim()[1])
    return figure


def save_reliability(results: Sequence[Result], path: Path) -> None:
    """Save the plot; the ending of the file's name says how. Raises ScirankError as the two above do."""
    check_plot(path)
    figure = reliability_plot(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix.removeprefix(".").lower(), dpi=200)
