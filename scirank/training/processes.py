"""The processes that torchrun or accelerate started, as their environment says."""

import os


def is_first_process() -> bool:
    """Whether this is the first of them, or the only one."""
    return os.environ.get("RANK", "0") == "0"


def process_count() -> int:
    """How many there are."""
    return int(os.environ.get("WORLD_SIZE", "1"))
