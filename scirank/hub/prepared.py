"""What can be prepared, what is said of it, and the record that stands beside it."""

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ..choices import Choice

SCHEMA = 1
RECORD = "scirank.json"


class Part(Choice):
    """What can be prepared."""

    MDCR = "mdcr"
    OAGQA = "oagqa"
    METRIC = "metric"
    ALL = "all"

    @property
    def parts(self) -> "tuple[Part, ...]":
        """The single parts that this is."""
        return (Part.MDCR, Part.OAGQA, Part.METRIC) if self is Part.ALL else (self,)


class State(Choice):
    """How what is prepared stands to the code and the files of now."""

    READY = "ready"
    STALE = "stale"
    ABSENT = "absent"


@dataclass(frozen=True)
class Record:
    """What is written down where something is prepared.

    Attributes:
        key: names the folders of one preparation.
        code: names the code that made it.
        library: the library whose cache it is in.
        packages: versions of scirank and of the library.
        time: when, UTC.
        source: the files that were read; None for a download, or where there are none.
        files: names the state of the files, and how they are read.
        quotes: as `--quotes`.
        version: of a dataset, its own.
        configs: of a dataset, config -> split -> rows.
    """

    key: str
    code: str
    library: str
    packages: dict[str, str]
    time: str
    source: str | None = None
    files: str = ""
    quotes: str | None = None
    version: str = ""
    configs: dict[str, dict[str, int]] = field(default_factory=dict)
    schema: int = SCHEMA


@dataclass(frozen=True)
class Prepared:
    """A name, and what there is of it in the cache.

    Attributes:
        name: as the loading functions take it.
        state: whether it can be used as it is.
        why: of what is stale, the reason.
        record: what was prepared, from where, by what; None where nothing is.
        folder: the part of the cache that it is in.
        size: bytes on disk.
    """

    name: str
    state: State
    folder: Path
    why: str = ""
    record: Record | None = None
    size: int = 0


def now() -> str:
    """The time of a record."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions(library: str) -> dict[str, str]:
    """Versions of scirank and of a library."""
    from importlib.metadata import version

    return {package: version(package) for package in ("scirank", library)}


def write_record(folder: Path, record: Record) -> None:
    """Write a record into a folder that is not in its place yet."""
    import json

    (folder / RECORD).write_text(json.dumps(asdict(record), indent=1) + "\n", "utf-8")


def read_record(folder: Path) -> Record | None:
    """The record in a folder; None where there is none, or none of this form."""
    import msgspec

    try:
        record = msgspec.json.decode((folder / RECORD).read_bytes(), type=Record)
    except (OSError, msgspec.MsgspecError):
        return None
    return record if record.schema == SCHEMA else None


def disk(folders: list[Path]) -> int:
    """Bytes of the files in folders."""
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())
