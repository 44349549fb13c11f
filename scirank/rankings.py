"""From a model's rankings of tasks to numbers."""

from collections.abc import Iterable, Iterator, Sequence

from .benchmarks import Benchmark, Task
from .choices import NoRelevant, Ties
from .errors import ScirankError, shown
from .evaluation import Evaluation, ScoredQuery, evaluate, plain_scores
from .models import Ranking
from .question_evaluation import evaluate_answers
from .ranking import Ranked, ranked


def evaluate_rankings(
    name: str,
    benchmark: Benchmark,
    rankings: Iterable[Ranking],
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    no_relevant: str = NoRelevant.ERROR,
) -> Evaluation:
    """Evaluate rankings of a benchmark's tasks.

    Args:
        name: what the model is called in messages.
        benchmark: what was ranked.
        rankings: one for each of its tasks, in order.
        measures: names; by default those that are published.
        ties: of MDCR, see `evaluate`.
        no_relevant: of MDCR, see `evaluate`.

    Raises:
        ScirankError: a ranking lacks something, or holds what was not asked for.
    """
    rankings = in_order(name, benchmark.tasks, rankings)
    if benchmark.asks_questions:
        pairs = zip(benchmark.tasks, rankings, strict=True)
        return evaluate_answers(
            benchmark.tasks, {task.group: _first(name, task, each) for task, each in pairs}, measures
        )
    return evaluate(list(_scored(name, benchmark.tasks, rankings)), benchmark.groups, measures, ties, no_relevant)


def in_order(name: str, tasks: Sequence[Task], rankings: Iterable[Ranking]) -> list[Ranking]:
    """One ranking for each task."""
    found = list(rankings)
    if [ranking.group for ranking in found] != [task.group for task in tasks]:
        raise ScirankError(
            f"{name} ranked {len(found)} groups; expected one ranking for each of {len(tasks)}, in order"
        )
    return found


def _first(name: str, task: Task, ranking: Ranking) -> dict[str, Ranked]:
    """The first papers of each query, in the one order, whatever order a ranker gave them in."""
    found = {}
    for query in task.queries:
        run = plain_scores(query, dict(ranking.scores.get(query, {})))
        if not run:
            raise ScirankError(f"{name} ranked no paper for {query}; expected {task.depth or 'all'}")
        if strangers := [paper for paper in run if paper not in task.corpus]:
            raise ScirankError(f"{name} ranked what is no paper of {task.group} for {query}: {shown(strangers)}")
        best = ranked(run, task.depth)
        found[query] = Ranked(best.run, best.cut_in_tie or query in ranking.cut_in_tie)
    return found


def _scored(name: str, tasks: Sequence[Task], rankings: Sequence[Ranking]) -> Iterator[ScoredQuery]:
    for task, ranking in zip(tasks, rankings, strict=True):
        for query in task.queries:
            pool = task.pool(query)
            run = ranking.scores.get(query, {})
            if missed := [paper for paper in pool if paper not in run]:
                raise ScirankError(
                    f"{name} gave no score for {len(missed)} candidates of query {query}: {shown(missed)}"
                )
            scores = plain_scores(query, {paper: run[paper] for paper in pool})
            yield ScoredQuery(task.group, query, scores, {paper: int(paper in task.relevant[query]) for paper in pool})
