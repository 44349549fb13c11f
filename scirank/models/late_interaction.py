"""Late interaction, as in ColBERT: a vector a token, a score the sum of each query token's best match."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..benchmarks import Task
from ..embeddings import Budget, Encoder, Engine, Vectors
from ..embeddings.plan import batches
from ..errors import ScirankError
from ..progress import Progress
from ..ranking import BLOCK, Ranked, by_tie_rule, rank_block
from .facts import facts_of, key_of
from .library import LOADED_WITH, TEXT_OPTIONS, budget_of, load_model, prompts_of
from .module_encoder import ModuleEncoder
from .ranker import ModelOptions, Ranking, ranking_of
from .sides import Encoded, Side, TwoSidedRanker
from .text import paper_text, question_text, text_facts

if TYPE_CHECKING:
    import numpy as np
    import torch
    from sentence_transformers import MultiVectorEncoder

PAPERS = 2**22
"""Numbers of papers' vectors that are in memory at once: 16 MB."""
ELEMENTS = 2**22
"""Similarities of tokens that are in memory at once, and the vectors that they come from."""


class LateInteractionRanker(TwoSidedRanker):
    """Ranks by MaxSim, or its mean over a query's tokens.

    Papers are read from the store a block at a time, longest first, so that memory does not grow with a corpus. Each
    different text of a task is scored once: equal papers have equal scores. Scores are in single precision.
    """

    kind = "late-interaction"
    several = True
    device = "cpu"
    """Where vectors are compared."""

    def rank(self, tasks: Sequence[Task], progress: Progress) -> Iterator[Ranking]:
        """A ranking for each task; every text of all tasks is encoded once, before the first."""
        papers, questions = self.encoded(tasks, progress)
        with progress.counting(sum(len(task.queries) for task in tasks), "comparing queries with papers") as advance:
            for task in tasks:
                asked = papers if task.answers is None else questions
                if task.candidates is None:
                    yield self._whole(task, asked, papers)
                else:
                    yield self._pools(task, asked, papers)
                advance(len(task.queries))

    def _whole(self, task: Task, asked: Encoded, papers: Encoded) -> Ranking:
        ids, queries = by_tie_rule(task.corpus), list(task.queries)
        places = papers.texts.places(task.corpus, ids)
        found: dict[str, Ranked] = {}
        together = max(1, BLOCK // max(1, len(ids)))
        for start in range(0, len(queries), together):
            block = queries[start : start + together]
            scores = self._scores(asked.take_all(task.queries, block), papers.vectors, places)
            found |= dict(zip(block, rank_block(scores, ids, task.depth), strict=True))
        return ranking_of(task.group, found)

    def _pools(self, task: Task, asked: Encoded, papers: Encoded) -> Ranking:
        found = {}
        for query in task.queries:
            pool = list(task.pool(query))
            places = papers.texts.places(task.corpus, pool)
            scores = self._scores(asked.take_all(task.queries, [query]), papers.vectors, places)
            found[query] = dict(zip(pool, scores[0].tolist(), strict=True))
        return Ranking(task.group, found)

    def _scores(self, queries: "Sequence[np.ndarray]", papers: Vectors, places: Sequence[int]) -> "np.ndarray":
        """Score each query with each paper.

        Args:
            queries: their vectors, of shape (tokens, dimensions) each.
            papers: the vectors of papers.
            places: which papers.

        Returns:
            float32 of shape (queries, places).
        """
        import numpy as np
        import torch
        from sentence_transformers.util import SimilarityFunction

        similarity = SimilarityFunction.to_similarity_fn(self.similarity)
        different, first, which = np.unique(papers.which[places], return_index=True, return_inverse=True)
        # In an order that follows from the texts alone, wherever they lie in the store.
        order = np.lexsort((different, -papers.found.tokens[different].astype(np.int64)))
        tokens = papers.found.tokens[different[order]].tolist()
        scores = np.empty((len(queries), len(different)), np.float32)
        for part in batches(tokens, Budget(PAPERS // max(1, papers.dimensions), len(places))):
            columns = order[part]
            right, mask = _padded(papers.take_all([places[at] for at in first[columns]]), self.device)
            for rows in _alike(queries):
                left = [torch.from_numpy(queries[row]).to(self.device) for row in rows]
                found = similarity(left, right, b_mask=mask, chunk_elements=ELEMENTS)
                scores[np.array(rows)[:, None], columns] = found.cpu().numpy()
        return scores[:, which]


def _alike(queries: "Sequence[np.ndarray]") -> Iterator[list[int]]:
    """Queries with the same number of vectors: together, none is padded, so none depends on another."""
    by_length = sorted(range(len(queries)), key=lambda row: len(queries[row]))
    for _, rows in groupby(by_length, key=lambda row: len(queries[row])):
        yield list(rows)


def _padded(vectors: "Sequence[np.ndarray]", device: str) -> "tuple[torch.Tensor, torch.Tensor]":
    """Vectors of texts as one tensor of shape (texts, tokens, dimensions), and which of its tokens are real."""
    import torch

    padded = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(each) for each in vectors], batch_first=True)
    lengths = torch.tensor([len(each) for each in vectors])
    return padded.to(device), (torch.arange(padded.shape[1]) < lengths[:, None]).to(device)


def load_late_interaction(
    name_or_folder: str, name: str, options: ModelOptions, engine: Engine
) -> LateInteractionRanker:
    """A late-interaction model of sentence-transformers, PyLate or Stanford's ColBERT.

    Raises:
        ScirankError: the model cannot be loaded, or options do not fit it.
    """
    from sentence_transformers import MultiVectorEncoder

    refuse_similarity(options)
    model = load_model(MultiVectorEncoder, name_or_folder, options)
    if options.max_length is not None and getattr(model[0], "document_length", None) is not None:
        model[0].document_length = options.max_length
    return wrap_late_interaction(model, name, options, engine, LOADED_WITH)


def wrap_late_interaction(
    model: "MultiVectorEncoder", name: str, options: ModelOptions, engine: Engine, also_used: Sequence[str] = ()
) -> LateInteractionRanker:
    """A loaded late-interaction model, as it is.

    Args:
        model: the model.
        name: what to call it.
        options: how to use it.
        engine: how texts are encoded.
        also_used: options that whoever loaded it looked at.
    """
    refuse_similarity(options)
    separator = getattr(model.tokenizer, "sep_token", None)
    prompt, query_prompt = prompts_of(model, options)
    lengths = {part: getattr(model[0], part, None) for part in ("document_length", "query_length", "query_expansion")}
    facts = {"model": name, **facts_of(model), **lengths}
    budget = budget_of(model, options)

    def encoder(task: str, put_before: str | None) -> Encoder:
        return ModuleEncoder(model, task, put_before or "", key_of(model, facts, task, put_before), budget, _scored)

    ranker = LateInteractionRanker(
        name,
        Side(paper_text(options.template, separator), encoder("document", prompt)),
        Side(question_text(options.query_template), encoder("query", query_prompt)),
        model.similarity_fn_name,
        {
            **facts,
            **text_facts(options, separator, prompt, query_prompt),
            "batch_tokens": budget.tokens,
        },
        options.ignored_beside(*TEXT_OPTIONS, *also_used),
        engine,
    )
    if model.device.type == "cuda":
        ranker.device = str(model.device)
    return ranker


def refuse_similarity(options: ModelOptions) -> None:
    """Raise ScirankError where a similarity of single vectors was chosen."""
    if options.similarity is not None:
        raise ScirankError(
            f"similarity {options.similarity} compares single vectors; a late-interaction model has its own, maxsim or "
            "meanmaxsim: leave --similarity out"
        )


def _scored(features: Mapping[str, Any]) -> list[Any]:
    """Of each text the vectors of those tokens that count."""
    masks = features["attention_mask"].bool()
    return [vectors[mask] for vectors, mask in zip(features["token_embeddings"], masks, strict=True)]
