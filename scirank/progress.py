"""Progress: a bar on a terminal, plain lines elsewhere, nothing when asked to be quiet."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PLAIN_SECONDS = 5


class Progress:
    """Shows how far a count has come, on standard error."""

    def __init__(self, quiet: bool = True) -> None:
        self.quiet = quiet

    def say(self, line: str) -> None:
        """A line of its own."""
        if not self.quiet:
            sys.stderr.write(line + "\n")

    @contextmanager
    def counting(self, total: int, label: str) -> Iterator[Callable[[int], None]]:
        """Give a function that is told how many more are done."""
        if self.quiet or total == 0:
            yield lambda _: None
        elif sys.stderr.isatty():
            with self._bar(total, label) as advance:
                yield advance
        else:
            yield self._lines(total, label)

    @contextmanager
    def _bar(self, total: int, label: str) -> Iterator[Callable[[int], None]]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bars(*columns, console=Console(stderr=True)) as bars:
            bar = bars.add_task(label, total=total)
            yield lambda more: bars.advance(bar, more)

    def _lines(self, total: int, label: str) -> Callable[[int], None]:
        done, started = 0, time.monotonic()
        said = started

        def advance(more: int) -> None:
            nonlocal done, said
            done += more
            now = time.monotonic()
            if done >= total or now - said >= PLAIN_SECONDS:
                said = now
                self.say(f"{label}: {done:,} of {total:,}, {now - started:.0f} s")

        return advance
