"""Papers by id."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa


class Document(NamedTuple):
    """A paper (or a question, without a title)."""

    title: str
    text: str


class Corpus(Mapping[str, Document]):
    """Papers by id, kept in Arrow: 200,000 abstracts take little more memory than their bytes."""

    def __init__(self, papers: "pa.Table", text: str = "abstract") -> None:
        """Take a table with the string columns `paper_id`, `title` and that of the text, ids unique."""
        self._rows = {paper: row for row, paper in enumerate(papers["paper_id"].to_pylist())}
        self._titles = papers["title"].combine_chunks()
        self._texts = papers[text].combine_chunks()

    def __getitem__(self, paper: str) -> Document:
        row = self._rows[paper]
        return Document(self._titles[row].as_py(), self._texts[row].as_py())

    def titles(self, papers: Iterable[str]) -> list[str]:
        """The titles of papers."""
        rows = self._titles.take([self._rows[paper] for paper in papers])
        titles: list[str] = rows.to_pylist()
        return titles

    def __contains__(self, paper: object) -> bool:
        return paper in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
