"""Which texts go together: the shards and batches of a job, which follow from the job alone."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ScirankError
from .job import Budget

if TYPE_CHECKING:
    import numpy as np

SHARD = Budget(tokens=2**17, texts=2**13)
"""What a file holds: so little that a kill costs seconds of a graphics card or a minute of a processor, so much that
ten million papers are some thousands of files."""


@dataclass(frozen=True)
class Part:
    """Part `index` of `count`, from 0 on: every count-th shard."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str, environment: Mapping[str, str] = os.environ) -> "Part":
        """`i/n`, or `auto`: from the variables that torchrun, a SLURM array or srun sets.

        Raises:
            ScirankError: neither, or no such variables.
        """
        if text == "auto":
            for index, count, first in _VARIABLES:
                if index in environment and count in environment:
                    text = f"{environment[index]}/{environment[count]}"
                    if first in environment and environment[index].isdecimal():
                        step = int(environment.get("SLURM_ARRAY_TASK_STEP", 1))
                        text = f"{(int(environment[index]) - int(environment[first])) // step}/{environment[count]}"
                    break
            else:
                names = "; ".join(f"{index} and {count}" for index, count, _ in _VARIABLES)
                raise ScirankError(f"shard auto needs environment variables of torchrun or SLURM: {names}; found none")
        index_text, _, count_text = text.partition("/")
        if not (index_text.isdecimal() and count_text.isdecimal() and int(index_text) < int(count_text)):
            raise ScirankError(f"shard {text!r}: expected i/n with i from 0 to n - 1, such as 0/4, or auto")
        return cls(int(index_text), int(count_text))


_VARIABLES = (
    ("RANK", "WORLD_SIZE", ""),
    ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"),
    ("SLURM_PROCID", "SLURM_NTASKS", ""),
)


def shards(tokens: "np.ndarray", digests: "np.ndarray") -> "list[np.ndarray]":
    """Cut a whole job into shards, longest texts first, so that little is padded and what is too large fails first.

    Args:
        tokens: int32, of each text.
        digests: of the texts: equally long ones are in the order of these, whatever order the job has.

    Returns:
        For each shard, which texts it has.
    """
    import numpy as np

    order = np.lexsort((digests, -tokens.astype(np.int64)))
    until = np.cumsum(tokens[order], dtype=np.int64)
    found, start = [], 0
    while start < len(order):
        before = int(until[start - 1]) if start else 0
        end = int(np.searchsorted(until, before + SHARD.tokens, side="right"))
        end = min(max(end, start + 1), start + SHARD.texts)
        found.append(order[start:end])
        start = end
    return found


def batches(tokens: Sequence[int], budget: Budget) -> Iterator[slice]:
    """Cut texts, longest first, into batches within a budget."""
    start = 0
    while start < len(tokens):
        most = max(1, min(budget.texts, budget.tokens // max(1, tokens[start])))
        yield slice(start, min(start + most, len(tokens)))
        start += most
