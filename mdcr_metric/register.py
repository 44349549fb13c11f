"""Makes the name "mdcr_metric" known to `evaluate`, whenever that library is imported.

`evaluate` looks for a bare name in the working folder and on the Hub, never among installed
packages, so the one function where its loading functions resolve a name is wrapped, for ours only.
"""

import os
from types import ModuleType
from typing import Any

import wrapt

HERE = os.path.dirname(os.path.realpath(__file__))


def register() -> None:
    """Wrap the factory in each module of `evaluate` that holds it, now or when it is imported."""
    for module in ("evaluate.loading", "evaluate.inspect", "evaluate.evaluation_suite"):
        wrapt.register_post_import_hook(_wrap_factory, module)


def _wrap_factory(module: ModuleType) -> None:
    if hasattr(module, "evaluation_module_factory"):
        module.evaluation_module_factory = wrapt.FunctionWrapper(module.evaluation_module_factory, _resolve)


def _resolve(factory: Any, _instance: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    path, *rest = args or (kwargs.pop("path"),)
    # A folder of that name here wins, as for every evaluate module.
    if path == "mdcr_metric" and not os.path.isfile("mdcr_metric/mdcr_metric.py"):
        path = HERE
    return factory(path, *rest, **kwargs)
