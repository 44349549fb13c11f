"""The config "oagqa": from ranked titles to Hit@K under both hit rules."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import datasets

from .calibration import calibrate
from .checks import Column
from .checks import finite_scores
from .checks import items
from .checks import name_of
from .checks import plain_text
from .hits import DEFAULT_HITS
from .hits import answering_ranks
from .hits import evaluate_questions
from .hits import parse_hits
from .hits import short_lists
from .hits_summary import summarise_questions
from .outcomes import RULES
from .outcomes import Question
from .titles import title_key

MOST_PAPERS = 2**63 - 1


class AnswersProtocol:
    """Ranked titles and answers of each question."""

    description = """\
Hit@K as OAG-QA publishes it (Tam et al., 2023): the share of questions with an answer among the first
K titles. An answer is found under `title_span`, upstream's rule, if its tokens stand contiguous in a
title; under `exact_title` if they are the title's. Both are always computed. Percent.
"""
    inputs = """\
Args:
    predictions: for each question, the titles of the ranked papers, best first.
    references: for each question, the titles of the papers that answer it.
    groups: each question's topic. Optional; left out, all are one topic, "all".
    disciplines: each question's discipline. Optional; topics are averaged in their discipline first.
    scores: for each question, the scores of the ranked papers, not rising. Optional; adds the
        calibration, and tells ties.
    relevant: for each question, how many papers of the pool answer it: what recall_K divides by.
        Optional; left out, the distinct answers stand for papers.
    measures: names such as "hit_20", "recall_100", "mrr", "mrr_10"; by default hit_1, hit_5,
        hit_10, hit_20, hit_50, hit_100, mrr (within the list), recall_20 and recall_100.
    return_per_query: also return each question's values, from 0 to 1.
