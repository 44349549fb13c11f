"""Train DPR or ColBERT on a benchmark's queries, save it, load it again, evaluate it."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..benchmarks import Benchmark, load_benchmark
from ..choices import Architecture, Method, MissingText, Split
from ..choices import Benchmark as Names
from ..errors import ScirankError
from ..models.embedded import lasting_name
from ..models.record import Record
from ..progress import Progress
from ..results import Result
from ..runner import run
from .checkpoints import check_folders
from .drawing import training_data
from .examples_file import examples_to_train_on
from .mining import mine
from .processes import is_first_process, process_count
from .queries import TrainingData
from .seen import groups_to_train_on, refuse_seen
from .settings import Course, settings_for

MOST_MINED = 50


@dataclass(frozen=True)
class Trained:
    """A trained model.

    Attributes:
        folder: where it is.
        record: what it says of itself: data, settings, losses, what was watched.
        result: of the groups that were held out, if any were; of several processes the first has it.
    """

    folder: Path
    record: Record
    result: Result | None = None


def train(
    architecture: str,
    method: str = Method.FT,
    *,
    out: str | os.PathLike[str],
    base: str = "bert-base-uncased",
    revision: str | None = None,
    benchmark: str = Names.OAGQA,
    groups: str | Sequence[str] | None = None,
    disciplines: str | Sequence[str] | None = None,
    held_out: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    quotes: str | None = None,
    missing_text: str = MissingText.ERROR,
    source: str | None = None,
    examples: str | os.PathLike[str] | None = None,
    watch: str | Sequence[str] | None = None,
    watch_steps: int | None = None,
    checkpoint_steps: int = 500,
    allow_seen: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    quiet: bool = False,
    **settings: Any,
) -> Trained:
    """Train a system of the OAG-QA paper, save it, load it again, and evaluate it on what was held out.

    Args:
        architecture: `dpr` or `colbert`.
        method: `ft`, all weights, or `pt2`, P-Tuning v2's prefixes (and ColBERT's projection).
        out: the model's folder; it appears when the training has ended. Until then checkpoints lie beside it.
        base: a name on the Hub, a folder, or `minilm`.
        revision: of the base on the Hub.
        benchmark: `oagqa`, whose questions, or `mdcr`, whose validation split is trained on; or one of the small ones.
        groups: the topics or fields to train on; by default all of MDCR, and of OAG-QA all that are not held out.
        disciplines: of OAG-QA: also the topics of these.
        held_out: topics, or fields of MDCR's test split, that are evaluated in the end.
        data_dir: see `load_benchmark`.
        quotes: see `load_benchmark`.
        missing_text: see `load_benchmark`.
        source: see `scirank.training.drawing.training_data`.
        examples: a file of training queries, as `scirank mine` or DPR's own tools write it, in place of a benchmark's.
            Its negatives are taken as they are.
        watch: topics, or fields of MDCR's validation split, that are evaluated before, while and after training.
        watch_steps: after how many steps; by default at the end of each epoch.
        checkpoint_steps: after how many steps a checkpoint is saved, in place of the last one.
        allow_seen: whether topics that are held out, and queries that are evaluated in the end, may be trained on.
        resume: go on from the last checkpoint of a training that did not end.
        overwrite: replace the model's folder, and checkpoints of a training that did not end.
        device: `cpu` to keep off graphics cards; by default what there is.
        quiet: show no progress.
        settings: fields of `scirank.training.settings.Settings`, in place of upstream's.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was found and what to do.
    """
    architecture, method, name = Architecture(architecture), Method(method), Names(benchmark)
    chosen = settings_for(architecture, method, **settings)
    _refuse(device, examples, source, disciplines)
    first = is_first_process()
    progress = Progress(quiet or not first)
    folder, base = Path(out), lasting_name(base)
    if folder.name in ("", ".."):  # checkpoints lie beside it, under a name made of its own
        folder = folder.resolve()
    if first:
        check_folders(folder, base, resume, overwrite)
    loading: dict[str, Any] = {"data_dir": data_dir, "quotes": quotes, "missing_text": missing_text}
    evaluated = None if held_out is None else load_benchmark(name, groups=held_out, **loading)
    watched = None if watch is None else _watched(name, watch, loading)
    notes: tuple[str, ...] = ()
    if examples is not None:
        queries, saw = examples_to_train_on(examples, name, groups)
    else:
        wanted = groups_to_train_on(name, groups, disciplines, evaluated, allow_seen)
        data = _mined(training_data(name, source=source, **wanted, **loading), chosen.hard_negatives, progress)
        queries, saw, notes = data.queries, dict(data.seen), data.notes
    if evaluated is not None and not allow_seen:
        refuse_seen(queries, evaluated)
    for note in notes:
        progress.say(f"note: {note}")
    about = {
        "saw": saw,
        "settings": asdict(chosen),
        "base": {"name": base},
        "processes": process_count(),
        "notes": list(notes),
    }
    course = Course(folder, watched, watch_steps, checkpoint_steps, resume, device)
    from .fitting import fit

    record = fit(queries, Record(architecture, method, architecture, about), chosen, revision, course, progress)
    result = None
    if first:
        progress.say(f"saved {folder}")
        result = None if evaluated is None else run(os.fspath(folder), evaluated, device=device, quiet=quiet)
    return Trained(folder, record, result)


def _refuse(device: str | None, examples: Any, source: str | None, disciplines: Any) -> None:
    """Refuse, before any work, what has no use."""
    if find_spec("accelerate") is None:
        raise ScirankError("training needs the extra `train`: pip install 'scirank[train]'")
    if device not in (None, "cpu"):
        raise ScirankError(f"device {device}: expected cpu, or none; CUDA_VISIBLE_DEVICES chooses among graphics cards")
    if examples is not None and not (source is None and disciplines is None):
        raise ScirankError(
            "source and disciplines choose among a benchmark's own queries; leave them out with examples"
        )


def _mined(data: TrainingData, negatives: int, progress: Progress) -> TrainingData:
    """With so many hard negatives that the rows of a query with several right papers have different ones."""
    if not negatives:
        return data
    most = negatives * max(len(query.positives) for query in data.queries)
    return mine(data, negatives=min(most, MOST_MINED), progress=progress)


def _watched(name: Names, groups: str | Sequence[str], loading: dict[str, Any]) -> Benchmark:
    split = Split.TEST if name.asks_questions else Split.VALIDATION
    return load_benchmark(name, split=split, groups=groups, **loading)
