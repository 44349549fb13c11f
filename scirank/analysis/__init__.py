"""What results say beside each other."""

from .comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
