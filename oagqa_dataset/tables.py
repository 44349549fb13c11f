"""Papers and questions out of upstream's tab-separated files, read as upstream's csv reader reads them."""

import ast
import csv
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from mdcr_metric.titles import title_key

from .errors import OagqaDataError

LONGEST_FIELD = 10_000_000
"""Characters; upstream's own limit."""
QUOTES = ("error", "upstream", "literal")
"""What to do where a quote at the start of a field swallows the rows after it: refuse; take what csv makes of it,
as upstream does, and count the lines; or end every row with its line, stray quotes being plain characters."""
COLUMNS = ("paper_id", "title", "text")
SCHEMA = pa.schema([(column, pa.string()) for column in COLUMNS])
HEADERS = {
    "papers": (("id", "paper_id", "pid"), ("text", "abstract"), ("title",)),
    "questions": (("question", "query"), ("answers", "answer", "titles", "papers")),
}
"""Names that a header row may give each column, the usual one first; upstream's files have no header."""
ADJACENT = re.compile(r"""['"]\s+[A-Za-z]?['"]""")
TELLING = {
    "header": "{} header row(s), skipped",
    "blank": "{} blank line(s), skipped",
    "swallowed": "{} line(s) swallowed by a quote before them, as upstream's reader does",
    "other_ids": "{} id(s) that are not row numbers, as upstream's are",
    "repeated_ids": "{} row(s) with an id of an earlier row; the first was kept",
    "empty_papers": "{} paper(s) without title and text",
    "empty_questions": "{} empty question(s)",
    "empty_answers": "{} empty answer(s), which every title contains",
    "no_answers": "{} question(s) without any answer",
}
"""What is counted while reading -> how it is told."""


class Question(NamedTuple):
    """A question and the titles of the papers that answer it."""

    question: str
    answers: list[str]


def parse_papers(data: bytes, name: str, counts: Counter[str], quotes: str = "error") -> pa.Table:
    """A topic's papers, as a table with the string columns `paper_id`, `title` and `text`, ids unique.

    Args:
        data: the bytes of a file with a row a paper: id, text, title.
        name: what to call it in errors.
        counts: gains what was noticed, under the keys of `TELLING`.
        quotes: one of `QUOTES`.

    Raises:
        OagqaDataError: naming the line.
    """
    papers: dict[str, tuple[str, str]] = {}
    for row, (line, (paper, text, title)) in enumerate(_rows(data, name, "papers", counts, quotes)):
        if not paper:
            raise OagqaDataError(f"{name}, line {line}: no id; expected id, text and title, found {text[:60]!r}")
        counts["other_ids"] += paper != str(row)
        counts["empty_papers"] += not (title or text)
        counts["repeated_ids"] += paper in papers
        papers.setdefault(paper, (title, text))
    if not papers:
        raise OagqaDataError(f"{name}: no papers; expected a row a paper: id, text and title, with tabs between")
    titles, texts = zip(*papers.values(), strict=True)
    return pa.table([list(papers), titles, texts], schema=SCHEMA)


def parse_questions(data: bytes, name: str, counts: Counter[str], quotes: str = "error") -> list[Question]:
    """A topic's questions in file order, out of a row a question: its text, its answers; else as `parse_papers`."""
    questions = []
    for line, (question, answers) in _rows(data, name, "questions", counts, quotes):
        titles = _answers(answers, f"{name}, line {line}")
        counts["empty_questions"] += not question.strip()
        counts["empty_answers"] += sum(not title_key(title) for title in titles)
        counts["no_answers"] += not titles
        questions.append(Question(question, titles))
    if not questions:
        raise OagqaDataError(f"{name}: no questions; expected a row a question: its text, a tab, a list of titles")
    return questions


def told(counts: Counter[str]) -> list[str]:
    """What was noticed in reading, a line each."""
    return [words.format(f"{counts[key]:,}") for key, words in TELLING.items() if counts[key]]


