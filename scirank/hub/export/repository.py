"""A dataset repository in the making: Parquet files, and the configs that are made of them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import ScirankError

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

DEFAULT = "all"
RESERVED = ("default", "query", "queries", "instruction", "qrels", "top_ranked")
"""Names of configs that MTEB takes for its own."""


@dataclass(frozen=True)
class File:
    """A Parquet file: its path in the repository, its rows, their bytes in memory, and its own bytes."""

    path: str
    rows: int
    bytes: int
    size: int


class Repository:
    """A folder of Parquet files.

    A part is what has one file a split; a config is one part or several, one after the other.

    Attributes:
        folder: where it is.
        configs: the parts of each config.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.configs: dict[str, tuple[str, ...]] = {}
        self._files: dict[str, dict[str, File]] = {}
        self._features: dict[str, datasets.Features] = {}
        self._paths: dict[str, str] = {}

    def write(self, part: str, split: str, tables: "Iterable[pa.Table]", features: "datasets.Features") -> None:
        """Write a split of a part, table by table; each is a row group."""
        import pyarrow.parquet as pq

        path = f"data/{self._folder_of(part)}/{split}-00000-of-00001.parquet"
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        # Names of types that one version of `datasets` keeps in a file are an error in another; the card has them.
        schema, held = features.arrow_schema.remove_metadata(), 0
        with pq.ParquetWriter(file, schema, **_options()) as writer:
            for table in tables:
                writer.write_table(table.replace_schema_metadata(None))
                held += table.nbytes
        rows = pq.read_metadata(file).num_rows
        self._files.setdefault(part, {})[split] = File(path, rows, held, file.stat().st_size)
        self._features[part] = features

    def declare(self, config: str, parts: Iterable[str] | None = None) -> None:
        """Make a config of parts, by default of the one that has its name.

        Raises:
            ScirankError: there is one of that name, or MTEB has another use for it.
        """
        if config in self.configs or (parts is None and config in RESERVED):
            raise ScirankError(
                f"'{config}' cannot be the name of a field or topic here: the repository has another config of that "
                "name. Rename it in the files, or leave it out by naming the others (--groups)"
            )
        self.configs[config] = (config,) if parts is None else tuple(parts)

    def files(self, config: str) -> dict[str, list[File]]:
        """Split -> the files of a config."""
        found: dict[str, list[File]] = {}
        for part in self.configs[config]:
            for split, file in self._files[part].items():
                found.setdefault(split, []).append(file)
        return found

    def rows(self, config: str, split: str) -> int:
        """How many rows a split of a config has; 0 where there is no such split or config."""
        files = self.files(config).get(split, []) if config in self.configs else []
        return sum(file.rows for file in files)

    def metadata(self) -> dict[str, Any]:
        """`configs` and `dataset_info` of the card."""
        from datasets.info import DatasetInfosDict
        from huggingface_hub import DatasetCardData

        names = sorted(self.configs, key=lambda name: name != DEFAULT)
        card = DatasetCardData(configs=[self._config(name) for name in names])
        DatasetInfosDict({name: self._info(name) for name in names}).to_dataset_card_data(card)
        return {key: card[key] for key in ("configs", "dataset_info")}

    def _config(self, name: str) -> dict[str, Any]:
        data_files = [
            {"split": split, "path": files[0].path if len(files) == 1 else [file.path for file in files]}
            for split, files in self.files(name).items()
        ]
        return {"config_name": name, "data_files": data_files} | ({"default": True} if name == DEFAULT else {})

    def _info(self, name: str) -> "datasets.DatasetInfo":
        import datasets

        files = self.files(name)
        splits = datasets.SplitDict()
        for split, held in files.items():
            splits.add(datasets.SplitInfo(split, sum(file.bytes for file in held), sum(file.rows for file in held)))
        return datasets.DatasetInfo(
            features=self._features[self.configs[name][0]],
            config_name=name,
            splits=splits,
            dataset_size=sum(file.bytes for held in files.values() for file in held),
            download_size=sum(file.size for held in files.values() for file in held),
        )

    def _folder_of(self, part: str) -> str:
        if part not in self._paths:
            self._paths[part] = free_name(part, self._paths.values())
        return self._paths[part]


def free_name(name: str, taken: Iterable[str]) -> str:
    """A plain name for a folder, other than those that are taken, on whatever file system."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-") or "group"
    used = {other.casefold() for other in taken}
    return next(found for found in _numbered(plain) if found.casefold() not in used)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _options() -> dict[str, Any]:
    import pyarrow as pa

    options = {"compression": "zstd", "write_page_index": True, "store_schema": False}
    # Later versions of a file then share most of their bytes, which the Hub stores once.
    cut = {"use_content_defined_chunking": True} if int(pa.__version__.split(".")[0]) >= 21 else {}
    return options | cut
