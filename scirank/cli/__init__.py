"""The command line: parses, calls, prints. Everything heavy is imported where it is needed."""

from .app import app, main
from . import score, run, results, compare, plot, report, trec, train, mine, convert, audit, reproduce, publish, cite
from . import cache, prepare, export, push

__all__ = [
    "app",
    "audit",
    "cache",
    "cite",
    "compare",
    "convert",
    "export",
    "main",
    "mine",
    "plot",
    "prepare",
    "publish",
    "push",
    "report",
    "reproduce",
    "results",
    "run",
    "score",
    "train",
    "trec",
]
