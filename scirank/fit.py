"""What can be asked of a benchmark: measures and options that it has a use for."""

from collections.abc import Sequence

from mdcr_metric import parse_measures
from mdcr_metric.hits import DEFAULT_HITS, parse_hits

from .choices import NoRelevant, Ties
from .errors import ScirankError
from .models import ModelOptions


def check_choices(
    name: str,
    asks_questions: bool,
    options: ModelOptions,
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    no_relevant: str = NoRelevant.ERROR,
    save_scores: bool = False,
) -> None:
    """Refuse, before any work, what a benchmark has no use for.

    Raises:
        ScirankError: an option of the other benchmark.
        ValueError: an unknown measure.
    """
    check_measures(asks_questions, measures)
    if asks_questions:
        refused = {
            "ties": (Ties(ties) is not Ties.TREC, "has one tie rule"),
            "no_relevant": (
                NoRelevant(no_relevant) is not NoRelevant.ERROR,
                "counts a question without an answer as 0",
            ),
            "save_scores": (save_scores, "saves rankings by save_run (--save-run)"),
        }
        for option, (chosen, instead) in refused.items():
            if chosen:
                raise ScirankError(f"{option} is for mdcr; {name} {instead}")
        return
    Ties(ties)
    NoRelevant(no_relevant)
    for option in ("query_template", "query_prompt"):
        if getattr(options, option) is not None:
            raise ScirankError(f"{option} is for oagqa; the queries of {name} are papers like the candidates")
    for option in ("first_stage", "rerank"):
        if getattr(options, option) is not None:
            raise ScirankError(f"{option} is for oagqa; all candidates of {name} are scored")


def check_measures(asks_questions: bool, measures: str | Sequence[str] | None) -> None:
    """Raise ValueError for a measure that a benchmark does not have."""
    if measures is not None:
        (parse_hits if asks_questions else parse_measures)(measures)


def measures_within(depth: int | None, measures: str | Sequence[str] | None) -> str | Sequence[str]:
    """OAG-QA's measures whose cutoffs lie within the papers kept: the default ones that do, or those named.

    Raises:
        ScirankError: one that was named does not, so that its number would be too low.
    """
    parsed = parse_hits(DEFAULT_HITS if measures is None else measures)
    beyond = [str(measure) for measure in parsed if depth is not None and (measure.cutoff or 0) > depth]
    if beyond and measures is not None:
        raise ScirankError(
            f"{beyond[0]} needs more ranked papers than top_k (--top-k) {depth} keeps; choose a larger one"
        )
    return [str(measure) for measure in parsed if str(measure) not in beyond]
