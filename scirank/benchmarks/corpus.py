"""Papers by id."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa


class Document(NamedTuple):
    """A paper (or a question, without a title)."""

    title: str
    text: str


class Corpus(Mapping[str, Document]):
    """Papers by id, kept in Arrow: 200,000 abstracts take little more memory than their bytes."""

    def __init__(self, papers: "pa.Table") -> None:
        """Take a table with the string columns `paper_id`, `title` and `abstract`, ids unique."""
        self._rows = {paper: row for row, paper in enumerate(papers["paper_id"].to_pylist())}
        self._titles = papers["title"].combine_chunks()
        self._texts = papers["abstract"].combine_chunks()

    def __getitem__(self, paper: str) -> Document:
        row = self._rows[paper]
        return Document(self._titles[row].as_py(), self._texts[row].as_py())

    def __contains__(self, paper: object) -> bool:
        return paper in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
