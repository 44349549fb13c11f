"""scirank trec: a saved result's ranked lists for other tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import app
from .options import Groups
from .printing import comma_separated, tell

if TYPE_CHECKING:
    from ..results import Result
    from ..results.ranked_lists import RankedList


@app.command(
    epilog="Example: scirank trec results/bm25 --out trec; ir_measures trec/qrels.trec trec/run.trec AP nDCG R@5"
)
def trec(
    result: Annotated[
        Path, typer.Argument(help="Folder that `run --out` or `score --out` saved, with --save-rankings.")
    ],
    out: Annotated[Path, typer.Option(help="The folder to write run.trec and qrels.trec in.")],
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="oagqa: folder with upstream's files, or the zip; else OAGQA_DATA_DIR. They say which papers answer "
            "that were not ranked. mdcr needs none."
        ),
    ] = None,
    groups: Groups = None,
    by_rank: Annotated[
        bool,
        typer.Option(
            "--by-rank",
            help="Write whole numbers that fall with the rank in place of scores: then tools whose tie rule is another "
            "see the same order.",
        ),
    ] = False,
) -> None:
    """Write a saved result as run.trec and qrels.trec, for trec_eval, ir_measures, ranx and such."""
    from ..results import Result
    from ..results.parts import restricted
    from ..results.trec import FILES, reordered, write_lists

    loaded = Result.load(result, rankings=True)
    if (names := comma_separated(groups)) is not None:
        loaded = restricted(loaded, names)
    lists = _judged(loaded, data_dir)
    write_lists(out, lists, loaded.model, by_rank)
    ties = loaded.provenance["settings"].get("ties") or "trec"
    if ties != "trec":
        tell([f"note: this result is under the tie rule {ties}; the files have equal scores by id, as trec_eval does"])
    if not by_rank and (other := reordered(lists)):
        tell([f"note: of {other:,} of {len(lists):,} queries equal scores stand in an order that only --by-rank keeps"])
    tell(f"saved {out / name}" for name in FILES)


def _judged(result: "Result", data_dir: Path | None) -> "list[RankedList]":
    """Ranked lists with all papers that are right: a candidate's label is saved, an answer not ranked is not."""
    from ..analysis.data import benchmark_of, needs_download
    from ..errors import ScirankError
    from ..results.trec import with_relevant

    lists = list(result.known_lists())
    if not result.asks_questions:
        return lists
    if needs_download(result, data_dir):
        raise ScirankError(
            f"{result.model}: which papers answer is said by {result.benchmark}'s files, of which none are at hand. "
            "Choose data_dir (--data-dir), or set OAGQA_DATA_DIR"
        )
    return with_relevant(lists, benchmark_of(result, data_dir).tasks)
