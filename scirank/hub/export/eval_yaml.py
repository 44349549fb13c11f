"""`eval.yaml`, by which the Hub knows a dataset as a benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import counted
from ...publishing.claims import BENCHMARKS
from .card import title_of
from .exporting import Source
from .repository import DEFAULT

if TYPE_CHECKING:
    from .hub import Contents

PATH = "eval.yaml"


def write_eval_yaml(source: Source, contents: "Contents", folder: Path) -> None:
    """Write a task a measure and split; `scirank publish` puts results under these ids."""
    import yaml

    published = BENCHMARKS[source.kind]
    groups = counted(len(contents.groups), published.group, f"{published.group}s")
    invented = " The papers are invented: numbers mean only that everything runs." if source.is_mini else ""
    tasks = [
        {"id": measure if split == "test" else f"{measure}_{split}", "config": DEFAULT, "split": split}
        for split in contents.splits
        if split != "train"
        for measure in published.measures
    ]
    content = {
        "name": title_of(source, contents.groups),
        "description": f"{published.task_title}, {groups}. Values are percent, averaged as published.{invented}",
        "tasks": sorted(tasks, key=lambda task: task["split"] != "test"),
    }
    (folder / PATH).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120), "utf-8")
