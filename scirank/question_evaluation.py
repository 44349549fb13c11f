"""From rankings of papers to OAG-QA's numbers, for whoever made the rankings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mdcr_metric import Measure
from mdcr_metric.hits import DEFAULT_HITS, evaluate_questions, parse_hits
from mdcr_metric.outcomes import RULES, Question

from .benchmarks import Task
from .errors import ScirankError
from .evaluation import Evaluation, tied_note
from .ranking import Ranked
from .results.ranked_lists import RankedList
from .results.summary import calibration_of, summary_of


def evaluate_answers(
    tasks: Sequence[Task],
    ranked: Mapping[str, Mapping[str, Ranked]],
    measures: str | Sequence[str] | None = None,
    scored: bool = True,
) -> Evaluation:
    """Evaluate rankings of papers by their titles.

    Args:
        tasks: of OAG-QA.
        ranked: topic -> question id -> the papers ranked for it; questions that are not there are
            left out.
        measures: names such as `hit_20`, `mrr`, `recall_100`; by default `DEFAULT_HITS`.
        scored: whether there are scores, not only an order: then calibration and ties are told.

    Returns:
        an Evaluation; `per_query` has the columns `query_id`, `group`, `part_of` (the discipline),
        each measure (0 to 1), `relevant` (papers that answer), `ranked` (papers) and `tied`.

    Raises:
        ScirankError: nothing to evaluate.
        ValueError: an unknown measure.
    """
    parsed = parse_hits(DEFAULT_HITS if measures is None else measures)
    # A topic at a time: its titles are not needed any more when the next one's are looked at.
    tables = [_table(task, ranked[task.group], parsed, scored) for task in tasks]
    columns = {name: [value for table in tables for value in table[name]] for name in (tables[0] if tables else ())}
    if not columns or not columns["query_id"]:
        raise ScirankError("nothing to evaluate: no question is left")
    hits = {rule: columns.pop(rule) for rule in RULES.values()}
    if not scored:
        del columns["tied"]
    asked = ((task, query) for task in tasks for query in task.queries if query in ranked[task.group])
    lists = tuple(
        RankedList(
            task.group,
            query,
            ranked[task.group][query].run,
            task.relevant[query],
            {rule: hits[rule][row] for rule in hits},
        )
        for row, (task, query) in enumerate(asked)
    )
    summary = summary_of(columns, calibration_of(lists) if scored else None)
    return Evaluation(summary, columns, tuple(_notes(summary)), lists)


def _table(
    task: Task, ranked: Mapping[str, Ranked], measures: Sequence[Measure], scored: bool
) -> dict[str, Sequence[Any]]:
    """The columns of a topic's questions, and the ranks of hits by rule."""
    titles = dict(zip(task.corpus, task.corpus.titles(task.corpus), strict=True))
    asked = [query for query in task.queries if query in ranked]
    questions = [
        Question(
            titles=[titles[paper] for paper in ranked[query].run],
            answers=(task.answers or {})[query],
            scores=list(ranked[query].run.values()) if scored else None,
            relevant=len(task.relevant[query]),
            cut_in_tie=ranked[query].cut_in_tie,
        )
        for query in asked
    ]
    found = evaluate_questions(questions, measures)
    return {
        "query_id": asked,
        "group": [task.group] * len(asked),
        "part_of": [task.part_of] * len(asked),
        **found.values,
        "relevant": [question.relevant for question in questions],
        "ranked": [len(question.titles) for question in questions],
        "tied": found.tied or [None] * len(asked),
        **found.hits,
    }


def _notes(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["short_lists"]:
        short = ", ".join(f"{name} ({number:,})" for name, number in summary["short_lists"].items())
        yield f"questions with fewer ranked papers than a cutoff: {short}"
    if summary.get("tied_queries"):
        yield tied_note(summary, "question has", "questions have")
