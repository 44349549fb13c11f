"""Boards of results, for the eye and as text."""

import csv
import io
import json
from collections.abc import Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from ..analysis.leaderboard import Board, Entry
from ..progress import duration
from .formats import label, latex, markdown

HEADS = ("time", "where")


def print_boards(boards: Sequence[Board], console: Console) -> None:
    """Print a table a board: results and published rows together where they can be compared, else apart."""
    for board in boards:
        console.print(board.title, style="bold", soft_wrap=True)
        table = _empty(board)
        for row in _rows(board):
            table.add_row(*row, style="dim" if row[-1].startswith("published") else "")
        console.print(table)
        if board.published and board.caveat:
            console.print(f"Published, not comparable: {board.caveat}", style="bold", soft_wrap=True)
            table = _empty(board)
            for row in _published(board):
                table.add_row(*row)
            console.print(table)


def as_markdown(boards: Sequence[Board]) -> str:
    """A table a board."""
    parts = []
    for board in boards:
        lines = [_heads(board), ["---", *["---:"] * (len(board.measures) + 1), "---"], *_rows(board)]
        table = "\n".join("| " + " | ".join(map(markdown, line)) + " |" for line in lines)
        parts.append(f"**{markdown(board.title)}**\n\n{table}\n{_note(board)}")
    return "\n".join(parts)


def as_latex(boards: Sequence[Board]) -> str:
    """A booktabs table a board."""
    parts = []
    for board in boards:
        lines = [f"% {board.title}", rf"\begin{{tabular}}{{l{'r' * (len(board.measures) + 1)}l}}", r"\toprule"]
        lines += [" & ".join(map(latex, _heads(board))) + r" \\", r"\midrule"]
        lines += [" & ".join(map(latex, row)) + r" \\" for row in _rows(board)]
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n")
    return "\n".join(parts)


def as_csv(boards: Sequence[Board]) -> str:
    """A row a result and published row; numbers in full."""
    out = io.StringIO()
    measures = list(dict.fromkeys(measure for board in boards for measure in board.measures))
    writer = csv.DictWriter(out, ["board", "model", *measures, *HEADS, "comparable"], lineterminator="\n")
    writer.writeheader()
    for board in boards:
        for entry in board.entries:
            of = {"time": entry.seconds, "where": entry.folder, "comparable": "yes"}
            writer.writerow({"board": board.title, "model": entry.model, **entry.average, **of})
        for row in board.published:
            average = {measure: value for measure, value in row.average.items() if measure in measures}
            of = {"where": row.source, "comparable": f"no: {board.caveat}" if board.caveat else "yes"}
            writer.writerow({"board": board.title, "model": row.model, **average, **of})
    return out.getvalue()


def as_json(boards: Sequence[Board]) -> str:
    """A list of boards."""
    found = [
        {
            "title": board.title,
            "measures": board.measures,
            "entries": [
                {
                    "model": entry.model,
                    "folder": str(entry.folder),
                    **entry.average,
                    "seconds": entry.seconds,
                    "time": entry.time,
                }
                for entry in board.entries
            ],
            "published": [{"model": row.model, "source": row.source, **row.average} for row in board.published],
            "published_comparable": not board.caveat,
            "caveat": board.caveat,
        }
        for board in boards
    ]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


FORMATS = {"csv": as_csv, "json": as_json, "latex": as_latex, "markdown": as_markdown}


def _heads(board: Board) -> list[str]:
    return ["model", *map(label, board.measures), *HEADS]


def _empty(board: Board) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for head in _heads(board):
        table.add_column(head, justify="left" if head in ("model", "where") else "right", no_wrap=head != "where")
    return table


def _rows(board: Board) -> list[list[str]]:
    """Results, and among them the published rows that can be compared, best first."""
    headline = board.measures[0]
    rows = [(entry.average.get(headline), _cells(board, entry)) for entry in board.entries]
    if not board.caveat:
        beside = zip(board.published, _published(board), strict=True)
        rows += [(row.average.get(headline), cells) for row, cells in beside]
    return [cells for _, cells in sorted(rows, key=lambda row: -1.0 if row[0] is None else row[0], reverse=True)]


def _cells(board: Board, entry: Entry) -> list[str]:
    time = "" if entry.seconds is None else duration(entry.seconds)
    return [entry.model, *_numbers(board, entry.average), time, str(entry.folder)]


def _published(board: Board) -> list[list[str]]:
    return [[row.model, *_numbers(board, row.average), "", f"published: {row.source}"] for row in board.published]


def _numbers(board: Board, average: Mapping[str, float]) -> list[str]:
    return [f"{average[measure]:.2f}" if measure in average else "" for measure in board.measures]


def _note(board: Board) -> str:
    if not board.published or not board.caveat:
        return ""
    headline = board.measures[0]
    rows = (f"{row.model} {row.average[headline]:.2f}" for row in board.published if headline in row.average)
    return f"\nPublished {label(headline)}, not comparable ({board.caveat}): {'; '.join(rows)}\n"
