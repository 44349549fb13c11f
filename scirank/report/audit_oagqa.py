"""An audit of OAG-QA for the eye."""

from rich import box
from rich.console import RenderableType
from rich.table import Table

from ..audit_oagqa import PUBLISHED, OagqaAudit
from ..errors import counted, shown

COLUMNS = {
    "papers": "papers",
    "questions": "questions",
    "answers": "answers",
    "answers_without_paper": "answers\nwithout\na paper",
    "unanswerable": "questions\nno paper\nanswers",
    "repeated_titles": "repeated\ntitles",
    "contained_titles": "titles in\na longer\ntitle",
    "empty_answers": "empty\nanswers",
    "shared_papers": "papers in\nanother\ntopic",
}


def audit_tables(audit: OagqaAudit) -> list[RenderableType]:
    """A topic a row, the sums below; then what they mean, and what was noticed in reading."""
    table = Table(box=box.SIMPLE, pad_edge=False, show_footer=True)
    table.add_column("topic", footer="all", no_wrap=True)
    table.add_column("discipline", no_wrap=True)
    totals = {name: sum(getattr(topic, name) for topic in audit.topics) for name in COLUMNS}
    for name, head in COLUMNS.items():
        table.add_column(head, justify="right", footer=f"{totals[name]:,}")
    for topic in audit.topics:
        table.add_row(topic.topic, topic.discipline, *(f"{getattr(topic, name):,}" for name in COLUMNS))
    answerable = totals["questions"] - totals["unanswerable"]
    lines = [
        f"{totals['answers']:,} question-answer pairs, {totals['questions']:,} questions "
        f"({audit.repeated_questions:,} repeated); published: {PUBLISHED:,}, of queries or of pairs",
        f"at most {100 * answerable / totals['questions']:.2f} % of the questions can be answered by exact title",
        *(f"{topic.topic}: {line}" for topic in audit.topics for line in topic.told),
    ]
    if audit.incomplete:
        files = counted(len(audit.incomplete), "file", "files")
        lines.append(f"{files} without their partner, not used: {shown(audit.incomplete)}")
    return [table, *lines]
