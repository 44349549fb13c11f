"""Benchmarks by name."""

import os
from collections.abc import Sequence

from ..choices import Benchmark as Names
from ..choices import MissingText, Quotes, Split
from ..errors import ScirankError
from .task import Benchmark

TOP_K = 100


def load_benchmark(
    name: str = "mdcr",
    *,
    split: str = Split.TEST,
    groups: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    missing_text: str = MissingText.ERROR,
    disciplines: str | Sequence[str] | None = None,
    top_k: int | None = None,
    quotes: str | None = None,
) -> Benchmark:
    """Load a benchmark.

    Args:
        name: `mdcr`, `oagqa`, or `mdcr-mini`, `oagqa-mini`, small invented sets in the same formats.
        split: `test` or, of MDCR, `validation`.
        groups: the groups wanted, in MDCR fields, in OAG-QA topics; all by default.
        data_dir: a folder with upstream's files (of OAG-QA also the zip); else the environment
            variable MDCR_DATA_DIR or OAGQA_DATA_DIR, else they are downloaded.
        missing_text: of MDCR: what to do about a listed paper without a record: `error`, `empty`
            (its text is empty) or `skip` (it is not ranked; a query without a record is left out).
        disciplines: of OAG-QA: also the topics of these.
        top_k: of OAG-QA: how many papers are kept of a ranking; 100 by default.
        quotes: of OAG-QA: what to do where a stray quote swallows rows: `error`, `literal` (quotes
            are plain characters) or `upstream` (the rows are lost, as with upstream's reader).

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was
            found and what to do.
    """
    name, split, missing_text = Names(name), Split(split), MissingText(missing_text)
    if name in (Names.MDCR_MINI, Names.OAGQA_MINI):
        if data_dir is not None:
            real = name.removesuffix("-mini")
            raise ScirankError(f"{name} comes with the package and takes no data_dir; for your own files use {real}")
        data_dir = _mini(name)
    if name.asks_questions:
        from .oagqa import load_oagqa

        if split is not Split.TEST:
            raise ScirankError(f"{name} has no split '{split}' to evaluate on; its questions are the split test")
        if missing_text is not MissingText.ERROR:
            raise ScirankError("missing_text is for mdcr; every paper of OAG-QA has a record")
        if quotes is not None:
            Quotes(quotes)
        return load_oagqa(
            name, groups, disciplines, data_dir, TOP_K if top_k is None else top_k, quotes or Quotes.ERROR
        )
    from .mdcr import load_mdcr

    for option, value in (("disciplines", disciplines), ("top_k", top_k), ("quotes", quotes)):
        if value is not None:
            raise ScirankError(f"{option} is for oagqa; {name} has fields (groups) and ranks all candidates")
    return load_mdcr(name, split, groups, data_dir, missing_text)


def _mini(name: str) -> os.PathLike[str]:
    if name == Names.MDCR_MINI:
        from mdcr_dataset import MINI
    else:
        from oagqa_dataset import MINI
    return MINI
