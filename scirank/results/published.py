"""Published numbers, each with its source; the data file beside this one is their only place."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from mdcr_dataset import FIELDS


@dataclass(frozen=True)
class PublishedRow:
    """A system's published numbers in percent: its average and, where published, each group's."""

    model: str
    source: str
    average: Mapping[str, float]
    groups: Mapping[str, Mapping[str, float]]


def caveat(benchmark: str, split: str, groups: Collection[str], ties: str | None) -> str:
    """Why a result cannot be compared with MDCR's published rows; empty where it can. Split "" is not known."""
    if benchmark.endswith("-mini"):
        return "mini's papers are invented, and its numbers mean only that everything runs"
    if split not in ("test", ""):
        return f"this is the {split} split"
    if set(groups) != set(FIELDS):
        return "these are other fields"
    return "" if ties in (None, "trec") else f"this is under the tie rule {ties}"


def published_beside(benchmark: str, split: str, groups: Collection[str]) -> list[PublishedRow]:
    """What is published of the same split and the same groups; beside others it would mislead."""
    rows = published_rows(benchmark) if split == "test" else []
    return [row for row in rows if row.groups.keys() == set(groups)]


def published_rows(benchmark: str) -> list[PublishedRow]:
    """What is published on a benchmark's test split, best MAP first; empty for others."""
    tables = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
    rows = tables.get(benchmark, [])
    return [PublishedRow(row["model"], row["source"], row["average"], row.get("groups", {})) for row in rows]
