"""From a benchmark's files to a folder, which appears whole or not at all."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...choices import Benchmark, Layout, MissingText, Quotes, Split
from ...errors import ScirankError, shown

if TYPE_CHECKING:
    from ...benchmarks import Benchmark as Loaded

README = "README.md"
MARK = "<!-- made by scirank export -->"
"""Ends the card of every export: a folder without it is not replaced."""


@dataclass(frozen=True)
class Source:
    """What is exported.

    Attributes:
        name: the benchmark, such as `mdcr-mini`.
        data_dir: where its files are; None where they are downloaded.
        groups: the fields or topics wanted; None for all.
        missing_text: of MDCR: what to do about a listed paper without a record.
        quotes: of OAG-QA: what to do about a stray quote.
    """

    name: Benchmark
    data_dir: str | os.PathLike[str] | None
    groups: tuple[str, ...] | None
    missing_text: MissingText
    quotes: Quotes | None

    @property
    def is_mini(self) -> bool:
        """Whether the papers are invented."""
        return self.name.endswith("-mini")

    @property
    def kind(self) -> str:
        """`mdcr` or `oagqa`, whose format it has."""
        return self.name.removesuffix("-mini")

    def of_split(self, split: str) -> "Loaded":
        """The fields of MDCR that are wanted."""
        from ...benchmarks import load_benchmark

        return load_benchmark(
            "mdcr", split=split, groups=self.groups, data_dir=self.data_dir, missing_text=self.missing_text
        )

    def located(self) -> "tuple[Source, list[str]]":
        """The same with the place of OAG-QA's files, fetched if need be; and the topics that are wanted."""
        from oagqa_dataset import find_topics

        from ...benchmarks.oagqa import locate, select_topics

        place, _ = locate(self.data_dir)
        topics = select_topics(tuple(find_topics(place).topics), self.groups, None, place)
        return replace(self, data_dir=place), topics

    def of_topic(self, topic: str) -> "Loaded":
        """One topic of OAG-QA."""
        from ...benchmarks import load_benchmark

        return load_benchmark("oagqa", groups=[topic], data_dir=self.data_dir, quotes=self.quotes)


@dataclass(frozen=True)
class Export:
    """What was written: the folder, how many files and bytes it has, and what has to be known about it."""

    folder: Path
    files: int
    bytes: int
    notes: tuple[str, ...]


def export_dataset(
    name: str,
    to: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    layout: str = Layout.HUB,
    groups: str | Sequence[str] | None = None,
    missing_text: str = MissingText.ERROR,
    quotes: str | None = None,
    split: str | None = None,
    whole: bool = False,
    overwrite: bool = False,
) -> Export:
    """Write a benchmark as a dataset repository for the Hub, or in BEIR's layout.

    Args:
        name: `mdcr`, `oagqa`, or `mdcr-mini`, `oagqa-mini`.
        to: the folder, which appears whole or not at all.
        data_dir: a folder with upstream's files (of OAG-QA also the zip); else the environment
            variable MDCR_DATA_DIR or OAGQA_DATA_DIR, else they are downloaded.
        layout: `hub` or `beir`.
        groups: the fields or topics wanted; all by default.
        missing_text: of MDCR: what becomes of a listed paper without a record in what MTEB and BEIR
            read: `error`, `empty` (it is there with an empty text) or `skip` (it is left out).
        quotes: of OAG-QA: what to do where a stray quote swallows rows, as in `load_benchmark`.
        split: of MDCR in BEIR's layout: which split; `test` by default. The Hub's layout has all.
        whole: of MDCR in BEIR's layout: all fields in one, rather than a folder a field.
        overwrite: replace an earlier export that is there.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError, oagqa_dataset.OagqaDataError: saying what was found
            and what to do; nothing is written then.
    """
    source, layout = _source(name, data_dir, groups, missing_text, quotes), Layout(layout)
    if source.kind == "oagqa" and (split is not None or whole):
        raise ScirankError(f"split and whole are for mdcr; {name} has one split, and each topic a corpus of its own")
    if layout is Layout.HUB and (split is not None or whole):
        raise ScirankError("split and whole are for the layout beir; the Hub's has all splits, and fields and all")
    to = Path(os.path.abspath(Path(to).expanduser()))
    _check_place(to, overwrite)

    from ...results.files import whole_folder

    with whole_folder(to) as folder:
        if layout is Layout.BEIR:
            from .beir import write_beir

            notes = write_beir(source, folder, Split(split or Split.TEST), whole)
        else:
            from .hub import write_hub

            notes = write_hub(source, folder)
        sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Export(to, len(sizes), sum(sizes), tuple(notes))


def _source(
    name: str,
    data_dir: str | os.PathLike[str] | None,
    groups: str | Sequence[str] | None,
    missing_text: str,
    quotes: str | None,
) -> Source:
    benchmark, missing_text = Benchmark(name), MissingText(missing_text)
    if benchmark.asks_questions and missing_text is not MissingText.ERROR:
        raise ScirankError("missing_text is for mdcr; every paper of OAG-QA has a record")
    if not benchmark.asks_questions and quotes is not None:
        raise ScirankError(f"quotes is for oagqa; {name} has JSON files")
    if benchmark in (Benchmark.MDCR_MINI, Benchmark.OAGQA_MINI):
        if data_dir is not None:
            raise ScirankError(f"{name} comes with the package and takes no data_dir; for your own files use the other")
        if benchmark is Benchmark.MDCR_MINI:
            from mdcr_dataset import MINI
        else:
            from oagqa_dataset import MINI
        data_dir = MINI
    wanted = None if groups is None else (groups,) if isinstance(groups, str) else tuple(groups)
    return Source(benchmark, data_dir, wanted, missing_text, None if quotes is None else Quotes(quotes))


def _check_place(to: Path, overwrite: bool) -> None:
    """Refuse a place where something is that would be lost."""
    if to.is_symlink() or (to.exists() and not to.is_dir()):
        raise ScirankError(f"{to} is no folder; name a new one")
    held = sorted(path.name for path in to.iterdir()) if to.exists() else []
    if not held:
        return
    if not overwrite:
        raise ScirankError(f"{to} is there and holds {shown(held)}; name a new folder, or overwrite it (--overwrite)")
    readme = to / README
    if ".git" in held or not readme.is_file() or MARK not in readme.read_text("utf-8", "replace"):
        raise ScirankError(
            f"{to} holds {shown(held)}, which no export has made, or is a git repository: it is not replaced. Name "
            "a new folder, or empty this one yourself"
        )
