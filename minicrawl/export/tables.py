"""Rows under columns, as CSV, JSON lines or Parquet, every page with its rank; the atomic writing of all files.

A file appears whole or not at all: it is written under a temporary name beside its place, then renamed. Pipes and
devices are written to instead, and the file that a symbolic link leads to is replaced, not the link. Text that
spreadsheets would take for a formula gets a quote before it in CSV (OWASP, CSV injection). Terminal control characters
and those that change the text direction are escaped in CSV and JSON.
"""

import contextlib
import csv
import gzip
import io
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

from minicrawl import installed
from minicrawl.errors import SettingError
from minicrawl.store.ranks import RankedPage
from minicrawl.system import put_in_place

STANDARD_OUTPUT = Path("-")
"""The name of standard output, where a file is expected."""
_PARQUET_ROWS, _PARQUET_CHARACTERS = 50_000, 4 * 2**20
"""Rows and characters of a row group, at most; the last row may have more."""
# Also in full width, which East Asian spreadsheets accept.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
# Controls but tab and line breaks, which CSV can hold; characters that change text direction; Unicode line breaks; the
# tags that hide ASCII text.
_STEERING = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_BETWEEN = "¦"
"""Between the cells of many rows in one text."""
_FORMULA = re.compile(f"{_BETWEEN}[{''.join(map(re.escape, _FORMULA_STARTS))}]")
_AT_ONCE = 1_000
_Writer = TypeVar("_Writer")


@dataclass(frozen=True)
class Table:
    """Rows to write. columns: their names, each with the type of its values, which may also be None; a moment is
    ISO 8601 in UTC, and in Parquet a timestamp. no_text: JSON of a text or moment that is None, for readers that guess
    types by the first rows. for_excel: CSV begins with a byte order mark."""

    columns: dict[str, type]
    rows: Iterable[tuple[object, ...]]
    no_text: str | None = None
    for_excel: bool = False


def writer_for(path: Path, writers: dict[str, _Writer]) -> _Writer:
    """The writer of the format that the ending of `path` tells. Raises SettingError."""
    if path.suffix.lower() not in writers:
        raise SettingError(f"{path} must end with one of {', '.join(writers)}, not {path.suffix!r}")
    return writers[path.suffix.lower()]


def is_packed(path: Path) -> bool:
    """True if the file's ending asks for gzip."""
    return path.suffix.lower() == ".gz"


def unpacked_name(path: Path) -> Path:
    """The file's name without the ending of gzip: ranks.csv of ranks.csv.gz."""
    return path.with_suffix("") if is_packed(path) else path


@contextlib.contextmanager
def renamed_when_whole(path: Path) -> Iterator[Path]:
    """Give a temporary path, which is renamed to `path` when the block succeeds. Raises SettingError.

    STANDARD_OUTPUT, and a path that exists and is not a regular file, such as a pipe, gets the bytes instead.
    """
    try:
        is_stream = path == STANDARD_OUTPUT or _is_stream(path)
        place = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=None if is_stream else place.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            if is_stream:
                _pour(temporary, path)
            else:
                with put_in_place(temporary, place):
                    temporary.chmod(0o644)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror or error}; name another file") from error


