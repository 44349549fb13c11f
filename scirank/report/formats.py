"""Results as CSV, JSON, LaTeX and Markdown."""

import csv
import io
import json
from collections.abc import Sequence

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
    kind, _, cutoff = measure.removeprefix("exact_").partition("_")
    exact = " exact" if measure.startswith("exact_") else ""
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


def as_markdown(results: Sequence[Result]) -> str:
    """A column a model and measure, two decimals."""
    names = [label(measure) for measure in results[0].measures]
    heads = [f"{_markdown(result.model)} {name}" if len(results) > 1 else name for result in results for name in names]
    lines = [[results[0].sections[0].kind, *heads], ["---", *["---:"] * len(heads)]]
    lines += [[_markdown(group), *values] for rows in _body(results) for group, values in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def as_latex(results: Sequence[Result]) -> str:
    """A booktabs table: a column a model and measure, two decimals, the averages below a rule."""
    names = [label(measure) for measure in results[0].measures]
    width = len(names)
    lines = [rf"\begin{{tabular}}{{l{'r' * width * len(results)}}}", r"\toprule"]
    if len(results) > 1:
        heads = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{_latex(result.model)}}}" for result in results)
        rules = " ".join(rf"\cmidrule(lr){{{2 + width * at}-{1 + width * (at + 1)}}}" for at in range(len(results)))
        lines += [rf" & {heads} \\", rules]
    lines.append(rf"{results[0].sections[0].kind.capitalize()} & {' & '.join(names * len(results))} \\")
    for rows in _body(results):
        lines += [r"\midrule", *(rf"{_latex(group)} & {' & '.join(values)} \\" for group, values in rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


FORMATS = {"csv": as_csv, "json": as_json, "latex": as_latex, "markdown": as_markdown}


def _body(results: Sequence[Result]) -> list[list[tuple[str, list[str]]]]:
    """For each section of a table its rows: a name, and the numbers of all results."""
    measures = results[0].measures
    body = []
    for sections in zip(*(result.sections for result in results), strict=True):
        tables = [section.rows for section in sections]
        of = " (discipline)" if sections[0].kind == "discipline" else ""  # some are called as a topic of theirs
        body.append([(name + of, [f"{t[name][m]:.2f}" for t in tables for m in measures]) for name in tables[0]])
    return body


def _markdown(text: str) -> str:
    return text.replace("|", r"\|")


def _latex(text: str) -> str:
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)
