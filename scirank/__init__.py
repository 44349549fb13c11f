"""Evaluate scientific-text models on MDCR and OAG-QA.

`scirank.run("bm25", "mdcr-mini")` runs a model end to end; `scirank.score(benchmark, scores)`
evaluates scores that you have, `scirank.score_run(run)` rankings; `scirank.compare([result, ...])` says
what a difference is worth. Importing this package loads nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

if TYPE_CHECKING:
    from .analysis import Comparison, compare
    from .analysis.leaderboard import leaderboard
    from .benchmarks import Benchmark, Corpus, Document, Task, load_benchmark
    from .hub.prepare import prepare
    from .models import Ranker, Ranking, load_ranker
    from .preparing import encode, estimate
    from .question_scoring import score_run
    from .results import Result
    from .results.parts import merge
    from .results.verifying import verify
    from .runner import run
    from .scoring import score
    from .training.train import train

_MODULES = {
    "Comparison": "analysis",
    "compare": "analysis",
    "leaderboard": "analysis.leaderboard",
    "merge": "results.parts",
    "verify": "results.verifying",
    "Benchmark": "benchmarks",
    "Corpus": "benchmarks",
    "Document": "benchmarks",
    "Task": "benchmarks",
    "load_benchmark": "benchmarks",
    "Ranker": "models",
    "Ranking": "models",
    "load_ranker": "models",
    "prepare": "hub.prepare",
    "encode": "preparing",
    "estimate": "preparing",
    "Result": "results",
    "run": "runner",
    "score": "scoring",
    "score_run": "question_scoring",
    "train": "training.train",
}

__all__ = [
    "Benchmark",
    "Comparison",
    "Corpus",
    "Document",
    "Ranker",
    "Ranking",
    "Result",
    "Task",
    "__version__",
    "compare",
    "encode",
    "estimate",
    "leaderboard",
    "load_benchmark",
    "load_ranker",
    "merge",
    "prepare",
    "run",
    "score",
    "score_run",
    "train",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
