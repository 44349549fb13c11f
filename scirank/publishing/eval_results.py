"""A result as `.eval_results/*.yaml` of a model's repository: the Hub shows it on the model's page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError, shown
from ..results import Result
from . import yaml_text
from .claims import Claim, claim_of, described, time_of

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

SINCE = "1.4"
"""A release of huggingface_hub whose entries have notes."""


def eval_result_entries(
    result: Result,
    dataset: str,
    *,
    task: str | None = None,
    split: str | None = None,
    dataset_revision: str | None = None,
    source: str | None = None,
) -> "list[EvalResultEntry]":
    """A result's headline numbers as the Hub's entries, one a measure, in percent.

    Args:
        result: of the whole benchmark.
        dataset: the benchmark's repository on the Hub, `ORG/NAME`.
        task: the tasks' ids in that repository's `eval.yaml`, a text with `{measure}`; by default
            `{measure}`, and `{measure}_validation` for that split.
        split: of files of scores, which do not say it.
        dataset_revision: the commit of `dataset` whose data was evaluated.
        source: the address of what the numbers can be looked up in, such as the saved result.

    Raises:
        ScirankError: it may not be published, or huggingface_hub is too old.
    """
    return entries_of(claim_of(result, split), dataset, task, dataset_revision, source)


def entries_of(
    claim: Claim, dataset: str, task: str | None, dataset_revision: str | None, source: str | None
) -> "list[EvalResultEntry]":
    """See `eval_result_entries`."""
    entry = _entry_class()
    if claim.absent:
        raise ScirankError(
            f"this result is of {claim.part} ({shown(claim.absent)} not), and its average is not "
            f"{claim.published.title}'s; put parts together with `scirank merge`, or publish the "
            "groups with --form model-index"
        )
    notes = described(claim)
    return [
        entry(
            dataset_id=dataset,
            task_id=task_id,
            value=float(claim.result.average[measure]),
            dataset_revision=dataset_revision,
            date=time_of(claim.result),
            source_url=source,
            source_name=None if source is None else "scirank result",
            notes=notes,
        )
        for measure, task_id in _task_ids(claim, task).items()
    ]


def path_of(claim: Claim) -> str:
    """The file of a benchmark's entries."""
    return f".eval_results/{claim.result.benchmark}.yaml"


def with_entries(
    text: str | None, entries: "Sequence[EvalResultEntry]", overwrite: bool, where: str
) -> tuple[str, list[str]]:
    """A file of entries after more came to it, those of other datasets and tasks as they stand.

    Args:
        text: the file; None where there is none.
        entries: of one dataset, a task each.
        overwrite: replace entries of the same tasks.
        where: the file's name, for messages.

    Returns:
        the file, and what of it was replaced.

    Raises:
        ScirankError: the file is not of this form, or has other values for the same tasks.
    """
    from huggingface_hub import eval_result_entries_to_yaml

    old: Any = [] if text is None else yaml_text.load(text, where) or []
    if not isinstance(old, list) or not all(isinstance(row, dict) for row in old):
        raise ScirankError(f"{where} is no list of evaluation results, and is not touched")
    rows, differ = list(old), []
    for row in eval_result_entries_to_yaml(list(entries)):
        at = next((at for at, there in enumerate(old) if _what(there) == _what(row)), None)
        if at is None:
            rows.append(row)
            continue
        if old[at].get("value") != row["value"]:
            differ.append(f"{row['dataset']['task_id']} {old[at].get('value')}, now {row['value']}")
        if overwrite:
            rows[at] = row
    if differ and not overwrite:
        raise ScirankError(f"{where} has other values already: {shown(differ)}. --overwrite replaces them")
    return yaml_text.with_items(text or "", old, rows), differ


def _what(row: dict[str, Any]) -> tuple[Any, Any]:
    dataset = row.get("dataset")
    return (dataset.get("id"), dataset.get("task_id")) if isinstance(dataset, dict) else (None, None)


def _task_ids(claim: Claim, task: str | None) -> dict[str, str]:
    template = task or ("{measure}" if claim.split in ("", "test") else f"{{measure}}_{claim.split}")
    if "{measure}" not in template and len(claim.measures) > 1:
        raise ScirankError(f"task {template!r}: expected a text with {{measure}}, as the Hub has one value a task")
    return {measure: template.replace("{measure}", measure) for measure in claim.measures}


def _entry_class() -> "type[EvalResultEntry]":
    import huggingface_hub

    found: type[EvalResultEntry] | None = getattr(huggingface_hub, "EvalResultEntry", None)
    if found is None or "notes" not in found.__dataclass_fields__:
        raise ScirankError(
            f"huggingface_hub {huggingface_hub.__version__} does not know .eval_results as it is now; "
            f"pip install 'huggingface_hub>={SINCE}', or choose --form model-index"
        )
    return found
