"""What is trained on and what is evaluated, kept apart."""

from collections.abc import Sequence
from typing import Any

from ..benchmarks import Benchmark
from ..benchmarks.oagqa import select_topics
from ..choices import Benchmark as Names
from ..errors import ScirankError, counted, shown
from ..models.record import text_digest
from .queries import TrainingQuery


def groups_to_train_on(
    name: Names,
    groups: str | Sequence[str] | None,
    disciplines: str | Sequence[str] | None,
    evaluated: Benchmark | None,
    allow_seen: bool,
) -> dict[str, Any]:
    """The groups and disciplines to load: of OAG-QA without topics that are held out.

    Raises:
        ScirankError: a topic that is held out is named, and that is not allowed; or nothing is left.
    """
    if evaluated is None or not name.asks_questions:
        return {"groups": groups, "disciplines": disciplines}
    named = [groups] if isinstance(groups, str) else list(groups or [])
    if (both := [topic for topic in named if topic in evaluated.groups]) and not allow_seen:
        raise ScirankError(
            f"{shown(both)}: held out, and named for training too; choose others, or allow_seen (--allow-seen)"
        )
    wanted = select_topics(evaluated.held, groups, disciplines, evaluated.name)
    left = [topic for topic in wanted if topic not in evaluated.groups or topic in both]
    if not left:
        raise ScirankError(f"nothing is left to train on: {shown(evaluated.groups)} held out; hold out fewer topics")
    return {"groups": left}


def refuse_seen(queries: Sequence[TrainingQuery], evaluated: Benchmark) -> None:
    """Refuse to train on what will be evaluated: a query with the same text.

    Raises:
        ScirankError: naming the queries.
    """
    texts = {text_digest(query.query) for query in queries}
    asked = ((name, query) for task in evaluated.tasks for name, query in task.queries.items())
    if seen := [name for name, query in asked if text_digest(query) in texts]:
        raise ScirankError(
            f"{counted(len(seen), 'query', 'queries')} that will be evaluated would be trained on: {shown(seen)}. "
            "Hold out other groups, train on others, or choose allow_seen (--allow-seen)"
        )
