"""One model's numbers on one benchmark: in memory, on disk, in a table."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ScirankError, counted
from .files import whole_file
from .provenance import environment

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1
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
        scores: query -> candidate -> score by group, where the ranking was made here; not part of
            the saved result unless asked for.
    """

    model: str
    benchmark: str
    split: str
    summary: dict[str, Any]
    per_query: dict[str, list[Any]]
    provenance: dict[str, Any]
    notes: tuple[str, ...] = ()
    scores: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None

    @property
    def title(self) -> str:
        """What was evaluated: benchmark, split, queries and groups."""
        queries, groups = self.summary["queries"], len(self.summary["groups"])
        if self.asks_questions:
            disciplines = counted(len(self.summary["disciplines"]), "discipline", "disciplines")
            what = (
                f"{counted(queries, 'question', 'questions')} in {counted(groups, 'topic', 'topics')} of {disciplines}"
            )
        else:
            what = f"{counted(queries, 'query', 'queries')} in {counted(groups, 'field', 'fields')}"
        return f"{self.benchmark}{self.split and ' ' + self.split}, {what}, percent"

    @property
    def asks_questions(self) -> bool:
        """Whether this is of OAG-QA: topics in disciplines, several averages, two hit rules."""
        return "averages" in self.summary

    @property
    def measures(self) -> list[str]:
        """The measures' names, in the order asked for."""
        return [name for name in self.summary["unrounded"] if name != "groups"]

    @property
    def headline(self) -> str:
        """The measure that stands for the result: of OAG-QA `hit_20`, which is what is published; else the first."""
        return "hit_20" if "hit_20" in self.measures else self.measures[0]

    @property
    def average(self) -> dict[str, float]:
        """Each measure's mean over the groups, in percent, rounded as published; of OAG-QA, over disciplines."""
        return {measure: self.summary[measure] for measure in self.measures}

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
        """What `result.json` holds."""
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

    def save(self, folder: str | os.PathLike[str], scores: bool = False) -> Path:
        """Write `result.json` and `per_query.parquet`, each whole or not at all.

        Args:
            folder: made if absent; an earlier result in it is replaced.
            scores: also write `scores.json`, `queryid_candidateid` to score as MDCR's script reads
                it.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scores.json").unlink(missing_ok=True)  # of an earlier result
        if scores:
            with whole_file(folder / "scores.json") as path:
                path.write_text(json.dumps(self.pair_scores()) + "\n", "utf-8")
        with whole_file(folder / "per_query.parquet") as path:
            pq.write_table(pa.table(self.per_query), path)
        with whole_file(folder / "result.json") as path:
            path.write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n", "utf-8")
        return folder

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> "Result":
        """Read a saved result."""
        import pyarrow.parquet as pq

        folder = Path(folder)
        saved = json.loads((folder / "result.json").read_text("utf-8"))
        if saved.get("schema") != SCHEMA:
            raise ScirankError(f"{folder / 'result.json'}: expected schema {SCHEMA}, found {saved.get('schema')!r}")
        per_query = pq.read_table(folder / "per_query.parquet").to_pydict()
        return cls(
            model=saved["model"],
            benchmark=saved["benchmark"],
            split=saved["split"],
            summary=saved["summary"],
            per_query=per_query,
            provenance=saved["provenance"],
            notes=tuple(saved["notes"]),
        )

    def pair_scores(self) -> dict[str, float]:
        """Scores by `queryid_candidateid`. Raises ScirankError where one key would stand for two scores."""
        if self.scores is None:
            raise ScirankError("this result holds no scores: it was loaded, or made from scores given")
        pairs: dict[str, float] = {}
        for queries in self.scores.values():
            for query, run in queries.items():
                for paper, value in run.items():
                    if pairs.setdefault(f"{query}_{paper}", float(value)) != float(value):
                        raise ScirankError(
                            f"upstream's format cannot hold these scores: {query}_{paper} stands for two of them"
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
        shown = [name for name in self.measures if not self.asks_questions or name in (main, f"exact_{main}", "mrr")]
        numbers = ", ".join(f"{measure}={self.average[measure]}" for measure in shown)
        return f"Result({self.model} on {self.title}: {numbers})"


def refuse_to_replace(folder: Path, made_from: Mapping[str, Any]) -> None:
    """Raise ScirankError where a folder holds a result from other data, settings or another model."""
    path = folder / "result.json"
    if not path.is_file():
        return
    saved = json.loads(path.read_text("utf-8")).get("provenance", {})
    differ = [
        f"{part} {key}"
        for part, now in made_from.items()
        for key, value in now.items()
        if key not in MACHINE and saved.get(part, {}).get(key) != json.loads(json.dumps(value))
    ]
    if differ:
        raise ScirankError(
            f"{folder} holds a result that was made in another way ({', '.join(differ)}). "
            "Choose another out folder, or overwrite (--overwrite)"
        )
