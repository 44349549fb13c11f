"""The page as a whole."""

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from mdcr_dataset import FIELDS
from mdcr_metric.outcomes import EXACT

from ...analysis.comparison import Comparison
from ...benchmarks import Benchmark
from ...errors import ScirankError, counted
from ...results import Result, published_rows
from ...results.files import whole_file
from ...results.result import AVERAGE_NAMES
from ...statistics import Statistics
from ...version import __version__
from ..formats import label
from ..terminal import why_not_comparable
from . import numbers, provenance, queries, wording
from .figures import inlined

LIMIT = 20_000_000
VERDICTS = 6
"""Pairs of models whose verdicts are open; more are folded."""
SLACK = 1_000
"""Bytes by which the page may grow with what its sentences say of its lists."""


def write_html(
    path: str | os.PathLike[str],
    comparison: Comparison,
    benchmark: Benchmark | None = None,
    *,
    figures: Sequence[tuple[str, str]] = (),
    confusion: Mapping[str, Statistics] | None = None,
    top: int = 10,
    limit: int = LIMIT,
) -> Path:
    """Write results as one HTML file that needs nothing else; whole or not at all, the same for the same input.

    Tables work without JavaScript; with it they sort, other measures and pairs can be chosen, queries be searched and
    opened. What models ranked for a query is there where results have their ranked lists.

    Args:
        path: of the file; its folder is made if absent.
        comparison: of one or more results, as `scirank.analysis.compare` gives it.
        benchmark: what they are of: for titles, abstracts, answers and candidates' sources.
        figures: plots, each a title and the text of an SVG.
        confusion: as `scirank.analysis.sources.confusion` gives it, of MDCR.
        top: papers of each model that are shown for a query.
        limit: bytes of the file, about. All queries have their measures whatever that takes; ranked papers are kept
            for as many as there is room, those on which models differ most first.

    Raises:
        ScirankError: another benchmark than the results', a figure that is no SVG, or a number out of range.
    """
    if top < 1 or limit < 0:
        raise ScirankError(f"expected top of at least 1 and limit of at least 0, found {top} and {limit}")
    if benchmark is not None and benchmark.name != comparison.first.benchmark:
        raise ScirankError(f"the results are of {comparison.first.benchmark}, the benchmark given is {benchmark.name}")
    context = _context(comparison, figures, confusion)
    data = _data(comparison, benchmark)
    order = queries.largest_first(comparison)
    lists = queries.Lists(comparison, benchmark, top)
    data |= {"sources": lists.sources, "papers": {}, "lists": {}}
    bare = _rendered(context, data, order)
    data["lists"] = lists.within(limit - SLACK - len(bare.encode()), order)
    data["papers"] = {"id": lists.papers.ids, "title": lists.papers.titles}
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_text(_rendered(context, data, order), "utf-8", newline="\n")
    return path


def _rendered(context: Mapping[str, Any], data: Mapping[str, Any], order: Sequence[int]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "fixed": numbers.fixed,
        "signed": numbers.signed,
        "p_value": numbers.p_value,
        "label": label,
        "ends": numbers.ends,
    }
    script = (folder / "page.js").read_text("utf-8")
    page: str = environment.get_template("page.html").render(
        context,
        data=data,
        order=order,
        json=numbers.script_json(data),
        style=(folder / "page.css").read_text("utf-8"),
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )
    return page.lstrip()


def _data(comparison: Comparison, benchmark: Benchmark | None) -> dict[str, Any]:
    """What the script reads, but for ranked lists."""
    first = comparison.first
    groups = first.summary["groups"]
    questions = first.asks_questions
    data = {
        "models": list(comparison.results),
        "measures": [{"name": measure, "label": label(measure)} for measure in comparison.measures],
        "headline": comparison.measures.index(comparison.headline),
        "groups": list(groups),
        "sizes": [row["queries"] for row in groups.values()],
        "parts": [row["discipline"] for row in groups.values()] if questions else None,
        "estimates": numbers.estimates(comparison),
        "pairs": comparison.pairs,
        "differences": numbers.differences(comparison),
        "words": _words(questions),
        "queries": queries.columns(comparison, benchmark),
        "ranked": [result.lists is not None for result in comparison.results.values()],
    }
    if questions:
        rows = first.summary["disciplines"]
        data["disciplines"] = {
            "names": list(rows),
            "topics": [row["topics"] for row in rows.values()],
            "values": numbers.disciplines(comparison),
        }
    return data


def _context(
    comparison: Comparison, figures: Sequence[tuple[str, str]], confusion: Mapping[str, Statistics] | None
) -> dict[str, Any]:
    """What the page shows that the script does not touch."""
    first = comparison.first
    measures, averages = numbers.averages(comparison)
    models = list(comparison.results)
    published = published_rows(first.benchmark.removesuffix("-mini"))
    verdicts = [wording.verdict(comparison, a, b) for a, b in comparison.pairs]
    words = _words(first.asks_questions)
    return {
        "heading": wording.heading(comparison),
        "subtitle": first.title.removesuffix(", percent"),
        "models": wording.sentence_list(models),
        "verdicts": verdicts[:VERDICTS],
        "more_verdicts": verdicts[VERDICTS:],
        "cautions": comparison.cautions,
        "measures": measures,
        "averages": averages,
        "average_name": first.average_name,
        "published": published,
        "sources": list(dict.fromkeys(row.source for row in published)),
        "not_comparable": why_not_comparable(first) if published else "",
        "fields": len(FIELDS),
        "other_averages": _other_averages(comparison) if first.asks_questions else [],
        "average_names": list(AVERAGE_NAMES.values()),
        "figures": inlined(figures),
        "confusion": None if confusion is None else numbers.confusion_rows(confusion, models),
        "origins": [provenance.origin(name, result) for name, result in comparison.results.items()],
        "definitions": list(wording.definitions(comparison)),
        "methods": list(wording.methods(comparison.statistics, len(comparison.pairs), words["group"])),
        "confidence": f"{100 * comparison.statistics.confidence:g} %",
        "made": ", ".join(provenance.made(comparison.results)),
        "version": __version__,
        "counted": counted,
    }


def _other_averages(comparison: Comparison) -> list[tuple[str, list[list[str]], str, str]]:
    """Of OAG-QA: a model, the headline measure's averages under each hit rule, false hits, calibration."""
    main = comparison.headline
    rows = []
    for name, result in comparison.results.items():
        averages = [result.summary["averages"][average] for average in AVERAGE_NAMES]
        both = [[numbers.fixed(row.get(measure)) for row in averages] for measure in (main, EXACT + main)]
        rows.append((name, both, *_hits_and_calibration(result, main)))
    return rows


def _hits_and_calibration(result: Result, measure: str) -> tuple[str, str]:
    false = result.summary["false_hits"].get(measure)
    ece = result.summary.get("ece")
    return "" if false is None else f"{false:,}", "" if ece is None else f"{ece:.3f}"


def _words(questions: bool) -> dict[str, str]:
    if questions:
        return {"group": "topic", "query": "question", "queries": "questions", "right": "answers"}
    return {"group": "field", "query": "query", "queries": "queries", "right": "cited"}
