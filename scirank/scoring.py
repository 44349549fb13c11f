"""Evaluate scores that someone has: MDCR's candidate file and a file of scores."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mdcr_dataset import parse_candidates, qrels, select_groups

from .choices import Missing, NoRelevant, Ties
from .errors import ScirankError, counted, shown
from .evaluation import ScoredQuery, evaluate, plain_scores
from .results import Result, sha256
from .score_file import parse_scores


class MissedPair(NamedTuple):
    """A pair of the benchmark without a score; `label` is 1 where the candidate is relevant."""

    key: str
    label: int


def score(
    benchmark_file: str | os.PathLike[str],
    scores: str | os.PathLike[str] | Mapping[str, float],
    *,
    groups: str | Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    ties: str = Ties.TREC,
    missing: str = Missing.ERROR,
    no_relevant: str = NoRelevant.ZERO,
) -> Result:
    """Evaluate scores of MDCR's query-candidate pairs, as upstream's script does.

    Args:
        benchmark_file: `mdcr_test.json` or `mdcr_val.json`.
        scores: a JSON file, or a mapping, from `queryid_candidateid` to score; higher is better.
        groups: the groups (fields) to evaluate; all by default.
        measures: names such as `map`, `ndcg_10`; by default `map`, `ndcg`, `recall_5`.
        ties: `trec`, `optimistic`, `pessimistic` or `expected`.
        missing: what a pair without a score means: `error`; `lowest`, rank the candidate below all
            scored ones; `drop`, take it out of the pool.
        no_relevant: `zero` (upstream's way), `error` or `skip` for a query that cites no candidate.

    Returns:
        a Result; its `notes` tell of ties, missing and extra pairs.

    Raises:
        ScirankError, mdcr_dataset.MdcrDataError: naming the file and the pair.
    """
    missing = Missing(missing)
    data = {"benchmark": _bytes("benchmark file", benchmark_file)}
    if isinstance(scores, Mapping):
        model, by_pair = "scores", scores
    else:
        data["scores"] = _bytes("scores file", scores)
        model, by_pair = Path(scores).stem, parse_scores(data["scores"], os.fspath(scores))
    name = os.fspath(benchmark_file)
    candidates = select_groups(parse_candidates(data["benchmark"], name), groups, name)
    queries: list[ScoredQuery] = []
    missed: list[MissedPair] = []
    pools: dict[str, Mapping[str, int]] = {}
    empty: list[str] = []
    pairs = 0
    for group, listed in candidates.items():
        for query, lists in listed.items():
            qrel = qrels(lists)
            if not qrel:
                empty.append(query)
                continue
            pairs += len(qrel)
            pools[query] = {**pools[query], **qrel} if query in pools else qrel
            prefix = query + "_"
            try:
                run = plain_scores(query, {paper: by_pair[prefix + paper] for paper in qrel})
            except KeyError:
                run, qrel, absent = _with_absent(prefix, qrel, by_pair, missing)
                missed += absent
            queries.append(ScoredQuery(group, query, run, qrel))
    if by_pair and missed and len(missed) == pairs:
        raise ScirankError(
            f"no key of the scores is a pair of the benchmark: they look like {shown(list(by_pair)[:2])}, "
            f"expected queryid_candidateid as in {missed[0].key}"
        )
    if missed and missing is Missing.ERROR:
        raise ScirankError(
            f"{counted(len(missed), 'pair has', 'pairs have')} no score: {shown([pair.key for pair in missed])}. "
            "Score them, or choose missing (--missing): lowest ranks them below all others, "
            "drop takes them out of the pool"
        )
    evaluation = evaluate(queries, candidates, measures, ties, no_relevant)
    notes = [*evaluation.notes, *_about_missed(missed, missing)]
    if empty:
        notes.append(f"{counted(len(empty), 'query', 'queries')} without any candidate, left out: {shown(empty)}")
    return Result(
        model=model,
        benchmark="mdcr",
        split="",
        summary=evaluation.summary,
        per_query=evaluation.per_query,
        provenance={
            "data_sha256": {role: sha256(content) for role, content in data.items()},
            "settings": {"groups": list(candidates), "ties": ties, "missing": missing, "no_relevant": no_relevant},
        },
        notes=(*notes, *_about_keys(by_pair, pools, missed, partial=groups is not None)),
        lists=evaluation.lists,
    )


def _bytes(what: str, path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ScirankError(f"the {what} {os.fspath(path)!r} cannot be read: {error.strerror}") from error


def _with_absent(
    prefix: str, pool: dict[str, int], scores: Mapping[str, float], missing: Missing
) -> tuple[dict[str, float], dict[str, int], list[MissedPair]]:
    """A query's scores and pool after the policy for absent scores, and the pairs that had none."""
    run = plain_scores(prefix[:-1], {paper: scores[prefix + paper] for paper in pool if prefix + paper in scores})
    missed = [MissedPair(prefix + paper, label) for paper, label in pool.items() if paper not in run]
    if missing is Missing.DROP:
        return run, {paper: pool[paper] for paper in run}, missed
    lowest = _below(run.values())
    return run | {paper: lowest for paper in pool if paper not in run}, pool, missed


def _below(scores: Iterable[float]) -> float:
    """The largest single-precision number below all of them."""
    import numpy as np

    with np.errstate(over="ignore"):  # below the least finite number is minus infinity, and that will do
        return float(np.nextafter(np.float32(min(scores, default=0.0)), np.float32(-np.inf)))


def _about_missed(missed: Sequence[MissedPair], missing: Missing) -> Iterator[str]:
    if missed:
        fate = "taken out of the pool" if missing is Missing.DROP else "ranked below all scored candidates"
        yield (
            f"{counted(len(missed), 'pair', 'pairs')} without a score, {sum(pair.label for pair in missed):,} of them "
            f"relevant, {fate}: {shown([pair.key for pair in missed])}"
        )


def _about_keys(
    scores: Mapping[str, float], pools: Mapping[str, Mapping[str, int]], missed: Sequence[MissedPair], partial: bool
) -> Iterator[str]:
    """Scores that belong to no pair (of the whole benchmark, so not for some groups), or to two."""
    shared: dict[str, int] = {}
    if any("_" in query for query in pools):
        keys = Counter(f"{query}_{paper}" for query, pool in pools.items() for paper in pool)
        shared = {key: count for key, count in keys.items() if count > 1}
        if shared:
            found = counted(len(shared), "key stands", "keys stand")
            yield f"{found} for two pairs, since an id has '_' in it: {shown(list(shared))}"
    pairs = sum(map(len, pools.values())) - sum(count - 1 for count in shared.values())
    extra = len(scores) - pairs + len({pair.key for pair in missed})
    if extra > 0 and not partial:
        yield f"{counted(extra, 'score belongs', 'scores belong')} to no pair of the benchmark and were not used"
