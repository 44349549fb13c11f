"""Evaluate scores that someone has: MDCR's candidate file and a file of scores."""

import json
import math
import os
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from mdcr_dataset import Benchmark, labelled, parse_benchmark, select_groups

from .errors import ScirankError, shown
from .evaluation import MEASURES, ScoredQuery, evaluate
from .results import Result, provenance, sha256

MISSING = ("error", "lowest", "drop")
LARGEST = 3.4028234663852886e38  # the largest number in single precision


def score(
    benchmark_file: str | os.PathLike[str],
    scores: str | os.PathLike[str] | Mapping[str, float],
    *,
    groups: str | Sequence[str] | None = None,
    measures: str | Sequence[str] = MEASURES,
    ties: str = "trec",
    missing: str = "error",
    no_relevant: str = "zero",
) -> Result:
    """Evaluate scores of MDCR's query-candidate pairs, as upstream's script does.

    Args:
        benchmark_file: `mdcr_test.json` or `mdcr_val.json`.
        scores: a JSON file, or a mapping, from `queryid_candidateid` to score; higher is better.
        groups: the groups (fields) to evaluate; all by default.
        measures: names such as `map`, `ndcg_10`, `recall_5`.
        ties: `trec`, `optimistic`, `pessimistic` or `expected`.
        missing: what a pair without a score means: `error`; `lowest`, rank the candidate below all
            scored ones; `drop`, take it out of the pool.
        no_relevant: `zero` (upstream's way), `error` or `skip` for a query that cites no candidate.

    Returns:
        a Result; its `notes` tell of ties, missing and extra pairs.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: naming the file and the pair.
    """
    if missing not in MISSING:
        raise ScirankError(f"unknown policy {missing!r} for missing; valid are {', '.join(MISSING)}")
    benchmark_bytes = Path(benchmark_file).read_bytes()
    name = os.fspath(benchmark_file)
    benchmark = select_groups(parse_benchmark(benchmark_bytes, name), groups, name)
    hashes = {"benchmark": sha256(benchmark_bytes)}
    model = "scores"
    if not isinstance(scores, Mapping):
        model = Path(scores).stem
        scores_bytes = Path(scores).read_bytes()
        hashes["scores"] = sha256(scores_bytes)
        scores = _parse_scores(scores_bytes, os.fspath(scores))
    pairing = _Pairing(scores, missing)
    queries = list(pairing.queries(benchmark))
    pairing.check()
    evaluation = evaluate(queries, benchmark, measures, ties, no_relevant)
    settings = {"groups": list(benchmark), "ties": ties, "missing": missing, "no_relevant": no_relevant}
    notes = (*evaluation.notes, *pairing.notes(partial=groups is not None))
    return Result.of(evaluation, model, "mdcr", "", provenance(hashes, settings), notes)


