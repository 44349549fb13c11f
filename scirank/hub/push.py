"""A folder as a repository on the Hub: the repository is read, the difference shown, and then sent as one commit."""

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ScirankError, counted
from .errors import client, one_line
from .push_files import Folder, LocalFile, dataset_folder, metric_folder

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoSibling

NOTHING = "nothing was pushed: "


@dataclass(frozen=True)
class Plan:
    """What a push would do.

    Attributes:
        repo: the repository, `ORG/NAME`.
        kind: `dataset` or `space`.
        address: where it is, or will be.
        new: files that the repository does not have.
        changed: files that it has with another content.
        same: how many it has as they are here.
        deleted: what it has and the folder has not.
        exists: whether there is such a repository.
        commit: its newest commit, which was read.
        private: whether it is private, or would be; None where the Hub's default decides.
    """

    repo: str
    kind: str
    address: str
    new: tuple[LocalFile, ...]
    changed: tuple[LocalFile, ...]
    same: int
    deleted: tuple[str, ...]
    exists: bool
    commit: str | None
    private: bool | None

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to send."""
        return bool(self.new or self.changed or self.deleted or not self.exists)

    @property
    def preview(self) -> str:
        """What would be created, changed and deleted, and where."""
        seen = {True: "private", False: "public", None: "public, unless the organisation's default is private"}
        rows = [(file.path, f"{file.size:,}", "new") for file in self.new]
        rows += [(file.path, f"{file.size:,}", "changed") for file in self.changed]
        rows += [(path, "", "deleted") for path in self.deleted]
        longest = max((len(path) for path, _, _ in rows), default=0)
        widest = max((len(size) for _, size, _ in rows), default=0)
        lines = [f"  {path:{longest}}  {size:>{widest}}  {what}" for path, size, what in sorted(rows)]
        sent = self.new + self.changed
        total = f"{counted(len(sent), 'file', 'files')} to send, {sum(file.size for file in sent):,} bytes"
        total += f"; {len(self.deleted):,} to delete; {self.same:,} there already\n"
        state = "" if self.exists else "a new repository, "
        return "\n".join([f"{self.address} ({state}{seen[self.private]})", *lines, total])


def plan_dataset(
    folder: str | os.PathLike[str], repo: str, *, private: bool = False, may_redistribute: bool = False
) -> Plan:
    """Find out what pushing an exported dataset would do; nothing is sent.

    What the repository has and the folder has not would be deleted, but for hidden files such as `.gitattributes`.

    Args:
        folder: what `export_dataset` wrote.
        repo: the repository, `ORG/NAME`.
        private: create it as a private one.
        may_redistribute: whoever pushes says that the texts may be given to others. Not needed for
            the invented papers of mini.

    Raises:
        ScirankError: saying what is wrong with the folder, or what the Hub answered.
    """
    _check_name(repo)
    found = dataset_folder(folder)
    if not (found.invented or may_redistribute):
        raise ScirankError(
            f"{NOTHING}{found.path} holds titles and abstracts of other people's papers, for which no licence is "
            "known. Find out whether you may give them to others, and then say so (--i-may-redistribute); only the "
            "invented papers of mdcr-mini and oagqa-mini need no such word"
        )
    return _plan(found, repo, "dataset", private)


def plan_metric(repo: str, folder: str | os.PathLike[str] | None = None, *, private: bool = False) -> Plan:
    """Find out what pushing the metric's Space would do; nothing is sent, and nothing would be deleted.

    Args:
        repo: the Space, `ORG/NAME`.
        folder: where the metric is; by default the installed package mdcr_metric.
        private: create it as a private one.

    Raises:
        ScirankError: saying what is wrong with the folder, or what the Hub answered.
    """
    _check_name(repo)
    return _plan(metric_folder(folder), repo, "space", private)


def push(plan: Plan) -> str:
    """Do what was planned: create the repository if there is none, and send all as one commit.

    Args:
        plan: what `plan_dataset` or `plan_metric` found. If the repository has changed since, the Hub refuses.

    Returns:
        the address of the commit.

    Raises:
        ScirankError: saying why nothing was sent.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    if not plan.is_needed:
        raise ScirankError(f"nothing to push: {plan.address} has all of it already")
    api, commit = client(), plan.commit
    if not plan.exists:
        commit = _created(plan)
    # A commit of our own: huggingface_hub's upload_folder may cut a large one into several.
    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        CommitOperationDelete(path, is_folder=False) for path in plan.deleted
    ]
    try:
        with one_line(plan.repo, plan.kind, NOTHING):
            operations += [CommitOperationAdd(file.path, file.source) for file in plan.new + plan.changed]
            made = api.create_commit(
                plan.repo,
                operations,
                repo_type=plan.kind,
                commit_message=f"Update by scirank push ({counted(len(operations), 'file', 'files')})",
                parent_commit=commit,
            )
    except ScirankError as error:
        raise error if plan.exists else ScirankError(f"{error} ({plan.address} itself was created)") from None
    return made.commit_url


def _created(plan: Plan) -> str | None:
    """Create the repository; gives its first commit."""
    organisation = plan.repo.partition("/")[0]
    refused = (
        f"no {plan.kind} can be created in {organisation}: name yourself, or an organisation that exists and in which "
        "your token may write"
    )
    with one_line(plan.repo, plan.kind, NOTHING, missing=refused, denied=refused):
        client().create_repo(
            plan.repo,
            repo_type=plan.kind,
            private=plan.private,
            space_sdk="gradio" if plan.kind == "space" else None,
        )
        return client().repo_info(plan.repo, repo_type=plan.kind).sha


def _plan(folder: Folder, repo: str, kind: str, private: bool) -> Plan:
    from huggingface_hub import constants
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    address = f"{constants.ENDPOINT}/{kind}s/{repo}"
    with one_line(repo, kind, NOTHING):
        try:
            look = client().dataset_info if kind == "dataset" else client().space_info
            info = look(repo, files_metadata=True)
        except GatedRepoError:
            raise
        except RepositoryNotFoundError:
            return Plan(repo, kind, address, folder.files, (), 0, (), False, None, private or None)
    if private and not info.private:
        raise ScirankError(
            f"{NOTHING}{address} is public already; --private is for one that is created. Change it in its settings"
        )
    there = {file.rfilename: file for file in info.siblings or ()}
    new = tuple(file for file in folder.files if file.path not in there)
    changed = tuple(file for file in folder.files if file.path in there and not _is_same(file, there[file.path]))
    gone = there.keys() - {file.path for file in folder.files}
    deleted = sorted(path for path in gone if kind == "dataset" and not path.startswith("."))
    same = len(folder.files) - len(new) - len(changed)
    return Plan(repo, kind, address, new, changed, same, tuple(deleted), True, info.sha, bool(info.private))


def _is_same(here: LocalFile, there: "RepoSibling") -> bool:
    """By the hash that the Hub keeps: of what lies in git, git's; of large files the content's."""
    if there.size != here.size:
        return False
    if there.lfs is not None:
        with here.source.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == there.lfs.sha256
    content = here.source.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest() == there.blob_id


def _check_name(repo: str) -> None:
    from ..publishing.claims import HUB_NAME

    if not HUB_NAME.fullmatch(repo):
        raise ScirankError(f"the repository {repo!r}: expected ORG/NAME, as on the Hub")
