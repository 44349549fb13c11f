"""Results as one HTML file: tables, plots, every query, provenance; nothing is loaded from elsewhere."""

from .page import write_html

__all__ = ["write_html"]
