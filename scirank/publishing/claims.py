"""What of a result may be published: the benchmark's own numbers, and what has to be said beside them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mdcr_dataset import FIELDS
from oagqa_dataset import TOPICS

from ..errors import ScirankError, counted, shown
from ..results import Result

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
"""A repository on the Hub."""
RULES: Mapping[str, tuple[str | None, ...]] = {
    "ties": (None, "trec"),
    "missing": (None, "error", "lowest"),
    "missing_text": (None, "error", "empty"),
    "no_relevant": (None, "error", "zero"),
}
"""Settings under which a number is the benchmark's; others leave out queries or candidates, or order them anew."""
WORTH_SAYING: Mapping[str, tuple[str | None, ...]] = {
    "like": (None,),
    "missing": (None, "error"),
    "missing_text": (None, "error"),
    "quotes": (None, "error"),
}
"""Settings that are said beside the numbers unless they are these."""


@dataclass(frozen=True)
class Published:
    """How a benchmark's numbers are called where they are published.

    Attributes:
        title: the benchmark.
        task: the Hub's name of the task.
        task_title: what it is.
        measures: name -> how it is written.
        groups: all that the benchmark has.
        group: what one is called.
        queries: what it asks, in the plural.
    """

    title: str
    task: str
    task_title: str
    measures: Mapping[str, str]
    groups: tuple[str, ...]
    group: str
    queries: str


BENCHMARKS = {
    "mdcr": Published(
        "MDCR",
        "text-ranking",
        "Citation recommendation",
        {"map": "MAP", "ndcg": "nDCG", "recall_5": "Recall@5"},
        tuple(FIELDS),
        "field",
        "queries",
    ),
    "oagqa": Published(
        "OAG-QA",
        "text-retrieval",
        "Retrieval of papers that answer questions",
        {"hit_20": "Hit@20 (title_span)", "exact_hit_20": "Hit@20 (exact_title)", "mrr": "MRR (title_span)"},
        tuple(TOPICS),
        "topic",
        "questions",
    ),
}


@dataclass(frozen=True)
class Claim:
    """A result, and how it is published.

    Attributes:
        result: whose numbers.
        published: how they are called.
        split: "" where it is not known.
        remarks: what has to be said beside the numbers.
    """

    result: Result
    published: Published
    split: str
    remarks: tuple[str, ...]

    @property
    def measures(self) -> dict[str, str]:
        """Those of the benchmark's measures that the result has: name -> how it is written."""
        return {name: label for name, label in self.published.measures.items() if name in self.result.measures}

    @property
    def absent(self) -> list[str]:
        """Fields or topics of the benchmark that the result has not: then its average is not the benchmark's."""
        return [group for group in self.published.groups if group not in self.result.groups]

    @property
    def part(self) -> str:
        """Of how many fields or topics it is."""
        of, group = len(self.published.groups), self.published.group
        return f"{len(self.result.groups)} of {of} {group}s"


def claim_of(result: Result, split: str | None = None) -> Claim:
    """What may be published of a result.

    Args:
        result: a run, or scores that were given.
        split: of scores that were given, whose split is not recorded.

    Raises:
        ScirankError: it is not of the benchmark, or not under its rules.
    """
    if result.benchmark.endswith("-mini"):
        raise ScirankError(
            f"{result.benchmark} is not published: its papers are invented, and its numbers mean only that everything "
            "runs"
        )
    if result.benchmark not in BENCHMARKS:
        raise ScirankError(f"a result of {result.benchmark} is not published; expected {' or '.join(BENCHMARKS)}")
    if split is not None and result.split not in ("", split):
        raise ScirankError(f"the result is of the split {result.split}, not of {split}")
    published = BENCHMARKS[result.benchmark]
    if strange := [group for group in result.groups if group not in published.groups]:
        raise ScirankError(
            f"{shown(strange)}: no {published.group} of {published.title}. These are other data, and are not published "
            "as it"
        )
    settings = result.provenance["settings"]
    if other := [f"{name} {settings[name]}" for name, own in RULES.items() if settings.get(name) not in own]:
        raise ScirankError(
            f"this result is under other rules than {published.title}'s ({shown(other)}): queries or candidates are "
            "left out, or equal scores ordered in another way. Run or score again without these"
        )
    claim = Claim(result, published, result.split or split or "", tuple(_remarks(result, split)))
    if not claim.measures:
        raise ScirankError(f"this result has none of the measures that are published: {', '.join(published.measures)}")
    return claim


def described(claim: Claim) -> str:
    """How the numbers were made, in few words."""
    result, published = claim.result, claim.published
    groups = counted(len(result.groups), published.group, f"{published.group}s")
    mean = f"mean over {groups}"
    if result.asks_questions:
        disciplines = counted(len(result.summary["disciplines"]), "discipline", "disciplines")
        mean = f"{result.average_name}, {groups} of {disciplines}"
    version = (result.provenance.get("environment", {}).get("packages") or {}).get("scirank")
    made_by = "scirank" if version is None else f"scirank {version}"
    queries = f"{result.summary['queries']:,} {published.queries}"
    return "; ".join([f"percent, {mean}, {queries}", *claim.remarks, made_by])


def time_of(result: Result) -> str | None:
    """When a result was made, as the Hub writes it."""
    time: str | None = result.provenance.get("environment", {}).get("time")
    return None if time is None else time.replace("+00:00", "Z")


def cautions(claim: Claim, repo: str) -> list[str]:
    """What whoever publishes has to know."""
    facts: Mapping[str, Any] = claim.result.provenance.get("model") or {}
    notes = []
    name = str(facts.get("model") or claim.result.model)
    if _short(name) != _short(repo):
        notes.append(f"the result is of {name}, the page is {repo}'s: make sure that this is one model")
    if not claim.split:
        notes.append("files of scores do not say which split they are of: name it (--split test), or it stays open")
    return notes + [f"said beside the numbers: {remark}" for remark in claim.remarks if remark != UNKNOWN_SPLIT]


UNKNOWN_SPLIT = "split not stated"


def _remarks(result: Result, split: str | None) -> Iterator[str]:
    if not (result.split or split):
        yield UNKNOWN_SPLIT
    settings = result.provenance["settings"]
    for name, usual in WORTH_SAYING.items():
        if settings.get(name) not in usual:
            yield f"{name} {settings[name]}"
    yield from (note.partition(":")[0] for note in result.notes if "trained on" in note)
    if revision := (result.provenance.get("model") or {}).get("revision"):
        yield f"model revision {revision[:12]}"


def _short(name: str) -> str:
    return name.rpartition("/")[2].casefold()
