"""A config out of rows that have been read already."""

from collections.abc import Iterator, Mapping
from typing import Any

import datasets
import pyarrow as pa


class Rows(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Writes tables as `datasets` writes a config, so that several configs come of one reading."""

    tables: Mapping[str, pa.Table]
    """Split -> rows."""

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo()

    def _split_generators(self, _: Any) -> list[datasets.SplitGenerator]:
        return [datasets.SplitGenerator(split, {"table": table}) for split, table in self.tables.items()]

    def _generate_tables(self, table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
        yield 0, table


def config_of(whole: datasets.DatasetBuilder, name: str, tables: Mapping[str, pa.Table], cache_dir: str) -> Rows:
    """A builder of some rows of another one.

    Args:
        whole: whose rows they are.
        name: the config's.
        tables: split -> rows.
        cache_dir: the cache to write into.
    """
    info = whole.info
    about = datasets.DatasetInfo(
        description=info.description, citation=info.citation, homepage=info.homepage, features=info.features
    )
    rows = Rows(
        cache_dir=cache_dir,
        dataset_name=whole.dataset_name,
        config_name=name,
        version=whole.config.version,
        info=about,
    )
    rows.info.builder_name = info.builder_name
    rows.tables = tables
    return rows
