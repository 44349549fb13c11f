"""What is needed to get a number again."""

import hashlib
import os
from typing import Any

PACKAGES = (
    "scirank",
    "bm25s",
    "datasets",
    "evaluate",
    "huggingface_hub",
    "numpy",
    "PyStemmer",
    "pytrec_eval-terrier",
    "sentence-transformers",
    "tokenizers",
    "torch",
    "transformers",
)


def sha256(data: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def environment() -> dict[str, Any]:
    """Versions of packages, the machine, and the time (UTC)."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import PackageNotFoundError, version

    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "packages": versions,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
    }


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not everywhere
        return None


def _processor() -> str:
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
