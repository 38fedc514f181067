"""The file of items: one line per item, added before the commit that counts it.

Lines behind the last committed one come from a killed run, and the next run cuts them off: so every item of a committed
page is in the file once. A Parquet file cannot grow: the lines go to a file beside it, from which it is made when a run
ends.
"""

import csv
import io
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from minicrawl.errors import SettingError, StoreError
from minicrawl.export.tables import Table, defused, escaped, renamed_when_whole, write_parquet
from minicrawl.setting import kept_path, whole_path
from minicrawl.store.writer import Writer

_ENDINGS = (".jsonl", ".csv", ".parquet")
_OTHERS = "more"
"""The column of CSV and Parquet for fields without a column of their own, as JSON."""
OF_PAGE = ("url", "at")
"""The fields that every item gets."""
_MOST_COLUMNS = 100
"""Fields of hooks that get a column."""
META = "items"


def check_format(path: Path, columns: Collection[str] = ()) -> None:
    """Raise SettingError for a file whose ending names no format, and for a field with the name of a reserved
    column."""
    if path.suffix.lower() not in _ENDINGS:
        raise SettingError(f"--items {path} must end with one of {', '.join(_ENDINGS)}, not {path.suffix!r}")
    if _OTHERS in columns and path.suffix.lower() != ".jsonl":
        raise SettingError(
            f"--items {path} has a column {_OTHERS!r} already, for fields without a column; choose another name for "
            f"the field {_OTHERS}, or a file .jsonl"
        )


def check_item_file(given: str) -> None:
    """Raise SettingError for an existing file: a new crawl must not append to it."""
    if given and (lines := _lines_of(Path(given).resolve())).exists() and lines.stat().st_size:
        raise SettingError(f"--items {given} already exists; name another file, or move it away")


class ItemFile:
    """Writes items with the commits of a crawl.

    Invariant: at every commit the file holds each committed item once, in order of arrival.
    """

    def __init__(self, writer: Writer, path: Path, columns: Mapping[str, type]) -> None:
        """columns: fields that have a column of their own in CSV and Parquet, and their types.

        Raises SettingError, StoreError.
        """
        check_format(path, columns)
        self._path = path.resolve()
        self._columns = dict(columns)
        self._is_csv = path.suffix.lower() == ".csv"
        self._lines = _lines_of(self._path)
        self._items: list[tuple[str, float, str]] = []
        """The URL of the page, the time of reading (Unix seconds) and the fields as JSON of each item."""
        kept = writer.meta_json(META)
        is_own = bool(kept) and whole_path(kept["path"], writer.path.resolve().parent) == str(self._path)
        self._size = int(kept["size"]) if is_own else 0
        """Bytes of the committed lines."""
        there = self._lines.stat().st_size if self._lines.exists() else 0
        if not is_own:
            check_item_file(str(path))
        if there < self._size:
            raise StoreError(
                f"{self._lines} has {there} bytes, but {self._size} were written; restore it or name another"
            )
        try:
            with self._lines.open("ab") as file:
                file.truncate(self._size)
        except OSError as error:
            raise SettingError(f"--items {path} cannot be written: {error.strerror}; name another file") from error
        if self._is_csv and self._size:
            with self._lines.open(encoding="utf-8", newline="") as written:
                names = next(csv.reader(written))[len(OF_PAGE) : -1]
            self._columns = {name: self._columns.get(name, str) for name in names}
        with writer.transaction():
            self._note(writer)

    def note(self, url: str, at: float, items: Sequence[str]) -> None:
        """Add the items of a page that was read."""
        self._items += [(url, at, _beside_page(fields)) for fields in items]

    def save(self, writer: Writer) -> None:
        """Write the items since the last commit, within the transaction of the next."""
        if not self._items:
            return
        head = ""
        if not self._size and self._is_csv:
            self._add_columns()
            head = _csv_line(self._heads)
        added = (head + "".join(self._as_lines(self._items))).encode()
        try:
            with self._lines.open("r+b") as file:
                file.seek(self._size)
                file.write(added)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"{self._lines} cannot be written: {error.strerror}; once it can, run again") from error
        self._size += len(added)
        self._items.clear()
        self._note(writer)

    def finish(self) -> None:
        """End the run: make the Parquet file, if one is asked for."""
        if self._path.suffix.lower() == ".parquet":
            types: dict[str, type] = dict.fromkeys(self._heads, str) | {"at": float} | self._columns
            with renamed_when_whole(self._path) as temporary, temporary.open("wb") as file:
                write_parquet(Table(types, self._rows()), file)

    @property
    def _heads(self) -> tuple[str, ...]:
        return (*OF_PAGE, *self._columns, _OTHERS)

    def _add_columns(self) -> None:
        """Give a column to each field of the first items, which hooks name as they like; not to what a head of CSV or a
        table of it would show otherwise."""
        for _, _, fields in self._items:
            for name in json.loads(fields):
                if len(self._columns) < _MOST_COLUMNS and name not in self._heads and name.isprintable():
                    self._columns |= {name: str} if defused(name) == name else {}

    def _note(self, writer: Writer) -> None:
        path = kept_path(str(self._path), writer.path.resolve().parent)
        writer.save_meta({META: json.dumps({"path": path, "size": self._size})})

    def _as_lines(self, items: Sequence[tuple[str, float, str]]) -> Iterator[str]:
        for url, at, fields in items:
            if self._is_csv:
                row = _row(url, at, json.loads(fields), self._columns)
                yield _csv_line(tuple(map(defused, row)))
            else:
                rest = f", {fields[1:]}" if fields != "{}" else "}"
                yield escaped(f'{{"url": {json.dumps(url)}, "at": {at!r}{rest}') + "\n"

    def _rows(self) -> Iterator[tuple[object, ...]]:
        with self._lines.open(encoding="utf-8") as lines:
            for line in lines:
                fields = json.loads(line)
                yield _row(fields.pop("url"), fields.pop("at"), fields, self._columns)


def _beside_page(fields: str) -> str:
    """An item whose own `url` or `at` is `item_url` or `item_at`, beside those of its page."""
    if not any(f'"{name}"' in fields for name in OF_PAGE):
        return fields
    item = json.loads(fields)
    for name in OF_PAGE:
        if name in item:
            other = f"item_{name}"
            while other in item:
                other = f"item_{other}"
            item[other] = item.pop(name)
    return json.dumps(item, ensure_ascii=False)


def _lines_of(path: Path) -> Path:
    """The file with one line per item."""
    return path.with_name(path.name + ".jsonl") if path.suffix.lower() == ".parquet" else path


def _row(url: str, at: float, fields: dict[str, object], columns: Mapping[str, type]) -> tuple[object, ...]:
    """Fields without a column, or of another type than its numbers, go to the last one."""
    others = {name: value for name, value in fields.items() if not _fits(value, columns.get(name))}
    more = json.dumps(others, ensure_ascii=False) if others else None
    cells = (None if name in others else _cell(fields.get(name), kind) for name, kind in columns.items())
    return (url, at, *cells, more)


def _fits(value: object, kind: type | None) -> bool:
    return kind is str or (kind is not None and (value is None or type(value) is kind))


def _cell(value: object, kind: type) -> object:
    return value if value is None or type(value) is kind else json.dumps(value, ensure_ascii=False)


def _csv_line(row: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()
