"""Bring a store of an earlier schema up to date: to_28.sql makes a store of schema 28 of one of 27, and so on.

A step has all that its version needs, also definitions of tables that are as today: these go on to change. What a new
version asks for and an earlier store does not know becomes what the crawler takes as unknown. A step that SQL cannot
take is a module with a function `upgrade` of the connection. All steps run in one transaction, without the views of the
store, and with its triggers; views and triggers hold nothing, and are made again at the end, as are comments of tables.

to_30  what is known beside a text stands before it, not packed
"""

import sqlite3
from importlib import import_module
from pathlib import Path

from minicrawl.store.schema import SCHEMA_VERSION, Definitions, declared, definitions, statements_in, words

_STEPS = Path(__file__).parent


def upgrade(db: sqlite3.Connection, version: int) -> None:
    """Make a store of this version of one of an earlier `version`, inside a transaction. Views of users stay."""
    new, before = declared(), definitions(db)
    others = [sql for (kind, name), sql in before.items() if kind == "view" and (kind, name) not in new]
    _drop(db, before, "view")  # one that names a column which a step drops would stop the step
    for to in range(version + 1, SCHEMA_VERSION + 1):
        _take_step(db, to)
    found = definitions(db)
    _drop(db, found, "trigger")
    db.execute("PRAGMA writable_schema = ON")
    for (kind, name), sql in new.items():
        if kind in ("view", "trigger"):
            db.execute(sql)
        elif words(sql) == words(found.get((kind, name), "")):
            db.execute("UPDATE sqlite_schema SET sql = ? WHERE type = ? AND name = ?", (sql, kind, name))
    db.execute("PRAGMA writable_schema = RESET")
    for sql in others:
        db.execute(sql)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _take_step(db: sqlite3.Connection, to: int) -> None:
    file = _STEPS / f"to_{to}.sql"
    if not file.exists():
        import_module(f"{__name__}.to_{to}").upgrade(db)
        return
    for statement in statements_in(file):
        try:
            db.execute(statement)
        except sqlite3.OperationalError as error:
            # Stores of schema 27 may have a column of 28, and those of 31 tables of 32: "IF NOT EXISTS" for a column.
            if "duplicate column" not in str(error):
                raise


def _drop(db: sqlite3.Connection, found: Definitions, dropped: str) -> None:
    for kind, name in found:
        if kind == dropped:
            db.execute(f'DROP {kind} "{name}"')
