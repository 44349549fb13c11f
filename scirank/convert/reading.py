"""Reading a checkpoint as data: nothing that a file names is run."""

import re
import zipfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from ..errors import ScirankError

ALLOWED = (Namespace,)
"""What a file may hold beyond tensors and plain containers: parsed options, an object with attributes and no code.

Upstream's options are texts, numbers and booleans only; optimizers and schedulers save plain containers.
"""
FOREIGN = re.compile(r"GLOBAL (\S+) (?:was not an allowed global|whose module)")


def read_checkpoint(path: Path) -> Mapping[str, Any]:
    """The content of a file that `torch.save` wrote, in its present format or in that before version 1.6.

    Raises:
        ScirankError: there is no such file, or it is none of these, is damaged, or holds more than data.
    """
    if not path.is_file():
        raise ScirankError(f"{path}: no such file; expected a checkpoint, such as dpr_biencoder.39.1045 or colbert.dnn")
    try:
        with torch.serialization.safe_globals(list(ALLOWED)):
            # A mapped file's optimizer state, twice the size of the weights, is never read.
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:  # what a damaged file ends in can be an exception of any kind
        raise ScirankError(f"{path}: {_reason(error)}") from error
    if not isinstance(content, Mapping):
        raise ScirankError(f"{path}: expected a dictionary of weights, found {type(content).__name__}")
    return content


def _reason(error: Exception) -> str:
    if found := FOREIGN.search(str(error)):
        return (
            f"it holds {found[1]}, which would be run as code; only weights and plain values are accepted, and the "
            "file was not read. Where you trust it, load it with what wrote it and save its state dict alone"
        )
    return "expected a file that torch.save wrote; it is another one, cut off, or damaged, and was not read"
