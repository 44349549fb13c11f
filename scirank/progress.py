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
        with self._shown(total, label, lambda done, seconds: f"{done:,} of {total:,}, {seconds:.0f} s") as advance:
            yield advance

    @contextmanager
    def encoding(self, texts: int, tokens: int, label: str) -> Iterator[Callable[[int, int], None]]:
        """Give a function that is told how many more texts and tokens are done; tokens say how much is left."""
        encoded = 0

        def told(done: int, seconds: float) -> str:
            seconds = max(seconds, 1e-9)
            rate = done / seconds
            left = duration((tokens - done) / max(rate, 1e-9)) + " left" if done < tokens else duration(seconds)
            return f"{encoded:,} of {texts:,} texts, {encoded / seconds:,.0f} texts/s, {rate:,.0f} tokens/s, {left}"

        with self._shown(tokens, label, told) as advance:

            def more(more_texts: int, more_tokens: int) -> None:
                nonlocal encoded
                encoded += more_texts
                advance(more_tokens)

            yield more

    @contextmanager
    def training(self, steps: int, label: str) -> Iterator[Callable[[int, float | None], None]]:
        """Give a function that is told how many more steps are done, and the loss where it is known anew."""
        last: float | None = None

        def told(done: int, seconds: float) -> str:
            loss = "" if last is None else f", loss {last:.4f}"
            left = duration(seconds / max(done, 1) * (steps - done)) + " left" if done < steps else duration(seconds)
            return f"step {done:,} of {steps:,}{loss}, {left}"

        with self._shown(steps, label, told) as advance:

            def more(more_steps: int, loss: float | None) -> None:
                nonlocal last
                last = last if loss is None else loss
                advance(more_steps)

            yield more

    @contextmanager
    def _shown(self, total: int, label: str, told: Callable[[int, float], str]) -> Iterator[Callable[[int], None]]:
        started = time.monotonic()
        done, said = 0, started
        if self.quiet or total == 0:
            yield lambda _: None
        elif sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bars

            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
            with Bars(*columns, console=Console(stderr=True)) as bars:
                bar = bars.add_task(label, total=total, told="")

                def advance(more: int) -> None:
                    nonlocal done
                    done += more
                    bars.update(bar, completed=done, told=told(done, time.monotonic() - started))

                yield advance
        else:

            def advance(more: int) -> None:
                nonlocal done, said
                done += more
                now = time.monotonic()
                if done >= total or now - said >= PLAIN_SECONDS:
                    said = now
                    self.say(f"{label}: {told(done, now - started)}")

            yield advance


def duration(seconds: float) -> str:
    """Seconds in words: `40 s`, `12 min`, `5.2 h`, `3.1 days`."""
    for unit, size, most in (("s", 1, 100), ("min", 60, 6_000)):
        if seconds < most:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 3_600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"
