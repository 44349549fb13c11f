"""From a model's rankings of tasks to numbers."""

from collections.abc import Iterable, Iterator, Sequence

from .benchmarks import Benchmark, Task
from .choices import NoRelevant, Ties
from .errors import ScirankError, shown
from .evaluation import Evaluation, ScoredQuery, evaluate, plain_scores
from .models import Ranking
from .question_evaluation import evaluate_answers
from .ranking import Ranked, ranked
from .results.trec import Scores


def evaluate_rankings(
    name: str,
    benchmark: Benchmark,
    rankings: Iterable[Ranking],
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    no_relevant: str = NoRelevant.ERROR,
) -> tuple[Evaluation, Scores]:
    """Evaluate rankings of a benchmark's tasks.

    Args:
        name: what the model is called in messages.
        benchmark: what was ranked.
        rankings: one for each of its tasks, in order.
        measures: names; by default those that are published.
        ties: of MDCR, see `evaluate`.
        no_relevant: of MDCR, see `evaluate`.

    Returns:
        the numbers, and the scores that they come from: group -> query -> paper -> score.

    Raises:
        ScirankError: a ranking lacks something, or holds what was not asked for.
    """
    rankings = in_order(name, benchmark.tasks, rankings)
    if benchmark.asks_questions:
        pairs = zip(benchmark.tasks, rankings, strict=True)
        found = {task.group: _first(name, task, ranking) for task, ranking in pairs}
        runs = {topic: {query: best.run for query, best in of.items()} for topic, of in found.items()}
        return evaluate_answers(benchmark.tasks, found, measures), runs
    queries = list(_scored(name, benchmark.tasks, rankings))
    scores: dict[str, dict[str, dict[str, float]]] = {task.group: {} for task in benchmark.tasks}
    for query in queries:
        scores[query.group][query.query_id] = query.run
    return evaluate(queries, benchmark.groups, measures, ties, no_relevant), scores


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
