"""A dataset whose configs and cache follow from the files of a folder."""

import os
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import datasets
from datasets.naming import INVALID_WINDOWS_CHARACTERS_IN_PATH

DataDir = str | os.PathLike[str] | None


@dataclass
class FolderConfig(datasets.BuilderConfig):
    """A config that is read from the files of `data_dir`, or from a download where that is None."""

    def files(self) -> Iterable[str]:
        """The paths of the files in `data_dir`."""
        raise NotImplementedError

    def create_config_id(self, config_kwargs: dict[str, Any], custom_features: datasets.Features | None = None) -> str:
        """Name the cache folder after the files' state too, so that changed files are read anew."""
        if self.data_dir is not None:
            state = [
                (os.path.realpath(path), os.stat(path).st_size, os.stat(path).st_mtime_ns) for path in self.files()
            ]
            config_kwargs = {key: value for key, value in config_kwargs.items() if key != "data_dir"} | {
                "files": str(state)
            }
        config_id: str = super().create_config_id(config_kwargs, custom_features)
        return config_id


def can_be_config(name: str) -> bool:
    """Whether a folder, which is where a config is kept, can have this name."""
    return bool(name) and not set(name) & set(INVALID_WINDOWS_CHARACTERS_IN_PATH)


class _ConfigsByName:
    """`builder_configs`: of a class what upstream publishes, of an instance what its folder holds.

    `datasets` looks a config's name up here. Loading by name goes by `register_dataset`, which knows
    the folder before the builder does; a loading script or the class used directly has only this.
    """

    def __get__(self, builder: "FolderBuilder | None", cls: "type[FolderBuilder]") -> dict[str, FolderConfig]:
        configs: list[FolderConfig] = (cls if builder is None else builder).BUILDER_CONFIGS  # type: ignore[misc]
        return {config.name: config for config in configs}


class FolderBuilder(datasets.ArrowBasedBuilder):
    """A builder whose `BUILDER_CONFIGS` are those of the folder that it is made with."""

    DATA_ERROR: type[ValueError]
    BUILDER_CONFIGS: list[FolderConfig]
    builder_configs = _ConfigsByName()

    def __init__(self, *args: Any, data_dir: DataDir = None, **kwargs: Any) -> None:
        if kwargs.get("data_files") is not None:
            raise self.DATA_ERROR("this dataset takes no data_files; pass the folder of upstream's files as data_dir")
        folder = self.data_folder(data_dir)
        self.BUILDER_CONFIGS = self.configs_of(folder)
        super().__init__(*args, data_dir=None if folder is None else os.fspath(folder), **kwargs)

    @staticmethod
    @abstractmethod
    def data_folder(data_dir: DataDir) -> DataDir:
        """Where the files are; None where they have to be downloaded."""

    @staticmethod
    @abstractmethod
    def configs_of(data_dir: DataDir) -> list[Any]:
        """The configs of a folder, the default one being `all`."""
