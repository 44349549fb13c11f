"""Benchmarks by name."""

import os
from collections.abc import Sequence

from ..choices import Benchmark as Names
from ..choices import MissingText, Split
from ..errors import ScirankError
from .task import Benchmark


def load_benchmark(
    name: str = "mdcr",
    *,
    split: str = Split.TEST,
    groups: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    missing_text: str = MissingText.ERROR,
) -> Benchmark:
    """Load a benchmark.

    Args:
        name: `mdcr`, or `mdcr-mini`, a small invented set in the same format.
        split: `test` or `validation`.
        groups: the groups (fields) wanted; all by default.
        data_dir: a folder with upstream's files; else the environment variable MDCR_DATA_DIR, else
            they are downloaded.
        missing_text: what to do about a listed paper without a record: `error`, `empty` (its text
            is empty) or `skip` (it is not ranked; a query without a record is left out).

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: saying what was found and what to do.
    """
    name, split, missing_text = Names(name), Split(split), MissingText(missing_text)
    from .mdcr import load_mdcr

    if name is Names.MDCR_MINI:
        from mdcr_dataset import MINI

        if data_dir is not None:
            raise ScirankError("mdcr-mini comes with the package and takes no data_dir; for your own files use mdcr")
        data_dir = MINI
    return load_mdcr(name, split, groups, data_dir, missing_text)
