"""Models that rank."""

from .loading import load_ranker, model_name
from .ranker import ModelOptions, Ranker, Ranking

__all__ = ["ModelOptions", "Ranker", "Ranking", "load_ranker", "model_name"]
