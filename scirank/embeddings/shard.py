"""A file of vectors: safetensors, with a checksum, mapped into memory when read."""

import json
import math
import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..results.files import whole_file

if TYPE_CHECKING:
    import numpy as np

FORMAT = "scirank vectors 1"
FACTS = "scirank"
"""The only entry of a file's metadata: several would be in any order, and equal vectors are to be equal files."""
DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "U16"}
"""How vectors are stored, by computed dtype. NumPy has no bfloat16, so its bits stand as whole numbers."""


class DamagedShardError(ValueError):
    """A file is not what was written; its message says how."""


@dataclass(frozen=True)
class Batch:
    """Vectors as computed.

    Attributes:
        rows: of shape (texts, dimensions), or (tokens of all texts, dimensions).
        dtype: a name of `DTYPES`.
        counts: tokens of each text, where each has several vectors.
    """

    rows: "np.ndarray"
    dtype: str
    counts: Sequence[int] | None = None


def write(path: Path, digests: "np.ndarray", tokens: "np.ndarray", batches: Sequence[Batch]) -> None:
    """Write a shard, whole or not at all.

    Args:
        path: its file.
        digests: of the texts, bytes of length 16, of shape (texts,).
        tokens: int32, of each text.
        batches: their vectors, in order.
    """
    import numpy as np
    from safetensors.numpy import save

    tensors: dict[str, np.ndarray] = {
        "texts": np.frombuffer(digests.tobytes(), np.uint8).reshape(-1, 16),
        "tokens": np.asarray(tokens, np.int32),
        "vectors": np.concatenate([batch.rows for batch in batches]),
    }
    counts = [count for batch in batches for count in batch.counts or ()]
    if batches[0].counts is not None:
        tensors["offsets"] = np.cumsum([0, *counts], dtype=np.int64)
    facts = {
        "format": FORMAT,
        "dtype": batches[0].dtype,
        "xxh3_128": _checksum(tensors[name] for name in sorted(tensors)),
    }
    with whole_file(path) as temporary:
        temporary.write_bytes(save(tensors, metadata={FACTS: json.dumps(facts)}))


@dataclass(frozen=True)
class Shard:
    """A shard's layout: enough to read from it.

    Attributes:
        path: its file.
        dtype: in which its vectors were computed.
        layout: name -> type, shape, first and last byte.
    """

    path: Path
    dtype: str
    checksum: str
    layout: dict[str, tuple[str, tuple[int, ...], int, int]]

    @classmethod
    def open(cls, path: Path) -> "Shard":
        """Read what a shard holds, not the vectors.

        Raises:
            DamagedShardError: the file is cut, or of another kind.
        """
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            size = path.stat().st_size
            try:
                if not 0 < length <= size:
                    raise ValueError("it is cut")
                header = json.loads(file.read(length))
                facts = json.loads(header.pop("__metadata__")[FACTS])
                if facts["format"] != FORMAT:
                    raise ValueError(f"its format is {facts['format']!r}")
                layout = {
                    name: (entry["dtype"], tuple(entry["shape"]), *(8 + length + at for at in entry["data_offsets"]))
                    for name, entry in header.items()
                }
                if {"texts", "tokens", "vectors"} - set(layout) or max(end for *_, end in layout.values()) != size:
                    raise ValueError("it is cut")
                _check(layout, DTYPES[facts["dtype"]])
                return cls(path, facts["dtype"], facts["xxh3_128"], layout)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DamagedShardError(f"{path}: not a whole file of vectors: {error}") from error

    @property
    def texts(self) -> int:
        """How many texts it has vectors of."""
        return self.layout["texts"][1][0]

    def digests(self) -> "np.ndarray":
        """Of its texts, bytes of length 16, of shape (texts,)."""
        return self._read("texts").reshape(-1).view("S16")

    def tokens(self) -> "np.ndarray":
        """int32, of each text."""
        return self._read("tokens")

    def offsets(self) -> "np.ndarray | None":
        """int64 of shape (texts + 1,), where a text has several vectors: those of text i are from offset i to i + 1."""
        return self._read("offsets") if "offsets" in self.layout else None

    @contextmanager
    def vectors(self) -> Iterator["np.ndarray"]:
        """The stored vectors, mapped; as stored, see `widened`."""
        with self._mapped() as data:
            yield self._array(data, "vectors")

    def widened(self, vectors: "np.ndarray") -> "np.ndarray":
        """Stored vectors in single precision."""
        import numpy as np

        if self.dtype == "bfloat16":
            return (vectors.astype(np.uint32) << 16).view(np.float32)
        return vectors.astype(np.float32)

    def verify(self) -> None:
        """Raise DamagedShardError where its bytes are not those that were written."""
        with self._mapped() as data:
            found = _checksum(self._array(data, name) for name in sorted(self.layout))
        if found != self.checksum:
            raise DamagedShardError(f"{self.path}: its checksum is {found}; expected {self.checksum}")

    def _read(self, name: str) -> "np.ndarray":
        with self._mapped() as data:
            return self._array(data, name).copy()

    @contextmanager
    def _mapped(self) -> Iterator[Any]:
        with open(self.path, "rb") as file:
            yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def _array(self, data: Any, name: str) -> "np.ndarray":
        import numpy as np

        kind, shape, start, end = self.layout[name]
        return np.frombuffer(
            data, _NUMPY[kind], offset=start, count=(end - start) // np.dtype(_NUMPY[kind]).itemsize
        ).reshape(shape)


def _check(layout: dict[str, tuple[str, tuple[int, ...], int, int]], vectors: str) -> None:
    """Raise ValueError where a layout is none that `write` gives."""
    texts, (rows, dimensions) = layout["texts"][1][0], layout["vectors"][1]
    several = "offsets" in layout or (rows, dimensions) == (0, 0)  # numbers of tokens alone
    expected = {
        "texts": ("U8", (texts, 16)),
        "tokens": ("I32", (texts,)),
        "vectors": (vectors, (rows if several else texts, dimensions)),
        **({"offsets": ("I64", (texts + 1,))} if "offsets" in layout else {}),
    }
    if {name: (kind, shape) for name, (kind, shape, *_) in layout.items()} != expected:
        raise ValueError("its layout is another")
    for kind, shape, start, end in layout.values():
        if math.prod(shape) * int(_NUMPY[kind][-1]) != end - start:
            raise ValueError("its layout is another")


_NUMPY = {"U8": "<u1", "U16": "<u2", "F16": "<f2", "I32": "<i4", "F32": "<f4", "I64": "<i8"}


def _checksum(arrays: Iterator["np.ndarray"]) -> str:
    import xxhash

    digest = xxhash.xxh3_128()
    for array in arrays:
        digest.update(array.reshape(-1).view("u1").data)
    return digest.hexdigest()
