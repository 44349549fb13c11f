"""The metric's Space: MDCR's table of uploaded scores, beside the published rows.

Only `build` needs gradio: `of_files` and `of_lists` take what a visitor gives and return what is
shown. They use the package scirank, so that numbers and messages are those of its command line.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scirank import Result
    from scirank.results import PublishedRow

HERE = Path(__file__).resolve().parent
# Started as a script, this folder is searched first, and its mdcr_metric.py would stand for the package of that name.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != HERE]

LARGEST_FILE = 32 * 2**20
LARGEST_TEXT = 2**20
KEPT = 600
"""Seconds after which an upload is deleted."""

FILES = f"""\
**Candidates**: `mdcr_test.json` or `mdcr_val.json`. **Scores**: JSON, `{{"queryid_candidateid": score, ...}}`, higher
is better. At most {LARGEST_FILE // 2**20} MiB each. Uploads lie in a temporary folder and are deleted after about
{KEPT // 60} minutes, or when the app stops; the tables are never written to a file here.
"""
LISTS = f"""\
JSON, a row a query; `candidate_ids` and `groups` may be left empty. At most {LARGEST_TEXT // 2**20} MiB each. Nothing
of it is written to a file here.
"""
EXAMPLES = {
    "predictions": "[[0.9, 0.2, 0.4], [0.5, 0.5, 0.3]]",
    "references": "[[1, 0, 1], [0, 1, 0]]",
    "candidate_ids": '[["a", "b", "c"], ["a", "b", "c"]]',
    "groups": '["Art", "Biology"]',
}
PAGE = """\
{% macro heads() %}{% for measure in measures %}<th scope="col">{{ label(measure) }}</th>{% endfor %}{% endmacro %}
{% macro numbers(row) %}{% for measure in measures -%}
<td>{% if measure in row %}{{ "%.2f" % row[measure] }}{% endif %}</td>
{%- endfor %}{% endmacro %}
{% for note in notes %}<p class="told">{{ note }}</p>{% endfor %}
<div class="wide"><table class="numbers groups">
<caption>{{ result.title }}</caption>
<thead>
<tr><td></td><td></td><td></td>
{% for name in names %}
<th class="over" scope="colgroup" colspan="{{ measures | length }}">{{ name }}</th>
{% endfor %}</tr>
<tr><th scope="col">field</th><th scope="col">queries</th><th scope="col">tied</th>
{% for name in names %}{{ heads() }}{% endfor %}</tr>
</thead>
{% for section in result.sections %}<tbody>
{% for name, row in section.rows.items() %}<tr><th scope="row">{{ name }}</th>
<td>{{ row.queries }}</td><td>{{ row.tied_queries }}</td>{{ numbers(row) }}
{% for one in beside %}{{ numbers(one.groups[name] if name in one.groups else one.average) }}{% endfor %}</tr>
{% endfor %}</tbody>{% endfor %}
</table></div>
<div class="wide"><table class="numbers averages">
<caption>Averages; published ones are of 19 fields of MDCR's test split{{ why_not }}</caption>
<thead><tr><th scope="col">model</th>{{ heads() }}<th scope="col" class="source">source</th></tr></thead>
<tbody><tr><th scope="row">{{ result.model }}</th>{{ numbers(result.average) }}<td></td></tr></tbody>
<tbody>{% for row in published %}<tr><th scope="row">{{ row.model }}</th>{{ numbers(row.average) }}
<td class="source">{{ row.source }}</td></tr>{% endfor %}</tbody>
</table></div>
"""
STYLE = """\
.wide { overflow-x: auto; }
.wide .numbers { border-collapse: collapse; margin: 1em 0; border: 0; width: auto; font-variant-numeric: tabular-nums; }
.numbers caption { text-align: left; font-weight: 600; padding: 0.3em 0; white-space: nowrap; }
.numbers tr { border: 0; }
.numbers :is(th, td) { padding: 0.15em 0.7em; text-align: right; white-space: nowrap; border: 0; font-weight: 400; }
.numbers :is(th:first-child, .source) { text-align: left; }
.numbers th.over { text-align: center; font-style: italic; }
.wide .numbers tbody { border-top: 1px solid var(--body-text-color); }
.told { border-left: 4px solid #d97706; padding: 0.3em 0.8em; margin: 0.5em 0; overflow-wrap: anywhere; }
.refused { border-left: 4px solid #dc2626; padding: 0.3em 0.8em; overflow-wrap: anywhere; white-space: pre-wrap; }
"""
SAVE = """(text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = "NAME";
  link.click();
  URL.revokeObjectURL(link.href);
}"""


@dataclass(frozen=True)
class Shown:
    """What a visitor gets: HTML and, if there are numbers, the table as CSV and LaTeX."""

    html: str
    csv: str = ""
    latex: str = ""


def of_files(
    candidates: str | None,
    scores: str | None,
    ties: str = "trec",
    missing: str = "error",
    no_relevant: str = "zero",
) -> Shown:
    """Evaluate two uploaded files.

    Args:
        candidates: where `mdcr_test.json` or `mdcr_val.json` is; None before it is chosen.
        scores: where the scores are, a JSON object from `queryid_candidateid` to score.
        ties: as `scirank.score` takes it, and so are the others.
        missing: what a pair without a score means.
        no_relevant: what a query that cites no candidate means.

    Returns:
        the tables, or what is wrong.
    """
    from scirank import score

    files = {"candidates": candidates, "scores": scores}
    try:
        if absent := [name for name, path in files.items() if path is None]:
            return refusal(f"choose a file of {' and one of '.join(absent)}")
        given = [Path(path) for path in files.values() if path is not None]
        for file in given:
            _refuse_large(file.name, file.stat().st_size, LARGEST_FILE)
        return shown(score(*given, ties=ties, missing=missing, no_relevant=no_relevant))
    except FileNotFoundError as gone:
        return refusal(f"{Path(gone.filename).name} is deleted by now, as all uploads are; upload it again")
    except ValueError as error:
        message = str(error)
        for path in filter(None, files.values()):  # a visitor knows a file by its name
            message = message.replace(path, Path(path).name)
        return refusal(message)


def of_lists(
    predictions: str,
    references: str,
    candidate_ids: str = "",
    groups: str = "",
    ties: str = "trec",
    no_relevant: str = "zero",
) -> Shown:
    """Evaluate pasted rows with the metric itself.

    Args:
        predictions: JSON: for each query, the scores of its candidates.
        references: JSON: for each query, 1 for a relevant candidate, else 0.
        candidate_ids: JSON: for each query, its candidates' ids; may be empty.
        groups: JSON: each query's field; may be empty.
        ties: as the metric takes it.
        no_relevant: as the metric takes it.

    Returns:
        the tables, or what is wrong.
    """
    import evaluate

    from scirank import Result

    texts = {"predictions": predictions, "references": references, "candidate_ids": candidate_ids, "groups": groups}
    try:
        columns = {name: _parsed(name, text) for name, text in texts.items()}
        metric = evaluate.load(os.fspath(HERE / "mdcr_metric.py"), keep_in_memory=True)
        summary = metric.compute(**columns, ties=ties, no_relevant=no_relevant, return_per_query=True)
    except ValueError as error:
        return refusal(str(error))
    per_query = summary.pop("per_query")
    provenance = {"settings": {"ties": ties}}
    notes = tuple(_about(summary, ties, with_ids=columns["candidate_ids"] is not None, no_relevant=no_relevant))
    return shown(Result("pasted", "mdcr", "", summary, per_query, provenance, notes))


def shown(result: "Result") -> Shown:
    """A result's tables, with what is published beside its own."""
    from jinja2 import Environment

    from scirank.report.formats import as_csv, as_latex, label
    from scirank.report.terminal import why_not_comparable
    from scirank.results import published_rows

    published = published_rows("mdcr")
    beside: Sequence[PublishedRow] = [row for row in published if row.groups.keys() == set(result.groups)]
    page = Environment(autoescape=True).from_string(PAGE)
    html = page.render(
        result=result,
        notes=result.notes,
        measures=result.measures,
        label=label,
        names=[result.model, *(f"{row.model}, published" for row in beside)],
        beside=beside,
        published=published,
        why_not=why_not_comparable(result),
    )
    return Shown(html, as_csv([result]), as_latex([result]))


def refusal(message: str) -> Shown:
    """What is wrong, in place of the tables."""
    from markupsafe import Markup

    return Shown(Markup('<p class="refused" role="alert">{}</p>').format(message))


def _refuse_large(name: str, size: int, most: int) -> None:
    from scirank.errors import ScirankError

    if size > most:
        raise ScirankError(
            f"{name} has {size:,} bytes, and at most {most:,} are read here; `scirank score` has no limit"
        )


def _parsed(name: str, text: str) -> Any:
    _refuse_large(name, len(text.encode("utf-8", "surrogatepass")), LARGEST_TEXT)
    if not text.strip():
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: not valid JSON ({error})") from error


def _about(summary: Mapping[str, Any], ties: str, with_ids: bool, no_relevant: str) -> Iterator[str]:
    from scirank.errors import counted
    from scirank.evaluation import tied_note

    if without := summary.get("without_relevant", 0):
        fate = "left out" if no_relevant == "skip" else "counted as 0"
        yield f"{counted(without, 'query', 'queries')} without a relevant candidate, {fate}"
    if summary["tied_queries"]:
        rule = ties if with_ids or ties != "trec" else "trec; without candidate_ids, relevant candidates come last"
        yield f"{tied_note(summary)} (tie rule: {rule})"


def build() -> Any:
    """The app, a `gradio.Blocks`; `launch` starts it."""
    import gradio as gr

    from scirank.choices import Missing, NoRelevant, Ties

    def rule(choices: Any, chosen: str, label: str, info: str) -> Any:
        return gr.Dropdown([str(choice) for choice in choices], value=chosen, label=label, info=info)

    def ties() -> Any:
        return rule(Ties, Ties.TREC, "ties", "how equal scores are ordered; published numbers are under trec")

    def no_relevant() -> Any:
        return rule(
            NoRelevant, NoRelevant.ZERO, "no_relevant", "a query without a relevant candidate; zero is upstream's way"
        )

    def evaluated(button: Any, function: Any, inputs: Sequence[Any], api_name: str) -> None:
        html = gr.HTML()
        with gr.Row():
            saves = [gr.Button(f"Download {name}", interactive=False) for name in ("CSV", "LaTeX")]
        texts = [gr.Textbox(visible="hidden", label=name) for name in ("CSV", "LaTeX")]

        def run(*given: Any) -> tuple[Any, ...]:
            found = function(*given)
            switch = gr.Button(interactive=bool(found.csv))
            return found.html, found.csv, found.latex, switch, switch

        button.click(run, inputs, [html, *texts, *saves], api_name=api_name)
        for save, text, name in zip(saves, texts, ("mdcr.csv", "mdcr.tex"), strict=True):
            save.click(None, text, None, js=SAVE.replace("NAME", name))

    with gr.Blocks(title="mdcr_metric", analytics_enabled=False, delete_cache=(60, KEPT)) as app:
        gr.Markdown("# mdcr_metric\nMAP, nDCG and Recall@5 as published with MDCR, from scores of candidates.")
        with gr.Tab("Upload files"):
            gr.Markdown(FILES)
            with gr.Row():
                files = [gr.File(label=name, file_types=[".json"], height=140) for name in ("candidates", "scores")]
            with gr.Accordion("Rules", open=False), gr.Row():
                about = "a pair without a score: refuse, rank it below all others, or leave it out"
                rules = [ties(), rule(Missing, Missing.ERROR, "missing", about), no_relevant()]
            evaluated(gr.Button("Evaluate", variant="primary"), of_files, [*files, *rules], "files")
        with gr.Tab("Paste lists"):
            gr.Markdown(LISTS)
            with gr.Row():
                boxes = [gr.Textbox(value, lines=4, label=name) for name, value in EXAMPLES.items()]
            with gr.Accordion("Rules", open=False), gr.Row():
                rules = [ties(), no_relevant()]
            evaluated(gr.Button("Evaluate", variant="primary"), of_lists, [*boxes, *rules], "lists")
    return app.queue(default_concurrency_limit=1, max_size=20)


def launch() -> None:
    """Start the app; where, gradio's own environment variables say."""
    import gradio as gr

    os.environ["GRADIO_RUN_HISTORY"] = "False"  # else the browser keeps what was given
    fonts = {"font": ["system-ui", "sans-serif"], "font_mono": ["ui-monospace", "monospace"]}  # none from elsewhere
    build().launch(max_file_size=LARGEST_FILE, css=STYLE, theme=gr.themes.Default(**fonts))


if __name__ == "__main__":
    launch()
