"""scirank audit."""

from typing import Annotated

import typer

from ..choices import Split
from .app import app
from .options import BenchmarkFiles, DataDir, Disciplines
from .printing import comma_separated, refuse


@app.command(epilog="Examples: scirank audit mdcr --data-dir data; scirank audit oagqa --data-dir oagqa-topic-v2")
def audit(
    benchmark: Annotated[BenchmarkFiles, typer.Argument(help="Which benchmark the files are of.")],
    data_dir: DataDir = None,
    split: Annotated[Split | None, typer.Option(help="mdcr: one split; by default all that the folder holds.")] = None,
    topics: Annotated[str | None, typer.Option(help="oagqa: comma-separated topics; all by default.")] = None,
    disciplines: Disciplines = None,
) -> None:
    """Count what the files hold, and what is odd in them: duplicates, ids and answers without a record, and more."""
    from ..report.terminal import console

    if benchmark is BenchmarkFiles.MDCR:
        from ..audit_mdcr import audit_mdcr
        from ..report.audit_mdcr import audit_tables as mdcr_tables

        refuse({"--topics": topics, "--disciplines": disciplines}, "oagqa")
        for found in audit_mdcr(data_dir, split):
            console().print(*mdcr_tables(found), sep="\n")
    else:
        from ..audit_oagqa import audit_oagqa
        from ..report.audit_oagqa import audit_tables as oagqa_tables

        refuse({"--split": split}, "mdcr")
        if benchmark is BenchmarkFiles.OAGQA_MINI:
            from oagqa_dataset import MINI

            refuse({"--data-dir": data_dir}, "oagqa; the small one comes with the package")
            data_dir = MINI
        found_topics = audit_oagqa(data_dir, comma_separated(topics), comma_separated(disciplines))
        console().print(*oagqa_tables(found_topics), sep="\n")
