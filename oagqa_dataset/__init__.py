"""OAG-QA, questions that papers answer in 87 topics, as the Hugging Face dataset "oagqa".

After `import oagqa_dataset`, `datasets.load_dataset("oagqa", "optics", split="test")` works from any
folder. The import is light: the library `datasets` is loaded only when you load it.
"""

from pathlib import Path

from scirank.huggingface.dataset_name import register_dataset

from .errors import OagqaDataError
from .files import UPSTREAM, DataFile, TopicFiles, data_folder, find_topics
from .topics import DISCIPLINES, OTHER, TOPICS, discipline_named, discipline_of

MINI = Path(__file__).parent / "mini"
"""Folder of a small invented OAG-QA in upstream's format; its numbers mean only that things run."""

__all__ = [
    "DISCIPLINES",
    "MINI",
    "OTHER",
    "TOPICS",
    "UPSTREAM",
    "DataFile",
    "OagqaDataError",
    "TopicFiles",
    "data_folder",
    "discipline_named",
    "discipline_of",
    "find_topics",
]

register_dataset("oagqa", "oagqa_dataset", also=["mdcr_metric.titles"])
