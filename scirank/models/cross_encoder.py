"""Cross-encoders: a query and a paper are read together, which gives a score."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..benchmarks import Document, Task
from ..embeddings import Encoder, Engine, Job
from ..errors import ScirankError
from ..progress import Progress
from ..ranking import Ranked, ranked
from .facts import facts_of, key_of
from .library import LOADED_WITH, budget_of, load_model
from .module_encoder import ModuleEncoder
from .pairs import Pairs
from .ranker import ModelOptions, Ranker, Ranking, ranking_of
from .text import paper_text, question_text, template_name

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

RERANK = 100
"""Papers of the first stage that are scored."""
LOOKED_AT = ("kind", "template", "query_template", "prompt", "batch_tokens", "first_stage", "rerank")


@dataclass(frozen=True)
class Chosen:
    """What is done about one query.

    Attributes:
        papers: to be scored.
        rest: papers that follow after these, with the first stage's scores, best first.
        cut_in_tie: whether the paper after the last of these has the same score of the first stage.
    """

    papers: Sequence[str]
    rest: Mapping[str, float]
    cut_in_tie: bool


class CrossEncoderRanker:
    """Scores every candidate of a query; where there are none, the first papers of a first stage.

    Where more papers are to be kept than are scored, the first stage's next ones follow in its order, equal ones as
    equals: with whole numbers below the lowest of the query's scores, which single precision holds exactly.
    """

    def __init__(
        self,
        name: str,
        paper: Callable[[Document], str],
        question: Callable[[Document], str],
        encoder: Encoder,
        first_stage: Ranker,
        rerank: int,
        facts: Mapping[str, Any],
        notes: Sequence[str] = (),
        engine: Engine | None = None,
    ) -> None:
        self.name = name
        self.notes = (*notes, *(f"first stage {first_stage.name}: {note}" for note in first_stage.notes))
        self.encoders = {"pairs": encoder}
        self.engine = engine or Engine()
        self.first_stage = first_stage
        self.rerank = rerank
        self._paper = paper
        self._question = question
        self._facts = facts

    def jobs(self, tasks: Sequence[Task]) -> tuple[Job, ...]:
        """The pairs to score. Where a whole corpus is ranked, this runs the first stage."""
        pairs, _ = self._pairs(tasks, self._chosen(tasks, Progress()))
        return (self._job(pairs),)

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every pair of all tasks is scored once, before the first."""
        chosen = self._chosen(tasks, progress)
        pairs, places = self._pairs(tasks, chosen)
        vectors = self.engine.encode(self._job(pairs), progress)
        if vectors.dimensions not in (0, 1):
            raise ScirankError(f"{self.name} gives {vectors.dimensions} numbers a pair; expected one score")
        for task, of_task, at in zip(tasks, chosen, places, strict=True):
            scores = {
                query: dict(zip(of_task[query].papers, vectors.take(at[query]).ravel().tolist(), strict=True))
                for query in task.queries
            }
            if task.candidates is not None:
                yield Ranking(task.group, scores)
            else:
                yield ranking_of(
                    task.group, {query: _best(scores[query], of_task[query], task.depth) for query in scores}
                )

    def provenance(self) -> Mapping[str, Any]:
        """Model, weights and text; and whose first papers are scored where a whole corpus is ranked."""
        first_stage = dict(self.first_stage.provenance())
        return {"kind": "cross-encoder", **self._facts, "first_stage": first_stage, "rerank": self.rerank}

    def _job(self, pairs: Pairs) -> Job:
        return Job(pairs, self.encoders["pairs"], "pairs")

    def _chosen(self, tasks: Sequence[Task], progress: Progress) -> list[dict[str, Chosen]]:
        """Of each task what is done about each query."""
        whole = [task for task in tasks if task.candidates is None]
        deeper = [replace(task, depth=self._depth(task)) for task in whole]
        rankings = iter(list(self.first_stage.rank(deeper, progress)) if deeper else ())
        return [
            {query: Chosen(tuple(task.pool(query)), {}, False) for query in task.queries}
            if task.candidates is not None
            else self._first(task, next(rankings))
            for task in tasks
        ]

    def _depth(self, task: Task) -> int | None:
        """Of the first stage."""
        return None if task.depth is None else max(task.depth, self.rerank)

    def _first(self, task: Task, ranking: Ranking) -> dict[str, Chosen]:
        found = {}
        for query in task.queries:
            run, cut = ranked(ranking.scores.get(query, {}), self._depth(task))
            papers = list(run)
            rest = {paper: run[paper] for paper in papers[self.rerank :]}
            found[query] = Chosen(papers[: self.rerank], rest, bool(rest) and (cut or query in ranking.cut_in_tie))
        return found

    def _pairs(
        self, tasks: Sequence[Task], chosen: Sequence[Mapping[str, Chosen]]
    ) -> tuple[Pairs, list[dict[str, range]]]:
        """All pairs, and where those of each query of each task stand."""
        pairs = Pairs(self._paper, self._question)
        return pairs, [
            {query: pairs.add(task, query, each.papers) for query, each in of_task.items()}
            for task, of_task in zip(tasks, chosen, strict=True)
        ]


