"""A benchmark's files as a folder for others: a dataset repository for the Hub, or BEIR's files."""

from ...choices import Layout
from .exporting import Export, export_dataset

__all__ = ["Export", "Layout", "export_dataset"]
