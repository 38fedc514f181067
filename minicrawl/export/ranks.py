"""Every page with its rank, as CSV, JSON lines or Parquet: the file's ending, or a name, tells the format."""

import gzip
import sys
from collections.abc import Iterable
from pathlib import Path

from minicrawl.export.tables import (
    STANDARD_OUTPUT,
    WRITERS,
    Table,
    is_packed,
    renamed_when_whole,
    unpacked_name,
    writer_for,
)
from minicrawl.store.ranks import RankedPage

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
