"""The evaluate module: from scores of candidates to MDCR's numbers."""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

# `evaluate` copies only the files that are imported here, one name a line: `expected` is for `queries`.
from .checks import checked_batch
from .expected import expected_values
from .measures import DEFAULT_MEASURES
from .measures import Measure
from .measures import parse_measures
from .queries import evaluate_queries
from .summary import summarise
from .ties import POLICIES

DESCRIPTION = """\
Ranks each query's candidates by score and compares with what is relevant: MAP, nDCG and Recall@5 as
published with MDCR (Medić and Šnajder, 2022), or map, ndcg, recall, precision, success and mrr at
any cutoff. Computed by pytrec_eval; percent; the average over groups is unweighted.
"""

INPUTS = """\
Args:
    predictions: for each query, the scores of its candidates; higher is better.
    references: for each query, 1 for a relevant candidate, else 0, in the same order.
    candidate_ids: for each query, its candidates' ids. Optional, but give them: equal scores are
        ordered by id, descending in UTF-8 bytes, as trec_eval does and the published numbers have it.
        Without ids, ties are broken against the model: relevant candidates last.
    groups: each query's group, in MDCR its field. Optional; left out, all are one group, "all".
    measures: names such as "map", "ndcg_10", "recall_5"; by default "map", "ndcg", "recall_5".
    ties: "trec" (default), "optimistic", "pessimistic", or "expected" (mean over all orders).
    no_relevant: what to do with a query that has no relevant candidate: "error" (default), "zero"
        (it counts 0, as upstream's script has it) or "skip".
    return_per_query: also return each query's values, from 0 to 1.
Returns:
    Each measure in percent: the mean over groups, each rounded to 4 decimals, rounded again, as
    published; "queries"; "tied_queries", those in which the order of equal scores could change a
    measure; "groups", the same for each group; "unrounded", without any rounding.
Examples:
    >>> import evaluate, mdcr_metric
    >>> metric = evaluate.load("mdcr_metric")
    >>> result = metric.compute(
    ...     predictions=[[0.9, 0.2, 0.4], [0.1, 0.8, 0.3]], references=[[1, 0, 1], [0, 0, 1]],
    ...     candidate_ids=[["a", "b", "c"], ["a", "b", "c"]], groups=["Art", "Biology"])
    >>> result["map"], result["groups"]["Biology"]["map"]
    (75.0, 50.0)
"""

CITATION = """\
@inproceedings{medic-snajder-2022-large,
    title = "Large-scale Evaluation of Transformer-based Article Encoders on the Task of Citation Recommendation",
    author = "Medi{\\'c}, Zoran and {\\v{S}}najder, Jan",
    booktitle = "Proceedings of the Third Workshop on Scholarly Document Processing",
    year = "2022",
    pages = "19--31",
    url = "https://aclanthology.org/2022.sdp-1.3",
}
"""

# A config is a name and its default measures.
CONFIGS = {"mdcr": DEFAULT_MEASURES}
NO_RELEVANT = ("error", "zero", "skip")
FEATURES = {
    "predictions": datasets.Sequence(datasets.Value("float64")),
    # As integers, `datasets` would cut 0.9 to 0 without a word.
    "references": datasets.Sequence(datasets.Value("float64")),
    "candidate_ids": datasets.Sequence(datasets.Value("string")),
    "groups": datasets.Value("string"),
}


