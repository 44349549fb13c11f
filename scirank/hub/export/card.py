"""The cards: what is in the folder, counted from the files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...choices import Split
from ...errors import shown
from ...publishing.citing import OF_BENCHMARK, references
from ...publishing.claims import BENCHMARKS
from .exporting import MARK, README, Source

if TYPE_CHECKING:
    from .hub import Contents
    from .repository import Repository

HERE = Path(__file__).parent
ALL_SPLITS = ("test", "validation", "train")
TASKS = {"mdcr": ["text-retrieval", "text-ranking"], "oagqa": ["text-retrieval", "question-answering"]}
TAGS = {"mdcr": ["citation-recommendation", "scientific-papers"], "oagqa": ["scientific-papers"]}
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M", 10_000_000: "1M<n<10M"}

OF_FIELDS = {
    "repeated_within": "ids that stand twice in one list",
    "repeated_across": "candidates that stand in several lists of a query",
    "also_true": "cited papers that stand in another list too (they are relevant)",
    "no_relevant": "queries without a cited paper",
    "own_candidate": "queries that are among their own candidates",
    "in_other_group": "queries that are in another field too, counted in each",
    "without_record": "listed ids without a record, counted in each field",
}
OF_PAPERS = {
    "duplicates": "lines of the papers file that repeat an earlier id (the first was kept)",
    "no_title": "papers without a title",
    "no_abstract": "papers without an abstract",
    "mended": "papers with broken characters, now `?`",
}
OF_TOPICS = {
    "answers_without_paper": "answers that are the title of no paper of their topic",
    "unanswerable": "questions that no paper answers; they count 0",
    "repeated_titles": "papers with the title of an earlier paper of their topic",
    "contained_titles": "titles that stand in a longer title, which makes false hits under `title_span`",
    "empty_answers": "answers without any letter or digit",
    "shared_papers": "papers that are in another topic too, counted in each",
}


@dataclass(frozen=True)
class Counts:
    """What a folder in BEIR's layout holds."""

    groups: tuple[str, ...]
    papers: int
    queries: int
    judged: int
    right: int


def write_card(source: Source, contents: "Contents", repository: "Repository") -> None:
    """Write README.md of a dataset repository."""
    if source.kind == "mdcr":
        heads, faults, rows = _of_fields(source, contents, repository)
    else:
        heads, faults, rows = _of_topics(source, contents, repository)
    size = sum(repository.rows(name, split) for name in _sized(contents, repository) for split in ALL_SPLITS)
    metadata = {
        **_metadata(source, contents.groups, size),
        **repository.metadata(),
    }
    example = next((group for group in contents.groups if group in repository.configs), "all")
    text = _rendered(
        "card.md.jinja",
        **_common(source, contents.groups),
        splits=contents.splits,
        heads=heads,
        rows=rows,
        faults=faults,
        example=example,
        hashes=contents.hashes,
        twice=contents.twice,
        notes=contents.notes,
    )
    (repository.folder / README).write_text(_front(metadata) + text, "utf-8")


def write_beir_card(
    source: Source, split: Split, counts: Mapping[str, Counts], notes: Iterable[str], folder: Path
) -> None:
    """Write README.md beside folders in BEIR's layout."""
    groups = [group for each in counts.values() for group in each.groups]
    text = _rendered(
        "beir.md.jinja", **_common(source, groups), split=split, counts=counts, notes=list(notes), whole="." in counts
    )
    size = sum(each.papers + each.queries for each in counts.values())
    (folder / README).write_text(_front(_metadata(source, groups, size)) + text, "utf-8")


def title_of(source: Source, groups: Iterable[str]) -> str:
    """The benchmark, and what is not the benchmark's own about it."""
    title, own = BENCHMARKS[source.kind].title, BENCHMARKS[source.kind].groups
    if source.is_mini:
        return f"{title} mini (invented papers)"
    if others_among(source, groups):
        return f"Other data in the form of {title}"
    return title if set(own) <= set(groups) else f"A part of {title}"


def others_among(source: Source, groups: Iterable[str]) -> list[str]:
    """Those that are no field or topic of the benchmark."""
    return [group for group in groups if group not in BENCHMARKS[source.kind].groups]


