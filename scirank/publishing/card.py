"""A result as the metadata `model-index` of a model's card: averages, and each field or topic."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError, shown
from ..results import Result
from ..results.result import AVERAGE_NAMES
from . import yaml_text
from .claims import Claim, claim_of

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

PATH = "README.md"
WHOLE = "all"
"""The dataset's config of all groups."""


def model_index(
    result: Result,
    dataset: str,
    name: str,
    *,
    split: str | None = None,
    dataset_revision: str | None = None,
    source: str | None = None,
) -> dict[str, Any]:
    """A result's headline numbers as a card's metadata, in percent: `{"model-index": [...]}`.

    Args:
        result: of the whole benchmark, or of some of its groups: the average is left out then.
        dataset: the benchmark's repository on the Hub, `ORG/NAME`; each group is a config of it.
        name: the model's.
        split: of files of scores, which do not say it.
        dataset_revision: the commit of `dataset` whose data was evaluated.
        source: the address of what the numbers can be looked up in.

    Raises:
        ScirankError: it may not be published.
    """
    return {yaml_text.KEY: index_of(claim_of(result, split), dataset, name, dataset_revision, source)}


def index_of(
    claim: Claim, dataset: str, name: str, dataset_revision: str | None, source: str | None
) -> list[dict[str, Any]]:
    """See `model_index`."""
    from huggingface_hub import EvalResult
    from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

    def stated(config: str, measure: str, value: Any, called: str, args: dict[str, Any] | None = None) -> "EvalResult":
        return EvalResult(
            task_type=claim.published.task,
            task_name=claim.published.task_title,
            dataset_type=dataset,
            dataset_name=claim.published.title,
            dataset_config=config,
            dataset_split=claim.split or None,
            dataset_revision=dataset_revision,
            metric_type=measure,
            metric_value=float(value),
            metric_name="; ".join([called, *claim.remarks]),
            metric_config=claim.result.benchmark,
            metric_args=args,
            source_url=source,
            source_name=None if source is None else "scirank result",
        )

    rows = [] if claim.absent else [stated(WHOLE, *average) for average in _averages(claim)]
    for group, numbers in claim.result.groups.items():
        rows += [stated(group, measure, numbers[measure], label) for measure, label in claim.measures.items()]
    index = eval_results_to_model_index(name, rows)
    if model_index_to_eval_results(index) != (name, rows):
        raise RuntimeError("huggingface_hub reads other numbers than were written; please report this")
    return index


def with_results(text: str | None, index: list[dict[str, Any]], overwrite: bool, where: str) -> tuple[str, list[str]]:
    """A card after more results came to it, those of other datasets, splits and measures as they stand.

    Args:
        text: of README.md; None where there is none.
        index: what `index_of` gives.
        overwrite: replace values of the same measures of the same dataset, config, split and revision.
        where: the card's name, for messages.

    Returns:
        the card, and what of it was replaced.

    Raises:
        ScirankError: its metadata is not of this form, or has other values for the same measures.
    """
    there = yaml_text.metadata_of(text or "", where).get(yaml_text.KEY) or []
    try:
        merged, differ = _merged(there, index, overwrite)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ScirankError(
            f"{where}: its model-index is not of the Hub's form, and is not touched ({type(error).__name__}: {error})"
        ) from None
    if differ and not overwrite:
        raise ScirankError(f"{where} has other values already: {shown(differ)}. --overwrite replaces them")
    return (text or "") if merged == there else yaml_text.with_model_index(text or "", merged, where), differ


def _averages(claim: Claim) -> Iterator[tuple[Any, ...]]:
    """Measure, value, what it is called, and what tells averages apart."""
    result, published = claim.result, claim.published
    if not result.asks_questions:
        over = f"mean over {len(result.groups)} {published.group}s"
        yield from ((name, result.average[name], f"{label}, {over}") for name, label in claim.measures.items())
        return
    for average, row in result.summary["averages"].items():
        for name, label in claim.measures.items():
            yield name, row[name], f"{label}, {AVERAGE_NAMES[average]}", {"average": average}


def _merged(there: list[Any], index: list[dict[str, Any]], overwrite: bool) -> tuple[list[Any], list[str]]:
    """Another card's results and ours; what others wrote is copied, never changed."""
    if not there:
        return index, []
    results = [{**result, "metrics": list(result["metrics"])} for result in there[0]["results"]]
    differ = []
    for ours in index[0]["results"]:
        same = [result for result in results if _of(result) == _of(ours)]
        added = []
        for metric in ours["metrics"]:
            found = [
                (result["metrics"], at)
                for result in same
                for at, other in enumerate(result["metrics"])
                if _metric(other) == _metric(metric)
            ]
            for metrics, at in found:
                if metrics[at]["value"] != metric["value"]:
                    config = ours["dataset"]["config"]
                    differ.append(f"{config} {metric['type']} {metrics[at]['value']}, now {metric['value']}")
                    if overwrite:
                        metrics[at] = metric
            if not found:
                added.append(metric)
        # What comes from another source is not put among ours.
        place = next((result for result in same if _whence(result) == _whence(ours)), None)
        if added and place is not None:
            place["metrics"] += added
        elif added:
            results.append({**ours, "metrics": added})
    return [{**there[0], "results": results}, *there[1:]], differ


def _of(result: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(result["dataset"].get(part) for part in ("type", "config", "split", "revision"))


def _whence(result: Mapping[str, Any]) -> tuple[Any, ...]:
    return result["task"]["type"], result.get("source")


def _metric(metric: Mapping[str, Any]) -> tuple[Any, ...]:
    return metric["type"], metric.get("args")
