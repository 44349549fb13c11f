"""The dataset builder. The same file is a loading script for datasets < 4."""

import os
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.compute as pc
from datasets.exceptions import DatasetGenerationError
from scirank.huggingface.builder import FolderBuilder
from scirank.huggingface.builder import FolderConfig
from scirank.huggingface.builder import can_be_config

from .candidates import FIELDS
from .candidates import SOURCES
from .candidates import CandidateLists
from .candidates import listed_papers
from .candidates import parse_candidates
from .errors import MdcrDataError
from .files import data_folder
from .files import download
from .files import find_files
from .files import discarding_bad_download
from .papers import COLUMNS
from .papers import read_papers

logger = datasets.logging.get_logger(__name__)

VERSION = datasets.Version("1.0.0")
WHOLE = ("all", "corpus")
QUERY_COLUMNS = ("query_id", "field", "title", "abstract")

CITATION = """\
@inproceedings{medic-snajder-2022-large,
    title = "Large-scale Evaluation of Transformer-based Article Encoders on the Task of Citation Recommendation",
    author = "Medi{\\'c}, Zoran and {\\v{S}}najder, Jan",
    booktitle = "Proceedings of the Third Workshop on Scholarly Document Processing",
    year = "2022",
    pages = "19--31",
    url = "https://aclanthology.org/2022.sdp-1.3",
}
"""


class MdcrGenerationError(MdcrDataError, DatasetGenerationError):
    """A data error that `datasets` passes on as it is instead of wrapping it."""


@dataclass
class MdcrConfig(FolderConfig):
    """All queries (`all`), the papers (`corpus`), or the queries of the group that the name says."""

    @property
    def group(self) -> str | None:
        """The one group of this config, if it is of one."""
        return None if self.name in WHOLE else self.name

    def files(self) -> list[str]:
        """Both files of each split."""
        return [path for pair in find_files(self.data_dir).values() for path in (pair.benchmark, pair.papers)]


def configs_of(data_dir: str | os.PathLike[str] | None) -> list[MdcrConfig]:
    """`all`, the 19 fields, whatever other groups the folder holds, and `corpus`."""
    folder = data_folder(data_dir)
    groups = [] if folder is None else [g for files in find_files(folder).values() for g in _read(files.benchmark)]
    # A config's name becomes a folder's name; a group that cannot be one is still part of `all`.
    names = filter(can_be_config, groups)
    return _configs(name for name in dict.fromkeys([*FIELDS, *names]) if name not in WHOLE)


def _configs(groups: Iterable[str]) -> list[MdcrConfig]:
    return [
        MdcrConfig("all", VERSION, description="the queries of all groups"),
        *(MdcrConfig(group, VERSION, description=f"the queries of {group}") for group in groups),
        MdcrConfig("corpus", VERSION, description="the papers: queries and candidates"),
    ]


class Mdcr(FolderBuilder):
    """Multi-Domain Citation Recommendation (Medić and Šnajder, 2022).

    Splits are `validation` and `test`. A query row: `query_id`, `field`, `title`, `abstract` and
    the seven candidate lists under upstream's names, `true` being the cited papers. A corpus row:
    `paper_id`, `title`, `abstract`. Missing texts are `""`.
    """

    VERSION = VERSION
    BUILDER_CONFIG_CLASS = MdcrConfig
    BUILDER_CONFIGS = _configs(FIELDS)
    DEFAULT_CONFIG_NAME = "all"
    DATA_ERROR = MdcrDataError
    data_folder = staticmethod(data_folder)
    configs_of = staticmethod(configs_of)

    def _info(self) -> datasets.DatasetInfo:
        columns = COLUMNS if self.config.name == "corpus" else QUERY_COLUMNS
        features = {column: datasets.Value("string") for column in columns}
        if self.config.name != "corpus":
            features |= {source: datasets.Sequence(datasets.Value("string")) for source in SOURCES}
        return datasets.DatasetInfo(
            description=Mdcr.__doc__,
            citation=CITATION,
            homepage="https://github.com/zoranmedic/mdcr",
            features=datasets.Features(features),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        downloaded = self.config.data_dir is None
        splits = download(dl_manager) if downloaded else find_files(self.config.data_dir)
        generators = []
        held: dict[str, list[str]] = {}
        for split, files in splits.items():
            with discarding_bad_download(files.benchmark, downloaded):
                benchmark = _read(files.benchmark)
            held[split] = [group for group, queries in benchmark.items() if queries]
            groups = held[split] if self.config.group is None else [self.config.group]
            if set(groups) <= set(held[split]):
                # `datasets` shares work between processes by the lists among these; a corpus cannot be shared.
                shared = tuple(groups) if self.config.name == "corpus" else groups
                kwargs = {"benchmark": benchmark, "papers": files.papers, "downloaded": downloaded, "groups": shared}
                generators.append(datasets.SplitGenerator(name=split, gen_kwargs=kwargs))
        if not generators:
            found = "; ".join(f"{split} has {', '.join(groups)}" for split, groups in held.items())
            raise MdcrDataError(f"field {self.config.group!r} is in none of the files: {found}")
        return generators

    def _generate_tables(
        self, benchmark: CandidateLists, papers: str, downloaded: bool, groups: Iterable[str]
    ) -> Iterator[tuple[int, pa.Table]]:
        queries = {group: benchmark[group] for group in groups}
        counts: Counter[str] = Counter()
        present: set[str] = set()
        # `open` has to be called in this file: for streaming, `datasets` replaces it here only.
        with discarding_bad_download(papers, downloaded, MdcrGenerationError), open(papers, "rb") as file:
            chunks = _noting_ids(read_papers(file, papers, counts), present)
            yield from enumerate(
                chunks if self.config.name == "corpus" else _query_tables(queries, chunks, self.info.features)
            )
        _warn(papers, counts, queries, present)


def _query_tables(
    benchmark: CandidateLists, chunks: Iterator[pa.Table], features: datasets.Features
) -> Iterator[pa.Table]:
    wanted = pa.array({query for queries in benchmark.values() for query in queries}, pa.string())
    found = pa.concat_tables(chunk.filter(pc.is_in(chunk["paper_id"], wanted)) for chunk in chunks)
    texts = {row["paper_id"]: row for row in found.to_pylist()}
    for group, queries in benchmark.items():
        rows = [
            {"title": "", "abstract": "", **texts.get(query, {}), "query_id": query, "field": group, **lists}
            for query, lists in queries.items()
        ]
        yield pa.Table.from_pylist(rows, schema=features.arrow_schema)


def _noting_ids(chunks: Iterator[pa.Table], present: set[str]) -> Iterator[pa.Table]:
    for chunk in chunks:
        present.update(chunk["paper_id"].to_pylist())
        yield chunk


def _warn(papers: str, counts: Counter[str], benchmark: CandidateLists, present: set[str]) -> None:
    if counts["duplicates"]:
        logger.warning("%s: %d lines repeat an earlier id; the first was kept", papers, counts["duplicates"])
    if counts["mended"]:
        logger.warning("%s: %d lines held broken characters, now '?'", papers, counts["mended"])
    if missing := [paper for paper in listed_papers(benchmark) if paper not in present]:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        logger.warning("%s: %d listed papers have no record: %s", papers, len(missing), shown)


def _read(path: str) -> CandidateLists:
    with open(path, "rb") as file:
        return parse_candidates(file.read(), path)
