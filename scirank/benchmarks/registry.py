"""Benchmarks by name."""

import os
from collections.abc import Sequence

from ..errors import ScirankError
from .task import Benchmark

BENCHMARKS = ("mdcr", "mdcr-mini")


def load_benchmark(
    name: str = "mdcr",
    *,
    split: str = "test",
    groups: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    missing_text: str = "error",
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
    if name not in BENCHMARKS:
        raise ScirankError(f"unknown benchmark {name!r}; valid are {', '.join(BENCHMARKS)}")
    from .mdcr import load_mdcr

    if name == "mdcr-mini":
        from mdcr_dataset import MINI

        if data_dir is not None:
            raise ScirankError("mdcr-mini comes with the package and takes no data_dir; for your own files use mdcr")
        data_dir = MINI
    return load_mdcr(name, split, groups, data_dir, missing_text)
