"""Published numbers, each with its source; the data file beside this one is their only place."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PublishedRow:
    """A system's published numbers in percent: its average and, where published, each group's."""

    model: str
    source: str
    average: Mapping[str, float]
    groups: Mapping[str, Mapping[str, float]]


def published_rows(benchmark: str) -> list[PublishedRow]:
    """What is published on a benchmark's test split, best MAP first; empty for others."""
    tables = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
    rows = tables.get(benchmark, [])
    return [PublishedRow(row["model"], row["source"], row["average"], row.get("groups", {})) for row in rows]