class MdcrMetric(evaluate.Metric):
    """See `inputs_description`. Rows are checked when they are added; a refused batch adds nothing."""

    _rows: int
    _without_relevant: list[int]
    _given: tuple[bool, bool] | None

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        config = "mdcr" if config_name in (None, "default") else config_name
        if config not in CONFIGS:
            raise ValueError(f"unknown config {config_name!r} of mdcr_metric; valid are {', '.join(CONFIGS)}")
        super().__init__(config, **kwargs)
        self._forget_rows()

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features(FEATURES),
            homepage="https://github.com/zoranmedic/mdcr",
        )

    def add(
        self, *, prediction: Any = None, reference: Any = None, candidate_ids: Any = None, groups: Any = None
    ) -> None:
        """Add one query: its scores, labels and, if wanted, ids and group."""
        ids = None if candidate_ids is None else [candidate_ids]
        names = None if groups is None else [groups]
        self.add_batch(predictions=[prediction], references=[reference], candidate_ids=ids, groups=names)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, candidate_ids: Any = None, groups: Any = None
    ) -> None:
        """Add queries: rows of scores and labels and, if wanted, of ids, and groups."""
        self._write(self._checked(predictions, references, candidate_ids, groups))

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        candidate_ids: Any = None,
        groups: Any = None,
        measures: Sequence[str] | str | None = None,
        ties: str = "trec",
        no_relevant: str = "error",
        return_per_query: bool = False,
    ) -> dict[str, Any] | None:
        """Evaluate what was added and what is passed; a refused call loses nothing of what was added."""
        chosen = CONFIGS[self.config_name] if measures is None else parse_measures(measures)
        for option, value, choices in (("ties", ties, POLICIES), ("no_relevant", no_relevant, NO_RELEVANT)):
            if value not in choices:
                raise ValueError(f"unknown {option} {value!r}; valid are {', '.join(choices)}")
        batch = None
        if any(column is not None for column in (predictions, references, candidate_ids, groups)):
            batch = self._checked(predictions, references, candidate_ids, groups)
        labels = batch["references"] if batch else []
        if self._rows + len(labels) == 0:
            raise ValueError("nothing to evaluate: no query was added or passed")
        if self.num_process == 1:  # else only the first process has all rows, and looks at them later
            without = self._without_relevant + _without_relevant(labels, self._rows)
            _check_relevant(without, self._rows + len(labels), no_relevant)
        if batch:
            self._write(batch)
        try:
            result: dict[str, Any] | None = super().compute(
                measures=chosen, ties=ties, no_relevant=no_relevant, return_per_query=return_per_query
            )
        finally:
            self._forget_rows()
        return result

    def _compute(
        self,
        predictions: list[list[float]],
        references: list[list[float]],
        candidate_ids: list[list[str]],
        groups: list[str],
        measures: Sequence[Measure],
        ties: str,
        no_relevant: str,
        return_per_query: bool,
    ) -> dict[str, Any]:
        if len({(bool(ids), bool(group)) for ids, group in zip(candidate_ids, groups, strict=True)}) > 1:
            raise ValueError("one process gave candidate_ids or groups and another did not; give them in all or none")
        without = _without_relevant(references)
        _check_relevant(without, len(references), no_relevant)
        skipped = set(without) if no_relevant == "skip" else set()
        rows = [row for row in range(len(predictions)) if row not in skipped]
        # Ids that stand in for absent ones put relevant candidates last among equals.
        ids = [
            candidate_ids[row] or [f"{0 if label else 1}-{at}" for at, label in enumerate(references[row])]
            for row in rows
        ]
        runs = [dict(zip(names, predictions[row], strict=True)) for row, names in zip(rows, ids, strict=True)]
        qrels = [dict(zip(names, map(int, references[row]), strict=True)) for row, names in zip(rows, ids, strict=True)]
        names = [groups[row] or "all" for row in rows]
        per_query = evaluate_queries(runs, qrels, measures, ties)
        result = summarise(per_query, names)
        if no_relevant != "error":
            result["without_relevant"] = len(without)
        if return_per_query:
            columns = {str(measure): values for measure, values in per_query.values.items()}
            result["per_query"] = {"row": rows, "group": names, **columns, "tied": per_query.tied}
        return result

    def _checked(self, predictions: Any, references: Any, candidate_ids: Any, groups: Any) -> dict[str, list[Any]]:
        batch = checked_batch(predictions, references, candidate_ids, groups, first_row=self._rows)
        given = (candidate_ids is not None, groups is not None)
        if self._given is not None and batch["predictions"] and given != self._given:
            raise ValueError(
                f"row {self._rows}: earlier rows came {_with(*self._given)}, this one {_with(*given)}; "
                "give them for all rows or none"
            )
        return batch

    def _write(self, batch: dict[str, list[Any]]) -> None:
        if not batch["predictions"]:
            return
        super().add_batch(**batch)
        self._without_relevant += _without_relevant(batch["references"], self._rows)
        self._rows += len(batch["predictions"])
        self._given = (bool(batch["candidate_ids"][0]), bool(batch["groups"][0]))

    def _forget_rows(self) -> None:
        self._rows, self._without_relevant, self._given = 0, [], None


def _without_relevant(references: Sequence[Sequence[float]], first_row: int = 0) -> list[int]:
    return [row for row, labels in enumerate(references, first_row) if not any(labels)]


def _check_relevant(without: Sequence[int], rows: int, no_relevant: str) -> None:
    if without and no_relevant == "error":
        shown = ", ".join(map(str, without[:5])) + (", ..." if len(without) > 5 else "")
        raise ValueError(
            f"{len(without)} queries have no relevant candidate (rows {shown}); "
            'pass no_relevant="zero" to count them as 0 or no_relevant="skip" to leave them out'
        )
    if len(without) == rows and no_relevant == "skip":
        raise ValueError(f"nothing to evaluate: none of the {rows} queries has a relevant candidate")


def _with(ids: bool, groups: bool) -> str:
    return f"{'with' if ids else 'without'} candidate_ids and {'with' if groups else 'without'} groups"
