"""Wraps a function of a library, whenever that library is imported.

Neither `datasets` nor `evaluate` has a plugin mechanism, but each has one function in which all its
loading functions look a name up.
"""

import functools
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Factory:
    """A library's function: its name, the module that defines it, those that import it by name."""

    name: str
    defined_in: str
    imported_by: Sequence[str]


DATASET_FACTORY = Factory("dataset_module_factory", "datasets.load", ("datasets.inspect", "datasets.commands.test"))
METRIC_FACTORY = Factory(
    "evaluation_module_factory", "evaluate.loading", ("evaluate.inspect", "evaluate.evaluation_suite")
)


def wrap(factory: Factory, key: str, wrapper: Callable[[Function], Function]) -> None:
    """Wrap a function once: now where its module is loaded, else as soon as it is.

    Args:
        factory: what to wrap.
        key: whose wrapping this is; a second one with the same key does nothing.
        wrapper: gets the function, gives what takes its place.
    """
    if factory.defined_in in sys.modules:
        for name in (factory.defined_in, *factory.imported_by):
            if hasattr(sys.modules.get(name), factory.name):
                _wrap_in(sys.modules[name], factory.name, key, wrapper)
    else:
        sys.meta_path.insert(0, _WrapOnImport(factory, key, wrapper))


def _wrap_in(module: ModuleType, name: str, key: str, wrapper: Callable[[Function], Function]) -> None:
    function = getattr(module, name)
    knows = f"knows_{key}"
    if not hasattr(function, knows):
        wrapped = functools.wraps(function)(wrapper(function))
        setattr(wrapped, knows, True)
        setattr(module, name, wrapped)


class _WrapOnImport:
    """Finds a module as Python would, and wraps the function in it once the module has run."""

    def __init__(self, factory: Factory, key: str, wrapper: Callable[[Function], Function]) -> None:
        self.factory, self.key, self.wrapper = factory, key, wrapper

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name != self.factory.defined_in:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            run = spec.loader.exec_module

            def run_and_wrap(module: ModuleType) -> None:
                run(module)
                _wrap_in(module, self.factory.name, self.key, self.wrapper)

            spec.loader.exec_module = run_and_wrap  # type: ignore[method-assign]
        return spec
