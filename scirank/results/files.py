"""Files and folders that appear whole or not at all, and columns of a file that are whole."""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ScirankError, shown


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


def read_columns(path: Path, types: Mapping[str, str]) -> dict[str, list[Any]]:
    """Read columns of a Parquet file.

    Args:
        path: the file.
        types: of each column that is wanted, by Arrow's name.

    Raises:
        ScirankError: no Parquet, or a column that is absent, is of another type or has a row without a value.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise ScirankError(f"{path} cannot be read: {_line(error)}") from None
    if absent := [name for name in types if name not in table.column_names]:
        raise ScirankError(f"{path}: no column {shown(absent)}; it has {shown(table.column_names, 50)}")
    columns = {}
    for name, type_ in types.items():
        try:
            columns[name] = table[name].cast(type_).to_pylist()
        except pa.ArrowException as error:
            raise ScirankError(f"{path}: column {name} should be {type_}: {_line(error)}") from None
        if any(value is None or value != value for value in columns[name]):
            raise ScirankError(f"{path}: column {name} has a row without a value")
    return columns


def _line(error: Exception) -> str:
    """An error's message, which may be of several lines, in one."""
    return " ".join(str(error).split())


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.{ending}")


def _synchronise(path: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be synchronised, nor a file that is open for reading
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
