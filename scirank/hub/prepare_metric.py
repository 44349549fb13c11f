"""The metric in the cache of `evaluate`'s modules, where `evaluate.load` looks for what is not on the Hub."""

import filecmp
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from ..progress import Progress
from ..results.files import whole_folder
from .prepared import RECORD, Prepared, Record, State, disk, now, read_record, versions, write_record

NAME = "mdcr_metric"
SCRIPT = f"{NAME}.py"


def prepare_metric(force: bool = False, progress: Progress | None = None) -> Prepared:
    """Copy the metric into the cache by `evaluate`'s own functions, or leave it where it is up to date.

    Args:
        force: copy it in any case.
        progress: what says that it is up to date.
    """
    from filelock import FileLock

    home = _home()
    home.mkdir(parents=True, exist_ok=True)
    for package in (home.parent.parent, home.parent, home):
        (package / "__init__.py").touch()
    with FileLock(home / ".prepare.lock"):
        for left in filter(Path.is_dir, home.glob(".*")):  # of one that was killed
            shutil.rmtree(left, ignore_errors=True)
        found = metric_status()
        if found.state is State.READY and found.record is not None and not force:
            os.utime(home / found.record.key / SCRIPT)  # the newest is taken
            (progress or Progress()).say(f"{NAME}: up to date")
        else:
            _copy(home)
    return metric_status()


def metric_status() -> Prepared:
    """What there is of the metric in the cache."""
    home = _home()
    records = filter(None, map(read_record, _ours(home)))
    record = max(records, key=lambda record: record.time, default=None)
    if record is None:
        return Prepared(NAME, State.ABSENT, home)
    folder = home / record.key
    same = all(
        filecmp.cmp(path, _package() / path.name, shallow=False) if (_package() / path.name).is_file() else False
        for path in folder.glob("*.py")
        if path.name != "__init__.py"
    )
    why = "" if same and (folder / SCRIPT).is_file() else "made by other code than this"
    return Prepared(NAME, State.STALE if why else State.READY, home, why, record, disk([folder]))


def _copy(home: Path) -> None:
    from evaluate.loading import LocalEvaluationModuleFactory

    workshop = home / ".prepare"
    try:
        script = str(_package() / SCRIPT)
        made = LocalEvaluationModuleFactory(script, dynamic_modules_path=str(workshop)).get_module()
        record = Record(made.hash, made.hash, "evaluate", versions("evaluate"), now())
        with whole_folder(home / made.hash) as folder:
            for path in (workshop / "metrics" / NAME / made.hash).glob("*.py"):
                shutil.copyfile(path, folder / path.name)
            write_record(folder, record)
        for former in _ours(home):
            if former.name != made.hash:
                hidden = former.with_name(f".{former.name}")
                os.rename(former, hidden)
                shutil.rmtree(hidden, ignore_errors=True)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _ours(home: Path) -> list[Path]:
    return [path.parent for path in home.glob(f"*/{RECORD}")]


def _home() -> Path:
    import datasets  # which keeps modules where `evaluate` does, and is the lighter of the two

    modules = Path(datasets.config.HF_MODULES_CACHE).expanduser() / "evaluate_modules"
    return modules / "metrics" / f"evaluate-metric--{NAME}"


def _package() -> Path:
    return Path(str(getattr(find_spec(NAME), "origin", None))).resolve().parent