@dataclass
class _Pairing:
    """Looks up each pair's score, and counts what is missing or left over."""

    scores: Mapping[str, float]
    missing: str
    missed: list[str] = field(default_factory=list)
    missed_relevant: int = 0
    no_candidates: list[str] = field(default_factory=list)
    pools: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def queries(self, benchmark: Benchmark) -> Iterator[ScoredQuery]:
        for group, queries in benchmark.items():
            for query, lists in queries.items():
                qrel = labelled(lists)
                if not qrel:
                    self.no_candidates.append(query)
                    continue
                self.pools[query] = {**self.pools[query], **qrel} if query in self.pools else qrel
                yield self._query(group, query, qrel)

    def _query(self, group: str, query: str, qrel: dict[str, int]) -> ScoredQuery:
        prefix, scores = query + "_", self.scores
        try:
            run = {paper: scores[prefix + paper] for paper in qrel}
        except KeyError:
            run = {paper: scores[prefix + paper] for paper in qrel if prefix + paper in scores}
        run = plain_scores(query, run)
        if len(run) < len(qrel):
            missed = [paper for paper in qrel if paper not in run]
            self.missed += [prefix + paper for paper in missed]
            self.missed_relevant += sum(qrel[paper] for paper in missed)
            if self.missing == "drop":
                qrel = {paper: qrel[paper] for paper in run}
            else:
                run |= dict.fromkeys(missed, _below(run.values()))
        return ScoredQuery(group, query, run, qrel)

    def check(self) -> None:
        if self.missed and self.missing == "error":
            raise ScirankError(
                f"{len(self.missed):,} pairs have no score: {shown(self.missed)}. Score them, or choose missing "
                "(--missing): lowest ranks them below all others, drop takes them out of the pool"
            )

    def notes(self, partial: bool) -> Iterator[str]:
        if self.missed:
            fate = "taken out of the pool" if self.missing == "drop" else "ranked below all scored candidates"
            yield (
                f"{len(self.missed):,} pairs without a score, {self.missed_relevant:,} of them relevant, {fate}: "
                f"{shown(self.missed)}"
            )
        if self.no_candidates:
            yield f"{len(self.no_candidates):,} queries without any candidate, left out: {shown(self.no_candidates)}"
        extra = len(self.scores) - sum(map(len, self.pools.values())) + len(set(self.missed))
        if extra > 0 and not partial:
            yield f"{extra:,} scores belong to no pair of the benchmark and were not used"
        if shared := self._shared_keys():
            yield f"{len(shared):,} keys stand for two pairs each, since an id has '_' in it: {shown(shared)}"

    def _shared_keys(self) -> list[str]:
        if not any("_" in query for query in self.pools):
            return []
        keys = Counter(f"{query}_{paper}" for query, pool in self.pools.items() for paper in pool)
        return [key for key, count in keys.items() if count > 1]


def plain_scores(query: str, run: dict[str, Any]) -> dict[str, float]:
    """A query's scores as plain numbers. Raises ScirankError for what is not finite in single precision."""
    if _are_fine(run.values()):
        return run
    run = {paper: value.item() if hasattr(value, "item") else value for paper, value in run.items()}
    for paper, value in run.items():
        if type(value) not in (float, int):
            raise ScirankError(f"the score of {query}_{paper} should be a number, found {value!r:.80}")
        if not -LARGEST <= value <= LARGEST:
            raise ScirankError(
                f"the score of {query}_{paper} should be finite in single precision, found {value!r:.40}"
            )
    return run


def _are_fine(values: Collection[Any]) -> bool:
    """Whether all are finite numbers, told without a loop in Python: this runs for every query."""
    try:
        # In single precision what is too large is infinite, and a sum is finite only if every term is.
        return {*map(type, values)} <= {float, int} and math.isfinite(sum(array("f", values)))
    except OverflowError:
        return False


def _below(scores: Iterable[float]) -> float:
    """The largest single-precision number below all of them."""
    import numpy as np

    with np.errstate(over="ignore"):  # below the least finite number is minus infinity, and that will do
        return float(np.nextafter(np.float32(min(scores, default=0.0)), np.float32(-np.inf)))


def _parse_scores(data: bytes, name: str) -> dict[str, float]:
    try:
        scores = orjson.loads(data)
    except orjson.JSONDecodeError as strict:
        scores = _parse_loosely(data, name, strict)
    if not isinstance(scores, dict) or any(isinstance(value, dict) for value in list(scores.values())[:1]):
        raise ScirankError(
            f'{name}: expected one JSON object {{"queryid_candidateid": score, ...}}, found {data[:80]!r}'
        )
    if data.count(b":") != len(scores):
        # More colons than keys: an id holds one, or a key stands twice. The slow way tells, and refuses the latter.
        json.loads(data, object_pairs_hook=partial(_refuse_repeated, name))
    return scores


def _refuse_repeated(name: str, pairs: list[tuple[str, Any]]) -> None:
    if repeated := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise ScirankError(f"{name}: {len(repeated):,} pairs have two scores: {shown(repeated)}; keep one of each")


def _parse_loosely(data: bytes, name: str, strict: ValueError) -> Any:
    """Python's reader takes NaN and Infinity, which let the pair with such a score be named."""
    try:
        return json.loads(data)
    except ValueError:
        raise ScirankError(
            f"{name}: not valid JSON ({strict}); it has {len(data):,} bytes and ends {data[-40:]!r}. "
            "If the end looks cut off, the file is incomplete"
        ) from strict
