"""The error for what a user can mend, and the wording of messages."""

from collections.abc import Collection, Sequence

LISTED = 50
"""Names of weights in a message; a network of twelve layers has about 200."""


class ScirankError(ValueError):
    """Bad input or a bad choice; its message is all that the command line prints."""


def shown(items: Sequence[str], most: int = 5) -> str:
    """The first few of many."""
    return ", ".join(items[:most]) + (", ..." if len(items) > most else "")


def listed(names: Collection[str]) -> str:
    """The first of many names, and how many there are."""
    return f"{shown(list(names), LISTED)} ({len(names):,} in all)"


def counted(number: int, one: str, many: str) -> str:
    """A number and its noun: `1 query`, `1,200 queries`."""
    return f"{number:,} {one if number == 1 else many}"
