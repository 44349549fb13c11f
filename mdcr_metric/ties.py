"""Candidates with equal scores: which queries have them, and what each policy makes of them."""

from array import array
from collections.abc import Mapping

POLICIES = ("trec", "optimistic", "pessimistic", "expected")
"""`trec` breaks ties by id, descending in UTF-8 bytes, as trec_eval does and the published tables
have it; `optimistic` and `pessimistic` put relevant candidates first or last among equals;
`expected` is the exact mean over all orders of the equals."""


def as_float32(run: Mapping[str, float]) -> array:  # type: ignore[type-arg]
    """The scores as trec_eval compares them: in single precision."""
    return array("f", run.values())


def has_mixed_tie(run: Mapping[str, float], qrel: Mapping[str, int]) -> bool:
    """Whether a relevant and another candidate have the same score, so that their order matters."""
    scores = as_float32(run)
    if len(set(scores)) == len(scores):
        return False
    relevant = {score for candidate, score in zip(run, scores, strict=True) if qrel[candidate]}
    return any(score in relevant for candidate, score in zip(run, scores, strict=True) if not qrel[candidate])


def rename(
    run: Mapping[str, float], qrel: Mapping[str, int], relevant_first: bool
) -> tuple[dict[str, float], dict[str, int]]:
    """The same query with ids under which trec_eval's rule puts relevant candidates first or last."""
    names = {
        candidate: f"{int(bool(qrel[candidate]) == relevant_first)}-{position}"
        for position, candidate in enumerate(run)
    }
    return {names[key]: score for key, score in run.items()}, {names[key]: qrel[key] for key in run}
