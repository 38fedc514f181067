"""The schema of a store: its version, and the definitions of its tables, indexes, views and triggers."""

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from minicrawl.store.declaration import statements

SCHEMA_VERSION = 39
"""Each has a step in upgrades/ that makes it of the one before."""
OLDEST = 27
"""The first one that can be upgraded."""
Definitions = dict[tuple[str, str], str]
"""SQL by kind (table, index, view, trigger) and name."""


def schema() -> Iterator[str]:
    """The statements that make an empty store: its tables, and the views of views.sql."""
    yield from statements()
    yield from statements_in(Path(__file__).with_name("views.sql"))


def statements_in(file: Path) -> Iterator[str]:
    """The statements of a file of SQL."""
    statement = ""
    for line in file.read_text("utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def definitions(db: sqlite3.Connection) -> Definitions:
    """The definitions in a database."""
    rows = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {(kind, name): sql for kind, name, sql in rows}


def declared() -> Definitions:
    """The definitions in an empty store."""
    with contextlib.closing(sqlite3.connect(":memory:")) as empty:
        for statement in schema():
            empty.execute(statement)
        return definitions(empty)


def words(sql: str) -> list[str]:
    """The words and signs of a definition, without its comments."""
    return re.findall(r"\w+|\S", re.sub("--.*", "", sql))


def schema_errors(db: sqlite3.Connection) -> list[str]:
    """One sentence per table, index and view that is not as declared, in more than comments and blanks."""
    found = definitions(db)
    broken = [what for what, sql in declared().items() if words(found.get(what, "")) != words(sql)]
    return [f"the {kind} {name} is not what this version makes" for kind, name in broken]
