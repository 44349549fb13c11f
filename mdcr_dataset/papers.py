"""Upstream's papers files, `mdcr_{val,test}_data.jsonl`: a paper a line."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from .errors import MdcrDataError

COLUMNS = ("paper_id", "title", "abstract")
SCHEMA = pa.schema([(column, pa.string()) for column in COLUMNS])

# Large enough that Arrow's reader is at full speed, small enough that memory stays flat.
CHUNK_BYTES = 8 << 20


def read_papers(file: BinaryIO, name: str, counts: Counter[str] | None = None) -> Iterator[pa.Table]:
    """Read papers in chunks, as tables with the string columns `paper_id`, `title`, `abstract`.

    Integer ids become strings, missing or null titles and abstracts become `""`, other keys are
    ignored, of lines with the same id the first wins. Each chunk is read by Arrow; where Arrow
    refuses it (mixed types, broken lines), Python reads it line by line to mend or to name the line.

    Args:
        file: the open file, in binary mode.
        name: what to call the file in errors.
        counts: if given, gains `duplicates`, `no_title`, `no_abstract` and `mended` (lines with
            an unpaired surrogate, replaced by `?`).

    Raises:
        MdcrDataError: a line is not a JSON object with an id and texts, or there is no paper at all.
    """
    counts = Counter() if counts is None else counts
    seen: set[str] = set()
    line = 1
    while chunk := file.read(CHUNK_BYTES):
        chunk += file.readline()
        if line == 1:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
            if chunk.lstrip()[:1] == b"<":
                raise MdcrDataError(
                    f"{name}: expected JSON lines, found a web page that begins "
                    f"{chunk.lstrip()[:40].decode('utf-8', 'replace')!r}. Download the file again"
                )
        table = _parse_fast(chunk)
        if table is None:
            table = _parse_slow(chunk, name, line, counts)
        line += chunk.count(b"\n")
        table = _first_of_each(table, seen, counts)
        counts["no_title"] += _empty(table["title"])
        counts["no_abstract"] += _empty(table["abstract"])
        if len(table):
            yield table
    if not seen:
        raise MdcrDataError(f"{name}: expected a paper a line, found none; the file is empty")


def _parse_fast(chunk: bytes) -> pa.Table | None:
    for id_type in (pa.string(), pa.int64()):
        schema = SCHEMA.set(0, pa.field("paper_id", id_type))
        options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        read = pyarrow.json.ReadOptions(block_size=len(chunk))
        try:
            table = pyarrow.json.read_json(io.BytesIO(chunk), read_options=read, parse_options=options)
            table.validate(full=True)
        except pa.ArrowInvalid:
            continue
        ids = table["paper_id"].cast(pa.string())
        if ids.null_count or _empty(ids):
            return None
        texts = [pc.fill_null(table[column], "") for column in COLUMNS[1:]]
        return pa.table([ids, *texts], schema=SCHEMA)
    return None


def _parse_slow(chunk: bytes, name: str, line: int, counts: Counter[str]) -> pa.Table:
    rows = []
    for number, data in enumerate(chunk.split(b"\n"), line):
        if not data.strip():
            continue
        try:
            record = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise MdcrDataError(
                f"{name}, line {number}: not valid JSON ({error}); the line ends "
                f"{data[-40:].decode('utf-8', 'replace')!r}. "
                "If it is the last line, the file is cut off: download it again"
            ) from error
        if not isinstance(record, dict):
            raise MdcrDataError(f"{name}, line {number}: expected a JSON object, found {type(record).__name__}")
        paper = record.get("paper_id")
        if type(paper) not in (str, int) or paper == "":
            raise MdcrDataError(
                f"{name}, line {number}: expected a paper_id (a string), found {paper!r}; "
                f"the line has the keys {', '.join(record)}"
            )
        row = {"paper_id": str(paper)}
        for column in COLUMNS[1:]:
            text = record.get(column)
            if text is not None and not isinstance(text, str):
                raise MdcrDataError(
                    f"{name}, line {number}: paper {paper!r}: expected a string as {column}, found {text!r:.80}"
                )
            row[column] = text or ""
        mended = {key: value.encode("utf-8", "replace").decode() for key, value in row.items()}
        counts["mended"] += mended != row
        rows.append(mended)
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _first_of_each(table: pa.Table, seen: set[str], counts: Counter[str]) -> pa.Table:
    keep = []
    for row, paper in enumerate(table["paper_id"].to_pylist()):
        if paper not in seen:
            seen.add(paper)
            keep.append(row)
    counts["duplicates"] += len(table) - len(keep)
    return table if len(keep) == len(table) else table.take(pa.array(keep, pa.int64()))


def _empty(column: pa.ChunkedArray) -> int:
    return pc.sum(pc.equal(column, "")).as_py() or 0