def _rows(data: bytes, name: str, kind: str, counts: Counter[str], quotes: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the number of their first line: of the right width, without headers and blank lines."""
    if quotes not in QUOTES:
        raise OagqaDataError(f"unknown quotes {quotes!r}; valid are {', '.join(QUOTES)}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise OagqaDataError(
            f"{name}, line {line}: not UTF-8 ({error.reason} {byte:#x}); save the file as UTF-8"
        ) from error
    lines = io.StringIO(text, newline="")
    header = HEADERS[kind]
    reader = csv.reader(_without_stray_quotes(lines, len(header)) if quotes == "literal" else lines, delimiter="\t")
    limit = csv.field_size_limit(LONGEST_FIELD)
    try:
        line = 1
        for row in reader:
            if not row:
                counts["blank"] += 1
            elif (kind == "papers" and row[0] == "id") or (line == 1 and _names_columns(row, header)):
                _check_header(row, header, f"{name}, line {line}")
                counts["header"] += 1
            else:
                if reader.line_num > line and any("\n" in field and "\t" in field for field in row):
                    _swallowed(name, line, reader.line_num, counts, quotes)
                if len(row) != len(header):
                    _wrong_width(name, line, row, kind)
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise OagqaDataError(
            f"{name}, line {line}: {error}. A field can have {LONGEST_FIELD:,} characters; a quote that is never "
            "closed makes one of all that follows, then choose quotes='literal' (--quotes literal)"
        ) from error
    finally:
        csv.field_size_limit(limit)


def _without_stray_quotes(lines: Iterable[str], width: int) -> Iterator[str]:
    """Lines as csv reads them; where a quote is not closed in its line, or swallows a tab, quotes are characters."""
    for line in lines:
        reader = csv.reader([line, "\n"], delimiter="\t")
        row = next(reader)
        if reader.line_num > 1 or (len(row) != width and line.count("\t") == width - 1):
            cells = line.rstrip("\r\n").split("\t")
            yield "\t".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"
        else:
            yield line


def _names_columns(row: list[str], header: tuple[tuple[str, ...], ...]) -> bool:
    return {cell.strip().lower() for cell in row} <= {name for names in header for name in names}


def _check_header(row: list[str], header: tuple[tuple[str, ...], ...], where: str) -> None:
    """Refuse columns in another order. A paper called `id` is taken for a header too, as upstream does."""
    cells = [cell.strip().lower() for cell in row]
    in_place = len(cells) == len(header) and all(cell in names for cell, names in zip(cells, header, strict=True))
    if _names_columns(row, header) and not in_place:
        expected = ", ".join(names[0] for names in header)
        raise OagqaDataError(f"{where}: the header names {', '.join(cells)}; expected the columns {expected}")


def _swallowed(name: str, line: int, last: int, counts: Counter[str], quotes: str) -> None:
    counts["swallowed"] += last - line
    if quotes == "error":
        raise OagqaDataError(
            f"{name}, line {line}: a field begins with a quote and runs to line {last}, over the rows between. "
            "Choose quotes='literal' (--quotes literal) to end rows with lines, or 'upstream' to lose "
            "those rows as upstream's reader does"
        )


def _wrong_width(name: str, line: int, row: list[str], kind: str) -> None:
    expected = {"papers": "3 columns (id, text, title)", "questions": "2 columns (question, answers)"}[kind]
    shown = [cell if len(cell) <= 40 else cell[:40] + "..." for cell in row[:4]]
    quote = (
        " A field that begins with a quote may have swallowed a tab: choose quotes='literal' (--quotes literal)."
        if any("\t" in cell for cell in row)
        else ""
    )
    raise OagqaDataError(f"{name}, line {line}: expected {expected}, found {len(row)}: {shown}.{quote}")


def _answers(cell: str, where: str) -> list[str]:
    """A Python list literal of strings; nothing is evaluated."""
    try:
        answers = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise OagqaDataError(
            f"{where}: answers should be a Python list of titles, as ['A', 'B'], found {cell[:80]!r}"
        ) from error
    if not isinstance(answers, list):
        kind = type(answers).__name__
        raise OagqaDataError(f"{where}: answers should be a list of titles, found a {kind}: {cell[:80]!r}")
    if not all(isinstance(answer, str) for answer in answers):
        raise OagqaDataError(f"{where}: each answer should be a title in quotes, found {cell[:80]!r}")
    if ADJACENT.search(cell) and len(answers) < _strings(cell):
        raise OagqaDataError(f"{where}: two titles without a comma between, which Python joins: {cell[:80]!r}")
    return checked_titles(answers, where)


def _strings(cell: str) -> int:
    """How many string literals there are."""
    return sum(token.type == tokenize.STRING for token in tokenize.generate_tokens(io.StringIO(cell.strip()).readline))


def checked_titles(titles: list[str], where: str) -> list[str]:
    """Refuse what no file can hold: half a surrogate pair, as an escape may give."""
    for title in titles:
        if not title.isascii() and any("\ud800" <= character <= "\udfff" for character in title):
            raise OagqaDataError(f"{where}: {title[:80]!r} has an unpaired surrogate; mend the text")
    return titles
