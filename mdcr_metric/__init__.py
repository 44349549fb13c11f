"""MDCR's measures (MAP, nDCG, Recall@5) as the Hugging Face evaluate module "mdcr_metric".

After `import mdcr_metric`, `evaluate.load("mdcr_metric")` works from any folder, offline too. The
import is light: the library `evaluate` is loaded only when you load the module.
"""

from .checks import LARGEST_SCORE
from .measures import DEFAULT_MEASURES, Measure, parse_measures
from .queries import PerQuery, evaluate_queries
from .register import register
from .summary import summarise
from .ties import POLICIES

__all__ = [
    "DEFAULT_MEASURES",
    "LARGEST_SCORE",
    "POLICIES",
    "Measure",
    "PerQuery",
    "evaluate_queries",
    "parse_measures",
    "register",
    "summarise",
]

register()
