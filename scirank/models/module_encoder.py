"""A sentence-transformers model in one role, as an encoder: our batches, its modules."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..embeddings import Budget, Text

if TYPE_CHECKING:
    from sentence_transformers.base.model import BaseModel

AHEAD = 3
"""Batches that are tokenised while another is computed."""


@dataclass(frozen=True)
class ModuleEncoder:
    """Tokenises by a model's own `preprocess`, in a thread that runs ahead, and computes by its modules.

    Attributes:
        model: a `SentenceTransformer`, a `MultiVectorEncoder` or a `CrossEncoder`.
        task: what the model knows the role as: `document`, `query`, or None.
        prompt: put before each text, of a pair before the first.
        key: see `Encoder`.
        budget: see `Encoder`.
        pick: what of the computed features is the result.
    """

    model: "BaseModel"
    task: str | None
    prompt: str | None
    key: Mapping[str, Any] | None
    budget: Budget
    pick: Callable[[Mapping[str, Any]], Any]

    def lengths(self, texts: Sequence[Text]) -> Sequence[int]:
        """Tokens as the model gets them: with the prompt, cut to its length.

        Without attention nothing is padded, and counting would take as long as encoding: then they are guessed.
        """
        if self.model.transformers_model is None:
            return _guessed(texts)
        features = self._features(texts)
        if "attention_mask" in features and features["attention_mask"].ndim == 2:
            counts: list[int] = features["attention_mask"].sum(dim=1).tolist()
            return counts
        return _guessed(texts)

    def encode(self, batches: Iterable[list[Text]]) -> Iterator[Any]:
        """What each batch gives, in the model's precision."""
        self.model.eval()
        coming: deque[Future[Mapping[str, Any]]] = deque()
        with ThreadPoolExecutor(1) as ahead:
            for batch in batches:
                coming.append(ahead.submit(self._features, batch))
                if len(coming) > AHEAD:
                    yield self._computed(coming.popleft().result())
            while coming:
                yield self._computed(coming.popleft().result())

    def _features(self, texts: Sequence[Text]) -> Mapping[str, Any]:
        task = {} if self.task is None else {"task": self.task}
        features: Mapping[str, Any] = self.model.preprocess(list(texts), prompt=self.prompt, **task)
        return features

    def _computed(self, features: Mapping[str, Any]) -> Any:
        import torch
        from sentence_transformers.util import batch_to_device

        task = {} if self.task is None else {"task": self.task}
        with torch.inference_mode():
            return self.pick(self.model(batch_to_device(dict(features), self.model.device), **task))


@dataclass(frozen=True)
class FunctionEncoder:
    """Any function from a list of texts, or of pairs, to vectors.

    Attributes:
        function: it gets at most 256 texts, longest first.
        prompt: put before each text; nothing is put before pairs.
        key: see `Encoder`.
    """

    function: Callable[[list[Any]], Any]
    prompt: str = ""
    key: Mapping[str, Any] | None = None
    budget = Budget(tokens=2**31, texts=256)

    def lengths(self, texts: Sequence[Text]) -> Sequence[int]:
        """How its tokens are counted is not known."""
        return _guessed(texts)

    def encode(self, batches: Iterable[list[Text]]) -> Iterator[Any]:
        """What the function gives for each batch."""
        for batch in batches:
            yield self.function([self.prompt + text if isinstance(text, str) else text for text in batch])


def _guessed(texts: Sequence[Text]) -> list[int]:
    """Tokens, where nobody can tell: four characters are taken for one."""
    return [sum(map(len, [text] if isinstance(text, str) else text)) // 4 for text in texts]
