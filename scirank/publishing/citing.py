"""Whom to cite for a result: the benchmark's authors, the models', and those of the tools that made it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ScirankError
from ..results import Result
from .claims import HUB_NAME

OF_BENCHMARK = {"mdcr": "medic2022mdcr", "oagqa": "tam2023oagqa"}
SENTENCE_TRANSFORMERS = "reimers2019sentencebert"
OF_KIND = {
    "bm25": ("robertson2009bm25",),
    "late-interaction": ("khattab2020colbert",),
    "cross-encoder": ("nogueira2019passage",),
}
OF_ARCHITECTURE = {"dpr": ("karpukhin2020dpr",), "colbert": ("khattab2020colbert",)}
OF_METHOD = {"pt2": ("liu2021ptuningv2",)}
NO_MODEL = ("random",)


class Family(NamedTuple):
    """Models of one paper.

    Attributes:
        own: matches the whole names of its authors' own models.
        akin: is found in the names of models made from them.
        keys: the paper, and what it rests upon.
    """

    own: str
    akin: str
    keys: tuple[str, ...]


FAMILIES = (
    Family(r"(malteos/)?scincl(-wol)?", r"scincl", ("ostendorff2022scincl",)),
    Family(
        r"(allenai/)?(specter2(_[a-z_]+)?|specter_plus_plus|scirepeval_[a-z_]+)",
        r"specter[-_]?(2|plus)|scirepeval",
        ("singh2023scirepeval",),
    ),
    Family(
        r"((allenai|sentence-transformers)/)?(allenai-)?specter", r"specter(?![-_]?(2|plus))", ("cohan2020specter",)
    ),
    Family(r"(allenai/)?scibert_[a-z]+_(un)?cased", r"scibert", ("beltagy2019scibert",)),
    Family(
        r"(intfloat/)?multilingual-e5-(small|base|large)(-instruct)?", r"multilingual-e5", ("wang2024multilinguale5",)
    ),
    Family(
        r"(intfloat/)?e5-(small|base|large)(-v2|-unsupervised)?",
        r"(?<!multilingual-)\be5-(small|base|large)",
        ("wang2022e5",),
    ),
    Family(r"(thenlper/)?gte-(small|base|large)", r"\bgte-(small|base|large)$", ("li2023gte",)),
    Family(r"(baai/)?bge-(small|base|large)-(en|zh)(-v1\.5)?", r"\bbge-(small|base|large)", ("xiao2023cpack",)),
    Family(
        r"(sentence-transformers/)?(all|paraphrase|multi-qa|msmarco)-minilm-l\d+.*|(cross-encoder/)?ms-marco-minilm-l-?\d+.*",
        r"minilm",
        ("wang2020minilm", SENTENCE_TRANSFORMERS),
    ),
    Family(
        r"(sentence-transformers/)?(all|paraphrase|multi-qa)-mpnet-base.*",
        r"mpnet",
        ("song2020mpnet", SENTENCE_TRANSFORMERS),
    ),
    Family(r"(facebook/)?contriever(-msmarco)?", r"contriever", ("izacard2022contriever",)),
    Family(r"dpr|(facebook/)?dpr-(question|ctx)_encoder-(multiset|single-nq)-base", r"\bdpr\b", ("karpukhin2020dpr",)),
    Family(r"(colbert-ir/)?colbertv2(\.0)?", r"colbert-?v2", ("santhanam2022colbertv2",)),
    Family(r"colbert", r"colbert(?!-?v2)", ("khattab2020colbert",)),
    Family(r"((google-bert|bert)/)?bert-(base|large)-(un)?cased", r"\bbert-(base|large)", ("devlin2019bert",)),
)


class Entry(NamedTuple):
    """A BibTeX entry: its key and its text."""

    key: str
    text: str


@dataclass(frozen=True)
class Citations:
    """What to cite.

    Attributes:
        entries: benchmarks, models, tools, none twice.
        remarks: what could not be told.
    """

    entries: tuple[Entry, ...]
    remarks: tuple[str, ...]

    @property
    def bibtex(self) -> str:
        """A BibTeX file."""
        return "\n\n".join(entry.text for entry in self.entries) + "\n"


def citations(results: Sequence[Result]) -> Citations:
    """Whom to cite for results. Raises ScirankError where there are none."""
    if not results:
        raise ScirankError("no result to cite for")
    models = [_Model.of(result) for result in results]
    wanted: list[str | Entry] = [*_benchmarks(results), *(key for model in models for key in model.cited)]
    wanted += [_scirank(results), *(key for result in results for key in _tools(result))]
    entries = {(key if isinstance(key, str) else key.key): key for key in wanted}
    remarks = [remark for model in models for remark in model.remarks]
    if any(result.benchmark.endswith("-mini") for result in results):
        remarks.append("mini's papers are invented: what is cited is the benchmark whose form it has")
    known = references()
    return Citations(
        tuple(known[entry] if isinstance(entry, str) else entry for entry in entries.values()),
        tuple(dict.fromkeys(remarks)),
    )


@cache
def references() -> Mapping[str, Entry]:
    """Every entry that is known, by its key."""
    text = Path(__file__).with_name("citations.bib").read_text("utf-8")
    found = (Entry(match[1], match[0]) for match in re.finditer(r"^@\w+\{([^,]+),\n.*?^\}$", text, re.M | re.S))
    return {entry.key: entry for entry in found}


def families_of(name: str) -> tuple[tuple[str, ...], bool]:
    """The papers that a model's name speaks of, and whether it is one of their own models."""
    lower = name.casefold()
    for family in FAMILIES:
        if re.fullmatch(family.own, lower):
            return family.keys, True
    return tuple(key for family in FAMILIES if re.search(family.akin, lower) for key in family.keys), False


