"""The dataset repository: the benchmark's own configs out of its builder, MTEB's out of its tasks, and the card."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...benchmarks import Benchmark
from ...errors import ScirankError, counted, shown
from ...huggingface.builder import can_be_config
from .exporting import Source
from .repository import DEFAULT, Repository
from .rows import Tables, candidate_papers, in_two_groups

if TYPE_CHECKING:
    import pyarrow as pa

CORPUS = "corpus"
Keep = Callable[["pa.Table"], "pa.Table"]


@dataclass
class Contents:
    """What a repository holds, as far as the card tells it.

    Attributes:
        groups: fields or topics, in the files' order.
        splits: the splits of the questions or queries.
        hashes: which file -> SHA-256; of a topic, of both of its files.
        twice: queries that are in two fields: MTEB's configs over all fields are absent then.
        notes: what was noticed, for whoever exports.
    """

    groups: list[str] = field(default_factory=list)
    splits: list[str] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    twice: int = 0
    notes: list[str] = field(default_factory=list)


def write_hub(source: Source, folder: Path) -> list[str]:
    """Write the repository; see `export_dataset`. Gives what has to be known about it."""
    repository = Repository(folder)
    if source.kind == "mdcr":
        contents = _write_mdcr(source, repository)
    else:
        source, contents = _write_oagqa(source, repository)

    from .card import write_card
    from .eval_yaml import write_eval_yaml

    write_eval_yaml(source, contents, folder)
    write_card(source, contents, repository)
    return contents.notes


def _write_mdcr(source: Source, repository: Repository) -> Contents:
    from mdcr_dataset.mdcr_dataset import Mdcr

    builder = Mdcr(config_name=DEFAULT, data_dir=source.data_dir)
    contents = Contents(splits=[split for split, _ in _tables(builder)])
    benchmarks = [source.of_split(split) for split in contents.splits]
    _write_groups(source, builder, "field", repository, contents)
    papers = Mdcr(config_name=CORPUS, data_dir=source.data_dir)
    for (split, tables), benchmark in zip(_tables(papers), benchmarks, strict=True):
        _write_papers(source, repository, split, tables, benchmark)
        contents.hashes |= {f"{split}, {file}": digest for file, digest in benchmark.data_sha256.items()}
        contents.notes += [f"{split}: {note}" for note in benchmark.notes]
    repository.declare(CORPUS)
    _write_mteb_of_fields(repository, contents, benchmarks)
    return contents


def _write_papers(
    source: Source, repository: Repository, split: str, tables: "Iterator[pa.Table]", benchmark: Benchmark
) -> None:
    """The papers in the builder's columns and in MTEB's: one name, `corpus`, is both's."""
    import datasets
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = dict.fromkeys(paper for task in benchmark.tasks for paper in (*task.queries, *candidate_papers(task)))
    present: set[str] = set()

    def chosen() -> "Iterator[pa.Table]":
        for table in tables:
            present.update(table["paper_id"].to_pylist())
            yield table if source.groups is None else table.filter(pc.is_in(table["paper_id"], pa.array(wanted)))
        # Those that missing_text=empty has made.
        if absent := [paper for paper in wanted if paper not in present]:
            empty = [""] * len(absent)
            yield pa.table({"paper_id": absent, "title": empty, "abstract": empty})

    columns = {"_id": "paper_id", "title": "title", "text": "abstract", "paper_id": "paper_id", "abstract": "abstract"}
    features = datasets.Features(dict.fromkeys(columns, datasets.Value("string")))
    doubled = (pa.table({name: table[own] for name, own in columns.items()}) for table in chosen() if len(table))
    repository.write(CORPUS, split, doubled, features)


def _write_mteb_of_fields(repository: Repository, contents: Contents, benchmarks: list[Benchmark]) -> None:
    tables = Tables()
    parts: dict[str, list[str]] = {}
    for benchmark in benchmarks:
        for task in benchmark.tasks:
            for kind, features, table in tables.of(task):
                part = f"{task.group}-{kind}"
                repository.write(part, str(benchmark.split), [table], features)  # a plain string, for YAML
                if part not in parts.setdefault(kind, []):
                    parts[kind].append(part)
    for kind in parts:
        for part in parts[kind]:
            if can_be_config(part):
                repository.declare(part)
    contents.twice = sum(len(in_two_groups(benchmark.tasks)) for benchmark in benchmarks)
    if contents.twice:
        queries = counted(contents.twice, "query is", "queries are")
        contents.notes.append(
            f"{queries} in two fields, which one table of judgements cannot tell apart: there is no config queries, "
            "qrels and top_ranked for MTEB over all fields; those of each field (FIELD-qrels and so on) are there"
        )
    else:
        for kind in ("queries", "qrels", "top_ranked"):
            repository.declare(kind, parts[kind])


def _write_oagqa(source: Source, repository: Repository) -> tuple[Source, Contents]:
    from oagqa_dataset.oagqa_dataset import Oagqa

    source, topics = source.located()
    options = {"data_dir": source.data_dir} | ({} if source.quotes is None else {"quotes": source.quotes})
    contents = Contents(groups=topics)
    _write_groups(source, Oagqa(config_name=DEFAULT, **options), "topic", repository, contents)
    tables = Tables()
    for topic in topics:
        benchmark = source.of_topic(topic)
        contents.hashes |= benchmark.data_sha256
        contents.notes += [note for note in benchmark.notes if note not in contents.notes]
        for kind, features, table in tables.of(benchmark.tasks[0]):
            repository.write(f"{topic}-{kind}", "test", [table], features)
        if can_be_config(topic):
            _write_topic_papers(Oagqa(config_name=f"{topic}-{CORPUS}", **options), topic, repository)
            for kind in (CORPUS, "queries", "qrels"):
                repository.declare(f"{topic}-{kind}")
    return source, contents


def _write_topic_papers(builder: Any, topic: str, repository: Repository) -> None:
    """A topic's papers with their ids once more, under the name that MTEB looks for."""
    import datasets

    features = datasets.Features({**builder.info.features, "_id": datasets.Value("string")})
    for split, tables in _tables(builder):
        with_id = (table.append_column("_id", table["paper_id"]) for table in tables)
        repository.write(f"{topic}-{CORPUS}", split, with_id, features)


def _write_groups(source: Source, builder: Any, column: str, repository: Repository, contents: Contents) -> None:
    """A config of each field or topic, and `all`, which is their files one after the other."""
    groups: dict[str, None] = {}
    splits: dict[str, None] = {}
    for split, tables in _tables(builder):
        for table in tables:
            group = table[column][0].as_py() if len(table) else None
            if group is not None and (source.groups is None or group in source.groups):
                repository.write(group, split, [table], builder.info.features)
                groups[group] = splits[split] = None
    if not groups:
        raise ScirankError("there is nothing to export: no field or topic that is wanted has a query")
    contents.groups, contents.splits = list(groups), list(splits)
    repository.declare(DEFAULT, groups)
    for group in filter(can_be_config, groups):
        repository.declare(group)
    if nameless := [group for group in groups if not can_be_config(group)]:
        contents.notes.append(f"no config can have the name {shown(nameless)}; the rows are in the config all")


def _tables(builder: Any) -> "Iterator[tuple[str, Iterator[pa.Table]]]":
    """The tables of each split, as the builder makes them, without its cache."""
    import datasets

    for generator in builder._split_generators(datasets.DownloadManager()):
        yield str(generator.name), (table for _, table in builder._generate_tables(**generator.gen_kwargs))