def _metadata(source: Source, groups: Iterable[str], size: int) -> dict[str, Any]:
    return {
        "pretty_name": title_of(source, groups),
        "license": "mit" if source.is_mini else "unknown",
        "language": ["en"],
        "task_categories": TASKS[source.kind],
        "size_categories": [next((name for limit, name in SIZES.items() if size < limit), "10M<n<100M")],
        "tags": [*TAGS[source.kind], "mteb", *(["synthetic"] if source.is_mini else [])],
    }


def _common(source: Source, groups: list[str]) -> dict[str, Any]:
    from ...version import __version__

    published = BENCHMARKS[source.kind]
    return {
        "kind": source.kind,
        "title": published.title,
        "what": published.task_title,
        "group": published.group,
        "groups": groups,
        "of": len(published.groups),
        "others": shown(others_among(source, groups)),
        "measures": list(published.measures.values()),
        "mini": source.is_mini,
        "name": str(source.name),
        "missing_text": str(source.missing_text),
        "quotes": source.quotes and str(source.quotes),
        "upstream": _upstream(source),
        "bibtex": references()[OF_BENCHMARK[source.kind]].text,
        "version": __version__,
        "mark": MARK,
    }


def _upstream(source: Source) -> list[str]:
    if source.kind == "mdcr":
        from mdcr_dataset import UPSTREAM

        return [address for files in UPSTREAM.values() for address in (files.benchmark, files.papers)]
    from oagqa_dataset import UPSTREAM as ZIP

    return [ZIP]


def _sized(contents: "Contents", repository: "Repository") -> list[str]:
    """The configs that together hold every row of the benchmark once."""
    corpora = ["corpus"] if "corpus" in repository.configs else [f"{group}-corpus" for group in contents.groups]
    return ["all", *corpora]


def _of_fields(source: Source, contents: "Contents", repository: "Repository") -> tuple[list[str], Any, Any]:
    from ...audit_mdcr import audit_mdcr

    audits = [audit for audit in audit_mdcr(source.data_dir) if audit.split in contents.splits]
    audits.sort(key=lambda audit: contents.splits.index(audit.split))
    faults = [
        (
            label,
            [sum(getattr(group, name) for group in audit.groups if group.group in contents.groups) for audit in audits],
        )
        for name, label in OF_FIELDS.items()
    ]
    faults += [(label, [audit.counts[name] for audit in audits]) for name, label in OF_PAPERS.items()]
    faults.append(("papers that no query lists", [audit.unlisted for audit in audits]))
    heads = [f"{what}, {split}" for what in ("queries", "candidate papers") for split in contents.splits]
    rows = [
        (
            group,
            [repository.rows(group, split) for split in contents.splits]
            + [repository.rows(f"{group}-corpus", split) for split in contents.splits],
        )
        for group in contents.groups
    ]
    total = [repository.rows(config, split) for config in ("all", "corpus") for split in contents.splits]
    return heads, faults, [*rows, ("all", total)]


def _of_topics(source: Source, contents: "Contents", repository: "Repository") -> tuple[list[str], Any, Any]:
    from oagqa_dataset import discipline_of

    from ...audit_oagqa import audit_oagqa

    audit = audit_oagqa(source.data_dir, contents.groups)
    faults = [(label, [sum(getattr(topic, name) for topic in audit.topics)]) for name, label in OF_TOPICS.items()]
    faults.append(("questions that stand more than once", [audit.repeated_questions]))
    faults.append(("files without their partner, not used", [len(audit.incomplete)]))
    rows = [
        (
            f"{group} ({discipline_of(group)})",
            [repository.rows(group, split) for split in contents.splits] + [repository.rows(f"{group}-corpus", "test")],
        )
        for group in contents.groups
    ]
    total = [sum(counts[column] for _, counts in rows) for column in range(len(contents.splits) + 1)]
    heads = [f"questions, {split}" for split in contents.splits] + ["papers"]
    return heads, faults, [*rows, ("all", total)]


def _rendered(template: str, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # Markdown, not HTML
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["n"] = lambda number: f"{number:,}"
    return environment.get_template(template).render(**values)


def _front(metadata: Mapping[str, Any]) -> str:
    import yaml

    text = yaml.safe_dump(dict(metadata), sort_keys=False, allow_unicode=True, width=1_000)
    return f"---\n{text}---\n\n"
