"""The command line: parses, calls, prints. Everything heavy is imported where it is needed."""

from .app import app, main
from . import score, run, audit, reproduce

__all__ = ["app", "audit", "main", "reproduce", "run", "score"]
