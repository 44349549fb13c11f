"""A benchmark's files as a folder for others: a dataset repository for the Hub, or BEIR's files."""

from .exporting import Export, Layout, export_dataset

__all__ = ["Export", "Layout", "export_dataset"]
