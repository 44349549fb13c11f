"""Evaluate rankings that someone has of OAG-QA's papers."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .benchmarks import Task, load_benchmark
from .choices import Missing
from .errors import ScirankError, counted, shown
from .fit import check_measures
from .question_evaluation import evaluate_answers
from .ranking import Ranked
from .results import Result, sha256_of_file
from .run_file import Run, read_run

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def score_run(
    run: Paths,
    benchmark: str = "oagqa",
    *,
    groups: str | Sequence[str] | None = None,
    disciplines: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    quotes: str | None = None,
    measures: str | Sequence[str] | None = None,
    missing: str = Missing.ERROR,
    name: str | None = None,
) -> Result:
    """Evaluate rankings of the papers of OAG-QA's topics.

    Topics that were not named and that the rankings say nothing about are left out, and told of.

    Args:
        run: a file, or several: TREC runs or JSON lines, see `run_file.read_run`.
        benchmark: `oagqa` or `oagqa-mini`.
        groups: the topics to evaluate; all by default.
        disciplines: also the topics of these.
        data_dir: see `load_benchmark`.
        quotes: see `load_benchmark`.
        measures: names such as `hit_20`, `mrr`, `recall_100`; by default those that are published.
        missing: what a question without a ranking means, in a topic that has some: `error`;
            `lowest`, nothing is found; `drop`, it is left out.
        name: what to call the model; by default the files' names.

    Returns:
        a Result; its `notes` tell of ties, short lists, and what is missing.

    Raises:
        ScirankError, oagqa_dataset.OagqaDataError: naming the file and line.
    """
    missing = Missing(missing)
    paths = [run] if isinstance(run, str | os.PathLike) else list(run)
    if not paths:
        raise ScirankError("no run file was given; expected a TREC run or JSON lines")
    check_measures(True, measures)
    data = load_benchmark(benchmark, groups=groups, disciplines=disciplines, data_dir=data_dir, quotes=quotes)
    topics = {task.group: task for task in data.tasks}
    only = next(iter(topics)) if len(topics) == 1 else None
    files = [read_run(path, data.held, only) for path in paths]
    if len({file.scored for file in files}) > 1:
        raise ScirankError("some of the run files have scores and others none; evaluate them apart")
    given: Run = {}
    for path, file in zip(paths, files, strict=True):
        if again := [question for question in file.run if question in given]:
            raise ScirankError(f"{os.fspath(path)}: ranked in an earlier file too: {shown(again)}")
        given |= file.run
    tasks = [task for task in data.tasks if any(query in given for query in task.queries)]
    if tasks and (groups is not None or disciplines is not None):
        tasks = list(data.tasks)
    if not tasks:
        raise ScirankError(
            f"no question of the run is in the topics {shown(list(topics))}: they look like {shown(list(given), 2)}, "
            f"expected such as {next(iter(data.tasks[0].queries))}"
        )
    groups_there = data.groups
    if len(tasks) < len(data.tasks):  # notes and hashes are then of what is evaluated
        data = load_benchmark(benchmark, groups=[task.group for task in tasks], data_dir=data_dir, quotes=quotes)
        tasks = list(data.tasks)
    _check_papers(tasks, given)
    absent = [query for task in tasks for query in task.queries if query not in given]
    extra = _extra(topics, given)
    if absent and missing is Missing.ERROR:
        also = f" (and rankings are of no question here: {shown(extra)})" if extra else ""
        raise ScirankError(
            f"{counted(len(absent), 'question has', 'questions have')} no ranking: {shown(absent)}{also}. Rank them, "
            "or choose missing (--missing): lowest counts them as not found, drop leaves them out"
        )
    found = {task.group: dict(_ranked(task, given, missing)) for task in tasks}
    evaluation = evaluate_answers(tasks, found, measures, scored=files[0].scored)
    return Result(
        model=name or "+".join(Path(path).stem for path in paths),
        benchmark=data.name,
        split=data.split,
        summary=evaluation.summary,
        per_query=evaluation.per_query,
        provenance={
            "data_sha256": {**data.data_sha256, "runs": [sha256_of_file(path) for path in paths]},
            "settings": {
                "groups": [task.group for task in tasks],
                "quotes": data.settings["quotes"],
                "missing": missing,
            },
        },
        notes=(*data.notes, *evaluation.notes, *_about(groups_there, tasks, extra, absent, missing)),
        lists=evaluation.lists,
    )


def _extra(topics: Mapping[str, Task], given: Run) -> list[str]:
    """What was ranked and is no question."""
    known = {query for task in topics.values() for query in task.queries}
    return [question for question in given if question not in known]


def _check_papers(tasks: Sequence[Task], given: Run) -> None:
    for task in tasks:
        for query in task.queries:
            if strangers := [paper for paper in given.get(query, ()) if paper not in task.corpus]:
                raise ScirankError(
                    f"the ranking of {query} has what is no paper of {task.group}: {shown(strangers)}; its papers are "
                    f"called {shown(list(task.corpus), 2)}"
                )


def _ranked(task: Task, given: Run, missing: Missing) -> Iterator[tuple[str, Ranked]]:
    for query in task.queries:
        if query in given or missing is Missing.LOWEST:
            yield query, Ranked(given.get(query, {}), cut_in_tie=False)


def _about(
    groups: Sequence[str], tasks: Sequence[Task], extra: Sequence[str], absent: Sequence[str], missing: Missing
) -> Iterator[str]:
    evaluated = {task.group for task in tasks}
    if left_out := [topic for topic in groups if topic not in evaluated]:
        yield f"{counted(len(left_out), 'topic', 'topics')} without any ranking, left out: {shown(left_out)}"
    if absent:
        fate = "left out" if missing is Missing.DROP else "counted as not found"
        yield f"{counted(len(absent), 'question', 'questions')} without a ranking, {fate}: {shown(absent)}"
    if extra:
        yield f"{counted(len(extra), 'ranking is', 'rankings are')} of no question here and not used: {shown(extra)}"
