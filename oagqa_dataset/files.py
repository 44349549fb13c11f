"""Where OAG-QA's files are: a folder, a zip (read where it is, never unpacked), or upstream's address."""

import lzma
import os
import re
import stat
import tempfile
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scirank.huggingface import downloads

from .errors import NotOagqaError, OagqaDataError
from .topics import TOPICS

ENVIRONMENT = "OAGQA_DATA_DIR"
UPSTREAM = "https://drive.google.com/uc?id=1jEAzWq_J0cXz1pvT9nQ2s2ooGdcR8r6-"
"""The authors' zip, from the README of PT-Retrieval (github.com/THUDM/P-tuning-v2)."""
ZIP_NAME = "oagqa-topic-v2.zip"
BY_HAND = (
    f"To do it by hand, open {UPSTREAM} in a browser, save the zip, and pass it (or the folder that it "
    f"unpacks to) as data_dir, or set {ENVIRONMENT} to it."
)

KINDS = {"papers": "-papers-10k.tsv", "questions": "-questions.tsv", "train": "-train.json"}
"""What a topic's files hold -> how their names end."""
# What zipfile and the decompressors raise where a zip is damaged, or of a kind that is not known.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    RuntimeError,
    UnicodeDecodeError,
)
LARGEST_FILE = 2 * 2**30
LARGEST_TOTAL = 20 * 2**30
"""Bytes that a zip may claim to hold; the real one is far smaller."""


@dataclass(frozen=True)
class DataFile:
    """A file in a folder, or a member of a zip."""

    path: str
    member: str | None = None

    def __str__(self) -> str:
        return self.path if self.member is None else f"{self.path}:{self.member}"

    def read(self) -> bytes:
        """All bytes. Raises OagqaDataError where a zip is damaged."""
        if self.member is None:
            return Path(self.path).read_bytes()
        try:
            with zipfile.ZipFile(self.path) as archive:
                return archive.read(self.member)
        except DAMAGED as error:
            raise NotOagqaError(f"{self}: cannot be unpacked ({error}); get the zip again") from error


@dataclass(frozen=True)
class TopicFiles:
    """The files of a topic; only some topics have questions for training."""

    topic: str
    papers: DataFile
    questions: DataFile
    train: DataFile | None = None


@dataclass(frozen=True)
class Found:
    """What a folder or zip holds: whole topics, those of the tree first, and files without their partner."""

    topics: dict[str, TopicFiles]
    incomplete: tuple[str, ...]


def data_folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    """The folder or zip to read: `data_dir`, else the environment variable OAGQA_DATA_DIR, else None."""
    folder = data_dir or os.environ.get(ENVIRONMENT)
    return Path(folder).expanduser() if folder else None


def find_topics(source: str | os.PathLike[str]) -> Found:
    """The topics that a folder or a zip holds, in it or in folders below.

    Raises:
        OagqaDataError: nothing is there, no topic is whole, a file is there twice, or the zip is
            damaged or holds what no data set needs: links, paths that leave the folder, absurd sizes.
    """
    source = os.fspath(source)
    if os.path.isdir(source):
        files = _in_folder(source)
    elif os.path.exists(source):
        files = _in_zip(source)
    else:
        raise NotOagqaError(f"{source}: expected a folder or a zip with OAG-QA's files, found nothing. {BY_HAND}")
    by_topic: dict[str, dict[str, DataFile]] = defaultdict(dict)
    names = []
    for name, file in files:
        names.append(name)
        for kind, ending in KINDS.items():
            topic = name.removesuffix(ending)
            if topic and topic != name:
                if kind in by_topic[topic]:
                    raise NotOagqaError(f"{source}: {name} is there twice: {by_topic[topic][kind]} and {file}")
                by_topic[topic][kind] = file
    whole = {topic: kinds for topic, kinds in by_topic.items() if {"papers", "questions"} <= kinds.keys()}
    if not whole:
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "") or "nothing"
        raise NotOagqaError(
            f"{source}: expected TOPIC-papers-10k.tsv and TOPIC-questions.tsv of a topic, found {shown}. {BY_HAND}"
        )
    order = {topic: place for place, topic in enumerate(TOPICS)}
    topics = sorted(whole, key=lambda topic: (order.get(topic, len(order)), topic))
    incomplete = [topic + KINDS[kind] for topic, kinds in by_topic.items() if topic not in whole for kind in kinds]
    return Found({topic: TopicFiles(topic, **whole[topic]) for topic in topics}, tuple(sorted(incomplete)))


