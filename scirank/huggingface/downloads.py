"""Downloads that turn out not to be the data."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def discarding_bad_download(
    path: str, downloaded: bool, by_hand: str, data_error: type[ValueError], kind: type[ValueError] | None = None
) -> Iterator[None]:
    """While a file is read: forget a download that turns out not to be the data, so that the next try fetches it again.

    Args:
        path: the file.
        downloaded: whether it came from upstream; then errors also tell the way by hand.
        by_hand: that way.
        data_error: the error of bad data.
        kind: what to raise a data error as; as itself by default.
    """
    kind = kind or data_error
    try:
        yield
    except OSError as error:  # in streaming, a dead link shows only now
        if not downloaded:
            raise
        raise kind(f"{path} could not be read: {type(error).__name__}: {error}\n{by_hand}") from error
    except data_error as error:
        if not downloaded:
            raise kind(str(error)) from error
        for leftover in (path, path + ".json"):
            Path(leftover).unlink(missing_ok=True)
        raise kind(f"{error}\n{by_hand}") from error
