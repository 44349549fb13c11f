"""Fill the caches of `datasets` and `evaluate`, so that the names work without an import of ours."""

import os
from pathlib import Path

from ..choices import Quotes
from ..errors import ScirankError
from ..progress import Progress
from .prepared import Part, Prepared


def prepare(
    what: Part | str = Part.ALL,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    quotes: Quotes | str | None = None,
    force: bool = False,
    quiet: bool = True,
) -> list[Prepared]:
    """Prepare names once; from then on they load in any process and folder, offline too.

    `load_dataset("mdcr", "Biology")`, `load_dataset("oagqa", "optics")` and `evaluate.load("mdcr_metric")`
    then need no import of ours. What is up to date stays; what files or code have outdated is replaced.

    Args:
        what: `mdcr`, `oagqa`, `metric`, or `all`.
        data_dir: folder with upstream's files, or OAG-QA's zip; None for the folder that MDCR_DATA_DIR
            or OAGQA_DATA_DIR names, else a download.
        quotes: of OAG-QA, what to do where a stray quote swallows rows; see `scirank.choices.Quotes`.
        force: prepare anew even what is up to date.
        quiet: show no progress.

    Returns:
        What is there now, in the order of `Part`.

    Raises:
        ScirankError: an unknown name, or an option that is not for it.
        MdcrDataError, OagqaDataError: the files are not there or cannot be read; the cache stays as it was.
    """
    parts = Part(what).parts
    quotes = None if quotes is None else str(Quotes(quotes))
    if quotes is not None and Part.OAGQA not in parts:
        raise ScirankError("quotes are for oagqa")
    if data_dir is not None and parts == (Part.METRIC,):
        raise ScirankError("the metric has no data; data_dir is for mdcr and oagqa")
    if data_dir is not None and len(parts) > 1:
        _check_both(Path(data_dir).expanduser())
    progress = Progress(quiet)
    done = []
    for part in parts:
        if part is Part.METRIC:
            from .prepare_metric import prepare_metric

            done.append(prepare_metric(force, progress))
        else:
            from .prepare_dataset import prepare_dataset

            folder = None if data_dir is None else Path(data_dir)
            done.append(prepare_dataset(str(part), folder, quotes if part is Part.OAGQA else None, force, progress))
    return done


def status(what: Part | str = Part.ALL) -> list[Prepared]:
    """What is prepared, from where and by what, and whether it is still right. Nothing is changed.

    Args:
        what: as `prepare` takes it.

    Raises:
        ScirankError: an unknown name.
    """
    from .prepare_dataset import dataset_status
    from .prepare_metric import metric_status

    return [metric_status() if part is Part.METRIC else dataset_status(str(part)) for part in Part(what).parts]


def _check_both(data_dir: Path) -> None:
    """Refuse a folder that holds one benchmark only before the work on it begins."""
    from mdcr_dataset import find_files
    from oagqa_dataset import find_topics

    try:
        find_files(data_dir)
        find_topics(data_dir)
    except ValueError as error:
        raise ScirankError(
            f"for 'all', data_dir has to hold the files of both; prepare mdcr and oagqa one by one, "
            f"or set MDCR_DATA_DIR and OAGQA_DATA_DIR. {error}"
        ) from error
