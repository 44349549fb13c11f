"""Where a training keeps what it can be resumed from, and whether it is the same training."""

import os
import re
import shutil
from pathlib import Path

from ..errors import ScirankError, shown
from ..models.record import Record, read_record, refuse_existing


def is_first_process() -> bool:
    """Whether this is the first, or the only one, of the processes that torchrun or accelerate started."""
    return os.environ.get("RANK", "0") == "0"


def checkpoints_of(folder: Path) -> Path:
    """The folder beside a model's, where its checkpoints are until it is trained."""
    return folder.with_name(f"{folder.name}.checkpoints")


def check_folders(folder: Path, resume: bool, overwrite: bool) -> None:
    """Refuse to replace a model, or checkpoints, that nobody asked to replace.

    Raises:
        ScirankError: saying what is there.
    """
    checkpoints = checkpoints_of(folder)
    refuse_existing(folder, overwrite)
    if resume and not _numbered(checkpoints):
        raise ScirankError(f"{checkpoints}: no checkpoint there to resume from; leave out resume (--resume)")
    if checkpoints.exists() and not (resume or overwrite):
        raise ScirankError(
            f"{checkpoints} is left of a training that did not end; resume it (--resume), or overwrite it (--overwrite)"
        )


def discard_checkpoints(folder: Path) -> None:
    """Remove a training's checkpoints."""
    shutil.rmtree(checkpoints_of(folder), ignore_errors=True)


def last_checkpoint(folder: Path, record: Record) -> Path:
    """The checkpoint to resume from.

    Raises:
        ScirankError: it belongs to another training: other data, settings or another base.
    """
    last = _numbered(checkpoints_of(folder))[-1]
    found = read_record(str(last))
    if found is None:
        raise ScirankError(f"{last}: expected a record beside the checkpoint, found none; begin anew (--overwrite)")
    parts = {"architecture": found.architecture == record.architecture, "method": found.method == record.method}
    parts |= {part: found.training.get(part) == record.training.get(part) for part in ("saw", "settings", "base")}
    if other := [part for part, same in parts.items() if not same]:
        settings = found.training.get("settings", {})
        changed = [
            f"{n} {settings.get(n)!r} now {v!r}" for n, v in record.training["settings"].items() if settings.get(n) != v
        ]
        raise ScirankError(
            f"{last} belongs to another training, which differs in {shown(other)}{': ' if changed else ''}"
            f"{', '.join(changed)}; choose what it had, or begin anew (--overwrite)"
        )
    return last


def _numbered(checkpoints: Path) -> list[Path]:
    """Checkpoints, the last one last."""
    found = [path for path in checkpoints.glob("checkpoint-*") if re.fullmatch(r"checkpoint-\d+", path.name)]
    return sorted(found, key=lambda path: int(path.name.rpartition("-")[2]))
