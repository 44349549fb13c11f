"""A dataset in the cache of `datasets`, under its name alone.

Where `load_dataset(NAME)` finds nothing on the Hub, it takes what is in the cache: of the folders
`NAME/CONFIG/VERSION/HASH` the newest; where no config is asked for, the newest of all configs, and only
if no other config has its hash. So `all`, the default, has a hash of its own and is dated ahead of all
others: what `map` keeps, and other copies of a dataset, make a folder newer.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import shown
from ..progress import Progress
from ..results.files import whole_folder
from .prepared import SCHEMA, Prepared, Record, State, disk, now, read_record, versions, write_record

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

PACKAGES = {"mdcr": "mdcr_dataset", "oagqa": "oagqa_dataset"}
GROUP = {"mdcr": "field", "oagqa": "topic"}
"""The column whose values are the configs beside `all` and the corpora."""
INFO = "dataset_info.json"
OURS = "scirank-"
AHEAD = 2_145_830_400
"""31 December 2037, as late as every file system can say."""


def prepare_dataset(
    name: str, data_dir: Path | None, quotes: str | None, force: bool = False, progress: Progress | None = None
) -> Prepared:
    """Put all configs of a dataset into the cache, or leave them where they are up to date.

    Args:
        name: `mdcr` or `oagqa`.
        data_dir: the files; None for those of the environment variable, else a download.
        quotes: of OAG-QA; see `oagqa_dataset.tables.QUOTES`.
        force: make it anew in any case.
        progress: what shows how far it is.

    Raises:
        MdcrDataError, OagqaDataError: the files are not there or cannot be read; the cache stays as it was.
    """
    from filelock import FileLock

    progress = progress or Progress()
    root = _root(name)
    root.mkdir(parents=True, exist_ok=True)
    workshop = root / ".prepare"
    with FileLock(root / ".prepare.lock"):
        _remove([workshop, *root.glob(f"*/*/.{OURS}*")])  # of one that was killed
        try:
            whole = _builder(name, "all", data_dir, quotes, workshop)
            record = _newest_record(root)
            if force or record is None or record.key != _key(whole) or _missing(root, record):
                record = _make(root, whole, quotes, workshop, progress)
            else:
                progress.say(f"{name}: up to date")
            _order(root, record)
        finally:
            _remove([workshop])
    return Prepared(name, State.READY, root, "", record, disk(list(_folders(root, record).values())))


def dataset_status(name: str) -> Prepared:
    """What there is of a dataset in the cache."""
    root = _root(name)
    record = _newest_record(root)
    if record is None:
        return Prepared(name, State.ABSENT, root)
    why = _why_stale(name, root, record)
    size = disk([folder for folder in _folders(root, record).values() if folder.is_dir()])
    return Prepared(name, State.STALE if why else State.READY, root, why, record, size)


def _why_stale(name: str, root: Path, record: Record) -> str:
    if missing := _missing(root, record):
        return f"no longer there: {shown(missing)}"
    made, present = record.packages["datasets"], versions("datasets")["datasets"]
    if made.split(".")[0] != present.split(".")[0]:
        return f"made with datasets {made}, this is {present}"
    with tempfile.TemporaryDirectory() as empty:
        mini = import_module(PACKAGES[name]).MINI
        if _builder(name, "all", mini, None, Path(empty)).hash != record.code:
            return "made by other code than this"
        if record.source is not None:
            with suppress(ValueError, OSError):  # files that are gone make nothing stale
                if _builder(name, "all", Path(record.source), record.quotes, Path(empty)).config_id != record.files:
                    return f"the files in {record.source} have changed since"
    return ""


def _make(
    root: Path, whole: "datasets.DatasetBuilder", quotes: str | None, workshop: Path, progress: Progress
) -> Record:
    """Build every config in a folder of its own, then put each in its place, `all` last; remove former ones."""
    name, source = whole.dataset_name, whole.config.data_dir
    progress.say(f"{name}: reading {source or 'a download'}")
    with _bars(shown=source is None and not progress.quiet):
        _build(whole)
    with _bars(shown=False):
        built = _build_parts(whole, quotes, workshop, progress)
    record = Record(
        key=_key(whole),
        code=str(whole.hash),
        library="datasets",
        packages=versions("datasets"),
        time=now(),
        source=None if source is None else str(Path(source).resolve()),
        files=whole.config_id,
        quotes=quotes,
        version=str(whole.config.version),
        configs={
            config: {str(split): info.num_examples for split, info in (builder.info.splits or {}).items()}
            for config, builder in built.items()
        },
    )
    folders = _folders(root, record)
    for config, builder in reversed(built.items()):
        with whole_folder(folders[config]) as folder:
            for path in Path(builder.cache_dir).iterdir():
                os.replace(path, folder / path.name)
            if config == "all":
                write_record(folder, record)
    for former in set(root.glob(f"*/*/{OURS}*")) - set(folders.values()):
        hidden = former.with_name(f".{former.name}")
        os.rename(former, hidden)
        _remove([hidden])
        with suppress(OSError):  # there are others
            former.parent.rmdir()
            former.parent.parent.rmdir()
    return record


def _build_parts(
    whole: "datasets.DatasetBuilder", quotes: str | None, workshop: Path, progress: Progress
) -> "dict[str, datasets.DatasetBuilder]":
    """All configs: those of a group out of the rows of `all`, each corpus by a reading of its files."""
    from .prepared_rows import config_of

    name, source = whole.dataset_name, whole.config.data_dir
    tables = {str(split): dataset.with_format("arrow")[:] for split, dataset in whole.as_dataset().items()}
    groups = dict.fromkeys(g for table in tables.values() for g in table[GROUP[name]].unique().to_pylist())
    corpora = ["corpus"] if name == "mdcr" else [f"{group}-corpus" for group in groups]
    known = whole.builder_configs.keys() - {"all"}
    named = [group for group in groups if group in known - set(corpora)]
    corpora = [corpus for corpus in corpora if corpus in known]
    built = {"all": whole}
    with progress.counting(len(named) + len(corpora), f"{name}: configs") as advance:
        for group in named:
            built[group] = _build(config_of(whole, group, _rows_of(tables, GROUP[name], group), str(workshop)))
            advance(1)
        for corpus in corpora:
            built[corpus] = _build(_builder(name, corpus, source, quotes, workshop))
            advance(1)
    return built


def _rows_of(tables: "dict[str, pa.Table]", column: str, group: str) -> "dict[str, pa.Table]":
    import pyarrow.compute as pc

    found = {split: table.filter(pc.equal(table[column], group)) for split, table in tables.items()}
    return {split: table for split, table in found.items() if len(table)}


def _builder(
    name: str, config: str, data_dir: str | Path | None, quotes: str | None, cache_dir: Path
) -> "datasets.DatasetBuilder":
    import datasets

    import_module(PACKAGES[name])
    options: dict[str, Any] = {} if quotes is None else {"quotes": quotes}
    return datasets.load_dataset_builder(name, config, data_dir=data_dir, cache_dir=str(cache_dir), **options)


def _build(builder: "datasets.DatasetBuilder") -> "datasets.DatasetBuilder":
    """Build a config in the workshop; a download goes to where all downloads do."""
    import datasets

    downloads = datasets.DownloadConfig(cache_dir=str(datasets.config.DOWNLOADED_DATASETS_PATH), use_etag=False)
    builder.download_and_prepare(download_config=downloads)
    return builder


def _key(whole: "datasets.DatasetBuilder") -> str:
    """Names code, files, and how they are read."""
    return hashlib.sha256(f"{SCHEMA} {whole.hash} {whole.config.version} {whole.config_id}".encode()).hexdigest()[:16]


def _root(name: str) -> Path:
    import datasets

    return Path(datasets.config.HF_DATASETS_CACHE).expanduser() / name


def _folders(root: Path, record: Record) -> dict[str, Path]:
    """Config -> its folder in the cache."""
    return {
        config: root / config / record.version / f"{OURS}{record.key}{'-all' if config == 'all' else ''}"
        for config in record.configs
    }


def _newest_record(root: Path) -> Record | None:
    records = map(read_record, root.glob(f"all/*/{OURS}*"))
    return max(filter(None, records), key=lambda record: record.time, default=None)


def _missing(root: Path, record: Record) -> list[str]:
    return [config for config, folder in _folders(root, record).items() if not (folder / INFO).is_file()]


def _order(root: Path, record: Record) -> None:
    """Make ours the newest again, and `all` the newest of all."""
    for config, folder in _folders(root, record).items():
        os.utime(folder, (AHEAD, AHEAD) if config == "all" else None)


def _remove(folders: Iterable[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _bars(shown: bool) -> Iterator[None]:
    """Show the library's own bars, or do not."""
    from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    if shown or are_progress_bars_disabled():
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()