def download(cache_dir: str | os.PathLike[str], force: bool = False) -> str:
    """Fetch upstream's zip into a cache folder, once; it is kept only if it holds topics.

    Raises:
        OagqaDataError: with the reason and the way by hand.
    """
    import datasets

    kept = os.path.join(cache_dir, ZIP_NAME)
    if os.path.isfile(kept) and not force:
        return kept
    if datasets.config.HF_HUB_OFFLINE:
        raise OagqaDataError(f"offline mode forbids the download of OAG-QA into {cache_dir}. {BY_HAND}")
    os.makedirs(cache_dir, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir, prefix=".oagqa-") as folder:
        fetched = os.path.join(folder, ZIP_NAME)
        try:
            import gdown

            gdown.download(UPSTREAM, fetched, use_cookies=False)
            find_topics(fetched)
        except Exception as error:  # gdown, requests and the file system each have errors of their own
            raise OagqaDataError(
                f"OAG-QA could not be downloaded: {type(error).__name__}: {_without(folder, error)}\n{BY_HAND}"
            ) from error
        os.replace(fetched, kept)
    return kept


@contextmanager
def discarding_bad_download(path: str, downloaded: bool, kind: type[OagqaDataError] = OagqaDataError) -> Iterator[None]:
    """While a zip is read: forget a download that is damaged or not OAG-QA, and tell the way by hand.

    A row that cannot be read is the data's fault, so then the zip stays.
    """
    try:
        with downloads.discarding_bad_download(path, downloaded, BY_HAND, NotOagqaError, kind):
            yield
    except kind:
        raise
    except OagqaDataError as error:
        raise kind(str(error)) from error


def _without(folder: str, error: Exception) -> str:
    """A message without the temporary folder, which is gone when it is read."""
    return re.sub(r"\s+", " ", str(error).replace(folder + os.sep, "").replace(f" {BY_HAND}", "")).strip()


def _in_folder(folder: str) -> Iterator[tuple[str, DataFile]]:
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and not _is_litter(path.relative_to(folder).as_posix()):
            yield path.name, DataFile(str(path))


def _in_zip(path: str) -> Iterator[tuple[str, DataFile]]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except DAMAGED as error:
        with open(path, "rb") as file:
            start = file.read(40)
        raise NotOagqaError(
            f"{path}: not a whole zip ({error}); it has {os.path.getsize(path):,} bytes and begins {start!r}. "
            "Expected a folder, or OAG-QA's zip; if it was downloaded, it may be cut off or a web page"
        ) from error
    if sum(member.file_size for member in members) > LARGEST_TOTAL:
        raise NotOagqaError(f"{path}: claims to hold more than {LARGEST_TOTAL:,} bytes; this is not OAG-QA")
    for member in members:
        if reason := _refused(member):
            raise NotOagqaError(f"{path}: {member.filename!r} {reason}; the zip is not used")
        name = member.filename.replace("\\", "/")  # as old tools on Windows separate folders
        if not member.is_dir() and not _is_litter(name):
            yield name.rpartition("/")[2], DataFile(path, member.filename)


def _refused(member: zipfile.ZipInfo) -> str | None:
    name = member.orig_filename.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        return "leaves the folder"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link"
    if member.file_size > LARGEST_FILE:
        return f"claims to have {member.file_size:,} bytes"
    if member.flag_bits & 1:
        return "is encrypted"
    return None


def _is_litter(name: str) -> bool:
    """What macOS and editors leave beside files."""
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))
