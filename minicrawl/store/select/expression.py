"""An SQL expression that a user writes, on one page's columns.

Two walls stand around it. It must be one expression: parentheses that close, and neither quotes for names, comments,
semicolons nor SELECT, so that it cannot end the condition that it is put into. And whatever it is, SQLite asks about
each thing it would do, and only reading the columns of pages, and a list of functions, are let through.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from minicrawl.errors import SettingError

COLUMNS = (
    *("rank", "url", "importance", "history", "cash", "depth", "status", "inlinks", "outlinks", "fetched_at", "title"),
    *("state", "reason", "expected", "id", "host", "content_type", "seconds", "bytes"),
)
"""What an expression may ask of a page."""
PAGES = """
    SELECT ranks.*, hosts.name AS host, fetches.content_type, fetches.seconds, fetches.bytes
    FROM ranks JOIN pages ON pages.id = ranks.id JOIN hosts ON hosts.id = pages.host
    LEFT JOIN fetches ON fetches.id = pages.fetch"""
"""Every page with COLUMNS."""
_LONGEST = 5_000
_FUNCTIONS = frozenset(
    {"abs", "coalesce", "date", "datetime", "glob", "ifnull", "iif", "instr", "julianday", "length", "like", "lower"}
    | {"ltrim", "max", "min", "nullif", "round", "rtrim", "strftime", "substr", "substring", "time", "trim", "typeof"}
    | {"unixepoch", "upper"}
)
_READ = {
    "pages": {"", "id", "host", "fetch"},
    "hosts": {"", "id", "name"},
    "fetches": {"", "id", "content_type", "seconds", "bytes"},
    "best": {""},
}
"""What PAGES reads itself, "" being that there are rows; of a view all may be read, and only a view reads the rest."""
_VIEWS = frozenset({"ranks", "weighed", "born", "books"})
_WITHIN = _VIEWS | {"pages"}
"""Views that may read what they are made of: of a partition `pages` is one, see store/partitions/united.py."""
_TOKEN = re.compile(r"'(?:[^']|'')*'|--|/\*|[A-Za-z_]\w*|.", re.DOTALL)
_NOT_ALONE = {"'": "a text that does not end", ";": "a semicolon", "--": "a comment", "/*": "a comment"} | {
    **dict.fromkeys('"`[]', "quotes other than single ones"),
    **dict.fromkeys("?:@$", "a parameter"),
    **dict.fromkeys(("select", "values", "with", "pragma", "raise"), "more than an expression"),
}


def checked(text: str) -> str:
    """The expression, if it is one. Raises SettingError."""
    if len(text) > _LONGEST:
        raise _refused(text[:40] + "...", f"it has more than {_LONGEST:,} characters")
    if "\0" in text:
        raise _refused(text.replace("\0", "\\0"), "it has a NUL in it")
    depth = 0
    for token in _TOKEN.findall(text):
        if token.lower() in _NOT_ALONE:
            raise _refused(text, f"it has {_NOT_ALONE[token.lower()]} in it")
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth < 0:
            break
    if depth:
        raise _refused(text, "its parentheses do not close")
    if not text.strip():
        raise _refused(text, "it is empty")
    return text


@contextmanager
def only_reading_pages(db: sqlite3.Connection, text: str) -> Iterator[None]:
    """Let queries inside the block do no more than PAGES and an expression on it may. Raises SettingError."""
    db.set_authorizer(_verdict)
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:
        raise _refused(text, str(error)) from error
    except sqlite3.DatabaseError as error:
        if "prohibited" in str(error) or "not authorized" in str(error):
            raise _refused(text, "it asks for what it may not") from error
        raise
    finally:
        db.set_authorizer(None)


def _verdict(action: int, first: str | None, second: str | None, _: str | None, view: str | None) -> int:
    """Whether a step of a query is allowed. first, second: table and column, or the name of a function."""
    if action == sqlite3.SQLITE_SELECT or (
        view in _WITHIN and action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    ):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ:
        may = first in _VIEWS or second in _READ.get(first or "", ())
    else:
        may = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def _refused(text: str, why: str) -> SettingError:
    return SettingError(
        f"--where {text!r} cannot be used: {why}; it takes an SQL expression on {', '.join(COLUMNS)}, such as "
        "\"importance > 1e-4 AND title LIKE '%draft%'\""
    )
