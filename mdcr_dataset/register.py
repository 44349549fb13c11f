"""Makes the name "mdcr" known to `datasets`, whenever that library is imported.

`datasets` has no plugin mechanism; its public `dataset_module_factory` is where every loading
function resolves a name, so that one function is wrapped, for our name only.
"""

import hashlib
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import wrapt

HERE = Path(__file__).resolve().parent
BUILDER = HERE / "mdcr_dataset.py"


def register() -> None:
    """Wrap the factory in each module of `datasets` that holds it, now or when it is imported."""
    for module in ("datasets.load", "datasets.inspect", "datasets.commands.test"):
        wrapt.register_post_import_hook(_wrap_factory, module)


def _wrap_factory(module: ModuleType) -> None:
    if hasattr(module, "dataset_module_factory"):
        module.dataset_module_factory = wrapt.FunctionWrapper(module.dataset_module_factory, _resolve)


def _resolve(factory: Any, _instance: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    path = args[0] if args else kwargs["path"]
    if not _is_ours(os.fspath(path)):
        return factory(*args, **kwargs)
    from datasets.load import BuilderConfigsParameters, DatasetModule

    from .mdcr_dataset import configs_of

    configs = BuilderConfigsParameters(builder_configs=configs_of(kwargs.get("data_dir")), default_config_name="all")
    return DatasetModule("mdcr_dataset.mdcr_dataset", _code_hash(), {"dataset_name": "mdcr"}, configs)


def _is_ours(path: str) -> bool:
    if path == "mdcr":
        return not os.path.isdir(path)  # a data folder of that name here wins, as for every dataset
    return path == "mdcr_dataset" or Path(path).resolve() in (HERE, BUILDER)


def _code_hash() -> str:
    """Names the cache folder, so that data made by older code is not reused."""
    code = b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))
    return hashlib.sha256(code).hexdigest()
