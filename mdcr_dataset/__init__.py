"""MDCR, citation recommendation in 19 fields, as the Hugging Face dataset "mdcr".

After `import mdcr_dataset`, `datasets.load_dataset("mdcr", "Biology", split="test")` works from any
folder. The import is light: the library `datasets` is loaded only when you load it.
"""

from pathlib import Path

from scirank.huggingface.dataset_name import register_dataset

from .candidates import FIELDS, SOURCES, CandidateLists, listed_papers, parse_candidates, qrels, select_groups
from .errors import MdcrDataError
from .files import UPSTREAM, SplitFiles, data_folder, find_files

MINI = Path(__file__).parent / "mini"
"""Folder of a small invented MDCR in upstream's format; its numbers mean only that things run."""

__all__ = [
    "FIELDS",
    "MINI",
    "SOURCES",
    "UPSTREAM",
    "CandidateLists",
    "MdcrDataError",
    "SplitFiles",
    "data_folder",
    "find_files",
    "listed_papers",
    "parse_candidates",
    "qrels",
    "select_groups",
]

register_dataset("mdcr", "mdcr_dataset")
