"""MDCR's measures (MAP, nDCG, Recall@5) and OAG-QA's (Hit@K) as the Hugging Face evaluate module "mdcr_metric".

After `import mdcr_metric`, `evaluate.load("mdcr_metric")` works from any folder, offline too. The
import is light: the library `evaluate` is loaded only when you load the module.
"""

import os
from typing import Any

from scirank.huggingface.registration import METRIC_FACTORY, Function, wrap

from .checks import LARGEST_SCORE
from .measures import DEFAULT_MEASURES, Measure, parse_measures
from .queries import PerQuery, evaluate_queries
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
    "summarise",
]

HERE = os.path.dirname(os.path.realpath(__file__))


def _knowing_mdcr_metric(factory: Function) -> Function:
    """`evaluate` looks for a bare name in the working folder and on the Hub, never among installed packages."""

    def evaluation_module_factory(path: Any, *args: Any, **kwargs: Any) -> Any:
        # A folder of that name here wins, as for every evaluate module.
        if path == "mdcr_metric" and not os.path.isfile("mdcr_metric/mdcr_metric.py"):
            path = HERE
        return factory(path, *args, **kwargs)

    return evaluation_module_factory


wrap(METRIC_FACTORY, "mdcr_metric", _knowing_mdcr_metric)
