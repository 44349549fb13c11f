"""The error for what a user can mend, and the wording of messages."""

from collections.abc import Sequence


class ScirankError(ValueError):
    """Bad input or a bad choice; its message is all that the command line prints."""


def shown(items: Sequence[str], most: int = 5) -> str:
    """The first few of many."""
    return ", ".join(items[:most]) + (", ..." if len(items) > most else "")


def counted(number: int, one: str, many: str) -> str:
    """A number and its noun: `1 query`, `1,200 queries`."""
    return f"{number:,} {one if number == 1 else many}"
