"""The benchmarks as evaluators of sentence-transformers' trainers; importing this imports that library."""

import csv
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark
from ..options import chosen
from ..publishing.claims import BENCHMARKS
from ..training.watching import BenchmarkEvaluator


class ScirankEvaluator(BenchmarkEvaluator):
    """Ranks MDCR or OAG-QA with the model that is trained.

    For `SentenceTransformerTrainer(evaluator=...)`, and for the library's trainers of late-interaction
    models and cross-encoders. The values are those of `scirank.run`, in percent: averages, and those of
    each field or topic. They are kept in the model's card, and written to a CSV file if there is a folder.
    """

    def __init__(
        self,
        benchmark: str | Benchmark = "mdcr",
        name: str | None = None,
        measures: str | tuple[str, ...] | None = None,
        write_csv: bool = True,
        **options: Any,
    ) -> None:
        """Take a benchmark, read once.

        Args:
            benchmark: a name (`mdcr`, `oagqa`, `mdcr-mini`, `oagqa-mini`), or what `load_benchmark` returned.
            name: put before each measure's, as in `mdcr_map`; by default the benchmark's.
            measures: names; by default `map`, `ndcg`, `recall_5`, or `hit_20`, `mrr`. A trainer that is to
                choose a model chooses by the first: `metric_for_best_model="eval_" + evaluator.primary_metric`.
            write_csv: whether a line is added to `scirank_evaluation_<name>_results.csv` in the folder that the
                trainer gives (a second one beside it where that has other columns).
            options: arguments of `load_benchmark`, such as `groups=["Art"]` or `split="validation"`, where the
                benchmark is named, and fields of `scirank.models.ModelOptions`, such as `template="{title}"`.

        Raises:
            ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was found
                and what to do.
            ValueError: an unknown measure.
        """
        measures = (measures,) if isinstance(measures, str) else measures
        benchmark, of_model = chosen(benchmark, None, options, measures)
        super().__init__(benchmark, str(benchmark.name) if name is None else name, measures)
        self.options = replace(of_model, cache=False)
        self.write_csv = write_csv
        self.csv_file = "_".join(filter(None, ("scirank_evaluation", self.name, "results.csv")))
        self.prefix_name_to_metrics({}, self.name)

    @property
    def description(self) -> str:
        """What a model's card calls this."""
        return BENCHMARKS[self.benchmark.name.removesuffix("-mini")].title

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Rank and measure.

        Args:
            model: the model as it is.
            output_path: where the CSV file is, or is to be; None writes none.
            epoch: for the CSV file.
            steps: for the CSV file.
        """
        found = super().__call__(model, output_path, epoch, steps)
        if output_path is not None and self.write_csv:
            self._add_line(Path(output_path), {"epoch": epoch, "steps": steps, **found})
        self.store_metrics_in_model_card_data(model, found, epoch, steps)
        return found

    def _add_line(self, folder: Path, line: dict[str, Any]) -> None:
        """Add a line to the file that has these columns, a new one if there is none."""
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            path = folder / (self.csv_file if number == 1 else f"{number}_{self.csv_file}")
            with open(path, "a+", newline="", encoding="utf-8") as file:
                file.seek(0)
                columns = next(csv.reader(file), None)
                if columns in (None, list(line)):
                    writer = csv.DictWriter(file, list(line))
                    if columns is None:
                        writer.writeheader()
                    writer.writerow(line)
                    return
