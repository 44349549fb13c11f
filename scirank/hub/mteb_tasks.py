"""The benchmarks as tasks of MTEB, for `mteb.evaluate`."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..benchmarks import Benchmark, load_benchmark
from ..choices import MissingText, NoRelevant, Split
from ..errors import ScirankError

if TYPE_CHECKING:
    from .mteb_task import BenchmarkTask, ExportedTask


def mdcr_tasks(
    fields: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    split: str = Split.TEST,
    *,
    missing_text: str = MissingText.ERROR,
    no_relevant: str = NoRelevant.ERROR,
    template: str | None = None,
) -> "list[BenchmarkTask]":
    """MDCR as a task of MTEB: a subset a field, in which each query's candidates are ranked.

    Args:
        fields: those wanted; all by default.
        data_dir: a folder with upstream's files; else the environment variable MDCR_DATA_DIR, else
            they are downloaded.
        split: `test` or `validation`.
        missing_text: what to do about a listed paper without a record, as in `load_benchmark`.
        no_relevant: see `tasks_of`.
        template: see `tasks_of`.

    Returns:
        one task, which `mteb.evaluate(model, tasks)` takes.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: MTEB is not installed, or what is wrong with choices or files.
    """
    check_mteb()
    benchmark = load_benchmark("mdcr", split=split, groups=fields, data_dir=data_dir, missing_text=missing_text)
    return tasks_of(benchmark, template=template, no_relevant=no_relevant)


def oagqa_tasks(
    topics: str | Sequence[str] | None = None,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    disciplines: str | Sequence[str] | None = None,
    quotes: str | None = None,
    template: str | None = None,
) -> "list[BenchmarkTask]":
    """OAG-QA as a task of MTEB: a subset a topic, all of whose papers are ranked for each question.

    Args:
        topics: those wanted; all by default.
        data_dir: a folder with upstream's files, or the zip; else the environment variable
            OAGQA_DATA_DIR, else it is downloaded.
        disciplines: also the topics of these.
        quotes: what to do where a stray quote swallows rows, as in `load_benchmark`.
        template: see `tasks_of`.

    Returns:
        one task, which `mteb.evaluate(model, tasks)` takes.

    Raises:
        ScirankError, oagqa_dataset.OagqaDataError: MTEB is not installed, or what is wrong with choices or files.
    """
    check_mteb()
    benchmark = load_benchmark("oagqa", groups=topics, disciplines=disciplines, data_dir=data_dir, quotes=quotes)
    return tasks_of(benchmark, template=template)


def tasks_of(
    benchmark: str | Benchmark, *, template: str | None = None, no_relevant: str = NoRelevant.ERROR
) -> "list[BenchmarkTask]":
    """A benchmark as a task of MTEB.

    Args:
        benchmark: what `load_benchmark` returned, or a name such as `mdcr-mini`.
        template: the text of a paper, from the fields `{title}` and `{abstract}`, or `dpr`, which is
            `{title} [SEP] {abstract}`; by default MTEB joins the two by a blank.
        no_relevant: of MDCR: `error`, `zero` or `skip` for a query without a relevant candidate.

    Returns:
        one task, which `mteb.evaluate(model, tasks)` takes.

    Raises:
        ScirankError: MTEB is not installed, or what is wrong with the choices.
    """
    check_mteb()
    from .mteb_task import task_of

    if isinstance(benchmark, str):
        benchmark = load_benchmark(benchmark)
    return [task_of(benchmark, template, NoRelevant(no_relevant))]


def exported_tasks(
    repository: str | os.PathLike[str],
    revision: str | None = None,
    *,
    groups: str | Sequence[str] | None = None,
    split: str = Split.TEST,
) -> "list[ExportedTask]":
    """What `scirank export` wrote as a task of MTEB, whose own loader reads it.

    Args:
        repository: the folder, or the name of the dataset on the Hub.
        revision: of a dataset on the Hub: a commit; by default its present one.
        groups: the fields or topics wanted; all by default.
        split: `test` or, of MDCR, `validation`.

    Returns:
        one task, which `mteb.evaluate(model, tasks)` takes.

    Raises:
        ScirankError: MTEB is not installed, there is no such export, or not these groups in it.
    """
    check_mteb()
    from .mteb_task import task_of_export

    wanted = [groups] if isinstance(groups, str) else None if groups is None else list(groups)
    return [task_of_export(os.fspath(repository), revision, wanted, Split(split))]


def check_mteb() -> None:
    """Raise ScirankError where MTEB is not installed."""
    if find_spec("mteb") is None:
        raise ScirankError("this needs MTEB: pip install 'scirank[mteb]'")
