"""What an evaluation leaves behind, and what others have published."""

from .provenance import environment, sha256, sha256_of_file
from .published import PublishedRow, published_rows
from .result import Result, refuse_to_replace

__all__ = ["PublishedRow", "Result", "environment", "published_rows", "refuse_to_replace", "sha256", "sha256_of_file"]
