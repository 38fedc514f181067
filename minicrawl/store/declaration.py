"""Tables, each declared once, beside the code that reads it:

    class DoorRow(NamedTuple):
        page: PageId
        is_front: Annotated[bool, "the front page of a host"]
        weight: Annotated[int, "256 units each"]

    table("doors", "Pages at which people come in.", DoorRow, keys="page")

That gives the table its DDL, with the meaning of every column, and the statements that write its rows. A row is what
stages of a crawl pass to one another.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from types import NoneType
from typing import Annotated, NamedTuple, get_args, get_origin, get_type_hints

MetaValue = int | float | str | None
Blob = bytes
"""For rows that have a column of that name."""
PageId = Annotated[int, "pages.id"]
HostId = Annotated[int, "hosts.id"]
SiteId = Annotated[int, "sites.id"]
SitemapId = Annotated[int, "sitemaps.id"]
FetchId = Annotated[int, "fetches.id"]
PageIds = Annotated[bytes, "pages.id, 4 bytes each, little endian"]
Time = Annotated[float, "Unix seconds"]
Commit = Annotated[int, "number of the commit that wrote it last"]

THIS_COMMIT = "this_commit()"
"""SQL: the number of the commit that a writer prepares, for columns of the type Commit, which are named `changed`."""
_KINDS: dict[object, str] = {int: "INTEGER", bool: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB"}


class Table(NamedTuple):
    """A declared table. columns: types of those that no row has; keys, unique: names of columns."""

    about: str
    rows: Sequence[type[NamedTuple]]
    columns: dict[str, object]
    keys: Sequence[str]
    unique: Sequence[str]
    indexes: Sequence[str]
    are_large: bool


_TABLES: dict[str, Table] = {}
_JSON: dict[tuple[str, str], object] = {}
_NAMES: dict[type[NamedTuple], str] = {}


def table(  # noqa: PLR0913 - what a table may have
    name: str,
    about: str,
    /,
    *rows: type[NamedTuple],
    keys: str,
    unique: str = "",
    indexes: Sequence[str] = (),
    are_large: bool = False,
    **columns: object,
) -> None:
    """Declare a table.

    rows: kinds of rows, each with all of its columns or some; columns: further ones. keys, unique: columns with spaces
    between; a single key that is an integer is the number of the row. indexes: each as after CREATE INDEX, such as
    "a ON b (c)". are_large: rows have kilobytes: without numbers half of their last page of the file would be empty.
    """
    _TABLES[name] = Table(about, rows, columns, keys.split(), unique.split(), indexes, are_large)
    _NAMES.update(dict.fromkeys(rows, name))


def holds_json(name: str, column: str, kind: object) -> None:
    """Declare what the JSON in a column of a table is, so that `check` tells any other. kind: as msgspec has it."""
    _JSON[name, column] = kind


def json_columns() -> dict[tuple[str, str], object]:
    """What `holds_json` has declared, by table and column."""
    return dict(_JSON)


def meanings(name: str) -> dict[str, str]:
    """The columns of a table, each with its meaning, which begins with what it refers to, such as pages.id."""
    return {column: _parsed(hint)[2] for column, hint in _hints(_TABLES[name]).items()}


def references() -> Iterator[tuple[str, str, str]]:
    """Columns that refer to a row of a table by its id: their table, name, and that table."""
    for name in _TABLES:
        for column, meaning in meanings(name).items():
            refers_to = meaning.partition(";")[0]
            if refers_to.endswith(".id"):
                yield name, column, refers_to.removesuffix(".id")


def tables() -> dict[str, Table]:
    return dict(_TABLES)


def statements() -> Iterator[str]:
    """The DDL of all tables and their indexes."""
    for name, declared in _TABLES.items():
        yield _create(name, declared)
        for index in declared.indexes:
            yield f"CREATE INDEX {index}"


def _create(name: str, declared: Table) -> str:
    hints = _hints(declared)
    defaults = {name: value for row in declared.rows for name, value in row._field_defaults.items()}
    first, *others = declared.keys
    is_number = not others and _parsed(hints[first])[0] == "INTEGER"
    lines = []
    for column, hint in hints.items():
        kind, may_be_null, meaning = _parsed(hint)
        default = "" if defaults.get(column) in (None, b"") else f" DEFAULT {defaults[column]!r}"
        rest = "" if may_be_null else f" NOT NULL{default}"
        lines.append((f"{column} {kind}{' PRIMARY KEY' if is_number and column == first else rest}", meaning))
    if not is_number:
        lines.append((f"PRIMARY KEY ({', '.join(declared.keys)})", ""))
    if declared.unique:
        lines.append((f"UNIQUE ({', '.join(declared.unique)})", ""))
    body = [
        f"    {code}{',' if at < len(lines) else ''}{f' -- {meaning}' if meaning else ''}"
        for at, (code, meaning) in enumerate(lines, 1)
    ]
    options = "STRICT" if is_number or declared.are_large else "STRICT, WITHOUT ROWID"
    return "\n".join([f"CREATE TABLE {name} ( -- {declared.about}", *body, f") {options}"])


def _hints(declared: Table) -> dict[str, object]:
    hints: dict[str, object] = {}
    for row in declared.rows:
        hints |= get_type_hints(row, include_extras=True)
    return hints | declared.columns


def _parsed(hint: object) -> tuple[str, bool, str]:
    """The SQL type of a column, whether it may be NULL, and its meaning."""
    notes: list[str] = []
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
    options = get_args(hint)
    if NoneType not in options:
        return _KINDS[hint], False, "; ".join(notes)
    if len(options) > 2:
        return "ANY", True, "; ".join(notes)
    kind, _, meaning = _parsed(options[0])
    return kind, True, "; ".join(filter(None, [meaning, *notes]))


@cache
def columns(kind: type[NamedTuple], table: str = "") -> str:
    """The fields of a kind of row as columns. table: qualifies them where several tables have such."""
    return ", ".join(f"{table}.{name}" if table else name for name in kind._fields)


@cache
def insert(kind: type[NamedTuple] | str, verb: str = "INSERT") -> str:
    """The statement that adds rows of a kind, or whole rows of a table by its name."""
    name, fields = (kind, list(meanings(kind))) if isinstance(kind, str) else (_NAMES[kind], kind._fields)
    values = dict.fromkeys(fields, "?")
    if not isinstance(kind, str) and "changed" in _TABLES[name].columns:
        values["changed"] = THIS_COMMIT
    return f"{verb} INTO {name} ({', '.join(values)}) VALUES ({', '.join(values.values())})"


@cache
def upsert(kind: type[NamedTuple]) -> str:
    """The statement that writes rows of a kind, each in the place of the one with its key.

    What is unique beside the key stays, so that its index is left alone.
    """
    declared = _TABLES[_NAMES[kind]]
    fixed = {*declared.keys, *declared.unique}
    written = [*kind._fields, *({"changed"} & declared.columns.keys())]
    updates = ", ".join(f"{column} = excluded.{column}" for column in written if column not in fixed)
    return f"{insert(kind)} ON CONFLICT ({', '.join(declared.keys)}) DO UPDATE SET {updates}"


@cache
def delete(kind: type[NamedTuple]) -> str:
    """The statement that deletes a row by its key."""
    declared = _TABLES[_NAMES[kind]]
    return f"DELETE FROM {_NAMES[kind]} WHERE {' AND '.join(f'{column} = ?' for column in declared.keys)}"
