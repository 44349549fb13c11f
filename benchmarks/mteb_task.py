"""What MTEB wants to know of a task before it evaluates on it."""

from typing import Any


def metadata(name: str, kind: str, main_score: str) -> Any:
    """MTEB's `TaskMetadata` for a task that is made here: English scientific papers, of no published source."""
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name=name,
        description="made for a benchmark of speed",
        reference=None,
        dataset={"path": "none", "revision": "0"},
        type=kind,
        category="t2t",
        modalities=["text"],
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=main_score,
        date=("2022-01-01", "2022-12-31"),
        domains=["Academic"],
        task_subtypes=[],
        license="mit",
        annotations_creators="derived",
        dialect=[],
        sample_creation="found",
        bibtex_citation="",
    )
