"""Where a training keeps what it can be resumed from, and whether it is the same training."""

import re
import shutil
from pathlib import Path

from ..errors import ScirankError, shown
from ..models.record import Record, read_record, refuse_existing, write_record


def checkpoints_of(folder: Path) -> Path:
    """The folder beside a model's, where its checkpoints are until it is trained."""
    return folder.with_name(f"{folder.name}.checkpoints")


def check_folders(folder: Path, base: str, resume: bool, overwrite: bool) -> None:
    """Refuse to replace a model, or checkpoints, that nobody asked to replace, or that are not ours.

    Args:
        folder: the model's.
        base: what is trained; it may not be what is replaced.
        resume: whether to go on from checkpoints.
        overwrite: whether a model and checkpoints may be replaced.

    Raises:
        ScirankError: saying what is there.
    """
    checkpoints = checkpoints_of(folder)
    refuse_existing(folder, overwrite)
    if folder.resolve() in (Path(base), *Path(base).parents):
        raise ScirankError(f"{folder} holds the base model {base}; choose another folder")
    if resume and not _whole(checkpoints):
        raise ScirankError(f"{checkpoints}: no checkpoint there to resume from; leave out resume (--resume)")
    if checkpoints.exists() and not resume:
        refuse_existing(checkpoints, True)
        if not overwrite:
            raise ScirankError(
                f"{checkpoints} is left of a training that did not end; resume (--resume) or overwrite it (--overwrite)"
            )


def begin_checkpoints(folder: Path, record: Record) -> None:
    """Make an empty folder for a training's checkpoints that says what training it is."""
    discard_checkpoints(folder)
    checkpoints_of(folder).mkdir(parents=True)
    write_record(checkpoints_of(folder), record)


def discard_checkpoints(folder: Path) -> None:
    """Remove a training's checkpoints."""
    if checkpoints_of(folder).exists():
        shutil.rmtree(checkpoints_of(folder))


def last_checkpoint(folder: Path, record: Record) -> Path:
    """The checkpoint to resume from.

    Raises:
        ScirankError: it belongs to another training: other data, settings, another base or number of processes.
    """
    checkpoints = checkpoints_of(folder)
    found = read_record(str(checkpoints))
    if found is None:
        raise ScirankError(f"{checkpoints}: expected a record beside the checkpoints; begin anew (--overwrite)")
    parts = {"architecture": found.architecture == record.architecture, "method": found.method == record.method}
    compared = ("saw", "settings", "base", "processes")
    parts |= {part: found.training.get(part) == record.training.get(part) for part in compared}
    if other := [part for part, same in parts.items() if not same]:
        settings = found.training.get("settings", {})
        now = record.training["settings"]
        changed = [
            f"{name} {settings.get(name)!r} now {now[name]!r}" for name in now if settings.get(name) != now[name]
        ]
        raise ScirankError(
            f"{checkpoints} belongs to another training, which differs in {shown(other)}{': ' if changed else ''}"
            f"{', '.join(changed)}; choose what it had, or begin anew (--overwrite)"
        )
    return _whole(checkpoints)[-1]


def _whole(checkpoints: Path) -> list[Path]:
    """Checkpoints that were saved to the end, the last one last."""
    found = [path for path in checkpoints.glob("checkpoint-*") if re.fullmatch(r"checkpoint-\d+", path.name)]
    ended = [path for path in found if (path / "trainer_state.json").is_file()]
    return sorted(ended, key=lambda path: int(path.name.rpartition("-")[2]))
