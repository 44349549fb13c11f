"""Options that several commands have."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..choices import MissingText, Quotes, Source, Ties


class BenchmarkFiles(StrEnum):
    """Benchmarks whose files can be scored or audited."""

    MDCR = "mdcr"
    OAGQA = "oagqa"
    OAGQA_MINI = "oagqa-mini"


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    LATEX = "latex"
    MARKDOWN = "markdown"


DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder with upstream's files, or OAG-QA's zip; else MDCR_DATA_DIR or OAGQA_DATA_DIR, else a download."
    ),
]
CACHE_DIR = "Where vectors are kept; else SCIRANK_CACHE, else the user's folder for caches."
CacheDir = Annotated[Path | None, typer.Option(help=CACHE_DIR)]
Measures = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated; mdcr: map, ndcg, recall, precision, success, mrr, with or without _K; "
        "oagqa: hit_K, recall_K, mrr. Default: the published ones."
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups",
        "--fields",
        "--topics",
        help="Comma-separated fields or topics, such as 'Art,Biology' or 'optics'; all by default.",
    ),
]
Disciplines = Annotated[
    str | None, typer.Option(help="oagqa: also the topics of these disciplines, such as 'physics,algebra'.")
]
QuoteRule = Annotated[
    Quotes | None,
    typer.Option(
        help="oagqa: a stray quote that swallows rows: refuse, end rows with lines (literal), or lose them as upstream."
    ),
]
MissingTextRule = Annotated[
    MissingText,
    typer.Option(help="mdcr: a listed paper without a record: refuse, take its text as empty, or leave it out."),
]
QuerySource = Annotated[
    Source | None,
    typer.Option(
        help="oagqa: files for training, or the questions of the test; default: the former where a topic has them. "
        "mdcr: validation."
    ),
]
Plot = Annotated[Path | None, typer.Option(help="oagqa: save a reliability plot, .png, .pdf or .svg.")]
TieRule = Annotated[Ties, typer.Option(help="mdcr: how equal scores are ordered; trec is what published tables used.")]
SaveRankings = Annotated[
    bool,
    typer.Option("--save-rankings", help="Also save rankings.parquet, for `show`, `report`, `verify` and `compare`."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")]
