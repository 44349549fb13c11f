"""Measures by name, computed by pytrec_eval."""

import re
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass

import pytrec_eval

# Our kind -> trec_eval's names without and with a cutoff.
TREC_NAMES = {
    "map": ("map", "map_cut"),
    "ndcg": ("ndcg", "ndcg_cut"),
    "recall": ("set_recall", "recall"),
    "precision": ("set_P", "P"),
    "success": ("set_recall", "success"),
    "mrr": ("recip_rank", "success"),
}

ABBREVIATIONS = {"r": "recall", "p": "precision", "s": "success", "h": "hit"}
LARGEST_CUTOFF = 1_000_000


@dataclass(frozen=True)
class Measure:
    """A measure such as `recall_5`: parses from its name and prints as it.

    Kinds are map, ndcg, recall, precision, success and mrr, each with any cutoff or none. As in
    trec_eval, `map_K` divides by the number of relevant candidates, not by K, and `precision_K`
    by K even where fewer were ranked; without a cutoff, precision and recall are over all that
    were ranked, and success says whether anything relevant was.
    """

    kind: str
    cutoff: int | None = None

    @classmethod
    def parse(cls, name: "str | Measure", kinds: Collection[str] = tuple(TREC_NAMES)) -> "Measure":
        """The measure called `name`, as here (`recall_5`) or as in papers (`R@5`), if it is of one of some kinds.

        Raises:
            ValueError: naming the valid ones.
        """
        match = re.fullmatch(r"([a-z]+)(?:[_@]([1-9][0-9]*))?", str(name).lower())
        kind = ABBREVIATIONS.get(match[1], match[1]) if match else ""
        if match is None or kind not in kinds:
            raise ValueError(
                f"unknown measure {name!r}; valid are {', '.join(kinds)}, each with a cutoff (recall_10) or without"
            )
        cutoff = int(match[2]) if match[2] else None
        if cutoff is not None and cutoff > LARGEST_CUTOFF:
            raise ValueError(f"measure {name!r}: the cutoff can be at most {LARGEST_CUTOFF:,}")
        return cls(kind, cutoff)

    def __str__(self) -> str:
        return self.kind if self.cutoff is None else f"{self.kind}_{self.cutoff}"

    @property
    def trec_names(self) -> tuple[str, ...]:
        """The trec_eval measures that this one is made of."""
        whole, cut = TREC_NAMES[self.kind]
        names = (whole,) if self.cutoff is None else (f"{cut}_{self.cutoff}",)
        return ("recip_rank", *names) if self.kind == "mrr" and self.cutoff else names

    def column(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """This measure of each query, from trec_eval's values of each."""
        first, *second = self.trec_names
        if second:
            return [row[first] * row[second[0]] for row in rows]
        if self.kind == "success" and self.cutoff is None:
            return [float(row[first] > 0) for row in rows]
        return [row[first] for row in rows]


def parse_measures(
    names: "str | Iterable[str | Measure]", kinds: Collection[str] = tuple(TREC_NAMES)
) -> tuple[Measure, ...]:
    """Measures by name, each once. Raises ValueError for an unknown name and where there is none."""
    if not isinstance(names, str) and not isinstance(names, Iterable):
        raise ValueError(f"measures should be a list of names, found {names!r}")
    each = [names] if isinstance(names, str) else names
    measures = tuple(dict.fromkeys(Measure.parse(name, kinds) for name in each))
    if not measures:
        raise ValueError("measures is empty; name at least one, or leave it out for those that are published")
    return measures


DEFAULT_MEASURES = parse_measures(["map", "ndcg", "recall_5"])
"""What MDCR publishes: MAP and nDCG without a cutoff, and Recall@5."""


def trec_values(
    runs: Sequence[Mapping[str, float]], qrels: Sequence[Mapping[str, int]], measures: Sequence[Measure]
) -> dict[Measure, list[float]]:
    """Each measure of each query, from 0 to 1, in the order given.

    Args:
        runs: for each query, candidate id -> score (plain float).
        qrels: for each query, candidate id -> 0 or 1.
        measures: what to compute.
    """
    names = {name for measure in measures for name in measure.trec_names}
    # A query with nothing ranked counts 0. pytrec_eval leaves it out, and some releases never return from it.
    ranked = {str(row): run for row, run in enumerate(runs) if run}
    evaluator = pytrec_eval.RelevanceEvaluator({row: qrels[int(row)] for row in ranked}, names)
    values = evaluator.evaluate(ranked) if ranked else {}
    nothing = dict.fromkeys(names, 0.0)
    rows = [values.get(str(row), nothing) for row in range(len(runs))]
    return {measure: measure.column(rows) for measure in measures}
