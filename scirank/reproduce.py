"""Do what upstream's README asks its reader to do: score SciNCL and get the published table."""

import os
from dataclasses import dataclass
from pathlib import Path

from mdcr_dataset import data_folder
from mdcr_dataset.files import BY_HAND

from .errors import ScirankError
from .results import PublishedRow, Result, published_rows
from .scoring import score

SCORES_FILE = "scincl_scores.json"
SCORES_URL = "https://github.com/zoranmedic/mdcr/raw/HEAD/data/scincl_scores.json"
WHERE = f"{SCORES_FILE} is at {SCORES_URL}\n{BY_HAND}"


@dataclass(frozen=True)
class Comparison:
    """A group's numbers here and as published, in percent."""

    group: str
    here: dict[str, float] | None
    published: dict[str, float]

    @property
    def same(self) -> bool:
        """Whether each printed digit is the same."""
        return self.here == self.published


def reproduce_scincl(data_dir: str | os.PathLike[str] | None = None) -> list[Comparison]:
    """Score upstream's `scincl_scores.json` on the test split and compare with the published table.

    Args:
        data_dir: a folder with `mdcr_test.json` and `scincl_scores.json`; else MDCR_DATA_DIR, else
            both are downloaded.

    Returns:
        a row for each of the 19 fields, and last the average, `AVG`.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: saying what is missing and how to get it.
    """
    benchmark_file, scores_file, downloaded = _files(data_dir)
    try:
        result = score(benchmark_file, scores_file)
    except ValueError as error:
        if not downloaded:
            raise
        for path in (benchmark_file, scores_file):  # either may not be what it should; the next try fetches both
            path.unlink(missing_ok=True)
        raise ScirankError(f"{error}\n{WHERE}") from error
    published = next(row for row in published_rows("mdcr") if row.groups)
    return compare(result, published)


def compare(result: Result, published: PublishedRow) -> list[Comparison]:
    """Each published group, and the average, beside the result's."""
    here = {**result.groups, "AVG": result.average}
    there = {**published.groups, "AVG": published.average}
    return [Comparison(group, here.get(group), dict(values)) for group, values in there.items()]


def _files(data_dir: str | os.PathLike[str] | None) -> tuple[Path, Path, bool]:
    folder = data_folder(data_dir)
    if folder is None:
        return *_download(), True
    benchmark, scores = folder / "mdcr_test.json", folder / SCORES_FILE
    if absent := [path.name for path in (benchmark, scores) if not path.is_file()]:
        raise ScirankError(f"{folder}: {' and '.join(absent)} not there. {WHERE}")
    return benchmark, scores, False


def _download() -> tuple[Path, Path]:
    import datasets

    from mdcr_dataset import UPSTREAM

    try:
        paths = datasets.DownloadManager().download([UPSTREAM["test"].benchmark, SCORES_URL])
    except Exception as error:  # many libraries may stand behind it, each with errors of its own
        raise ScirankError(f"downloading failed: {type(error).__name__}: {error}\n{WHERE}") from error
    return Path(paths[0]), Path(paths[1])
