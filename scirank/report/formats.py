"""Results as CSV, JSON, LaTeX and Markdown."""

import csv
import io
import json
from collections.abc import Sequence

from ..results import Result

ABBREVIATIONS = {"map": "MAP", "ndcg": "nDCG", "recall": "R", "precision": "P", "success": "S", "mrr": "MRR"}
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def label(measure: str) -> str:
    """A measure as papers print it: `recall_5` is R@5."""
    kind, _, cutoff = measure.partition("_")
    return ABBREVIATIONS[kind] + (f"@{cutoff}" if cutoff else "")


def as_csv(results: Sequence[Result]) -> str:
    """A row a model and group, the average as group `AVG`; numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    measures = results[0].measures
    writer.writerow(["model", "group", *measures, "queries", "tied_queries"])
    for result in results:
        for group, row in [*result.summary["groups"].items(), ("AVG", result.summary)]:
            writer.writerow([result.model, group, *(row[name] for name in (*measures, "queries", "tied_queries"))])
    return out.getvalue()


def as_json(results: Sequence[Result]) -> str:
    """One object for one result, a list for several."""
    saved = [result.to_dict() for result in results]
    return json.dumps(saved[0] if len(saved) == 1 else saved, indent=1, ensure_ascii=False) + "\n"


def as_markdown(results: Sequence[Result]) -> str:
    """A column a model and measure, two decimals."""
    names = [label(measure) for measure in results[0].measures]
    heads = [f"{_markdown(result.model)} {name}" if len(results) > 1 else name for result in results for name in names]
    lines = [["field", *heads], ["---", *["---:"] * len(heads)]]
    lines += [[_markdown(group), *values] for group, values in _body(results)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def as_latex(results: Sequence[Result]) -> str:
    """A booktabs table: a column a model and measure, two decimals, the average below a rule."""
    names = [label(measure) for measure in results[0].measures]
    width = len(names)
    lines = [rf"\begin{{tabular}}{{l{'r' * width * len(results)}}}", r"\toprule"]
    if len(results) > 1:
        heads = " & ".join(rf"\multicolumn{{{width}}}{{c}}{{{_latex(result.model)}}}" for result in results)
        rules = " ".join(rf"\cmidrule(lr){{{2 + width * at}-{1 + width * (at + 1)}}}" for at in range(len(results)))
        lines += [rf" & {heads} \\", rules]
    lines += [rf"Field & {' & '.join(names * len(results))} \\", r"\midrule"]
    *groups, average = [rf"{_latex(group)} & {' & '.join(values)} \\" for group, values in _body(results)]
    return "\n".join([*lines, *groups, r"\midrule", average, r"\bottomrule", r"\end{tabular}"]) + "\n"


FORMATS = {"csv": as_csv, "json": as_json, "latex": as_latex, "markdown": as_markdown}


def _body(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    measures = results[0].measures
    rows = [(group, [result.groups[group] for result in results]) for group in results[0].groups]
    rows.append(("AVG", [result.average for result in results]))
    return [(group, [f"{row[measure]:.2f}" for row in tables for measure in measures]) for group, tables in rows]


def _markdown(text: str) -> str:
    return text.replace("|", r"\|")


def _latex(text: str) -> str:
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)
