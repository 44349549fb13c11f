"""Texts to vectors, each text once."""

from .encode import Encoder, encode_once

__all__ = ["Encoder", "encode_once"]
