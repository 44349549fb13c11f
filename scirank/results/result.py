"""One model's numbers on one benchmark: in memory, on disk, in a table."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mdcr_metric.outcomes import EXACT

from ..errors import ScirankError, counted
from . import ranked_lists
from .files import read_columns, whole_file
from .provenance import environment, sha256_of_file
from .ranked_lists import RankedList
from .summary import headline_of, measures_in

if TYPE_CHECKING:
    import pandas as pd

PER_QUERY, SCORES = "per_query.parquet", "scores.json"
MACHINE = ("device", "threads", "batch_tokens")  # what may differ between two runs of the same thing
AVERAGE_NAMES = {
    "macro_disciplines": "macro over disciplines",
    "macro_topics": "macro over topics",
    "over_questions": "over questions",
}


class Section(NamedTuple):
    """Rows of a table: what they are (`field`, `topic`, `discipline`, `average`), and name -> measures in percent."""

    kind: str
    rows: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Result:
    """A model's numbers.

    Attributes:
        model: what was evaluated.
        benchmark: such as `mdcr` or `oagqa-mini`.
        split: `test` or `validation`; `""` where only scores were given.
        summary: percent, as `mdcr_metric` returns it: each measure's average over groups, `queries`,
            `tied_queries`, `groups`, `unrounded` and, of OAG-QA, `averages`, `disciplines` and more.
        per_query: columns `query_id`, `group`, each measure (0 to 1), `tied` and, of OAG-QA,
            `part_of` (the discipline), `relevant` and `ranked`.
        provenance: SHA-256 of the data, settings; of a run also model, seconds and environment. Of
            scores that were given, the environment is added when they are saved.
        notes: what was counted, left out or tied.
        lists: what was ranked for each query, a list a row of `per_query`, where that is known:
            after an evaluation, or out of a folder that was saved with it.
    """

    model: str
    benchmark: str
    split: str
    summary: dict[str, Any]
    per_query: dict[str, list[Any]]
    provenance: dict[str, Any]
    notes: tuple[str, ...] = ()
    lists: tuple[RankedList, ...] | None = None

    @cached_property
    def scores(self) -> dict[str, dict[str, Mapping[str, float]]]:
        """Paper -> score by group and query. Raises ScirankError where lists are not known."""
        found: dict[str, dict[str, Mapping[str, float]]] = {}
        for each in self.known_lists():
            found.setdefault(each.group, {})[each.query_id] = each.run
        return found

    def known_lists(self) -> tuple[RankedList, ...]:
        """The ranked lists. Raises ScirankError where the result was saved without them."""
        if self.lists is None:
            raise ScirankError(
                f"{self.model}: this result was saved without its ranked lists; run or score again with "
                "--save-rankings (save_rankings=True)"
            )
        return self.lists

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        """Group and id of each query, a pair a row of `per_query`."""
        return keys_of(self.per_query)

    @property
    def title(self) -> str:
        """What was evaluated: benchmark, split, queries and groups."""
        return title_of(self.benchmark, self.split, self.summary)

    @property
    def asks_questions(self) -> bool:
        """Whether this is of OAG-QA: topics in disciplines, several averages, two hit rules."""
        return "averages" in self.summary

    @property
    def measures(self) -> list[str]:
        """The measures' names, in the order asked for."""
        return measures_in(self.summary)

    @property
    def headline(self) -> str:
        """The measure that stands for the result."""
        return headline_of(self.measures)

    @property
    def average(self) -> dict[str, float]:
        """Each measure's mean over the groups, in percent, rounded as published; of OAG-QA, over disciplines."""
        return {measure: self.summary[measure] for measure in self.measures}

    @property
    def average_name(self) -> str:
        """The row of the last section that `average` is."""
        return AVERAGE_NAMES[self.summary["average"]] if self.asks_questions else "AVG"

    @property
    def groups(self) -> dict[str, dict[str, float]]:
        """Each group's measures in percent, rounded as published."""
        return {
            group: {measure: row[measure] for measure in self.measures} for group, row in self.summary["groups"].items()
        }

    @property
    def sections(self) -> tuple[Section, ...]:
        """All that a table has: groups, and what averages over them."""
        if not self.asks_questions:
            return Section("field", self.summary["groups"]), Section("average", {"AVG": self.summary})
        averages = {AVERAGE_NAMES[name]: row for name, row in self.summary["averages"].items()}
        return (
            Section("topic", self.summary["groups"]),
            Section("discipline", self.summary["disciplines"]),
            Section("average", averages),
        )

    def to_frame(self) -> "pd.DataFrame":
        """A pandas frame with a row a group and, last, the average (`AVG`); of OAG-QA its three averages."""
        import pandas as pd

        rows = {**self.sections[0].rows, **self.sections[-1].rows}
        return pd.DataFrame(list(rows.values()), index=list(rows), columns=self.measures)

    def to_dict(self) -> dict[str, Any]:
        """What `result.json` holds, but for the files beside it."""
        from .schema import SCHEMA

        recorded = (
            self.provenance if "environment" in self.provenance else self.provenance | {"environment": environment()}
        )
        return {
            "schema": SCHEMA,
            "model": self.model,
            "benchmark": self.benchmark,
            "split": self.split,
            "summary": self.summary,
            "notes": list(self.notes),
            "provenance": recorded,
        }

    def save(self, folder: str | os.PathLike[str], scores: bool = False, rankings: bool = False) -> Path:
        """Write `result.json` and `per_query.parquet`, each whole or not at all.

        Args:
            folder: made if absent; an earlier result in it is replaced.
            scores: also write `scores.json`, `queryid_candidateid` to score as MDCR's script reads
                it.
            rankings: also write `rankings.parquet`: every paper that was ranked, its score, and
                whether it is right.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = Path(folder)
        pairs = self.pair_scores() if scores else None
        lists = self.known_lists() if rankings else None
        folder.mkdir(parents=True, exist_ok=True)
        for name in (SCORES, ranked_lists.FILE):  # of an earlier result
            (folder / name).unlink(missing_ok=True)
        if pairs is not None:
            with whole_file(folder / SCORES) as path:
                path.write_text(json.dumps(pairs) + "\n", "utf-8")
        if lists is not None:
            ranked_lists.write_rankings(folder / ranked_lists.FILE, lists)
        with whole_file(folder / PER_QUERY) as path:
            pq.write_table(pa.table(self.per_query), path)
        files = [PER_QUERY, *[ranked_lists.FILE] * rankings]
        saved = {**self.to_dict(), "files": {name: sha256_of_file(folder / name) for name in files}}
        with whole_file(folder / "result.json") as path:
            path.write_text(json.dumps(saved, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return folder

    @classmethod
    def load(cls, folder: str | os.PathLike[str], rankings: bool = False) -> "Result":
        """Read a saved result.

        Args:
            folder: what `save` wrote, of this version or an earlier one.
            rankings: also read its ranked lists.

        Raises:
            ScirankError: a file is absent or not of its form: naming it, and the place in it.
        """
        import msgspec

        from .schema import read_saved

        folder = Path(folder)
        saved = read_saved(folder / "result.json")
        per_query = _per_query(folder / PER_QUERY, saved.summary)
        lists = None
        if rankings:
            keys = keys_of(per_query)
            lists = ranked_lists.read_rankings(folder / ranked_lists.FILE, keys, "averages" in saved.summary)
        return cls(
            model=saved.model,
            benchmark=saved.benchmark,
            split=saved.split,
            summary=saved.summary,
            per_query=per_query,
            provenance=msgspec.structs.asdict(saved.provenance),
            notes=tuple(saved.notes),
            lists=None if lists is None else tuple(lists),
        )

    def pair_scores(self) -> dict[str, float]:
        """Scores by `queryid_candidateid`. Raises ScirankError where one key would stand for two scores."""
        pairs: dict[str, float] = {}
        for each in self.known_lists():
            for paper, value in each.run.items():
                if pairs.setdefault(f"{each.query_id}_{paper}", float(value)) != float(value):
                    raise ScirankError(
                        f"upstream's format cannot hold these scores: {each.query_id}_{paper} stands for two of them"
                    )
        return pairs

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from html import escape

        return f"<p>{escape(f'{self.model} on {self.title}')}</p>{self.to_frame().round(2).to_html()}"

    def __str__(self) -> str:
        from ..report.terminal import as_text

        return as_text([self])

    def __repr__(self) -> str:
        main = self.headline
        shown = [name for name in self.measures if not self.asks_questions or name in (main, EXACT + main, "mrr")]
        numbers = ", ".join(f"{measure}={self.average[measure]}" for measure in shown)
        return f"Result({self.model} on {self.title}: {numbers})"


def keys_of(per_query: Mapping[str, Sequence[Any]]) -> list[tuple[str, str]]:
    """Group and id of each query of a per-query table."""
    return list(zip(per_query["group"], per_query["query_id"], strict=True))


def title_of(benchmark: str, split: str, summary: Mapping[str, Any]) -> str:
    """What was evaluated, of any result's summary."""
    queries, groups = summary["queries"], len(summary["groups"])
    if "averages" in summary:
        disciplines = counted(len(summary["disciplines"]), "discipline", "disciplines")
        what = f"{counted(queries, 'question', 'questions')} in {counted(groups, 'topic', 'topics')} of {disciplines}"
    else:
        what = f"{counted(queries, 'query', 'queries')} in {counted(groups, 'field', 'fields')}"
    return f"{benchmark}{split and ' ' + split}, {what}, percent"


