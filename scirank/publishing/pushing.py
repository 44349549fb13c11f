"""What is written into a model's repository on the Hub: read first, shown, and then sent as one commit."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from pathlib import Path

from ..choices import Form
from ..errors import ScirankError
from ..hub.errors import client, one_line
from ..results import Result
from . import card, eval_results
from .claims import HUB_NAME, cautions, claim_of

_Changed = Callable[..., tuple[str, list[str]]]


@dataclass(frozen=True)
class Change:
    """A file of a repository, as it is and as it would be.

    Attributes:
        repo: the model's repository.
        path: the file.
        before: its text; None where there is none, or none could be read.
        after: its text with the result.
        commit: the commit that was read; None where none could be.
        unread: why the repository could not be read; empty where it was.
        message: the first line of the commit.
        cautions: what whoever publishes has to know.
    """

    repo: str
    path: str
    before: str | None
    after: str
    commit: str | None
    unread: str
    message: str
    cautions: tuple[str, ...]

    @property
    def preview(self) -> str:
        """What would be written: a card that is there as the lines that change, any other file whole."""
        state = "not read" if self.unread else "a new file" if self.before is None else "changed"
        if self.before == self.after:
            return f"{self.repo}: {self.path} (has these numbers already)\n"
        text = self.after
        if self.path == card.PATH and self.before is not None:
            lines = unified_diff(self.before.splitlines(), text.splitlines(), self.path, self.path, lineterm="")
            text = "\n".join(lines)
        return f"{self.repo}: {self.path} ({state})\n{text.rstrip()}\n"


def prepare(
    result: Result,
    repo: str,
    dataset: str,
    *,
    form: str = Form.EVAL_RESULTS,
    overwrite: bool = False,
    task: str | None = None,
    split: str | None = None,
    dataset_revision: str | None = None,
    source: str | None = None,
) -> Change:
    """Find out what publishing a result would write; nothing is sent.

    Args:
        result: what to publish.
        repo: the model's repository on the Hub, `ORG/MODEL`.
        dataset: the benchmark's repository on the Hub, `ORG/DATASET`.
        form: `eval-results`, or `model-index` in the model's card.
        overwrite: replace other values of the same measures.
        task: of `eval-results`; see `eval_result_entries`.
        split: of files of scores, which do not say it.
        dataset_revision: the commit of `dataset` whose data was evaluated.
        source: the address of what the numbers can be looked up in.

    Returns:
        the change; `unread` says why where the repository could not be read.

    Raises:
        ScirankError: the result may not be published, or the repository has other values.
    """
    form = Form(form)
    for what, name in (("model's", repo), ("dataset's", dataset)):
        if not HUB_NAME.fullmatch(name):
            raise ScirankError(f"the {what} repository {name!r}: expected ORG/NAME, as on the Hub")
    if task is not None and form is not Form.EVAL_RESULTS:
        raise ScirankError("task (--task) is for the form eval-results")
    claim = claim_of(result, split)
    # Before anything is read: whether it may be published needs no network.
    if form is Form.EVAL_RESULTS:
        path = eval_results.path_of(claim)
        entries = eval_results.entries_of(claim, dataset, task, dataset_revision, source)
        changed: _Changed = partial(eval_results.with_entries, entries=entries)
    else:
        path = card.PATH
        index = card.index_of(claim, dataset, repo.rpartition("/")[2], dataset_revision, source)
        changed = partial(card.with_results, index=index)
    before, commit, unread = None, None, ""
    try:
        commit, before = _read(repo, path)
    except ScirankError as error:
        unread = str(error)
    after, replaced = changed(before, overwrite=overwrite, where=f"{repo}: {path}")
    notes = [*cautions(claim, repo), *(f"replaced: {value}" for value in replaced)]
    if claim.absent:
        notes.append(f"of {claim.part}: the average, which is not {claim.published.title}'s, is left out")
    return Change(
        repo,
        path,
        before,
        after,
        commit,
        unread,
        f"Add {claim.published.title} results of scirank",
        tuple(notes),
    )


def push(change: Change, pr: bool = False) -> str:
    """Send a change as one commit, on top of the commit that was read.

    Args:
        change: what `prepare` found.
        pr: as a pull request.

    Returns:
        the address of the commit or pull request.

    Raises:
        ScirankError: saying why nothing was sent.
    """
    from huggingface_hub import CommitOperationAdd

    if change.unread:
        raise ScirankError(f"nothing was pushed: {change.unread}")
    if change.before == change.after:
        raise ScirankError(f"nothing to push: {change.repo} has these numbers already")
    with one_line(change.repo, prefix="nothing was pushed: ", denied="use one that may, or propose it (--pr)"):
        made = client().create_commit(
            change.repo,
            [CommitOperationAdd(change.path, change.after.encode())],
            commit_message=change.message,
            parent_commit=change.commit,
            create_pr=pr,
        )
    return made.pr_url or made.commit_url


def _read(repo: str, path: str) -> tuple[str, str | None]:
    """The newest commit of a model's repository, and a file's text in it."""
    with one_line(repo), tempfile.TemporaryDirectory() as folder:
        api = client()
        info = api.model_info(repo)
        if info.sha is None:
            raise ScirankError(f"the Hub names no commit of {repo}")
        if all(file.rfilename != path for file in info.siblings or ()):
            return info.sha, None
        file = api.hf_hub_download(repo, path, revision=info.sha, cache_dir=folder)
        return info.sha, Path(file).read_bytes().decode("utf-8-sig")
