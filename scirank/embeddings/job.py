"""What is to be encoded, and by what."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from ..benchmarks import Document

Text = str | tuple[str, str]
"""A text, or a pair of texts that a model sees together."""


class Budget(NamedTuple):
    """How much is encoded together: tokens, padding included, and texts."""

    tokens: int
    texts: int


class Encoder(Protocol):
    """From texts in one role to vectors."""

    @property
    def key(self) -> Mapping[str, Any] | None:
        """Everything besides a text that determines its vector; None where that is not known: nothing is kept then."""
        ...

    @property
    def budget(self) -> Budget:
        """What one batch may have."""
        ...

    def lengths(self, texts: Sequence[Text]) -> Sequence[int]:
        """How many tokens the model sees of each text."""
        ...

    def encode(self, batches: Iterable[list[Text]]) -> Iterator[Any]:
        """What each batch gives, as NumPy's or PyTorch's arrays.

        One of shape (texts, dimensions), or a list of one of shape (tokens, dimensions) a text.
        """
        ...


@dataclass(frozen=True)
class Job:
    """Texts for one encoder.

    Attributes:
        texts: in any order, any of them more than once.
        encoder: what makes their vectors.
        role: what they are, such as `papers`.
    """

    texts: Sequence[Text]
    encoder: Encoder
    role: str


@dataclass(frozen=True)
class Texts(Sequence[str]):
    """The texts of documents, each made when it is looked at, so that a corpus is never in memory twice."""

    text: Callable[[Document], str]
    _documents: list[tuple[Mapping[str, Document], str]] = field(default_factory=list)
    _places: dict[int, dict[str, int]] = field(default_factory=dict)

    def add(self, documents: Mapping[str, Document], ids: Iterable[str]) -> None:
        """Add documents, those that are not there yet."""
        places = self._places.setdefault(id(documents), {})
        for name in ids:
            if name not in places:
                places[name] = len(self._documents)
                self._documents.append((documents, name))

    def places(self, documents: Mapping[str, Document], ids: Iterable[str]) -> list[int]:
        """Where documents that were added stand."""
        places = self._places.get(id(documents), {})
        return [places[name] for name in ids]

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, place: Any) -> Any:
        documents, name = self._documents[place]
        return self.text(documents[name])
