"""Vectors on disk: a folder for each encoder, in it shards named by the texts that they hold."""

import errno
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..results.files import whole_file
from .shard import DamagedShardError, Shard

if TYPE_CHECKING:
    import numpy as np

ENDING = ".safetensors"
KEY = "key.json"


def cache_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Where vectors are kept: as named, else SCIRANK_CACHE, else `scirank` in the user's folder for caches."""
    import platformdirs

    return Path(folder or os.environ.get("SCIRANK_CACHE") or platformdirs.user_cache_dir("scirank")).expanduser()


@dataclass(frozen=True)
class Found:
    """Where the vectors of texts are; where there are none, the shard is -1.

    Attributes:
        shards: the files.
        shard: int32, which of them.
        row: int32, which text in it.
        tokens: int32, of the text; 0 where there is no shard.
    """

    shards: Sequence[Shard]
    shard: "np.ndarray"
    row: "np.ndarray"
    tokens: "np.ndarray"

    @property
    def missing(self) -> "np.ndarray":
        """Which texts have no vector."""
        return self.shard < 0


@dataclass(frozen=True)
class Store:
    """The vectors of one encoder.

    Attributes:
        folder: where its shards are.
        key: of the encoder; None where nothing is kept.
    """

    folder: Path
    key: Mapping[str, Any] | None

    @classmethod
    def of(cls, cache: Path, key: Mapping[str, Any]) -> "Store":
        """The store of an encoder, made where there is none.

        Raises:
            ScirankError: nothing can be written there.
        """
        text = json.dumps(key, indent=1, sort_keys=True, ensure_ascii=False)
        name = re.sub(r"[^\w.-]+", "_", str(key.get("model", "")).split("/")[-1])[:40]
        folder = f"{name}-{key.get('role', '')}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"
        store = cls(cache / folder, key)
        try:
            store.folder.mkdir(parents=True, exist_ok=True)
            if not (store.folder / KEY).exists():
                with store.claim(store.folder / KEY, wait=True), whole_file(store.folder / KEY) as path:
                    path.write_text(text + "\n", "utf-8")
        except OSError as error:
            raise ScirankError(_cannot_write(cache, error)) from error
        with suppress(OSError):  # a complete store serves from a disk that cannot be written
            os.utime(store.folder / KEY)  # what is used last is pruned last
        return store

    def shards(self) -> list[Path]:
        """All its files, in the order of their names."""
        return sorted(self.folder.glob(f"*{ENDING}"))

    def path(self, digests: "np.ndarray", within: str = "") -> Path:
        """The file that is for exactly these texts, whether it is there or not."""
        return self.folder / within / _name(digests)

    def find(self, digests: "np.ndarray", say: Callable[[str], None]) -> Found:
        """Look texts up. A shard that is damaged is told, removed and not used.

        Args:
            digests: of the texts, sorted.
            say: told of what is damaged.
        """
        import numpy as np

        shard = np.full(len(digests), -1, np.int32)
        row, tokens = np.zeros_like(shard), np.zeros_like(shard)
        used: list[Shard] = []
        for lock in self.folder.glob(".*.lock"):  # by a process that was killed between writing and tidying up
            if (self.folder / lock.name[1 : -len(".lock")]).exists():
                with suppress(OSError):
                    lock.unlink()
        for path in self.shards():
            try:
                candidate = Shard.open(path)
                held = candidate.digests()
                check_name(path, held)
                at = np.minimum(np.searchsorted(digests, held), len(digests) - 1)
                wanted = np.flatnonzero((digests[at] == held) & (shard[at] < 0))
                if not len(wanted):
                    continue
                candidate.verify()
            except FileNotFoundError:  # another process has pruned it
                continue
            except DamagedShardError as error:
                say(f"damaged: {error}; its texts are encoded again")
                path.unlink(missing_ok=True)
                continue
            shard[at[wanted]], row[at[wanted]] = len(used), wanted
            tokens[at[wanted]] = candidate.tokens()[wanted]
            used.append(candidate)
        return Found(used, shard, row, tokens)

    @contextmanager
    def claim(self, path: Path, wait: bool) -> Iterator[bool]:
        """Whether this process, of all that share the store, is to write a file; others are told no, or wait."""
        from filelock import FileLock, Timeout

        lock = FileLock(path.with_name(f".{path.name}.lock"))
        try:
            lock.acquire(timeout=-1 if wait else 0)
        except Timeout:
            yield False
            return
        except OSError as error:
            raise ScirankError(_cannot_write(self.folder, error)) from error
        try:
            for left in path.parent.glob(f".{path.name}.*.tmp"):  # by a process that was killed
                left.unlink(missing_ok=True)
            yield True
        finally:
            if os.name == "posix":  # while it is held: nobody else gets hold of a file that is about to go
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()


def check_name(path: Path, digests: "np.ndarray") -> None:
    """Raise DamagedShardError where a file holds other texts than those that it is named by."""
    if path.name != _name(digests):
        raise DamagedShardError(f"{path}: it holds other texts than its name says")


def _name(digests: "np.ndarray") -> str:
    return hashlib.blake2b(digests.tobytes(), digest_size=16).hexdigest() + ENDING


@contextmanager
def telling_of_full_disks(folder: Path) -> Iterator[None]:
    """Turn an error in writing into one that says what to do."""
    try:
        yield
    except OSError as error:
        raise ScirankError(_cannot_write(folder, error)) from error


def _cannot_write(folder: Path, error: OSError) -> str:
    """What happened and what to do; a full disk is no reason to begin again."""
    why = f"vectors cannot be kept in {folder}: {error.strerror or error}"
    elsewhere = "choose another folder (--cache-dir, SCIRANK_CACHE) or --no-cache"
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return f"{why}; {elsewhere}"
    return f"{why}. What was written is good, and the same command goes on from there; make room, or {elsewhere}"
