"""Every page with its rank, as CSV, JSON lines or Parquet: the file's ending, or a name, tells the format.

CSV and JSON lines can be read again, to be compared.
"""

import csv
import gzip
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.export.tables import (
    STANDARD_OUTPUT,
    WRITERS,
    Table,
    is_packed,
    renamed_when_whole,
    unpacked_name,
    writer_for,
)
from minicrawl.store.rows import RankedPage

_TYPES = (int, str, float, float, int, int, int, int, int, float, str, str, str)
COLUMNS = dict(zip(RankedPage._fields, _TYPES, strict=True))


FORMATS = tuple(ending[1:] for ending in WRITERS)


def export_ranks(pages: Iterable[RankedPage], path: Path, form: str | None = None) -> int:
    """Write `pages` to `path` and return their number. Raises SettingError for an unknown ending or a bad place.

    form: one of FORMATS; None: by the ending of `path`. A second ending .gz compresses the file.
    """
    return export_table(Table(COLUMNS, map(tuple, pages)), path, form)


def export_kept(pages: Iterable[tuple[RankedPage, float]], name: str, path: Path, form: str | None = None) -> int:
    """Write pages with a last column `name`: the value of every page in a kept ranking. Otherwise as `export_ranks`."""
    return export_table(Table(COLUMNS | {name: float}, ((*page, value) for page, value in pages)), path, form)


def read_ranks(path: Path, by: str) -> tuple[dict[str, float], dict[str, str]]:
    """Read the number in column `by`, and the state where the file has states, of every page by URL from a file of
    `export_ranks`. Raises SettingError."""
    ranks, states = dict[str, float](), dict[str, str]()
    read = writer_for(unpacked_name(path), _READERS)
    try:
        with (gzip.open if is_packed(path) else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
            for number, url, value, state in read(file, path, by):
                if url in ranks:
                    raise SettingError(f"{path}:{number}: {url} has been in the file before; keep one of the lines")
                ranks[url] = _number(value)
                if isinstance(state, str) and state:
                    states[url] = state
                if math.isnan(ranks[url]):
                    raise SettingError(f"{path}:{number}: {by} is no number but {value!r}")
    except UnicodeDecodeError as error:
        raise SettingError(f"{path} is not UTF-8 text; name a file that 'minicrawl export' wrote") from error
    except csv.Error as error:
        raise SettingError(f"{path} is no CSV file ({error}); name one that 'minicrawl export' wrote") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}; name another file") from error
    return ranks, states


def export_table(table: Table, path: Path, form: str | None = None) -> int:
    """Write any table, as `export_ranks` does."""
    if path == STANDARD_OUTPUT:
        return WRITERS[f".{form or 'csv'}"](table, sys.stdout.buffer)
    write = writer_for(unpacked_name(path) if form is None else Path(f"ranks.{form}"), WRITERS)
    with renamed_when_whole(path) as temporary, temporary.open("wb") as file:
        if not is_packed(path):
            return write(table, file)
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            return write(table, packed)  # type: ignore[arg-type]


def _read_csv(file: Iterable[str], path: Path, by: str) -> Iterator[tuple[int, str, object, object]]:
    """Line, URL, value and state of every row."""
    rows = csv.reader(file)
    columns = next(rows, [])
    if missing := {"url", by} - set(columns):
        raise SettingError(f"{path} has no column {min(missing)!r}, but {', '.join(columns) or 'none at all'}")
    url, value = columns.index("url"), columns.index(by)
    state = columns.index("state") if "state" in columns else None
    for row in rows:
        if len(row) != len(columns):
            raise SettingError(f"{path}:{rows.line_num}: {len(row)} columns, not {len(columns)}; export it again")
        yield rows.line_num, row[url], row[value], None if state is None else row[state]


def _read_jsonl(file: Iterable[str], path: Path, by: str) -> Iterator[tuple[int, str, object, object]]:
    for number, line in enumerate(file, start=1):
        try:
            row = json.loads(line)
            yield number, row["url"], row[by], row.get("state")
        except (ValueError, TypeError, KeyError) as error:
            raise SettingError(f"{path}:{number}: no JSON object with 'url' and {by!r}; export it again") from error


_READERS: dict[str, Callable[[Iterable[str], Path, str], Iterator[tuple[int, str, object, object]]]] = {
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
}


def _number(value: object) -> float:
    """The value as a finite number, or nan."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan
