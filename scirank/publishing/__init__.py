"""Results on a model's page on the Hub, and whom to cite for them."""

from ..choices import Form
from .card import model_index
from .citing import Citations, citations
from .eval_results import eval_result_entries
from .pushing import Change, prepare, push

__all__ = [
    "Change",
    "Citations",
    "Form",
    "citations",
    "eval_result_entries",
    "model_index",
    "prepare",
    "push",
]
