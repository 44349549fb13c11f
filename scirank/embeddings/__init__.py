"""Texts to vectors: each text once, kept on disk."""

from .engine import Engine, Loader, engine_of
from .job import Budget, Encoder, Job, Text, Texts
from .plan import Part
from .vectors import Vectors

__all__ = ["Budget", "Encoder", "Engine", "Job", "Loader", "Part", "Text", "Texts", "Vectors", "engine_of"]
