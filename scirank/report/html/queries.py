"""All queries with their measures, and as many as there is room for with what was ranked for them."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...analysis.comparison import Comparison
from ...analysis.sources import TRUE
from ...benchmarks import Benchmark, Task
from ...results.ranked_lists import RankedList
from .numbers import Number, rounded, script_json

TITLE = 200
"""Characters of a query's title in the table; a question's whole text is shown when it is opened."""
BELOW = 20
"""Right papers further down that are listed."""
RIGHT, EXACT = 1, 2
"""Bits of a paper's mark: it is right; its title is an answer's, of a question. Of MDCR, bits from 2 on are sources."""


def columns(comparison: Comparison, benchmark: Benchmark | None) -> dict[str, Any]:
    """What the table of queries shows.

    `group` is a place in the list of groups, `title` None without texts, `values` measure -> model -> percent.
    """
    table = comparison.first.per_query
    place = {group: at for at, group in enumerate(comparison.first.groups)}
    values = [
        [[rounded(100 * value) for value in result.per_query[measure]] for result in comparison.results.values()]
        for measure in comparison.measures
    ]
    return {
        "group": [place[group] for group in table["group"]],
        "id": table["query_id"],
        "title": None if benchmark is None else list(_titles(comparison.first.keys, benchmark)),
        "values": values,
    }


def largest_first(comparison: Comparison) -> list[int]:
    """Rows by how far models are apart on them, or of one model by how low it is; groups take turns among equals."""
    values = [result.per_query[comparison.headline] for result in comparison.results.values()]
    seen: Counter[str] = Counter()
    turns = []
    for group in comparison.first.per_query["group"]:
        turns.append(seen[group])
        seen[group] += 1
    far = [max(row) - min(row) if len(row) > 1 else -row[0] for row in zip(*values, strict=True)]
    return sorted(range(len(turns)), key=lambda row: (-far[row], turns[row], row))


@dataclass
class Papers:
    """Papers that the page names, each once."""

    ids: list[str] = field(default_factory=list)
    titles: list[str | None] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)

    def forget(self, number: int) -> None:
        """Drop all but the first."""
        for key in list(self.place)[number:]:
            del self.place[key]
        del self.ids[number:], self.titles[number:]


class Lists:
    """What was ranked for queries."""

    def __init__(self, comparison: Comparison, benchmark: Benchmark | None, top: int) -> None:
        self.comparison, self.top, self.papers = comparison, top, Papers()
        self.tasks = {} if benchmark is None else {task.group: task for task in benchmark.tasks}
        names = (s for task in self.tasks.values() for lists in (task.sources or {}).values() for s in lists)
        self.sources = [source for source in dict.fromkeys(names) if source != TRUE]

    @cached_property
    def _lists(self) -> list[Mapping[tuple[str, str], RankedList]]:
        results = self.comparison.results.values()
        return [{(each.group, each.query_id): each for each in result.lists or ()} for result in results]

    def within(self, budget: int, order: Iterable[int]) -> dict[int, Any]:
        """Row -> what the page shows of it, in an order, until so many bytes are filled."""
        if not any(self._lists):
            return {}
        keys, found = self.comparison.first.keys, {}
        for row in order:
            before = len(self.papers.ids)
            entry = self._entry(*keys[row])
            new = [self.papers.ids[before:], self.papers.titles[before:]]
            budget -= len(f'"{row}":{script_json(entry)},{script_json(new)}'.encode())
            if budget < 0:
                self.papers.forget(before)
                break
            found[row] = entry
        return found

    def _entry(self, group: str, query: str) -> dict[str, Any]:
        task = self.tasks.get(group)
        document = None if task is None else task.queries.get(query)
        answers = () if task is None or task.answers is None else task.answers.get(query, ())
        return {
            "text": None if document is None else document.text,
            "answers": list(answers),
            "models": [self._ranking(of.get((group, query)), task) for of in self._lists],
        }

    def _ranking(self, each: RankedList | None, task: Task | None) -> dict[str, Any] | None:
        if each is None:
            return None
        order = each.best_first()
        right = set(each.relevant) if task is None else task.relevant.get(each.query_id, frozenset())
        marks = self._marks(each, order, right, task)
        below = [at for at in range(self.top, len(order)) if marks[at] & RIGHT]
        listed = [*range(min(self.top, len(order))), *below[:BELOW]]
        unranked = sorted(right - each.run.keys())
        named = self._places([order[at] for at in listed] + unranked[:BELOW], each.group, task)
        first = min(self.top, len(order))
        return {
            "papers": named[:first],
            "scores": _scores([each.run[paper] for paper in order[:first]]),
            "marks": marks[:first],
            "below": [[at + 1, paper, marks[at]] for at, paper in zip(below[:BELOW], named[first:], strict=False)],
            "unranked": named[len(listed) :],
            "counts": [len(order), len(below), len(unranked)],
        }

    def _marks(self, each: RankedList, order: Sequence[str], right: Iterable[str], task: Task | None) -> list[int]:
        if each.hits is not None:
            span, exact = (set(each.hits.get(rule, ())) for rule in ("title_span", "exact_title"))
            return [RIGHT * (at in span) + EXACT * (at in exact) for at in range(len(order))]
        sources = {} if task is None or task.sources is None else task.sources.get(each.query_id, {})
        mark = dict.fromkeys(right, RIGHT)
        for at, source in enumerate(self.sources, 1):
            for paper in sources.get(source, ()):
                mark[paper] = mark.get(paper, 0) | 1 << at
        return [mark.get(paper, 0) for paper in order]

    def _places(self, papers: Sequence[str], group: str, task: Task | None) -> list[int]:
        """Where papers stand in the page's list; new ones come last."""
        known, named = self.papers, []
        own = f"{group}/" if self.comparison.first.asks_questions else ""  # ids are a topic's own there
        for paper in papers:
            if own + paper not in known.place:
                known.place[own + paper] = len(known.ids)
                known.ids.append(paper)
                known.titles.append(task.corpus[paper].title if task is not None and paper in task.corpus else None)
            named.append(known.place[own + paper])
        return named


def _titles(keys: Iterable[tuple[str, str]], benchmark: Benchmark) -> Iterator[str]:
    tasks = {task.group: task for task in benchmark.tasks}
    for group, query in keys:
        document = tasks[group].queries.get(query) if group in tasks else None
        title = "" if document is None else " ".join((document.title or document.text).split())
        yield title if len(title) <= TITLE else title[:TITLE].rsplit(" ", 1)[0] + " …"


def _scores(scores: Sequence[float]) -> list[Number]:
    """Scores with so many decimals that the largest has five digits."""
    largest = max((abs(score) for score in scores if math.isfinite(score)), default=0.0)
    digits = 4 - math.floor(math.log10(largest)) if largest else 0
    return [rounded(score, max(0, digits)) if math.isfinite(score) else None for score in scores]
