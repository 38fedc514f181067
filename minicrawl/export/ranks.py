"""Every page with its rank, as CSV, JSON lines or Parquet: the format is told by the file's ending.

A file appears whole or not at all: it is written under a temporary name beside its place, then renamed.
"""

import contextlib
import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.store.rows import RankedPage

COLUMNS = RankedPage._fields
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_PARQUET_ROWS = 50_000


def export_ranks(pages: Iterable[RankedPage], path: Path) -> int:
    """Write `pages` to `path` and return how many. Raises SettingError for an unknown ending or a bad place."""
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise SettingError(f"the ending of {path} must be one of {', '.join(WRITERS)}, not {path.suffix!r}")
    with _renamed_when_whole(path) as temporary:
        return write(pages, temporary)


def _write_csv(pages: Iterable[RankedPage], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for page in pages:
            writer.writerow(page._replace(title=_defused(page.title)))
            count += 1
    return count


def _write_jsonl(pages: Iterable[RankedPage], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for page in pages:
            file.write(json.dumps(page._asdict(), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(pages: Iterable[RankedPage], path: Path) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise SettingError("Parquet files need pyarrow; install it with: pip install 'minicrawl[parquet]'") from error
    types = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    kinds = (int, str, float, float, int, int, int, int, int, float, str, str, str)
    schema = pa.schema([(name, types[kind]) for name, kind in zip(COLUMNS, kinds, strict=True)])
    count, rows = 0, iter(pages)
    with pq.ParquetWriter(path, schema) as writer:
        while chunk := list(islice(rows, _PARQUET_ROWS)):
            columns = [list(column) for column in zip(*chunk, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))
            count += len(chunk)
    return count


WRITERS: dict[str, Callable[[Iterable[RankedPage], Path], int]] = {
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
    ".parquet": _write_parquet,
}


def _defused(text: str | None) -> str | None:
    """A title that a spreadsheet will not take for a formula."""
    return f"'{text}" if text and text.startswith(_FORMULA_STARTS) else text


@contextlib.contextmanager
def _renamed_when_whole(path: Path) -> Iterator[Path]:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
