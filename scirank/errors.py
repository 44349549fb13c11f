"""The error for what a user can mend: says what was found, what was expected and what to do."""

from collections.abc import Sequence


class ScirankError(ValueError):
    """Bad input or a bad choice; its message is all that the command line prints."""


def shown(items: Sequence[str], most: int = 5) -> str:
    """The first few of many, for messages."""
    return ", ".join(items[:most]) + (", ..." if len(items) > most else "")