def _is_stream(path: Path) -> bool:
    """True for what is not a regular file or folder, and for the file that standard output goes to, as /dev/stdout."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) or _is_output(found)


def _is_output(found: os.stat_result) -> bool:
    try:
        return os.path.samestat(found, os.fstat(1))
    except OSError:  # it is closed
        return False


def _pour(source: Path, path: Path) -> None:
    """Write the bytes of a file to a stream, behind all that was printed."""
    with source.open("rb") as whole:
        if path == STANDARD_OUTPUT or _is_output(path.stat()):
            sys.stdout.flush()
            shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.flush()
            return
        with path.open("wb") as stream:
            shutil.copyfileobj(whole, stream)


def defused(cell: object) -> object:
    """A cell for CSV: text without formulas and control characters; other values unchanged."""
    if not isinstance(cell, str):
        return cell
    return escaped(f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell)


def escaped(text: str) -> str:
    r"""Text with terminal controls and direction-changing characters written as \\uXXXX, as in JSON."""
    if text.isprintable():  # most are, and to find that out takes a tenth of the time
        return text
    return _STEERING.sub(lambda match: re.sub("....", r"\\u\g<0>", match[0].encode("utf-16-be").hex()), text)


@contextlib.contextmanager
def _as_text(file: BinaryIO) -> Iterator[TextIO]:
    """Wrap `file` as UTF-8 text, and leave it open."""
    text = io.TextIOWrapper(file, "utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()


def _write_csv(table: Table, file: BinaryIO) -> int:
    with _as_text(file) as text:
        text.write("\ufeff" if table.for_excel else "")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(map(defused, table.columns))
        count, rows = 0, iter(table.rows)
        while some := list(islice(rows, _AT_ONCE)):
            columns = [column for column in zip(*some, strict=True) if str in set(map(type, column))]
            texts = _BETWEEN.join(["", *[cell for column in columns for cell in column if isinstance(cell, str)]])
            is_plain = (texts.isprintable() or not _STEERING.search(texts)) and not _FORMULA.search(texts)
            writer.writerows(some if is_plain else (map(defused, row) for row in some))
            count += len(some)
    return count


def _write_jsonl(table: Table, file: BinaryIO) -> int:
    names = list(table.columns)
    texts = [name for name, kind in table.columns.items() if kind in (str, datetime) and table.no_text is not None]
    encode = json.JSONEncoder(ensure_ascii=False).encode
    count, rows = 0, iter(table.rows)
    with _as_text(file) as text:
        while some := [dict(zip(names, row, strict=True)) for row in islice(rows, _AT_ONCE)]:
            for line, name in product(some, texts):
                line[name] = table.no_text if line[name] is None else line[name]
            # In JSON, remaining characters of this kind can only be in a string, where an escape means the same; and a
            # quote behind a comma and a brace cannot.
            text.write(escaped(encode(some)[1:-1]).replace('}, {"', '}\n{"') + "\n")
            count += len(some)
    return count


def write_parquet(table: Table, file: BinaryIO) -> int:
    """Write rows as Parquet; returns their number. Raises SettingError if the library is missing."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise SettingError(f"Parquet files need pyarrow; run: {installed.adding('parquet')}") from error
    types = {int: pa.int64(), float: pa.float64(), str: pa.string(), datetime: pa.timestamp("ms", "UTC")}
    schema = pa.schema([(name, types[kind]) for name, kind in table.columns.items()])
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _row_groups(table.rows):
            columns = [list(column) for column in zip(*group, strict=True)]
            for at, kind in enumerate(table.columns.values()):
                if kind is datetime:
                    columns[at] = [moment and datetime.fromisoformat(str(moment)) for moment in columns[at]]
            writer.write_table(pa.table(columns, schema=schema))
            count += len(group)
    return count


def _row_groups(rows: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    group, characters = list[tuple[object, ...]](), 0
    for row in rows:
        group.append(row)
        characters += sum(len(cell) for cell in row if isinstance(cell, str))
        if len(group) == _PARQUET_ROWS or characters >= _PARQUET_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


WRITERS: dict[str, Callable[[Table, BinaryIO], int]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": write_parquet,
}


def iso(seconds: float | None) -> str | None:
    """Unix seconds as a date and time in UTC (ISO 8601); None outside the calendar's range."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None


_TYPES = (int, str, float, float, int, int, int, int, int, float, str, str, str)
COLUMNS = dict(zip(RankedPage._fields, _TYPES, strict=True))
"""The columns of a page with its rank."""


def export_table(table: Table, path: Path, form: str | None = None) -> int:
    """Write a table; returns the number of its rows. Raises SettingError for an unknown ending or a bad place.

    form: a name of WRITERS without its dot; None: by the ending of `path`. A second ending .gz compresses the file.
    """
    if path == STANDARD_OUTPUT:
        return WRITERS[f".{form or 'csv'}"](table, sys.stdout.buffer)
    write = writer_for(unpacked_name(path) if form is None else Path(f"ranks.{form}"), WRITERS)
    with renamed_when_whole(path) as temporary, temporary.open("wb") as file:
        if not is_packed(path):
            return write(table, file)
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            return write(table, packed)  # type: ignore[arg-type]
