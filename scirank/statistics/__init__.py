"""How sure the numbers are: intervals, tests of differences, effect sizes; arrays in, dataclasses out."""

from .comparing import compare_values
from .findings import Difference, Estimate, Statistics
from .strata import AVERAGES, Strata, strata

__all__ = ["AVERAGES", "Difference", "Estimate", "Statistics", "Strata", "compare_values", "strata"]
