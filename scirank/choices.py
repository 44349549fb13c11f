"""What can be chosen by name, for the command line and Python alike."""

import re
from enum import StrEnum

from .errors import ScirankError


class Choice(StrEnum):
    """A name out of a few; `Choice("x")` raises ScirankError naming the valid ones."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        option = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()
        raise ScirankError(f"unknown {option} '{value}'; valid are {', '.join(cls)}")


class Benchmark(Choice):
    """Benchmarks that models can run on."""

    MDCR = "mdcr"
    MDCR_MINI = "mdcr-mini"
    OAGQA = "oagqa"
    OAGQA_MINI = "oagqa-mini"

    @property
    def asks_questions(self) -> bool:
        """Whether queries are questions, which titles answer, rather than papers."""
        return self in (Benchmark.OAGQA, Benchmark.OAGQA_MINI)


class Split(Choice):
    """Splits; OAG-QA is evaluated on test."""

    VALIDATION = "validation"
    TEST = "test"


class Ties(Choice):
    """How equal scores are ordered; see `mdcr_metric.POLICIES`."""

    TREC = "trec"
    OPTIMISTIC = "optimistic"
    PESSIMISTIC = "pessimistic"
    EXPECTED = "expected"


class Missing(Choice):
    """What a pair without a score, or a question without a ranking, means."""

    ERROR = "error"
    LOWEST = "lowest"
    DROP = "drop"


class MissingText(Choice):
    """What to do about a listed paper without a record."""

    ERROR = "error"
    EMPTY = "empty"
    SKIP = "skip"


class NoRelevant(Choice):
    """What a query without a relevant candidate means."""

    ERROR = "error"
    ZERO = "zero"
    SKIP = "skip"


class Quotes(Choice):
    """What to do where a stray quote in OAG-QA's files swallows rows; see `oagqa_dataset.tables.QUOTES`."""

    ERROR = "error"
    UPSTREAM = "upstream"
    LITERAL = "literal"


class Kind(Choice):
    """Kinds of models that a folder, a name on the Hub or an object can be."""

    BI_ENCODER = "bi-encoder"
    LATE_INTERACTION = "late-interaction"
    CROSS_ENCODER = "cross-encoder"


class Architecture(Choice):
    """Systems that can be trained."""

    DPR = "dpr"
    COLBERT = "colbert"


class Method(Choice):
    """Ways of training: all weights, or P-Tuning v2's prefixes."""

    FT = "ft"
    PT2 = "pt2"


class Source(Choice):
    """Where training queries come from: OAG-QA's files for training or its questions, MDCR's validation split."""

    TRAIN = "train"
    QUESTIONS = "questions"
    VALIDATION = "validation"


class Schedule(Choice):
    """What a learning rate does after it has risen."""

    LINEAR = "linear"
    CONSTANT = "constant"


class Similarity(Choice):
    """Similarities of vectors; the last two are negated distances."""

    COSINE = "cosine"
    DOT = "dot"
    EUCLIDEAN = "euclidean"
    MANHATTAN = "manhattan"


class Pooling(Choice):
    """Poolings of token vectors."""

    CLS = "cls"
    MEAN = "mean"


class Dtype(Choice):
    """Precisions of computing."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


class Backend(Choice):
    """What computes."""

    TORCH = "torch"
    ONNX = "onnx"
    OPENVINO = "openvino"


class Engine(Choice):
    """What carries encoding out on many machines."""

    RAY = "ray"


class PlotName(Choice):
    """Plots of results; see `scirank.plots.PLOTS`."""

    GROUPS = "groups"
    HITS = "hits"
    DIFFERENCES = "differences"
    SOURCES = "sources"
    SPEED = "speed"
    CALIBRATION = "calibration"


class Form(Choice):
    """Where numbers stand in a model's repository."""

    EVAL_RESULTS = "eval-results"
    MODEL_INDEX = "model-index"


class Layout(Choice):
    """What an exported folder is for: the Hub, with all that reads its datasets, or tools that read BEIR's files."""

    HUB = "hub"
    BEIR = "beir"


class Recipe(Choice):
    """Named sets of model options."""

    SCIREPEVAL = "scirepeval"
