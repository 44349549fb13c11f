"""Options as users give them, in Python and on the command line: of a model, and of loading a benchmark."""

from typing import Any

from .benchmarks import Benchmark, load_benchmark
from .choices import Benchmark as Names
from .choices import Recipe
from .errors import ScirankError
from .fit import check_choices
from .models import ModelOptions

LOADING = ("split", "groups", "data_dir", "missing_text", "disciplines", "top_k", "quotes")
"""The arguments of `load_benchmark`."""

RECIPES: dict[Recipe, dict[str, Any]] = {
    # What AI2's mdcr.py does (github.com/allenai/scirepeval), which made SPECTER2's published rows.
    Recipe.SCIREPEVAL: {"pooling": "cls", "similarity": "euclidean", "max_length": 512},
}
"""Named sets of options, for `like`; an option given beside it wins."""


def model_options(like: str | None = None, **options: Any) -> ModelOptions:
    """Options as given, over those of a recipe."""
    recipe = RECIPES[Recipe(like)] if like else {}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return ModelOptions(**(recipe | given))
    except TypeError as error:
        valid = ", ".join([*ModelOptions.__dataclass_fields__, *LOADING])
        raise TypeError(f"unknown option among {', '.join(options)}; valid are {valid}") from error


def chosen(
    benchmark: str | Benchmark, like: str | None, options: dict[str, Any], *choices: Any
) -> tuple[Benchmark, ModelOptions]:
    """The benchmark, loaded where it is named, and a model's options, after all choices were checked.

    Args:
        benchmark: a name, or what `load_benchmark` returned.
        like: a recipe.
        options: of loading and of the model.
        choices: what else `check_choices` looks at.

    Raises:
        ScirankError: choices that do not fit, or options of loading beside a loaded benchmark.
    """
    of_loading = {key: options[key] for key in options if key in LOADING}
    of_model = model_options(like, **{key: options[key] for key in options if key not in LOADING})
    if not isinstance(benchmark, str):
        if of_loading:
            raise ScirankError(f"{', '.join(of_loading)}: for load_benchmark, where this benchmark came from")
        check_choices(benchmark.name, benchmark.asks_questions, of_model, *choices)
        return benchmark, of_model
    check_choices(benchmark, Names(benchmark).asks_questions, of_model, *choices)
    return load_benchmark(benchmark, **of_loading), of_model
