"""Makes the name of a dataset in an installed package known to `datasets`."""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .registration import DATASET_FACTORY, Function, wrap

HERE = Path(__file__).parent


def register_dataset(name: str, package: str, also: Sequence[str] = ()) -> None:
    """After this, `load_dataset(name)` uses the builder of a package.

    Args:
        name: such as `mdcr`; also the key under which the wrapping is known.
        package: such as `mdcr_dataset`; its module of the same name has the builder and
            `configs_of(data_dir)`.
        also: modules elsewhere that determine the rows.
    """

    def wrapper(factory: Function) -> Function:
        def dataset_module_factory(path: Any, *args: Any, **kwargs: Any) -> Any:
            data_dir = kwargs.get("data_dir")
            if _is_meant(os.fspath(path), name, package, data_dir):
                return _module(name, package, also, data_dir)
            return factory(path, *args, **kwargs)

        return dataset_module_factory

    wrap(DATASET_FACTORY, name, wrapper)


def _is_meant(path: str, name: str, package: str, data_dir: object) -> bool:
    if path == name:
        # A dataset repository in Parquet of that name in the working folder wins; a folder with upstream's own files,
        # often called so too, does not.
        return data_dir is not None or not any(Path(path).rglob("*.parquet"))
    folder = _folder(package)
    return path == package or Path(path).resolve() in (folder, folder / f"{package}.py")


def _module(name: str, package: str, also: Sequence[str], data_dir: str | os.PathLike[str] | None) -> Any:
    from datasets.load import BuilderConfigsParameters, DatasetModule

    builder = import_module(f"{package}.{package}")
    configs = BuilderConfigsParameters(builder_configs=builder.configs_of(data_dir), default_config_name="all")
    return DatasetModule(builder.__name__, _code_hash(package, also), {"dataset_name": name}, configs)


def _code_hash(package: str, also: Sequence[str]) -> str:
    """Names the cache folder, so that data made by other code is not reused."""
    import hashlib

    import datasets

    # A cache written by datasets 4 or later cannot be read by 3.
    major = datasets.__version__.split(".")[0].encode()
    files = [path for folder in (HERE, _folder(package)) for path in sorted(folder.glob("*.py"))]
    files += [Path(str(import_module(module).__file__)) for module in also]
    return hashlib.sha256(b"".join([major, *(path.read_bytes() for path in files)])).hexdigest()


def _folder(package: str) -> Path:
    return Path(str(import_module(package).__file__)).resolve().parent
