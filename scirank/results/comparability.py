"""Whether two results are of the same thing, and if not, why."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from ..errors import ScirankError, counted, shown
from .result import Result

FILES = ("scores", "runs")
"""What `data_sha256` names that is a model's, not the benchmark's."""
RULES = ("ties", "missing_text", "quotes")
"""Settings that change what a number is."""
SEEN = {"template": "text template", "query_template": "query's template", "max_length": "longest text, in tokens"}
"""What models see of a text: it is part of a system, and may differ, but whoever compares has to know."""
LEFT_OUT = {"missing": "candidates without a score", "no_relevant": "queries without a relevant candidate"}
"""Settings that may leave out what others count."""


def check_comparable(results: Sequence[Result]) -> None:
    """Raise ScirankError where numbers of results would not be of the same thing, naming all that differs."""
    for one, other in combinations(results, 2):
        if found := list(obstacles(one, other)):
            raise ScirankError(f"{one.model} and {other.model} cannot be compared: {'; '.join(found)}")


def obstacles(one: Result, other: Result) -> Iterator[str]:
    """Why two results cannot be compared; nothing where they can."""
    if one.benchmark != other.benchmark:
        yield f"one is of {one.benchmark}, the other of {other.benchmark}"
        return
    if one.split and other.split and one.split != other.split:  # files of scores do not say which split they are of
        yield f"one is of the split {one.split}, the other of {other.split}"
        return
    if changed := data_differs(one.provenance["data_sha256"], other.provenance["data_sha256"]):
        yield f"the data is not the same (SHA-256 of {shown(changed)} differs)"
    for rule in RULES:
        here, there = (result.provenance["settings"].get(rule) for result in (one, other))
        if here is not None and there is not None and here != there:
            yield f"{rule} is {here} for one, {there} for the other"
    if not set(one.measures) & set(other.measures):
        yield f"they have no measure in common ({shown(one.measures)}; {shown(other.measures)})"
    yield from _other_queries(one, other)


def data_differs(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    """Of two mappings of data to SHA-256, what is another in both; in OAG-QA data are named by topic."""
    return [name for name in here if name in there and name not in FILES and here[name] != there[name]]


def cautions(results: Mapping[str, Result]) -> list[str]:
    """What differs between results that can be compared, by name, and bears on what their difference means."""
    notes = []
    for key, what in SEEN.items():
        values = {name: _of_model(result).get(key) for name, result in results.items() if key in _of_model(result)}
        if len(set(values.values())) > 1:
            notes.append(f"{what} differs: " + ", ".join(f"{name} {value!r}" for name, value in values.items()))
    for key, what in LEFT_OUT.items():
        values = {name: result.provenance["settings"].get(key) for name, result in results.items()}
        if len({value for value in values.values() if value is not None}) > 1:
            notes.append(f"{what} were treated otherwise: " + ", ".join(f"{n} {v}" for n, v in values.items() if v))
    for name, result in results.items():
        notes += [f"{name}: {note}" for note in result.notes if "trained on" in note]
    of_each = [result.measures for result in results.values()]
    left = [measure for measures in of_each for measure in measures if any(measure not in other for other in of_each)]
    if left:
        notes.append(f"measures that not all results have, left out: {shown(list(dict.fromkeys(left)))}")
    return notes


def _other_queries(one: Result, other: Result) -> Iterator[str]:
    here, there = (set(result.keys) for result in (one, other))
    if groups := sorted({group for group, _ in here} ^ {group for group, _ in there}):
        yield (
            f"{counted(len(groups), 'group is', 'groups are')} in one only: {shown(groups)}. "
            "Choose groups that both have (groups=, --groups)"
        )
    elif queries := sorted(here ^ there):
        names = [f"{query} ({group})" for group, query in queries]
        yield f"{counted(len(queries), 'query is', 'queries are')} in one only: {shown(names)}"


def _of_model(result: Result) -> Mapping[str, Any]:
    found: Mapping[str, Any] = result.provenance.get("model", {})
    return found
