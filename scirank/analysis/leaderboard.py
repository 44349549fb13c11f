"""All results under a folder, those that can be compared on one board, published rows beside them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ScirankError
from ..results import PublishedRow, published_rows
from ..results.comparability import FILES
from ..results.published import caveat
from ..results.result import title_of
from ..results.schema import SavedResult, read_saved
from ..results.summary import headline_of, measures_in


@dataclass(frozen=True)
class Entry:
    """A saved result on a board: its average over groups in percent, and where it is."""

    model: str
    folder: Path
    average: dict[str, float]
    seconds: float | None
    time: str
    saved: SavedResult


@dataclass(frozen=True)
class Board:
    """Results of the same queries, data and rules, best first.

    Attributes:
        title: what they are of.
        measures: the first one orders the board.
        entries: the results.
        published: rows of papers.
        caveat: why these rows cannot be compared with the results; empty where they can.
    """

    title: str
    measures: tuple[str, ...]
    entries: tuple[Entry, ...]
    published: tuple[PublishedRow, ...]
    caveat: str


def leaderboard(folder: str | os.PathLike[str]) -> tuple[list[Board], list[str]]:
    """Read every result under a folder.

    Returns:
        the boards, that with the most results first; and what was found and could not be read.

    Raises:
        ScirankError: there is no result.
    """
    boards: dict[Any, list[Entry]] = {}
    unreadable = []
    for path in sorted(Path(folder).rglob("result.json")):
        try:
            saved = read_saved(path)
        except ScirankError as error:
            unreadable.append(str(error))
            continue
        boards.setdefault(_what_of(saved), []).append(_entry(path.parent, saved))
    if not boards:
        raise ScirankError(f"no result.json under {folder}" + "".join(f"\n{line}" for line in unreadable))
    found = [_board(entries) for entries in boards.values()]
    return sorted(found, key=lambda board: (-len(board.entries), board.title)), unreadable


def _what_of(saved: SavedResult) -> Any:
    """What has to be the same on a board. Files of scores do not say which papers and split they are of; data does."""
    hashes = {k: v for k, v in saved.provenance.data_sha256.items() if k not in (*FILES, "papers")}
    queries = tuple(sorted((group, row["queries"]) for group, row in saved.summary["groups"].items()))
    return saved.benchmark, tuple(sorted(hashes.items())), saved.provenance.settings.get("ties"), queries


def _entry(folder: Path, saved: SavedResult) -> Entry:
    return Entry(
        model=saved.model,
        folder=folder,
        average={measure: saved.summary[measure] for measure in measures_in(saved.summary)},
        seconds=saved.provenance.ranking.get("wall_seconds"),
        time=saved.provenance.environment.get("time", ""),
        saved=saved,
    )


def _board(entries: Sequence[Entry]) -> Board:
    measures = list(dict.fromkeys(measure for entry in entries for measure in entry.average))
    headline = headline_of(measures)
    first = entries[0].saved
    ties = first.provenance.settings.get("ties")
    ordered = sorted(entries, key=lambda entry: (-entry.average.get(headline, -1.0), entry.model))
    published = [] if "averages" in first.summary else published_rows(first.benchmark.removesuffix("-mini"))
    return Board(
        title=title_of(first.benchmark, first.split, first.summary)
        + ("" if ties in (None, "trec") else f", ties {ties}"),
        measures=(headline, *(measure for measure in measures if measure != headline)),
        entries=tuple(ordered),
        published=tuple(published),
        caveat=caveat(first.benchmark, first.split, first.summary["groups"], ties) if published else "",
    )
