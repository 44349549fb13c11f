"""Results as CSV, JSON, LaTeX and Markdown."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mdcr_metric.outcomes import EXACT

from ..results import Result

ABBREVIATIONS = {
    "map": "MAP",
    "ndcg": "nDCG",
    "recall": "R",
    "precision": "P",
    "success": "S",
    "mrr": "MRR",
    "hit": "Hit",
}
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def label(measure: str) -> str:
    """A measure as papers print it: `recall_5` is R@5; with `exact` where it is under `exact_title`."""
    kind, _, cutoff = measure.removeprefix(EXACT).partition("_")
    exact = " exact" if measure.startswith(EXACT) else ""
    return ABBREVIATIONS[kind] + (f"@{cutoff}" if cutoff else "") + exact


def fitted(name: str, width: int) -> str:
    """A name, or as much of its end as there is room for."""
    return name if len(name) <= width else "…" + name[1 - width :]


def as_csv(results: Sequence[Result]) -> str:
    """A row a model and group, and each average; numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    measures = results[0].measures
    counts = ("queries", "tied_queries")
    writer.writerow(["model", "level", "group", *measures, *counts])
    for result in results:
        for kind, rows in result.sections:
            for name, row in rows.items():
                writer.writerow(
                    [result.model, kind, name, *(row[m] for m in measures), *(row.get(count, "") for count in counts)]
                )
    return out.getvalue()


def as_json(results: Sequence[Result]) -> str:
    """One object for one result, a list for several."""
    saved = [result.to_dict() for result in results]
    return json.dumps(saved[0] if len(saved) == 1 else saved, indent=1, ensure_ascii=False) + "\n"


class Emphasis(NamedTuple):
    """How a number is set: `best` of its row and measure, and whether the others are surely below it."""

    best: bool = False
    sure: bool = False


Emphasise = Callable[[int, str, str, str], Emphasis]
"""Of the place of a result, a section's kind, a row and a measure."""


def plain(*_: object) -> Emphasis:
    """No number stands out."""
    return Emphasis()


def as_markdown(results: Sequence[Result], emphasise: Emphasise = plain, measures: Sequence[str] | None = None) -> str:
    """A column a model and measure, two decimals."""
    measures = results[0].measures if measures is None else measures
    names = [label(measure) for measure in measures]
    heads = [f"{markdown(result.model)} {name}" if len(results) > 1 else name for result in results for name in names]
    lines = [[results[0].sections[0].kind, *heads], ["---", *["---:"] * len(heads)]]
    body = _body(results, measures, emphasise, "**{}**", "{}*")
    lines += [[markdown(group), *values] for rows in body for group, values in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def as_latex(results: Sequence[Result], emphasise: Emphasise = plain, measures: Sequence[str] | None = None) -> str:
    """A booktabs table: a column a model and measure, two decimals, the averages below a rule."""
    measures = results[0].measures if measures is None else measures
    names = [label(measure) for measure in measures]
    width = len(names)
    lines = [rf"\begin{{tabular}}{{l{'r' * width * len(results)}}}", r"\toprule"]
    if len(results) > 1:
        heads = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{latex(result.model)}}}" for result in results)
        rules = " ".join(rf"\cmidrule(lr){{{2 + width * at}-{1 + width * (at + 1)}}}" for at in range(len(results)))
        lines += [rf" & {heads} \\", rules]
    lines.append(rf"{results[0].sections[0].kind.capitalize()} & {' & '.join(names * len(results))} \\")
    for rows in _body(results, measures, emphasise, r"\textbf{{{}}}", "{}$^{{*}}$"):
        lines += [r"\midrule", *(rf"{latex(group)} & {' & '.join(values)} \\" for group, values in rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


FORMATS = {"csv": as_csv, "json": as_json, "latex": as_latex, "markdown": as_markdown}


def _body(
    results: Sequence[Result], measures: Sequence[str], emphasise: Emphasise, best: str, sure: str
) -> list[list[tuple[str, list[str]]]]:
    """For each section of a table its rows: a name, and the numbers of all results."""

    def number(place: int, kind: str, row: str, measure: str, value: float) -> str:
        emphasis = emphasise(place, kind, row, measure)
        text = best.format(f"{value:.2f}") if emphasis.best else f"{value:.2f}"
        return sure.format(text) if emphasis.sure else text

    body = []
    for sections in zip(*(result.sections for result in results), strict=True):
        tables, kind = [section.rows for section in sections], sections[0].kind
        of = " (discipline)" if kind == "discipline" else ""  # some are called as a topic of theirs
        body.append(
            [
                (name + of, [number(at, kind, name, m, t[name][m]) for at, t in enumerate(tables) for m in measures])
                for name in tables[0]
            ]
        )
    return body


def markdown(text: str) -> str:
    """Text in a cell of a Markdown table."""
    return text.replace("|", r"\|")


def latex(text: str) -> str:
    """Text in LaTeX."""
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)
