"""Encode each different text once, longest first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ScirankError
from ..progress import Progress

if TYPE_CHECKING:
    import numpy as np

Encoder = Callable[[list[str]], Any]
"""From texts to vectors, a row a text: a NumPy array, a tensor or a list of either."""

# Texts of one length class are padded to the same length, so a job is sorted as a whole and only
# then cut into blocks; a block is what progress counts and what one call encodes.
BLOCK = 256


@dataclass(frozen=True)
class Vectors:
    """The vector of each of many texts, by key; equal texts share one.

    Attributes:
        rows: key -> its row.
        array: float32 of shape (different texts, dimensions).
    """

    rows: Mapping[Any, int]
    array: "np.ndarray"

    @classmethod
    def of(cls, texts: Mapping[Any, str], encode: Encoder, progress: Progress, label: str) -> "Vectors":
        """Encode texts, each different one once.

        Raises:
            ScirankError: the encoder did not give one finite vector a text.
        """
        import numpy as np

        # Not a set: its order differs from process to process, and with the batches a vector's last bits.
        different = sorted(dict.fromkeys(texts.values()), key=len, reverse=True)
        row = {text: at for at, text in enumerate(different)}
        blocks = [np.empty((0, 0), dtype=np.float32)]
        with progress.counting(len(different), label) as advance:
            for start in range(0, len(different), BLOCK):
                block = different[start : start + BLOCK]
                blocks.append(_checked(encode(block), block))
                advance(len(block))
        array = np.concatenate(blocks[1:]) if len(blocks) > 1 else blocks[0]
        return cls({key: row[text] for key, text in texts.items()}, array)

    def take(self, keys: Iterable[Any]) -> "np.ndarray":
        """Their vectors, a row a key."""
        return self.array[[self.rows[key] for key in keys]]


def _checked(encoded: Any, texts: Sequence[str]) -> "np.ndarray":
    import numpy as np

    try:
        vectors = [_plain(vector) for vector in encoded] if isinstance(encoded, list | tuple) else _plain(encoded)
        array = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ScirankError(f"the model gave no array of numbers ({error}); expected (texts, dimensions)") from error
    if array.ndim != 2 or len(array) != len(texts):
        raise ScirankError(
            f"the model gave an array of shape {array.shape} for {len(texts)} texts; expected (texts, dimensions)"
        )
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ScirankError(f"the model gave a vector with NaN or infinity for the text {texts[bad][:80]!r}")
    return array


def _plain(vectors: Any) -> Any:
    """Tensors in any precision and on any device, as something NumPy takes."""
    return vectors.detach().float().cpu().numpy() if hasattr(vectors, "detach") else vectors
