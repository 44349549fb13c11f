"""Plots for papers: readable in print, in grey, and by the colour-blind. matplotlib comes with the extra `notebook`."""

from .calibration import check_calibration, reliability_plot, save_reliability
from .differences import differences_plot
from .groups import groups_plot
from .hits import hits_plot
from .saving import check_plot, save
from .sources import sources_plot
from .speed import speed_plot
from .table import PLOTS, Plot, draw

__all__ = [
    "PLOTS",
    "Plot",
    "draw",
    "save",
    "check_plot",
    "groups_plot",
    "hits_plot",
    "differences_plot",
    "sources_plot",
    "speed_plot",
    "reliability_plot",
    "check_calibration",
    "save_reliability",
]
