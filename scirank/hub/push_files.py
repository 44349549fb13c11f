"""Which files of a folder are sent, and what is looked at in them before anything is."""

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import ScirankError, shown
from .export.exporting import MARK, README

METRIC = "mdcr_metric.py"
REQUIREMENTS = "requirements.txt"
TEXTS = (README, "eval.yaml", "LICENSE")
DATA = (".parquet", ".jsonl", ".tsv")
LARGEST_TEXT = 1_000_000
"""Bytes of a card or of code; what has more is something else."""
TOKEN = re.compile(rb"\b(?:hf|api_org|ghp|github_pat)_[A-Za-z0-9_]{20,}")


@dataclass(frozen=True)
class LocalFile:
    """A file: its path in the repository, where it is here, and its bytes."""

    path: str
    source: Path
    size: int


@dataclass(frozen=True)
class Folder:
    """What of a folder is sent.

    Attributes:
        path: the folder.
        files: by their paths in the repository.
        invented: whether all texts in it are, as an export of mini says.
    """

    path: Path
    files: tuple[LocalFile, ...]
    invented: bool


def dataset_folder(path: str | os.PathLike[str]) -> Folder:
    """A dataset repository: the card, eval.yaml, a licence, and Parquet, JSON lines or tab-separated files.

    Raises:
        ScirankError: a file that is missing, broken or none of these; or a card that is not a dataset's.
    """
    folder = _existing(path)
    found = sorted(_walk(folder))
    metadata = _metadata(folder)
    if strange := [name for name in found if _strange(folder, name)]:
        raise ScirankError(
            f"{folder} holds {shown(strange)}, which {'is' if len(strange) == 1 else 'are'} no part of a dataset "
            f"repository ({', '.join(TEXTS)}, {', '.join('*' + ending for ending in DATA)}; nothing hidden, no links): "
            "move it away"
        )
    data = [name for name in found if name.endswith(DATA)]
    if not data:
        raise ScirankError(
            f"{folder} holds no data ({', '.join('*' + ending for ending in DATA)}); scirank export does"
        )
    for pattern in _data_files(metadata.get("configs")):
        if not pattern or "://" in pattern or pattern.startswith(("/", "..")) or not any(folder.glob(pattern)):
            raise ScirankError(f"{folder / README}: configs name {pattern!r}, which is no file here; export it again")
    for name in data:
        _check_data(folder / name)
    mark = MARK in (folder / README).read_text("utf-8")
    tags = metadata.get("tags")
    return Folder(folder, _checked(folder, found), mark and isinstance(tags, list) and "synthetic" in tags)


def metric_folder(path: str | os.PathLike[str] | None = None) -> Folder:
    """The metric's Space: card, app, requirements, the module, and what these import of the folder; no other file.

    Args:
        path: the folder; by default the installed package.

    Raises:
        ScirankError: a file that is missing or broken, or a card that is not that of a gradio Space.
    """
    folder = _existing(path or Path(str(getattr(find_spec("mdcr_metric"), "origin", None))).resolve().parent)
    metadata = _metadata(folder)
    if (sdk := metadata.get("sdk")) != "gradio":
        raise ScirankError(f"{folder / README}: sdk is {sdk!r}; a Space of this metric has sdk: gradio")
    app = metadata.get("app_file", "app.py")
    needed = (METRIC, str(app), REQUIREMENTS)
    if absent := [name for name in needed if not (folder / name).is_file()]:
        raise ScirankError(f"{folder} has no {shown(absent)}, which the metric's Space needs")
    names = {README, *needed, *_imported(folder, (METRIC, str(app)))}
    if outside := [name for name in sorted(names) if Path(name).name != name]:
        raise ScirankError(f"{folder / README}: app_file is {shown(outside)}; expected a file beside the card")
    return Folder(folder, _checked(folder, sorted(names)), invented=True)


def _existing(path: str | os.PathLike[str]) -> Path:
    folder = Path(os.path.abspath(Path(path).expanduser()))
    if not folder.is_dir():
        raise ScirankError(f"there is no folder {folder}")
    return folder


def _walk(folder: Path) -> Iterator[str]:
    """Every file, and every link to a folder, by its path in the repository."""
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        yield from ((Path(place) / name).relative_to(folder).as_posix() for name in files + links)


def _strange(folder: Path, name: str) -> bool:
    known = name in TEXTS or name.endswith(DATA)
    return not known or any(part.startswith(".") for part in name.split("/")) or (folder / name).is_symlink()


def _metadata(folder: Path) -> Mapping[str, Any]:
    import yaml

    card = folder / README
    if not card.is_file():
        raise ScirankError(f"{folder} has no {README}, which says what it is; a dataset's is of scirank export")
    try:
        text = card.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ScirankError(f"{card}: not UTF-8 at byte {error.start}") from None
    front = re.match(r"---\s*\n(.*?)\n---\s*(?:\n|$)", text, re.DOTALL)
    if front is None:
        raise ScirankError(f"{card}: no metadata; expected YAML between two lines of ---, first in the file")
    try:
        metadata = yaml.safe_load(front[1])
    except yaml.YAMLError as error:
        raise ScirankError(f"{card}: its metadata are no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(metadata, dict):
        raise ScirankError(f"{card}: its metadata are no mapping of names to values")
    return metadata


def _data_files(configs: object) -> Iterator[str]:
    """Every path and pattern that a card's configs name, in whatever of the Hub's forms."""
    if isinstance(configs, str):
        yield configs
    elif isinstance(configs, list):
        for each in configs:
            yield from _data_files(each)
    elif isinstance(configs, dict):
        yield from _data_files(configs.get("data_files", configs.get("path")))


def _check_data(path: Path) -> None:
    """A file that was cut off, or stands for one in git, shows at its ends."""
    if not path.stat().st_size:
        raise ScirankError(f"{path} is empty; export it again")
    if path.suffix == ".parquet":
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(-min(path.stat().st_size, 4), os.SEEK_END)
            if (start, file.read()) != (b"PAR1", b"PAR1"):
                raise ScirankError(f"{path} is no whole Parquet file; export it again")


def _checked(folder: Path, names: Iterable[str]) -> tuple[LocalFile, ...]:
    files = tuple(LocalFile(name, folder / name, (folder / name).stat().st_size) for name in names)
    for file in files:
        if file.path.endswith(DATA):
            continue
        if file.size > LARGEST_TEXT:
            raise ScirankError(f"{file.source}: {file.size:,} bytes; expected at most {LARGEST_TEXT:,} of such a file")
        if found := TOKEN.search(file.source.read_bytes()):
            begin = found[0][:6].decode()
            raise ScirankError(f"{file.source} holds what looks like an access token ({begin}...): take it out")
    return files


def _imported(folder: Path, modules: Iterable[str]) -> set[str]:
    """The modules of the folder that these import, and what those import in turn."""
    found, waiting = set(modules), list(modules)
    while waiting:
        file = folder / waiting.pop()
        try:
            tree = ast.parse(file.read_bytes(), str(file))
        except (SyntaxError, ValueError) as error:
            raise ScirankError(f"{file} is no Python: {error}") from None
        for node in ast.walk(tree):
            for module in _modules(node):
                name = f"{module.partition('.')[0]}.py"
                if name not in found and (folder / name).is_file():
                    found.add(name)
                    waiting.append(name)
    return found


def _modules(node: ast.AST) -> list[str]:
    """The modules that a statement imports, if it is one that does."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module else [alias.name for alias in node.names]
    return []
