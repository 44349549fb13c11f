"""The Hub's client, and what the Hub or the network answers in one line that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import ScirankError

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def client() -> "HfApi":
    """The Hub's client, which says who asks."""
    from huggingface_hub import HfApi

    from ..version import __version__

    return HfApi(library_name="scirank", library_version=__version__)


@contextmanager
def one_line(
    repo: str,
    kind: str = "model",
    prefix: str = "",
    *,
    missing: str = "create it there first, or log in (hf auth login, or HF_TOKEN)",
    denied: str = "use one that may",
) -> Iterator[None]:
    """Turn what goes wrong in asking the Hub into a ScirankError of one line.

    Args:
        repo: the repository that is asked about.
        kind: what it is: `model`, `dataset` or `space`.
        prefix: what the line begins with.
        missing: what to do where the Hub shows no such repository.
        denied: what to do where the token may not write.
    """
    try:
        yield
    except ScirankError:
        raise
    except Exception as error:
        # The upload of a file wraps what went wrong.
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        if (line := _line(cause, repo, kind, prefix, missing, denied)) is None:
            raise
        raise ScirankError(line) from None


def _line(error: BaseException, repo: str, kind: str, prefix: str, missing: str, denied: str) -> str | None:
    """The line; None where it is no matter of the Hub or the network."""
    from huggingface_hub import constants, errors

    hub = constants.ENDPOINT
    if isinstance(error, errors.OfflineModeIsEnabled):
        return f"{prefix}huggingface_hub is offline (HF_HUB_OFFLINE)"
    if isinstance(error, errors.GatedRepoError):
        return f"{prefix}{repo} is gated on {hub}, and your token has no access"
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"{prefix}{hub} has no {kind} {repo}, or it is not yours to see: {missing}"
    if isinstance(error, errors.HfHubHTTPError):
        return prefix + _answer(error, repo, hub, denied)
    if isinstance(error, ValueError):  # of the card's metadata, by the Hub's own check
        return f"{prefix}{repo}: {_short(error)}"
    if isinstance(error, OSError) and error.filename is not None:  # a file of ours
        return f"{prefix}{error.filename}: {error.strerror}"
    name = type(error).__name__
    if isinstance(error, OSError) or (isinstance(error, _no_answer()) and name.startswith("Connect")):
        return f"{prefix}{hub} cannot be reached ({name})"
    if isinstance(error, _no_answer()):  # perhaps only after the Hub had done it
        return f"the connection to {hub} broke off ({name}); a commit is there whole or not at all: run this again"
    if isinstance(error, RuntimeError):  # of hf_xet, which uploads large files
        return f"{prefix}a file could not be sent to {hub}: {_short(error)[:200]}; run this again"
    return None


def _answer(error: Exception, repo: str, hub: str, denied: str) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status == 401:
        return f"{hub} does not accept the token: log in again (hf auth login), or set HF_TOKEN"
    if status == 403:
        return f"the token may not write to {repo}: {denied}"
    if status in (409, 412):
        return f"{repo} was changed meanwhile; run this again"
    return f"{hub} answered {status} about {repo}: {_short(error)[:200]}"


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())


def _no_answer() -> type[Exception]:
    """What huggingface_hub's HTTP library raises where there is no answer; which library depends on its release."""
    from huggingface_hub.errors import HfHubHTTPError

    return next(kind for kind in HfHubHTTPError.__mro__[1:] if kind.__name__ == "HTTPError")  # type: ignore[return-value]
