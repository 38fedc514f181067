"""Upgrade a store of an older version: recreate its tables, and copy the rows of the old ones."""

import sqlite3
import struct
from collections.abc import Iterator
from importlib.resources import files

from minicrawl.store.urlhash import url_hash

# Copies of other tables, possibly stale: not taken over.
_COPIES = {"page_blocks", "touched"}
# Columns that had other names until version 7.
_RENAMED = {
    "pages": {"is_read": "visited", "cash": "standing", "hops": "chain_length"},
    "hosts": {"next_at": "next_fetch"},
    "refused": {"beyond": "too_deep"},
    "patterns": {"known": "admitted", "read": "parsed"},
    "sitemaps": {"level": "nesting", "taken": "made_known"},
}
_ANSWER = "status, fetched_at, seconds, bytes, content_type, title"
_FINGERPRINT = "digest, payload, leader, distance"

# Sums of the ledger (minicrawl/opic/ledger.py). Until version 7 every read computed them from the pages.
_LEDGER = {
    "never_visited": "coalesce(sum(received), 0) FROM pages WHERE forwarded = 0 AND state <> 'gone'",
    "births": "16777216 * count(*) FROM pages WHERE state <> 'gone'",
    "total": """
        sum(iif(state = 'alias', 0, received)) - 16777216.0 * born + virtual * (16777216.0 * born / births)
        FROM pages, books, (SELECT count(*) AS born FROM pages WHERE state NOT IN ('alias', 'gone'))""",
}


def schema() -> Iterator[str]:
    """The statements of schema.sql."""
    statement = ""
    for line in files("minicrawl.store").joinpath("schema.sql").read_text("utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def bring_up_to_date(db: sqlite3.Connection, version: int) -> None:
    """Upgrade a store of an older `version` to the current schema, within a transaction.

    New columns have their defaults; values of removed columns are dropped.
    """
    for (view,) in _names(db, "view"):
        db.execute(f"DROP VIEW {view}")
    for (index,) in _names(db, "index"):
        db.execute(f"DROP INDEX {index}")
    old = [table for (table,) in _names(db, "table")]
    for table in old:
        db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    for statement in schema():
        db.execute(statement)
    for table in old:
        if table not in _COPIES:
            _take_over(db, table, version)
    if version < 7:
        _count_left_out(db)
    if version < 5:
        _move_answers(db, "fingerprints" in old)
        _hash_urls(db)
    if version < 7:
        _count_anew(db)
    if version < 12:  # until then birth cash counted as received
        db.execute("UPDATE pages SET received = received - 16777216 WHERE state NOT IN ('gone', 'elsewhere')")
        db.execute("DELETE FROM best")
        db.execute("DELETE FROM meta WHERE key = 'best_floor'")
    _count_coverage_anew(db, version)
    aliases = db.execute("SELECT targets, id FROM pages JOIN links ON source = id WHERE state = 'alias'").fetchall()
    ends = ((int.from_bytes(targets[:4], "little"), page) for targets, page in aliases)
    db.executemany("UPDATE pages SET stands_for = ? WHERE id = ?", ends)
    for table in old:
        db.execute(f"DROP TABLE old_{table}")


def _take_over(db: sqlite3.Connection, table: str, version: int) -> None:
    """Copy the columns that a table shares with the old one of its name."""
    renamed = _RENAMED.get(table, {}) if version < 7 else {}
    sources = {renamed.get(column, column): column for column in _columns(db, f"old_{table}")}
    columns = sorted(_columns(db, table) & sources.keys())
    if columns:
        before = ", ".join(sources[column] for column in columns)
        db.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {before} FROM old_{table}")


def _count_coverage_anew(db: sqlite3.Connection, version: int) -> None:
    """Until version 13 coverage was that of random surfers who started at the seeds; the next crawl recomputes it.

    Records had a third column of 8 bytes per URL, after the number of URLs. Units sent were not counted: all that are
    unconfirmed may be in transit.
    """
    if version >= 13:
        return
    db.execute("UPDATE meta SET value = json_set(value, '$.coverage', 0.0) WHERE key = 'run'")
    db.execute("DELETE FROM meta WHERE key GLOB 'coverage_*'")
    for home, number, records in db.execute("SELECT home, number, records FROM outbox").fetchall():
        urls = int.from_bytes(records[:4], "little")
        received = struct.unpack_from(f"<{urls}q", records, 4 + 8 * urls)
        rest = records[: 4 + 16 * urls] + records[4 + 24 * urls :]
        db.execute("UPDATE outbox SET records = ? WHERE home = ? AND number = ?", (rest, home, number))
        credit = sum(units for units in received if units > 0)
        db.execute(
            "UPDATE neighbours SET credit_sent = credit_sent + ?, debit_sent = debit_sent + ? WHERE partition = ?",
            (credit, credit - sum(received), home),
        )


def _count_anew(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM tallies")  # version 6 had some
    db.execute("INSERT INTO tallies SELECT state, reason, count(*) FROM pages GROUP BY state, reason")
    for name, value in _LEDGER.items():
        db.execute(f"INSERT OR REPLACE INTO meta SELECT 'ledger_{name}', {value}")


def _count_left_out(db: sqlite3.Connection) -> None:
    left_out = "SELECT coalesce(sum(refused), 0) FROM links"
    db.execute(f"INSERT OR REPLACE INTO meta (key, value) VALUES ('links_left_out', ({left_out}))")


def _move_answers(db: sqlite3.Connection, has_fingerprints: bool) -> None:
    """Until version 5 answers were columns of pages, and fingerprints a table of their own."""
    answered = f"SELECT id + 1, id, {_ANSWER} FROM old_pages WHERE status IS NOT NULL"
    db.execute(f"INSERT INTO fetches (id, page, {_ANSWER}) {answered}")
    db.execute("UPDATE pages SET fetch = id + 1 WHERE id + 1 IN (SELECT id FROM fetches)")
    if has_fingerprints:
        db.execute(
            f"UPDATE fetches SET ({_FINGERPRINT}) = ({', '.join(f'old.{name}' for name in _FINGERPRINT.split(', '))})"
            " FROM old_fingerprints AS old WHERE old.page = fetches.page"
        )


def _hash_urls(db: sqlite3.Connection) -> None:
    row = db.execute("SELECT value FROM meta WHERE key = 'hash_key'").fetchone()
    if row is not None:
        key = bytes.fromhex(row[0])
        rows = db.execute("SELECT id, url FROM pages")
        db.executemany(
            "INSERT INTO url_hashes (hash, page) VALUES (?, ?)", ((url_hash(url, key), page) for page, url in rows)
        )


def _names(db: sqlite3.Connection, kind: str) -> list[tuple[str]]:
    """Names of a kind of schema objects, without SQLite's own."""
    query = "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    return db.execute(query, (kind,)).fetchall()


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
