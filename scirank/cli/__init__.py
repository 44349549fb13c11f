"""The command line: parses, calls, prints. Everything heavy is imported where it is needed."""

from .app import app, main
from . import score, run, train, mine, convert, audit, reproduce, cache

__all__ = ["app", "audit", "cache", "convert", "main", "mine", "reproduce", "run", "score", "train"]
