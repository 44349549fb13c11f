"""The evaluate module: takes rows, checks them, and leaves the computing to its config."""

from typing import Any

import datasets
import evaluate

# `evaluate` copies only the files that are imported here, one name a line; some are for the others.
from .answers import AnswersProtocol
from .calibration import calibrate
from .checks import REQUIRED
from .checks import checked_batch
from .citation import CitationProtocol
from .expected import expected_values
from .hit_ties import tied_questions
from .hits import evaluate_questions
from .hits_summary import summarise_questions
from .measures import parse_measures
from .outcomes import outcome_of
from .protocol import MetricProtocol
from .queries import evaluate_queries
from .summary import summarise
from .ties import POLICIES
from .titles import title_key

CONFIGS: dict[str, type[MetricProtocol]] = {"mdcr": CitationProtocol, "oagqa": AnswersProtocol}


class MdcrMetric(evaluate.Metric):
    """See `inputs_description`. Rows are checked when they are added; a refused batch adds nothing."""

    _rows: int
    _noted: list[Any]
    _given: frozenset[str] | None

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        config = "mdcr" if config_name in (None, "default") else config_name
        if config not in CONFIGS:
            raise ValueError(f"unknown config {config_name!r} of mdcr_metric; valid are {', '.join(CONFIGS)}")
        self._protocol = CONFIGS[config]()
        super().__init__(config, **kwargs)
        self._forget_rows()

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self._protocol.description,
            citation=self._protocol.citation,
            inputs_description=self._protocol.inputs,
            features=datasets.Features({name: column.feature for name, column in self._protocol.columns.items()}),
            homepage=self._protocol.homepage,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Add one query: its prediction, its reference and, if wanted, what else the config takes."""
        given = {name: None if value is None else [value] for name, value in columns.items()}
        self.add_batch(predictions=[prediction], references=[reference], **given)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Add queries: a row each in every column."""
        self._write(self._checked({"predictions": predictions, "references": references, **columns}))

    def compute(
        self, *, predictions: Any = None, references: Any = None, **columns_and_options: Any
    ) -> dict[str, Any] | None:
        """Evaluate what was added and what is passed; a refused call loses nothing of what was added."""
        passed = {"predictions": predictions, "references": references, **columns_and_options}
        columns = {name: value for name, value in passed.items() if name in self._protocol.columns}
        try:
            options = self._protocol.options(**{name: value for name, value in passed.items() if name not in columns})
        except TypeError as error:
            raise TypeError(
                f"compute() {str(error).partition('() ')[2]}; columns are {', '.join(self._protocol.columns)}"
            ) from error
        batch = None if all(value is None for value in columns.values()) else self._checked(columns)
        rows = self._rows + (len(batch["predictions"]) if batch else 0)
        if rows == 0:
            raise ValueError("nothing to evaluate: no query was added or passed")
        if self.num_process == 1:  # else only the first process has all rows, and looks at them later
            noted = self._noted + (self._protocol.noted(batch, self._rows) if batch else [])
            self._protocol.check_noted(noted, rows, options)
        if batch:
            self._write(batch)
        try:
            result: dict[str, Any] | None = super().compute(**options)
        finally:
            self._forget_rows()
        return result

    def _compute(self, **columns_and_options: Any) -> dict[str, Any]:
        batch = {name: columns_and_options.pop(name) for name in self._protocol.columns}
        for name, column in self._protocol.columns.items():
            if column.absent is not REQUIRED and len({value == column.absent for value in batch[name]}) > 1:
                raise ValueError(f"one process gave {name} and another did not; give them in all or none")
        rows = len(batch["predictions"])
        self._protocol.check_noted(self._protocol.noted(batch, 0), rows, columns_and_options)
        return self._protocol.compute(batch, **columns_and_options)

    def _checked(self, columns: dict[str, Any]) -> dict[str, list[Any]]:
        if unknown := [name for name in columns if name not in self._protocol.columns]:
            raise ValueError(f"unknown columns {', '.join(unknown)}; valid are {', '.join(self._protocol.columns)}")
        batch = checked_batch(self._protocol.columns, columns, first_row=self._rows)
        given = self._optional(columns)
        if self._given is not None and batch["predictions"] and given != self._given:
            differ = ", ".join(sorted(given ^ self._given))
            raise ValueError(
                f"row {self._rows}: {differ} given for some rows and not for others; give them for all rows or none"
            )
        return batch

    def _optional(self, columns: dict[str, Any]) -> frozenset[str]:
        """The columns that were given and could have been left out."""
        optional = {name for name, column in self._protocol.columns.items() if column.absent is not REQUIRED}
        return frozenset(name for name in optional if columns.get(name) is not None)

    def _write(self, batch: dict[str, list[Any]]) -> None:
        if not batch["predictions"]:
            return
        super().add_batch(**batch)
        self._noted += self._protocol.noted(batch, self._rows)
        self._rows += len(batch["predictions"])
        # A check never gives the value that stands for an absent one.
        self._given = self._optional({n: True for n, c in self._protocol.columns.items() if batch[n][0] != c.absent})

    def _forget_rows(self) -> None:
        self._rows, self._noted, self._given = 0, [], None
