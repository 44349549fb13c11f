"""Some groups of a result, and results of some groups put together: summaries are made anew from single queries."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import compress
from typing import Any

import numpy as np

from mdcr_dataset import FIELDS
from mdcr_metric.calibration import Calibration
from mdcr_metric.outcomes import RULES
from oagqa_dataset import TOPICS

from ..errors import ScirankError, shown
from .comparability import FILES, data_differs
from .result import MACHINE, Result
from .summary import calibration_of, summary_of

ORDER = {group: at for at, group in enumerate((*FIELDS, *TOPICS))}


def restricted(result: Result, groups: Sequence[str]) -> Result:
    """A result of some of its groups only. Raises ScirankError where it has not all of them, or none is named.

    Calibration is kept where ranked lists are known.
    """
    if not groups:
        raise ScirankError(f"no group was named; {result.model} has {shown(list(result.groups), 100)}")
    if absent := [group for group in groups if group not in result.groups]:
        raise ScirankError(f"{result.model} has no group {shown(absent)}; it has {shown(list(result.groups), 100)}")
    wanted = set(groups)
    inside = [group in wanted for group in result.per_query["group"]]
    lists = None if result.lists is None else tuple(compress(result.lists, inside))
    per_query = {name: list(compress(values, inside)) for name, values in result.per_query.items()}
    calibration = None if lists is None or "calibration" not in result.summary else calibration_of(lists)
    settings = {**result.provenance["settings"], "groups": [group for group in result.groups if group in wanted]}
    return replace(
        result,
        per_query=per_query,
        summary=summary_of(per_query, calibration),
        provenance={**result.provenance, "settings": settings},
        lists=lists,
    )


def merge(results: Sequence[Result]) -> Result:
    """One result out of results of some groups each, such as fields that ran apart.

    Args:
        results: of the same model, data and settings, no group in two of them.

    Raises:
        ScirankError: they are not: naming what differs.
    """
    if not results:
        raise ScirankError("nothing to merge")
    first, *others = results
    for other in others:
        if differ := _differences(first, other):
            raise ScirankError(
                f"results that cannot be merged: {first.model} and {other.model} differ in {shown(differ, 20)}"
            )
    owners: dict[str, int] = {}
    for at, result in enumerate(results):
        if again := [group for group in result.groups if owners.setdefault(group, at) != at]:
            raise ScirankError(f"results that cannot be merged: {shown(again)} is in two of them")
    groups = sorted(owners, key=lambda group: (ORDER.get(group, len(ORDER)), group))
    parts = {group: restricted(results[owners[group]], [group]) for group in groups}
    per_query = {name: [v for part in parts.values() for v in part.per_query[name]] for name in first.per_query}
    lists = None
    if all(result.lists is not None for result in results):
        lists = tuple(each for part in parts.values() for each in part.known_lists())
    calibration = None
    if all("calibration" in result.summary for result in results):
        calibration = _pooled([r.summary["calibration"] for r in results]) if lists is None else calibration_of(lists)
    return replace(
        first,
        per_query=per_query,
        summary=summary_of(per_query, calibration),
        provenance=_provenance(results, groups),
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
        lists=lists,
    )


def _differences(one: Result, other: Result) -> list[str]:
    differ = [
        name for name in ("model", "benchmark", "split", "measures") if getattr(one, name) != getattr(other, name)
    ]
    if one.per_query.keys() != other.per_query.keys():
        differ.append("per-query columns")
    hashes = (result.provenance["data_sha256"] for result in (one, other))
    differ += [f"data {name}" for name in data_differs(*hashes)]
    for part in ("settings", "model"):
        here, there = (result.provenance.get(part, {}) for result in (one, other))
        names = [name for name in {**here, **there} if name not in (*MACHINE, "groups")]
        differ += [f"{part} {name}" for name in names if here.get(name) != there.get(name)]
    return differ


def _provenance(results: Sequence[Result], groups: Sequence[str]) -> dict[str, Any]:
    first = results[0].provenance
    hashes = {name: value for result in results for name, value in result.provenance["data_sha256"].items()}
    for name in FILES:  # each part's own
        own = [result.provenance["data_sha256"][name] for result in results if name in result.provenance["data_sha256"]]
        if any(value != hashes[name] for value in own):
            hashes[name] = [each for value in own for each in ([value] if isinstance(value, str) else value)]
    return {
        **first,
        "data_sha256": hashes,
        "settings": {**first["settings"], "groups": list(groups)},
        "ranking": {"merged_from": [result.provenance.get("ranking", {}) for result in results]},
    }


def _pooled(calibrations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Calibrations of parts as one: bins add up."""
    pooled = {}
    for rule in RULES.values():
        counts = np.array([found[rule]["count"] for found in calibrations])
        count = counts.sum(axis=0)
        means = {
            name: (np.array([found[rule][name] for found in calibrations]) * counts).sum(axis=0) / np.maximum(count, 1)
            for name in ("confidence", "accuracy")
        }
        error = float(np.abs(means["accuracy"] - means["confidence"]) @ count / max(1, count.sum()))
        found = Calibration(error, count.tolist(), means["confidence"].tolist(), means["accuracy"].tolist())
        pooled[rule] = asdict(found)
    return pooled
