"""The config "mdcr": from scores of candidates to MAP, nDCG, Recall@5."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

import datasets

from .checks import Column
from .checks import finite_scores
from .checks import items
from .checks import name_of
from .checks import plain_text
from .measures import DEFAULT_MEASURES
from .measures import parse_measures
from .queries import evaluate_queries
from .summary import summarise
from .ties import POLICIES

NO_RELEVANT = ("error", "zero", "skip")


class CitationProtocol:
    """Scores and labels of each query's candidates."""

    description = """\
Ranks each query's candidates by score and compares with what is relevant: MAP, nDCG and Recall@5 as
published with MDCR (Medić and Šnajder, 2022), or map, ndcg, recall, precision, success and mrr at
any cutoff. Computed by pytrec_eval; percent; the average over groups is unweighted.
"""
    inputs = """\
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
    citation = """\
@inproceedings{medic-snajder-2022-large,
    title = "Large-scale Evaluation of Transformer-based Article Encoders on the Task of Citation Recommendation",
    author = "Medi{\\'c}, Zoran and {\\v{S}}najder, Jan",
    booktitle = "Proceedings of the Third Workshop on Scholarly Document Processing",
    year = "2022",
    pages = "19--31",
    url = "https://aclanthology.org/2022.sdp-1.3",
}
"""
    homepage = "https://github.com/zoranmedic/mdcr"

    def __init__(self) -> None:
        numbers, strings = datasets.Sequence(datasets.Value("float64")), datasets.Sequence(datasets.Value("string"))
        self.columns = {
            "predictions": Column(_scores, numbers),
            # As integers, `datasets` would cut 0.9 to 0 without a word.
            "references": Column(_labels, numbers),
            "candidate_ids": Column(_ids, strings, absent=[]),
            "groups": Column(name_of("group"), datasets.Value("string"), absent=""),
        }

    def options(
        self,
        measures: Sequence[str] | str | None = None,
        ties: str = "trec",
        no_relevant: str = "error",
        return_per_query: bool = False,
    ) -> dict[str, Any]:
        """See `inputs`."""
        chosen = DEFAULT_MEASURES if measures is None else parse_measures(measures)
        for option, value, choices in (("ties", ties, POLICIES), ("no_relevant", no_relevant, NO_RELEVANT)):
            if value not in choices:
                raise ValueError(f"unknown {option} {value!r}; valid are {', '.join(choices)}")
        return {"measures": chosen, "ties": ties, "no_relevant": no_relevant, "return_per_query": return_per_query}

    def noted(self, batch: Mapping[str, Sequence[Any]], first_row: int) -> list[int]:
        """Rows without a relevant candidate."""
        return [row for row, labels in enumerate(batch["references"], first_row) if not any(labels)]

    def check_noted(self, noted: Sequence[int], rows: int, options: Mapping[str, Any]) -> None:
        """Raise ValueError where `no_relevant` refuses them, or leaves nothing."""
        if noted and options["no_relevant"] == "error":
            shown = ", ".join(map(str, noted[:5])) + (", ..." if len(noted) > 5 else "")
            raise ValueError(
                f"{len(noted)} queries have no relevant candidate (rows {shown}); "
                'pass no_relevant="zero" to count them as 0 or no_relevant="skip" to leave them out'
            )
        if len(noted) == rows and options["no_relevant"] == "skip":
            raise ValueError(f"nothing to evaluate: none of the {rows} queries has a relevant candidate")

    def compute(
        self,
        batch: Mapping[str, Sequence[Any]],
        measures: Any,
        ties: str,
        no_relevant: str,
        return_per_query: bool,
    ) -> dict[str, Any]:
        """See `inputs`."""
        predictions, references = batch["predictions"], batch["references"]
        without = self.noted(batch, 0)
        skipped = set(without) if no_relevant == "skip" else set()
        rows = [row for row in range(len(predictions)) if row not in skipped]
        # Ids that stand in for absent ones put relevant candidates last among equals.
        ids = {
            row: batch["candidate_ids"][row] or [f"{1 - label:.0f}-{at}" for at, label in enumerate(references[row])]
            for row in rows
        }
        runs = [dict(zip(ids[row], predictions[row], strict=True)) for row in rows]
        qrels = [dict(zip(ids[row], map(int, references[row]), strict=True)) for row in rows]
        names = [batch["groups"][row] or "all" for row in rows]
        per_query = evaluate_queries(runs, qrels, measures, ties)
        result = summarise(per_query, names)
        if no_relevant != "error":
            result["without_relevant"] = len(without)
        if return_per_query:
            values = {str(measure): column for measure, column in per_query.values.items()}
            result["per_query"] = {"row": rows, "group": names, **values, "tied": per_query.tied}
        return result


def _scores(row: int, values: Any, _so_far: Mapping[str, Any]) -> list[float]:
    scores = finite_scores("predictions", row, values)
    if not scores:
        raise ValueError(f"row {row}: no candidates; leave the query out or give it at least one")
    return scores


def _labels(row: int, values: Any, so_far: Mapping[str, Any]) -> list[float]:
    labels, length = items("references", row, values), len(so_far["predictions"])
    if len(labels) != length:
        raise ValueError(f"row {row}: {length} predictions but {len(labels)} references")
    for at, label in enumerate(labels):
        if type(label) not in (int, float, bool) or label not in (0, 1):
            raise ValueError(f"row {row}, candidate {at}: expected 0 or 1 as reference, found {label!r:.80}")
    return [float(label) for label in labels]


def _ids(row: int, values: Any, so_far: Mapping[str, Any]) -> list[str]:
    ids, length = items("candidate_ids", row, values), len(so_far["predictions"])
    if len(ids) != length:
        raise ValueError(f"row {row}: {length} predictions but {len(ids)} candidate_ids")
    for at, candidate in enumerate(ids):
        if type(candidate) not in (str, int):
            raise ValueError(f"row {row}, candidate {at}: expected a string as id, found {candidate!r:.80}")
    ids = [plain_text(row, "id", str(candidate)) for candidate in ids]
    if len(set(ids)) != length:
        twice = next(candidate for candidate in ids if ids.count(candidate) > 1)
        raise ValueError(f"row {row}: id {twice!r} stands twice; a candidate can be ranked only once")
    return ids