def _per_query(path: Path, summary: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The columns of a per-query file, which have to be those that the summary is of."""
    asks_questions = "averages" in summary
    columns = read_columns(
        path,
        {
            "query_id": "string",
            "group": "string",
            **({"part_of": "string"} if asks_questions else {}),
            **dict.fromkeys(measures_in(summary), "double"),
            **({"relevant": "int64", "ranked": "int64"} if asks_questions else {}),
            **({"tied": "bool"} if "tied_queries" in summary or not asks_questions else {}),
        },
    )
    rows = len(columns["query_id"])
    if rows != summary["queries"]:
        raise ScirankError(f"{path}: {rows:,} rows; result.json beside it is of {summary['queries']:,} queries")
    return columns


def refuse_to_replace(folder: Path, made_from: Mapping[str, Any]) -> None:
    """Raise ScirankError where a folder holds a result from other data, settings or another model."""
    from .schema import read_saved

    path = folder / "result.json"
    if not path.is_file():
        return
    provenance = read_saved(path).provenance
    differ = [
        f"{part} {key}"
        for part, now in made_from.items()
        for key, value in now.items()
        if key not in MACHINE and getattr(provenance, part).get(key) != json.loads(json.dumps(value))
    ]
    if differ:
        raise ScirankError(
            f"{folder} holds a result that was made in another way ({', '.join(differ)}). "
            "Choose another out folder, or overwrite (--overwrite)"
        )
