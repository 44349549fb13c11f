"""Benchmarks: what is asked, what may be answered, and what is right."""

from .corpus import Corpus, Document
from .registry import load_benchmark
from .task import Benchmark, Task

__all__ = ["Benchmark", "Corpus", "Document", "Task", "load_benchmark"]
