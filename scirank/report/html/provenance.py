"""How each result was made, for the eye, and how to get it again."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mdcr_dataset import FIELDS
from oagqa_dataset import TOPICS

from ...results import Result

LISTED = 6
"""Entries of a list or a table that are shown; the JSON has all."""
PARTS = {
    "model": "Model",
    "settings": "Settings",
    "data_sha256": "Data, SHA-256",
    "ranking": "Ranking",
    "environment": "Environment",
}


@dataclass(frozen=True)
class Origin:
    """A result's provenance.

    Attributes:
        name: the model's.
        parts: headings, each with names and values.
        notes: what was counted, left out or tied.
        again: a command, or a sentence where there is none.
        runs: whether `again` is a command.
        full: all of it, as JSON.
    """

    name: str
    parts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    notes: tuple[str, ...]
    again: str
    runs: bool
    full: str


def origin(name: str, result: Result) -> Origin:
    """A result's provenance, for the eye."""
    made = result.provenance
    parts = ((title, tuple(_facts(made.get(part, {})))) for part, title in PARTS.items())
    whole = {
        "model": result.model,
        "benchmark": result.benchmark,
        "split": result.split,
        "notes": list(result.notes),
        "provenance": made,
    }
    runs = bool(made.get("model"))
    return Origin(
        name=name,
        parts=tuple(part for part in parts if part[1]),
        notes=result.notes,
        again=_command(result)
        if runs
        else "`scirank score` of the files whose SHA-256 stand above, with these settings",
        runs=runs,
        full=json.dumps(whole, indent=1, ensure_ascii=False, default=str),
    )


def made(results: Mapping[str, Result]) -> tuple[str, ...]:
    """The days on which results were made, and the versions that made them, each once."""
    environments = [result.provenance.get("environment", {}) for result in results.values()]
    days = sorted({str(each["time"])[:10] for each in environments if each.get("time")})
    versions = sorted({str(v) for each in environments if (v := each.get("packages", {}).get("scirank"))})
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    return tuple(text for text in (span, f"scirank {', '.join(versions)}" if versions else "") if text)


def _facts(part: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    names = list(part)
    for name in names if len(names) <= 2 * LISTED else names[:LISTED]:
        if part[name] is not None:
            yield name.replace("_", " "), _text(part[name])
    if len(names) > 2 * LISTED:
        yield "…", f"{len(names) - LISTED:,} more in the JSON below"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_text(one)}" for name, one in value.items() if one is not None)
    if isinstance(value, list | tuple):
        texts = [_text(one) for one in value]
        more = f", … ({len(texts):,} in all)" if len(texts) > LISTED else ""
        return ", ".join(texts[:LISTED]) + more
    return str(value)


def _command(result: Result) -> str:
    settings = result.provenance["settings"]
    model = result.provenance["model"]
    parts = ["scirank", "run", model["kind"] if model.get("kind") in ("bm25", "random") else result.model]
    parts += ["--benchmark", result.benchmark]
    if result.split not in ("", "test"):
        parts += ["--split", result.split]
    groups = settings.get("groups") or list(result.groups)
    if set(groups) not in (set(FIELDS), set(TOPICS)):
        parts += ["--topics" if result.asks_questions else "--fields", ",".join(groups)]
    plain = {"top_k": 100, "quotes": "error", "missing_text": "error", "ties": "trec", "no_relevant": "error"}
    for name in (*plain, "like"):
        if settings.get(name) not in (None, plain.get(name)):
            parts += [f"--{name.replace('_', '-')}", str(settings[name])]
    if settings.get("measures"):
        parts += ["--measures", ",".join(settings["measures"])]
    if model.get("kind") == "random" and model.get("seed"):
        parts += ["--seed", str(model["seed"])]
    return shlex.join([*parts, "--save-rankings", "--out", "results"])
