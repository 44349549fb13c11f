"""Look after the folder of all stores: what is in it, whether it is whole, what may go."""

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ScirankError
from .shard import DamagedShardError, Shard
from .store import ENDING, KEY, Store

DAY = 86_400


@dataclass(frozen=True)
class Held:
    """A store, as it lies on disk.

    Attributes:
        store: its folder and key.
        files: how many, those with counts of tokens too.
        texts: how many texts have vectors in them; damaged ones are not counted.
        size: bytes, of all that is in the folder.
        used: when it was used last, in seconds since 1970.
    """

    store: Store
    files: int
    texts: int
    size: int
    used: float

    def fact(self, name: str) -> str:
        """An entry of its key, such as `model`."""
        return str((self.store.key or {}).get(name) or "")


def held(cache: Path) -> list[Held]:
    """All stores, the one that was used last first."""
    found = [_held(folder.parent) for folder in cache.glob(f"*/{KEY}")]
    return sorted(found, key=lambda each: -each.used)


def damaged(cache: Path) -> Iterator[tuple[Path, str]]:
    """Read every shard, and give those that are not what was written, and how."""
    for each in held(cache):
        for path in sorted(each.store.folder.rglob(f"*{ENDING}")):
            try:
                Shard.open(path).verify()
            except DamagedShardError as error:
                yield path, str(error)


def prune(
    cache: Path,
    older_than: float | None = None,
    larger_than: int | None = None,
    model: str | None = None,
    dry_run: bool = False,
) -> list[Held]:
    """Remove stores: what fits all that is given.

    Args:
        cache: the folder of all stores.
        older_than: days since a store was used last.
        larger_than: bytes that may stay; what was used longest ago goes first.
        model: those of this model, by the name that results have, or by its last part.
        dry_run: only say which.

    Returns:
        what was removed.

    Raises:
        ScirankError: nothing was chosen.
    """
    if older_than is None and larger_than is None and model is None:
        raise ScirankError("say what may go: --older-than DAYS, --max-size GB or --model NAME")
    stores = held(cache)
    now, left = time.time(), sum(each.size for each in stores)
    gone = []
    for each in reversed(stores):
        name = each.fact("model")
        if model is not None and model not in (name, name.split("/")[-1]):
            continue
        if older_than is not None and now - each.used < older_than * DAY:
            continue
        if larger_than is not None and left <= larger_than:
            continue
        left -= each.size
        gone.append(each)
        if not dry_run:
            shutil.rmtree(each.store.folder)
    return gone


def _held(folder: Path) -> Held:
    store, texts = Store(folder, json.loads((folder / KEY).read_text("utf-8"))), 0
    for path in store.shards():
        try:
            texts += Shard.open(path).texts
        except DamagedShardError:
            continue
    return Held(
        store=store,
        files=sum(1 for _ in folder.rglob(f"*{ENDING}")),
        texts=texts,
        size=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        used=(folder / KEY).stat().st_mtime,
    )
