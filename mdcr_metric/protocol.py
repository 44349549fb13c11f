"""What a config of the metric is made of."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from .checks import Column


class MetricProtocol(Protocol):
    """A config: the columns that it takes, the options of `compute`, and the computing."""

    description: str
    inputs: str
    citation: str
    homepage: str

    @property
    def columns(self) -> Mapping[str, Column]:
        """What may be given, a row a query."""
        ...

    def options(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The options of `compute`, checked, with their defaults. Raises ValueError for an unknown value."""
        ...

    def noted(self, batch: Mapping[str, Sequence[Any]], first_row: int) -> list[Any]:
        """What of these rows has to be looked at once all rows are there."""
        ...

    def check_noted(self, noted: Sequence[Any], rows: int, options: Mapping[str, Any]) -> None:
        """Look at it: raise ValueError where rows do not fit together, or the options refuse some."""
        ...

    def compute(self, batch: Mapping[str, Sequence[Any]], *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The result, from all rows and the options."""
        ...
