"""Makes the name "mdcr" known to `datasets`, whenever that library is imported.

`datasets` has no plugin mechanism; its public `dataset_module_factory` is where every loading
function resolves a name, so that one function is wrapped, for our name only.
"""

import functools
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
BUILDER = HERE / "mdcr_dataset.py"
FACTORY = "dataset_module_factory"
DEFINED_IN = "datasets.load"
IMPORTED_BY = ("datasets.inspect", "datasets.commands.test")


def register() -> None:
    """Wrap the factory: at once where `datasets` is loaded, else as soon as it is."""
    if DEFINED_IN in sys.modules:
        for name in (DEFINED_IN, *IMPORTED_BY):
            if hasattr(sys.modules.get(name), FACTORY):
                _wrap_factory(sys.modules[name])
    else:
        sys.meta_path.insert(0, _WrapOnImport())


class _WrapOnImport:
    """Finds `datasets.load` as Python would, and wraps the factory once the module has run."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name != DEFINED_IN:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            run = spec.loader.exec_module

            def run_and_wrap(module: ModuleType) -> None:
                run(module)
                _wrap_factory(module)

            spec.loader.exec_module = run_and_wrap  # type: ignore[method-assign]
        return spec


def _wrap_factory(module: ModuleType) -> None:
    factory = getattr(module, FACTORY)
    if getattr(factory, "knows_mdcr", False):
        return

    @functools.wraps(factory)
    def dataset_module_factory(path: Any, *args: Any, **kwargs: Any) -> Any:
        data_dir = kwargs.get("data_dir")
        return _our_module(data_dir) if _is_ours(os.fspath(path), data_dir) else factory(path, *args, **kwargs)

    dataset_module_factory.knows_mdcr = True  # type: ignore[attr-defined]
    setattr(module, FACTORY, dataset_module_factory)


def _is_ours(path: str, data_dir: object) -> bool:
    if path == "mdcr":
        # A dataset repository in Parquet of that name in the working folder wins; a folder with upstream's own files,
        # often called so too, does not.
        return data_dir is not None or not any(Path(path).rglob("*.parquet"))
    return path == "mdcr_dataset" or Path(path).resolve() in (HERE, BUILDER)


def _our_module(data_dir: str | os.PathLike[str] | None) -> Any:
    from datasets.load import BuilderConfigsParameters, DatasetModule

    from .mdcr_dataset import configs_of

    configs = BuilderConfigsParameters(builder_configs=configs_of(data_dir), default_config_name="all")
    return DatasetModule("mdcr_dataset.mdcr_dataset", _code_hash(), {"dataset_name": "mdcr"}, configs)


def _code_hash() -> str:
    """Names the cache folder, so that data made by other code is not reused."""
    import hashlib

    import datasets

    # A cache written by datasets 4 or later cannot be read by 3.
    major = datasets.__version__.split(".")[0].encode()
    code = b"".join(path.read_bytes() for path in sorted(HERE.glob("*.py")))
    return hashlib.sha256(major + code).hexdigest()
