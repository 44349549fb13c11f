"""A benchmark as an evaluator of sentence-transformers, for looking on while a model is trained."""

from typing import Any

from sentence_transformers.base.evaluation import BaseEvaluator

from ..benchmarks import Benchmark
from ..models import ModelOptions, load_ranker
from ..progress import Progress
from ..rankings import evaluate_rankings


class BenchmarkEvaluator(BaseEvaluator):
    """Ranks a benchmark with the model as it is, and gives its averages in percent, and those of each group.

    To be passed to a trainer as `evaluator`; the first measure is the one by which it chooses, if it is to choose.
    """

    def __init__(
        self, benchmark: Benchmark, name: str = "", measures: tuple[str, ...] | None = None, **options: Any
    ) -> None:
        """Take what `scirank.load_benchmark` returned.

        Args:
            benchmark: what to rank.
            name: put before each measure's.
            measures: as `scirank.run` takes them; by default `hit_20` and `mrr`, or `map`, `ndcg` and `recall_5`.
            options: fields of `scirank.models.ModelOptions`, such as `template`.
        """
        super().__init__()
        self.benchmark = benchmark
        self.name = name
        self.measures = measures or (("hit_20", "mrr") if benchmark.asks_questions else ("map", "ndcg", "recall_5"))
        self.options = ModelOptions(cache=False, **options)
        self.primary_metric = self.measures[0]

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """The averages."""
        ranker = load_ranker(model, self.options)
        rankings = ranker.rank(self.benchmark.tasks, Progress())
        evaluation = evaluate_rankings(ranker.name, self.benchmark, rankings, list(self.measures), no_relevant="zero")
        averages = {measure: evaluation.summary[measure] for measure in self.measures}
        for group, of_group in evaluation.summary["groups"].items():
            averages |= {f"{group}_{measure}": of_group[measure] for measure in self.measures}
        found: dict[str, float] = self.prefix_name_to_metrics(averages, self.name)
        return found
