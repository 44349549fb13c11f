"""Models that rank."""

from .loading import load_ranker
from .ranker import ModelOptions, Ranker, Ranking

__all__ = ["ModelOptions", "Ranker", "Ranking", "load_ranker"]
