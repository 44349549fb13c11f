"""Makes the name "mdcr_metric" known to `evaluate`, whenever that library is imported.

`evaluate` looks for a bare name in the working folder and on the Hub, never among installed
packages, so the one function where its loading functions resolve a name is wrapped, for ours only.
"""

import functools
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HERE = os.path.dirname(os.path.realpath(__file__))
FACTORY = "evaluation_module_factory"
DEFINED_IN = "evaluate.loading"
IMPORTED_BY = ("evaluate.inspect", "evaluate.evaluation_suite")


def register() -> None:
    """Wrap the factory: at once where `evaluate` is loaded, else as soon as it is."""
    if DEFINED_IN in sys.modules:
        for name in (DEFINED_IN, *IMPORTED_BY):
            if hasattr(sys.modules.get(name), FACTORY):
                _wrap_factory(sys.modules[name])
    else:
        sys.meta_path.insert(0, _WrapOnImport())


class _WrapOnImport:
    """Finds `evaluate.loading` as Python would, and wraps the factory once the module has run."""

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
    if getattr(factory, "knows_mdcr_metric", False):
        return

    @functools.wraps(factory)
    def evaluation_module_factory(path: Any, *args: Any, **kwargs: Any) -> Any:
        # A folder of that name here wins, as for every evaluate module.
        if path == "mdcr_metric" and not os.path.isfile("mdcr_metric/mdcr_metric.py"):
            path = HERE
        return factory(path, *args, **kwargs)

    evaluation_module_factory.knows_mdcr_metric = True  # type: ignore[attr-defined]
    setattr(module, FACTORY, evaluation_module_factory)
