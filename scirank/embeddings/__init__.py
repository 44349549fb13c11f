"""Texts to vectors, each text once."""

from .encode import Encoder, Vectors

__all__ = ["Encoder", "Vectors"]