Returns:
    Each measure in percent; `hit_K` and `mrr` are under `title_span`, `exact_hit_K` and `exact_mrr`
    under `exact_title`; `recall_K` is the share of the answering papers. These are the average that
    "average" names; "averages" has all: "macro_disciplines" (of the disciplines' means, each the mean
    of its topics'), "macro_topics", "over_questions". "disciplines" and "groups" (topics) have the
    same. "queries"; "false_hits", the questions that hit by `title_span` only; "without_relevant",
    those without any answering paper, which count 0 in recall; "short_lists", those with fewer
    ranked titles than a cutoff. With scores also "tied_queries", "ece" and "exact_ece" (0 to 1) and
    "calibration" (the bins).
Examples:
    >>> import evaluate, mdcr_metric
    >>> metric = evaluate.load("mdcr_metric", "oagqa")
    >>> result = metric.compute(
    ...     predictions=[["A Survey of Deep Learning", "Deep Learning"], ["Optics", "Lenses"]],
    ...     references=[["Deep learning"], ["Prisms"]])
    >>> result["hit_1"], result["exact_hit_1"], result["false_hits"]["hit_1"]
    (50.0, 0.0, 1)
"""
    citation = """\
@inproceedings{tam-etal-2023-parameter,
    title = "Parameter-Efficient Prompt Tuning Makes Generalized and Calibrated Neural Text Retrievers",
    author = "Tam, Weng Lam and Liu, Xiao and Ji, Kaixuan and Xue, Lilong and Liu, Jiahua and Li, Tao and
      Dong, Yuxiao and Tang, Jie",
    booktitle = "Findings of the Association for Computational Linguistics: EMNLP 2023",
    year = "2023",
    pages = "13117--13130",
    url = "https://aclanthology.org/2023.findings-emnlp.874",
}
"""
    homepage = "https://github.com/THUDM/P-tuning-v2/tree/main/PT-Retrieval"

    def __init__(self) -> None:
        text, strings = datasets.Value("string"), datasets.Sequence(datasets.Value("string"))
        self.columns = {
            "predictions": Column(_titles, strings),
            "references": Column(_answers, strings),
            "groups": Column(name_of("group"), text, absent=""),
            "disciplines": Column(name_of("discipline"), text, absent=""),
            "scores": Column(_scores, datasets.Sequence(datasets.Value("float64")), absent=None),
            "relevant": Column(_number, datasets.Value("int64"), absent=None),
        }

    def options(self, measures: Sequence[str] | str | None = None, return_per_query: bool = False) -> dict[str, Any]:
        """See `inputs`."""
        return {
            "measures": parse_hits(DEFAULT_HITS if measures is None else measures),
            "return_per_query": return_per_query,
        }

    def noted(self, batch: Mapping[str, Sequence[Any]], first_row: int) -> list[Any]:
        """The disciplines that each topic is said to be of, with the row that first says so."""
        pairs = zip(batch["groups"], batch["disciplines"], strict=True)
        first = {pair: row for row, pair in reversed(list(enumerate(pairs, first_row))) if pair[1]}
        return sorted((row, topic, discipline) for (topic, discipline), row in first.items())

    def check_noted(self, noted: Sequence[Any], rows: int, options: Mapping[str, Any]) -> None:
        """Raise ValueError where a topic is of two disciplines, or disciplines stand alone."""
        found: dict[str, str] = {}
        for row, topic, discipline in noted:
            if topic == "":
                raise ValueError(f"row {row}: disciplines need groups, the topics that they are averaged over")
            if found.setdefault(topic, discipline) != discipline:
                raise ValueError(
                    f"row {row}: topic {topic!r} is of discipline {discipline!r} here and of {found[topic]!r} before"
                )

    def compute(self, batch: Mapping[str, Sequence[Any]], measures: Any, return_per_query: bool) -> dict[str, Any]:
        """See `inputs`."""
        columns = (batch[name] for name in ("predictions", "references", "scores", "relevant"))
        questions = [Question(*row) for row in zip(*columns, strict=True)]
        topics = [topic or "all" for topic in batch["groups"]]
        per_question = evaluate_questions(questions, measures)
        disciplines = dict(zip(topics, batch["disciplines"], strict=True)) if batch["disciplines"][0] else None
        result = summarise_questions(per_question, topics, disciplines)
        result["without_relevant"] = sum(
            not (any(map(title_key, q.answers)) if q.relevant is None else q.relevant) for q in questions
        )
        result["short_lists"] = short_lists([len(question.titles) for question in questions], measures)
        if questions[0].scores is not None:
            result["calibration"] = {}
            for prefix, rule in RULES.items():
                calibration = calibrate([question.scores or [] for question in questions], per_question.hits[rule])
                result[f"{prefix}ece"] = calibration.ece
                result["calibration"][rule] = asdict(calibration)
        if return_per_query:
            tied = {} if per_question.tied is None else {"tied": per_question.tied}
            result["per_query"] = {"row": list(range(len(topics))), "group": topics, **per_question.values, **tied}
        return result


def _titles(row: int, values: Any, _so_far: Mapping[str, Any]) -> list[str]:
    return _strings("predictions", row, values)


def _answers(row: int, values: Any, _so_far: Mapping[str, Any]) -> list[str]:
    return _strings("references", row, values)


def _strings(name: str, row: int, values: Any) -> list[str]:
    titles = items(name, row, values)
    for at, title in enumerate(titles):
        if not isinstance(title, str):
            raise ValueError(f"row {row}, {name} {at}: expected a title, found {title!r:.80}")
    return [plain_text(row, "title", title) for title in titles]


def _scores(row: int, values: Any, so_far: Mapping[str, Any]) -> list[float]:
    scores, titles = finite_scores("scores", row, values), so_far["predictions"]
    if len(scores) != len(titles):
        raise ValueError(f"row {row}: {len(titles)} predictions but {len(scores)} scores")
    rising = next((at for at in range(1, len(scores)) if scores[at] > scores[at - 1]), None)
    if rising is not None:
        raise ValueError(
            f"row {row}: the score at rank {rising + 1} is above that before it ({scores[rising]} > "
            f"{scores[rising - 1]}); predictions should be ranked, best first"
        )
    return scores


def _number(row: int, value: Any, so_far: Mapping[str, Any]) -> int:
    plain = value.item() if getattr(value, "ndim", 1) == 0 else value
    if type(plain) is not int or not 0 <= plain <= MOST_PAPERS:
        raise ValueError(f"row {row}: relevant should be a number of papers, found {value!r:.80}")
    ranked = answering_ranks(so_far["predictions"], so_far["references"])
    if len(ranked) > plain:
        raise ValueError(f"row {row}: relevant is {plain}, but {len(ranked)} ranked titles are answers")
    return plain
