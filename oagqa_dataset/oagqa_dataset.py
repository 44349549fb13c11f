"""The dataset builder. The same file is a loading script for datasets < 4."""

import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa
from datasets.exceptions import DatasetGenerationError
from scirank.huggingface.builder import FolderBuilder
from scirank.huggingface.builder import FolderConfig
from scirank.huggingface.builder import can_be_config

from .errors import OagqaDataError
from .files import TopicFiles
from .files import data_folder
from .files import discarding_bad_download
from .files import download
from .files import find_topics
from .tables import COLUMNS
from .tables import QUOTES
from .tables import Question
from .tables import told
from .topic import Topic
from .topic import answering
from .topic import question_id
from .topic import read_topic
from .topics import DISCIPLINES
from .topics import TOPICS
from .topics import discipline_of
from .train import parse_train

logger = datasets.logging.get_logger(__name__)

VERSION = datasets.Version("1.0.0")
CORPUS = "-corpus"
DESCRIPTION = "OAG-QA (2022): questions that scientific papers answer, in {} topics of {} disciplines."

CITATION = """\
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


class OagqaGenerationError(OagqaDataError, DatasetGenerationError):
    """A data error that `datasets` passes on as it is instead of wrapping it."""


@dataclass
class OagqaConfig(FolderConfig):
    """All questions (`all`), a topic's questions (its name), or its papers (`TOPIC-corpus`).

    `quotes` says what to do where a stray quote swallows rows: `error`, `upstream` or `literal`.
    """

    quotes: str = "error"
    corpus: bool = False

    @property
    def topic(self) -> str | None:
        """The one topic of this config, if it is of one."""
        return None if self.name == "all" else self.name.removesuffix(CORPUS) if self.corpus else self.name

    def files(self) -> list[str]:
        """The zip, or the files of every whole topic."""
        found = find_topics(self.data_dir).topics.values()
        return list(dict.fromkeys(f.path for t in found for f in (t.papers, t.questions, t.train) if f))


def configs_of(data_dir: str | os.PathLike[str] | None) -> list[OagqaConfig]:
    """`all`, the 87 topics, whatever other topics are found, and a corpus for each."""
    source = data_folder(data_dir)
    found = [] if source is None else list(find_topics(source).topics)
    # A topic that cannot be a config's name is still part of `all`.
    return _configs(name for name in dict.fromkeys([*TOPICS, *found]) if can_be_config(name) and name != "all")


def _configs(topics: Iterable[str]) -> list[OagqaConfig]:
    names = list(topics)
    corpora = [f"{name}{CORPUS}" for name in names]
    return [
        OagqaConfig("all", VERSION, description="the questions of all topics"),
        *(OagqaConfig(name, VERSION, description=f"the questions of {name}") for name in names if name not in corpora),
        *(
            OagqaConfig(corpus, VERSION, description=f"the papers of {name}", corpus=True)
            for name, corpus in zip(names, corpora, strict=True)
        ),
    ]


class Oagqa(FolderBuilder):
    """OAG-QA: questions that scientific papers answer (Tam et al., 2023).

    The split is `test`, and `train` where a topic has questions for training. A question row:
    `question_id` (`topic/row`), `question`, `answers` (titles), `answer_ids` (papers of the topic
    whose title has the same tokens), `topic`, `discipline`. A corpus row: `paper_id` (unique in its
    topic only), `title`, `text`.
    """

    VERSION = VERSION
    BUILDER_CONFIG_CLASS = OagqaConfig
    BUILDER_CONFIGS = _configs(TOPICS)
    DEFAULT_CONFIG_NAME = "all"
    DATA_ERROR = OagqaDataError
    data_folder = staticmethod(data_folder)
    configs_of = staticmethod(configs_of)

    def _info(self) -> datasets.DatasetInfo:
        text, texts = datasets.Value("string"), datasets.Sequence(datasets.Value("string"))
        if self.config.quotes not in QUOTES:
            raise OagqaDataError(f"unknown quotes {self.config.quotes!r}; valid are {', '.join(QUOTES)}")
        if self.config.corpus:
            features = dict.fromkeys(COLUMNS, text)
        else:
            features = {"question_id": text, "question": text, "answers": texts, "answer_ids": texts}
            features |= {"topic": text, "discipline": text}
        return datasets.DatasetInfo(
            description=DESCRIPTION.format(len(TOPICS), len(DISCIPLINES)),
            citation=CITATION,
            homepage="https://github.com/THUDM/P-tuning-v2/tree/main/PT-Retrieval",
            features=datasets.Features(features),
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        downloaded = self.config.data_dir is None
        source = self.config.data_dir
        if downloaded:
            fetching = dl_manager.download_config
            folder = fetching.cache_dir or datasets.config.DOWNLOADED_DATASETS_PATH
            source = download(folder, force=bool(fetching.force_download))
        with discarding_bad_download(source, downloaded):
            found = find_topics(source)
        if found.incomplete:
            logger.warning("%s: files without their partner, not used: %s", source, ", ".join(found.incomplete))
        if self.config.topic is None:
            topics = list(found.topics.values())
        elif self.config.topic in found.topics:
            topics = [found.topics[self.config.topic]]
        else:
            raise OagqaDataError(f"topic {self.config.topic!r} is not in {source}; it has {', '.join(found.topics)}")
        # `datasets` shares work between processes by the list among these.
        generators = [datasets.SplitGenerator("test", {"topics": topics, "train": False, "downloaded": downloaded})]
        with discarding_bad_download(source, downloaded):
            trained = [] if self.config.corpus else [files for files in topics if _is_readable(files)]
        if trained:
            kwargs = {"topics": trained, "train": True, "downloaded": downloaded}
            generators.append(datasets.SplitGenerator("train", kwargs))
        return generators

    def _generate_tables(
        self, topics: Sequence[TopicFiles], train: bool, downloaded: bool
    ) -> Iterator[tuple[str, pa.Table]]:
        for files in topics:
            with discarding_bad_download(files.papers.path, downloaded, OagqaGenerationError):
                topic = read_topic(files, self.config.quotes)
                questions = topic.questions
                if train and files.train:
                    questions = parse_train(files.train.read(), str(files.train))
            for line in [] if train else told(topic.counts):
                logger.warning("%s: %s", files.topic, line)
            yield files.topic, topic.papers if self.config.corpus else _question_table(topic, questions, self.info)


def _question_table(topic: Topic, questions: Sequence[Question], info: datasets.DatasetInfo) -> pa.Table:
    papers = topic.papers_by_title()
    rows = [
        {
            "question_id": question_id(topic.name, row),
            "question": question,
            "answers": answers,
            "answer_ids": answering(answers, papers),
            "topic": topic.name,
            "discipline": discipline_of(topic.name),
        }
        for row, (question, answers) in enumerate(questions)
    ]
    return pa.Table.from_pylist(rows, schema=info.features.arrow_schema)


def _is_readable(files: TopicFiles) -> bool:
    """Whether a topic has questions for training. Their form is not documented, so what cannot be read is told only."""
    if files.train is None:
        return False
    data = files.train.read()
    try:
        return bool(parse_train(data, str(files.train)))
    except OagqaDataError as error:
        logger.warning("%s; left out of the split train", error)
        return False
