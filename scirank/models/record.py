"""What a model's folder says beyond what sentence-transformers saves: how it reads a paper, and what it saw."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark, Document
from ..choices import Architecture, Method
from ..errors import ScirankError
from ..results import sha256
from ..results.files import whole_file
from .library import full_name
from .ranker import ModelOptions

FILE = "scirank.json"


@dataclass(frozen=True)
class Record:
    """A model's own account.

    Attributes:
        architecture: `dpr` or `colbert`.
        method: `ft` or `pt2`.
        template: the text of a paper, as `ModelOptions.template`.
        training: data, settings, losses; empty where a model was converted.
        source: `converted_from`, the file that it was; empty where it was trained.
    """

    architecture: str
    method: str
    template: str
    training: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)

    def over(self, options: ModelOptions) -> ModelOptions:
        """Options, and where none was chosen what the model was made with."""
        return options if options.template is not None else replace(options, template=self.template)

    def facts(self) -> dict[str, Any]:
        """What belongs into a result."""
        saw = self.training.get("saw", {})
        groups = {group: of["queries"] for group, of in saw.get("groups", {}).items()}
        trained_on = {**saw, "groups": groups} if saw else {}
        facts = {"architecture": self.architecture, "method": self.method, "trained_on": trained_on, **self.source}
        return {name: value for name, value in facts.items() if value}

    def trained_queries(self, benchmark: Benchmark) -> list[str]:
        """Queries of a benchmark that the model was trained on, by their texts."""
        seen = {text for of in self.training.get("saw", {}).get("groups", {}).values() for text in of["texts"]}
        asked = ((name, query) for task in benchmark.tasks for name, query in task.queries.items())
        return [name for name, query in asked if text_digest(query) in seen]


def text_digest(query: Document) -> str:
    """What stands for a query's text, whatever its case, spaces and question mark at the end."""
    plain = " ".join(f"{query.title} {query.text}".casefold().split()).rstrip("? ")
    return sha256(plain.encode())[:16]


def refuse_existing(folder: Path, overwrite: bool) -> None:
    """Refuse to replace what is there, unless it is a model with a record and is to be replaced.

    Raises:
        ScirankError: saying what is there.
    """
    if not os.path.lexists(folder):
        return
    if not overwrite:
        raise ScirankError(f"{folder} is there already; choose another folder, or overwrite (--overwrite)")
    if folder.is_symlink() or not (folder / FILE).is_file():
        raise ScirankError(
            f"{folder}: expected a model with a file {FILE}; nothing else is overwritten, choose another folder"
        )
    read_record(str(folder))


def write_record(folder: str | os.PathLike[str], record: Record) -> None:
    """Put a record into a model's folder."""
    with whole_file(Path(folder) / FILE) as path:
        path.write_text(json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_record(name_or_folder: str, revision: str | None = None) -> Record | None:
    """The record of a model in a folder or on the Hub; None where it has none.

    Raises:
        ScirankError: it is not what `write_record` writes.
    """
    from sentence_transformers.util import load_file_path

    path = load_file_path(full_name(name_or_folder), FILE, revision=revision)
    if path is None:
        return None
    with open(path, encoding="utf-8") as opened:
        try:
            record = Record(**json.load(opened))
            _check(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ScirankError(
                f"{path}: not a record of scirank's training or converting ({type(error).__name__}: {error}); if it is "
                "something else, rename it"
            ) from error
    return record


def _check(record: Record) -> None:
    """Raise one of Python's errors where something is of another type than what is read of it later."""
    Architecture(record.architecture)
    Method(record.method)
    for text in (record.architecture, record.method, record.template):
        if not isinstance(text, str):
            raise TypeError(f"expected a text, found {text!r:.80}")
    record.source.items()
    for of in record.training.get("saw", {}).get("groups", {}).values():
        if not all(isinstance(text, str) for text in of["texts"]):
            raise TypeError("expected texts' digests")
        int(of["queries"])
