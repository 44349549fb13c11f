"""From rankings of papers to OAG-QA's numbers, for whoever made the rankings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mdcr_metric.calibration import calibrate
from mdcr_metric.hits import DEFAULT_HITS, RULES, PerQuestion, Question, evaluate_questions, parse_hits, short_lists
from mdcr_metric.hits_summary import summarise_questions

from .benchmarks import Task
from .errors import ScirankError, counted
from .evaluation import Evaluation
from .ranking import Ranked


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
    asked = [(task, query) for task in tasks for query in task.queries if query in ranked[task.group]]
    if not asked:
        raise ScirankError("nothing to evaluate: no question is left")
    questions = [question for task in tasks for question in _questions(task, ranked[task.group], scored)]
    per_question = evaluate_questions(questions, parsed)
    topics = [task.group for task, _ in asked]
    summary = summarise_questions(per_question, topics, {task.group: task.part_of for task in tasks})
    summary["without_relevant"] = sum(not question.relevant for question in questions)
    summary["short_lists"] = short_lists(questions, parsed)
    if scored:
        summary |= _calibration(questions, per_question)
    return Evaluation(
        summary=summary,
        per_query={
            "query_id": [query for _, query in asked],
            "group": topics,
            "part_of": [task.part_of for task, _ in asked],
            **per_question.values,
            "relevant": [question.relevant for question in questions],
            "ranked": [len(question.titles) for question in questions],
            "tied": per_question.tied or [False] * len(questions),
        },
        notes=tuple(_notes(summary, len(questions))),
    )


def _questions(task: Task, ranked: Mapping[str, Ranked], scored: bool) -> Iterator[Question]:
    titles = dict(zip(task.corpus, task.corpus.titles(task.corpus), strict=True))
    for query in task.queries:
        if query in ranked:
            run, cut_in_tie = ranked[query]
            yield Question(
                titles=[titles[paper] for paper in run],
                answers=(task.answers or {})[query],
                scores=list(run.values()) if scored else None,
                relevant=len(task.relevant[query]),
                cut_in_tie=cut_in_tie,
            )


def _calibration(questions: Sequence[Question], per_question: PerQuestion) -> dict[str, Any]:
    scores = [question.scores or () for question in questions]
    found = {rule: calibrate(scores, per_question.hits[rule]) for rule in RULES.values()}
    errors = {f"{prefix}ece": found[rule].ece for prefix, rule in RULES.items()}
    return {**errors, "calibration": {rule: asdict(calibration) for rule, calibration in found.items()}}


def _notes(summary: Mapping[str, Any], questions: int) -> Iterator[str]:
    if summary["short_lists"]:
        short = ", ".join(f"{name} ({number:,})" for name, number in summary["short_lists"].items())
        yield f"questions with fewer ranked papers than a cutoff: {short}"
    if summary.get("tied_queries"):
        yield (
            f"{summary['tied_queries']:,} of {counted(questions, 'question has', 'questions have')} equal scores "
            "whose order could change a measure"
        )
