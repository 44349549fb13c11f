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
from .checkpoints import check_folders, is_first_process
from .mining import mine
from .queries import training_data
from .seen import examples_data, groups_to_train_on, refuse_seen
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
        source: see `scirank.training.queries.training_data`.
        examples: a file of training queries, as `scirank mine` or DPR's own tools write it, in place of a benchmark's.
        watch: topics, or fields of MDCR's validation split, that are evaluated before, while and after training.
        watch_steps: after how many steps; by default at the end of each epoch.
        checkpoint_steps: after how many steps a checkpoint is saved, in place of the last one.
        allow_seen: whether topics that are held out, and queries that are evaluated in the end, may be trained on.
        resume: go on from the last checkpoint of a training that did not end.
        overwrite: replace the model's folder, and checkpoints of a training that did not end.
        device: `cpu` to keep off graphics cards; by default what there is.
        quiet: show no progress.
        settings: fields of `scirank.training.Settings`, in place of upstream's.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was found and what to do.
    """
    if find_spec("accelerate") is None:
        raise ScirankError("training needs the extra `train`: pip install 'scirank[train]'")
    architecture, method, name = Architecture(architecture), Method(method), Names(benchmark)
    chosen = settings_for(architecture, method, **settings)
    first = is_first_process()
    progress = Progress(quiet or not first)
    folder = Path(out)
    if first:
        check_folders(folder, resume, overwrite)
    loading: dict[str, Any] = {"data_dir": data_dir, "quotes": quotes, "missing_text": missing_text}
    evaluated = None if held_out is None else load_benchmark(name, groups=held_out, **loading)
    watched = None if watch is None else _watched(name, watch, loading)
    wanted = groups_to_train_on(name, groups, disciplines, evaluated, allow_seen)
    data = training_data(name, source=source, **wanted, **loading)
    if examples is not None:
        data = examples_data(data, examples)
    if evaluated is not None and not allow_seen:
        refuse_seen(data.queries, evaluated)
    if chosen.hard_negatives:
        # So many that the rows of a query with several right papers have different ones.
        most = chosen.hard_negatives * max(len(query.positives) for query in data.queries)
        data = mine(data, negatives=min(most, MOST_MINED), progress=progress)
    for note in data.notes:
        progress.say(f"note: {note}")
    about = {
        "saw": dict(data.seen),
        "settings": asdict(chosen),
        "base": {"name": lasting_name(base)},
        "notes": list(data.notes),
    }
    record = Record(architecture, method, architecture, about)
    course = Course(folder, watched, watch_steps, checkpoint_steps, resume, device)
    from .fitting import fit

    record = fit(data, record, chosen, revision, course, progress)
    result = None
    if first:
        progress.say(f"saved {folder}")
        result = None if evaluated is None else run(os.fspath(folder), evaluated, device=device, quiet=quiet)
    return Trained(folder, record, result)


def _watched(name: Names, groups: str | Sequence[str], loading: dict[str, Any]) -> Benchmark:
    split = Split.TEST if name.asks_questions else Split.VALIDATION
    return load_benchmark(name, split=split, groups=groups, **loading)
