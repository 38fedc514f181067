"""The rows of pages that a crawl commits: new pages, accounts, turns. Call all inside a transaction."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from minicrawl.store.declaration import THIS_COMMIT, columns
from minicrawl.store.pages import AccountColumns, Fetch, NewPage, Restated, Retry, Turn
from minicrawl.store.tables import Tables
from minicrawl.store.urlhash import url_hash

Counts = Mapping[tuple[str, str], int]
"""Numbers of pages by (state, reason)."""
_FORGET_ANSWER = "DELETE FROM fetches WHERE id = (SELECT fetch FROM pages WHERE id = ?)"


class PageRows:
    """Writes the rows of `pages`, with their hashes, answers and tallies.

    Invariant: `tallies` has for every state and reason the number of rows of `pages` with them.
    """

    def __init__(self, tables: Tables) -> None:
        """tables: opened to write, with its hash key."""
        self._tables = tables
        self._db = tables.db
        self._fetches = int(tables.value("SELECT coalesce(max(id), 0) FROM fetches"))

    def add(self, pages: Sequence[NewPage], accounts: AccountColumns) -> None:
        """Add pages that wait for their first turn, in the order of `accounts`, which are whole."""
        if not pages:
            return
        names = [*NewPage._fields, *accounts.values]
        marks = ", ".join("?" * len(names))
        add = f"INSERT INTO pages (state, attempts, {', '.join(names)}) VALUES ('waiting', 0, {marks})"
        self._db.executemany(add, zip(*zip(*pages, strict=True), *accounts.values.values(), strict=True))
        self._tally(Counter(("waiting", page.reason) for page in pages))
        hashes = sorted((url_hash(page.url, self._tables.hash_key), page.id) for page in pages)
        self._db.executemany("INSERT INTO url_hashes (hash, page) VALUES (?, ?)", hashes)

    def save_accounts(self, accounts: AccountColumns) -> None:
        """Update columns of accounts of pages in the store."""
        updates = ", ".join(f"{column} = ?" for column in accounts.values)
        rows = zip(*accounts.values.values(), accounts.id, strict=True)
        self._db.executemany(f"UPDATE pages SET {updates} WHERE id = ?", rows)

    def save_turns(self, turns: Sequence[Turn]) -> None:
        self._tally(self._counts_of(turn.id for turn in turns), -1)
        self._tally(Counter((turn.state, turn.reason) for turn in turns))
        self._db.executemany(_FORGET_ANSWER, ((turn.id,) for turn in turns if turn.fetch is None))
        rows = []
        for turn in turns:
            # A page keeps the row of its first answer; the number for a new row is then skipped.
            self._fetches += turn.fetch is not None
            number = None if turn.fetch is None else self._fetches
            rows.append((turn.state, turn.reason, turn.attempts, number, number, turn.id))
        update = "UPDATE pages SET state = ?, reason = ?, attempts = ?, fetch = iif(?, coalesce(fetch, ?), NULL)"
        self._db.executemany(f"{update} WHERE id = ?", rows)
        marks = ", ".join("?" * len(Fetch._fields))
        updates = ", ".join(f"{column} = excluded.{column}" for column in (*Fetch._fields, "changed"))
        add = f"INSERT INTO fetches (id, page, changed, {columns(Fetch)})"
        add = f"{add} SELECT fetch, id, {THIS_COMMIT}, {marks} FROM pages WHERE id = ?"
        answers = ((*turn.fetch, turn.id) for turn in turns if turn.fetch is not None)
        self._db.executemany(f"{add} ON CONFLICT (id) DO UPDATE SET {updates}", answers)

    def forget_answers(self, pages: Collection[int]) -> None:
        """Delete the answers of pages, and their failures."""
        some = [(page,) for page in pages]
        self._db.executemany(_FORGET_ANSWER, some)
        self._db.executemany("UPDATE pages SET attempts = 0, fetch = NULL WHERE id = ?", some)

    def save_retries(self, retries: Collection[Retry]) -> None:
        update = "UPDATE pages SET attempts = ?, reason = CASE WHEN visited THEN reason ELSE ? END WHERE id = ?"
        with self._tallied(retry.id for retry in retries):
            self._db.executemany(update, ((retry.attempts, retry.reason, retry.id) for retry in retries))

    def save_states(self, pages: Collection[Restated]) -> None:
        rows = [(page.state, page.reason, page.id) for page in pages]
        with self._tallied(page.id for page in pages):
            self._db.executemany("UPDATE pages SET state = ?, reason = ? WHERE id = ?", rows)

    def save_topics(self, topics: Iterable[tuple[float, int]]) -> None:
        """topics: factors, and pages."""
        self._db.executemany("UPDATE pages SET topic = ? WHERE id = ?", topics)

    def save_alternates(self, named: Iterable[tuple[int, int]]) -> None:
        """named: pages, and their alternates, which keep the page that named them first."""
        self._db.executemany("UPDATE pages SET named_by = coalesce(named_by, ?) WHERE id = ?", named)

    def ask_again(self, pages: Sequence[int], origins: Iterable[str], reasons: Iterable[str]) -> None:
        """Let pages that were given up wait as if they never had a turn.

        Their hosts count as alive. Failed robots.txt files of `origins`, and sitemaps that failed for one of
        `reasons`, are fetched again.
        """
        some = [(page,) for page in pages]
        with self._tallied(pages):
            self._db.executemany(_FORGET_ANSWER, some)
            update = "UPDATE pages SET state = 'waiting', attempts = 0, fetch = NULL, visited = 0 WHERE id = ?"
            self._db.executemany(f"{update} AND visited", some)
        update = "UPDATE hosts SET strains = 0, dead_until = 0 WHERE id = (SELECT host FROM pages WHERE id = ?)"
        self._db.executemany(update, some)
        forget = "DELETE FROM robots WHERE origin = ? AND reason IS NOT NULL"
        self._db.executemany(forget, ((origin,) for origin in origins))
        update = "UPDATE sitemaps SET reason = 'due', attempts = 0 WHERE reason = ?"
        self._db.executemany(update, ((reason,) for reason in reasons))

    def _tally(self, counts: Counts, sign: int = 1) -> None:
        """Add to the tallies, or subtract."""
        add = "INSERT INTO tallies (state, reason, pages) VALUES (?, ?, ?)"
        update = "ON CONFLICT (state, reason) DO UPDATE SET pages = pages + excluded.pages"
        self._db.executemany(f"{add} {update}", ((*kind, sign * count) for kind, count in counts.items()))

    @contextmanager
    def _tallied(self, pages: Iterable[int]) -> Iterator[None]:
        """Keep the tallies right while states or reasons of some pages change inside the block."""
        some = list(pages)
        self._tally(self._counts_of(some), -1)
        yield
        self._tally(self._counts_of(some))

    def _counts_of(self, pages: Iterable[int]) -> Counts:
        query = "SELECT state, reason, count(*) FROM pages WHERE id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2"
        rows = self._db.execute(query, (json.dumps(list(pages)),))
        return {(state, reason): count for state, reason, count in rows}