class _Model(NamedTuple):
    """What to cite for a model."""

    cited: tuple[str | Entry, ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, result: Result) -> "_Model":
        facts = result.provenance.get("model") or {}
        return cls.of_scores(result.model) if not facts else cls.of_facts(result.model, facts)

    @classmethod
    def of_scores(cls, name: str) -> "_Model":
        keys, _ = families_of(name)
        guess = f"taken for a model of {', '.join(keys)} by its name" if keys else "cite the model that made it"
        return cls(keys, (f"{name} is a file of scores: {guess}",))

    @classmethod
    def of_facts(cls, name: str, facts: Mapping[str, Any]) -> "_Model":
        if facts.get("kind") in NO_MODEL:
            return cls((), ())
        cited: list[str | Entry] = []
        remarks: list[str] = []
        if facts.get("kind") == "bm25":
            cited += OF_KIND["bm25"]
        else:
            called = str(facts.get("model") or name)
            parts = called.removeprefix("dpr:").split(",") if called.startswith("dpr:") else [called]
            for part in parts:
                keys, own = families_of(part)
                cited += keys
                if not own:
                    cited += _by_what_it_is(facts)
                    described, remark = _unknown(part, facts, cited)
                    cited += described
                    remarks.append(remark)
            for base in (facts.get("base_model"), facts.get("converted_from")):
                cited += families_of(str(base))[0] if base else ()
            cited += OF_METHOD.get(str(facts.get("method")), ())
        if first := facts.get("first_stage"):
            below = cls.of_facts(str(first.get("model") or first.get("kind")), first)
            return cls((*cited, *below.cited), (*remarks, *below.remarks))
        return cls(tuple(cited), tuple(remarks))


def _by_what_it_is(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The paper of a model's kind: where it is trained by scirank, of its architecture."""
    by_kind = OF_KIND.get(str(facts.get("kind")), ())
    return OF_ARCHITECTURE.get(str(facts.get("architecture")), by_kind)


def _unknown(name: str, facts: Mapping[str, Any], cited: Iterable[str | Entry]) -> tuple[list[Entry], str]:
    """A model whose own paper is not known: its address on the Hub, if it has one."""
    beside = [key for key in cited if isinstance(key, str)]
    more = f"; cited for what it is made of: {', '.join(dict.fromkeys(beside))}" if beside else ""
    if not HUB_NAME.fullmatch(name):
        return [], f"{name}: no paper and no address on the Hub is known of this model; cite it yourself{more}"
    address = f"https://huggingface.co/{name}"
    revision = f", revision {facts['revision']}" if facts.get("revision") else ""
    key = "hub-" + re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()
    text = (
        f"@misc{{{key},\n  title = {{{_escaped(name)}}},\n"
        f"  howpublished = {{Model on the Hugging Face Hub{revision}}},\n  note = {{\\url{{{address}}}}},\n}}"
    )
    return [Entry(key, text)], f"{name}: no paper is known of this model; {address} stands for it{more}"


def _benchmarks(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        name = result.benchmark.removesuffix("-mini")
        if name not in OF_BENCHMARK:
            raise ScirankError(f"{result.benchmark}: no citation is known; expected {' or '.join(OF_BENCHMARK)}")
        yield OF_BENCHMARK[name]


def _scirank(results: Sequence[Result]) -> Entry:
    """The software itself, in the versions that made the results."""
    packages = (result.provenance.get("environment", {}).get("packages") or {} for result in results)
    versions = sorted({str(found["scirank"]) for found in packages if found.get("scirank")})
    version = f", version {' and '.join(versions)}" if versions else ""
    title = "scirank: evaluation of models of scientific text on MDCR and OAG-QA"
    return Entry(
        "scirank",
        f"@misc{{scirank,\n  title = {{{title}}},\n  author = {{{{The scirank authors}}}},\n"
        f"  howpublished = {{Computer software{version}}},\n}}",
    )


def _tools(result: Result) -> Iterator[str]:
    """What ranked and what measured."""
    facts = result.provenance.get("model") or {}
    for used in (facts, facts.get("first_stage") or {}):
        if used.get("kind") == "bm25":
            yield "lu2024bm25s"
        elif "backend" in used:  # one of sentence-transformers' models
            yield SENTENCE_TRANSFORMERS
    if not result.asks_questions:
        yield "vangysel2018pytreceval"


def _escaped(name: str) -> str:
    return re.sub(r"([_&%#$])", r"\\\1", name)