def load_cross_encoder(
    name_or_folder: str, name: str, options: ModelOptions, engine: Engine, first_stage: Ranker
) -> CrossEncoderRanker:
    """A cross-encoder of sentence-transformers, or a transformers checkpoint that classifies or generates.

    Raises:
        ScirankError: the model cannot be loaded, or options do not fit it.
    """
    from sentence_transformers import CrossEncoder

    model = load_model(CrossEncoder, name_or_folder, options)
    return wrap_cross_encoder(model, name, options, engine, first_stage, LOADED_WITH)


def wrap_cross_encoder(
    model: "CrossEncoder",
    name: str,
    options: ModelOptions,
    engine: Engine,
    first_stage: Ranker,
    also_used: Sequence[str] = (),
) -> CrossEncoderRanker:
    """A loaded cross-encoder, as it is.

    Args:
        model: the model.
        name: what to call it.
        options: how to use it.
        engine: how pairs are scored.
        first_stage: what chooses papers out of a whole corpus.
        also_used: options that whoever loaded it looked at.

    Raises:
        ScirankError: it gives more than one score a pair.
    """
    if model.num_labels != 1:
        raise ScirankError(
            f"model {name!r} gives {model.num_labels} labels a pair, as for classifying; a cross-encoder that ranks "
            "gives one score"
        )
    separator = getattr(model.tokenizer, "sep_token", None)
    prompt = (model.prompts or {}).get(model.default_prompt_name) if options.prompt is None else options.prompt
    activation = model.activation_fn
    facts = {
        "model": name,
        **facts_of(model),
        "activation": repr(activation),
        "in_float32": getattr(model, "keep_in_fp32_modules", None) or None,
    }
    budget = budget_of(model, options)
    known = activation is None or type(activation).__module__.startswith("torch.nn.")
    key = key_of(model, facts, "pairs", prompt) if known else None
    return CrossEncoderRanker(
        name,
        paper_text(options.template, separator),
        question_text(options.query_template),
        ModuleEncoder(model, None, prompt, key, budget, lambda features: _score(model, features)),
        first_stage,
        options.rerank or RERANK,
        {
            **facts,
            "template": template_name(options.template, separator),
            "query_template": options.query_template,
            "prompt": prompt,
            "batch_tokens": budget.tokens,
        },
        options.ignored_beside(*LOOKED_AT, *also_used),
        engine,
    )


def _score(model: "CrossEncoder", features: Mapping[str, Any]) -> Any:
    """As `predict` makes it: in single precision, then what the model puts on top."""
    scores = features["scores"].float()
    return (scores if model.activation_fn is None else model.activation_fn(scores)).reshape(-1, 1)


def _best(scores: Mapping[str, float], chosen: Chosen, depth: int | None) -> Ranked:
    """A query's first papers, and after those that were scored the rest."""
    run, cut = ranked({**scores, **dict(_below(min(scores.values(), default=0.0), chosen.rest))}, depth)
    return Ranked(run, cut or chosen.cut_in_tie)


def _below(lowest: float, rest: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Papers in their order, with scores below the lowest; equals stay equal."""
    import numpy as np

    at, last = np.float32(lowest), None
    for paper, score in rest.items():
        if score != last:
            at = min(np.float32(math.floor(at) - 1), np.nextafter(at, np.float32(-np.inf)))
            last = score
        yield paper, float(at)
