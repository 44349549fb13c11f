"""The benchmark that a result is of, read again for its texts."""

import os

from ..benchmarks import Benchmark, load_benchmark
from ..choices import MissingText, Split
from ..errors import ScirankError, shown
from ..results import Result
from ..results.comparability import data_differs


def needs_download(result: Result, data_dir: str | os.PathLike[str] | None) -> bool:
    """Whether a result's benchmark would be downloaded if it were read."""
    if data_dir is not None or result.benchmark.endswith("-mini"):
        return False
    if result.asks_questions:
        from oagqa_dataset import data_folder as of_questions

        return of_questions(None) is None
    from mdcr_dataset import data_folder

    return data_folder(None) is None


def benchmark_of(result: Result, data_dir: str | os.PathLike[str] | None = None) -> Benchmark:
    """Load what a result was made from.

    Args:
        result: any result.
        data_dir: as of `load_benchmark`.

    Raises:
        ScirankError: the files there are not those that the result is of, or cannot be read.
    """
    settings = result.provenance["settings"]
    names = ("missing_text", "quotes", "top_k")
    options = {name: settings[name] for name in names if settings.get(name) is not None}
    if not result.asks_questions:  # scores can be of papers that there is no text of
        options.setdefault("missing_text", MissingText.EMPTY)
    splits = [result.split] if result.split else [Split.TEST, Split.VALIDATION]  # files of scores do not say which
    problems = []
    for split in splits:
        try:
            loaded = load_benchmark(
                result.benchmark, split=split, groups=list(result.groups), data_dir=data_dir, **options
            )
        except ValueError as error:
            if len(splits) == 1:
                raise
            problems.append(str(error))
            continue
        changed = data_differs(result.provenance["data_sha256"], loaded.data_sha256)
        if not changed:
            return loaded
        problems.append(f"SHA-256 of {shown(changed)} is another than when {result.model} was evaluated ({split})")
    raise ScirankError(
        f"these are not the files that the result is of: {'; '.join(problems)}. Choose data_dir (--data-dir)"
    )
