"""Where MDCR's files are: a folder, or upstream's addresses."""

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scirank.huggingface import downloads

from .errors import MdcrDataError

ENVIRONMENT = "MDCR_DATA_DIR"
SPLITS = {"validation": "val", "test": "test"}
"""Split name -> upstream's spelling in file names."""


@dataclass(frozen=True)
class SplitFiles:
    """The two files of a split: paths, or addresses."""

    benchmark: str
    papers: str


UPSTREAM = {
    split: SplitFiles(
        benchmark=f"https://takelab.fer.hr/data/mdcr/mdcr_{spelling}.json",
        papers=f"https://takelab.fer.hr/data/mdcr/mdcr_{spelling}_data.jsonl",
    )
    for split, spelling in SPLITS.items()
}
"""The authors' addresses, from the README of github.com/zoranmedic/mdcr."""

BY_HAND = (
    "To do it by hand, download\n"
    + "\n".join(f"  {address}" for files in UPSTREAM.values() for address in (files.benchmark, files.papers))
    + f"\ninto a folder (one split is enough) and pass that folder as data_dir, or set {ENVIRONMENT} to it."
)


def data_folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    """The folder to read: `data_dir`, else the environment variable MDCR_DATA_DIR, else None."""
    folder = data_dir or os.environ.get(ENVIRONMENT)
    return Path(folder).expanduser() if folder else None


def find_files(folder: str | os.PathLike[str]) -> dict[str, SplitFiles]:
    """The splits that a folder holds, each with both files.

    Raises:
        MdcrDataError: the folder is not there, or holds no whole split.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MdcrDataError(
            f"{folder}: expected a folder with MDCR's files, found {'a file' if folder.exists() else 'nothing'}"
        )
    pairs = {
        split: SplitFiles(str(folder / f"mdcr_{spelling}.json"), str(folder / f"mdcr_{spelling}_data.jsonl"))
        for split, spelling in SPLITS.items()
    }
    found = {
        split: files
        for split, files in pairs.items()
        if os.path.isfile(files.benchmark) and os.path.isfile(files.papers)
    }
    if not found:
        inside = sorted(path.name for path in folder.iterdir())
        shown = ", ".join(inside[:10]) + (", ..." if len(inside) > 10 else "") or "nothing"
        expected = " or ".join(
            " and ".join(os.path.basename(f) for f in (p.benchmark, p.papers)) for p in pairs.values()
        )
        raise MdcrDataError(f"{folder}: expected {expected}, found {shown}. {BY_HAND}")
    return found


def download(dl_manager: Any, splits: Iterable[str] = tuple(UPSTREAM)) -> dict[str, SplitFiles]:
    """Fetch splits from upstream by a download manager of `datasets`, which caches them.

    Raises:
        MdcrDataError: with the addresses and the way by hand.
    """
    addresses = {split: [UPSTREAM[split].benchmark, UPSTREAM[split].papers] for split in splits}
    try:
        paths = dl_manager.download(addresses)
    except Exception as error:  # many libraries may stand behind it, each with errors of its own
        raise MdcrDataError(f"MDCR could not be downloaded: {type(error).__name__}: {error}\n{BY_HAND}") from error
    return {split: SplitFiles(*pair) for split, pair in paths.items()}


def discarding_bad_download(
    path: str, downloaded: bool, kind: type[MdcrDataError] = MdcrDataError
) -> AbstractContextManager[None]:
    """While a file is read: forget a download that turns out not to be MDCR, and tell the way by hand."""
    return downloads.discarding_bad_download(path, downloaded, BY_HAND, MdcrDataError, kind)
