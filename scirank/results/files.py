"""Files and folders that appear whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place when the block ends well, else is removed."""
    temporary = _beside(path, "tmp")
    try:
        yield temporary
        _synchronise(temporary)
        os.replace(temporary, path)
        _synchronise(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path`, which takes its place when the block ends well, else is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary, replaced = _beside(path, "tmp"), _beside(path, "old")
    temporary.mkdir()
    try:
        yield temporary
        for file in filter(Path.is_file, temporary.rglob("*")):
            _synchronise(file)
        if path.exists():
            os.rename(path, replaced)
        try:
            os.rename(temporary, path)
        except OSError:
            if replaced.exists():
                os.rename(replaced, path)
            raise
        _synchronise(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.{ending}")


def _synchronise(path: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be synchronised, nor a file that is open for reading
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
