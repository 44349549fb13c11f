"""What an evaluation leaves behind, and what others have published."""

from .provenance import environment, provenance, sha256
from .published import PublishedRow, published_rows
from .result import Result

__all__ = ["PublishedRow", "Result", "environment", "provenance", "published_rows", "sha256"]
