"""An OAG-QA of full size, made of random words and vectors, a topic at a time: nothing of it is kept."""

from dataclasses import dataclass

import numpy as np

from oagqa_dataset import TOPICS

PAPERS, QUESTIONS, DIMENSIONS = 10_000, 206, 384
VOCABULARY = np.array([f"word{number}" for number in range(20_000)])


@dataclass(frozen=True)
class SyntheticTopic:
    """Titles and unit vectors of papers; for each question the row of its answer and a vector near that paper's."""

    name: str
    titles: list[str]
    papers: np.ndarray
    answers: list[int]
    questions: np.ndarray


def topics(count: int = len(TOPICS)) -> list[str]:
    """The names of the first topics."""
    return list(TOPICS[:count])


def make(name: str) -> SyntheticTopic:
    """A topic, the same every time."""
    random = np.random.default_rng(TOPICS.index(name))
    words = VOCABULARY[random.integers(0, len(VOCABULARY), (PAPERS, 10))]
    papers = _unit(random.standard_normal((PAPERS, DIMENSIONS), dtype=np.float32))
    answers = random.integers(0, PAPERS, QUESTIONS)
    noise = random.standard_normal((QUESTIONS, DIMENSIONS), dtype=np.float32)
    questions = _unit(papers[answers] + 0.25 * noise)
    return SyntheticTopic(name, [" ".join(row) for row in words.tolist()], papers, answers.tolist(), questions)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
