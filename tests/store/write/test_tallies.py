"""Numbers of pages by state and reason, while states change."""

import sqlite3

from minicrawl.store.write.page_rows import Tallies


def counts(db: sqlite3.Connection, table: str) -> dict[tuple[str, str], int]:
    query = {
        "pages": "SELECT state, reason, count(*) FROM pages GROUP BY 1, 2",
        "tallies": "SELECT state, reason, pages FROM tallies WHERE pages <> 0",
    }[table]
    return {(state, reason): count for state, reason, count in db.execute(query)}


def test_tallies_are_those_of_the_pages_after_every_change() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, state TEXT, reason TEXT)")
    db.execute("CREATE TABLE tallies (state TEXT, reason TEXT, pages INTEGER, PRIMARY KEY (state, reason))")
    tallies = Tallies(db)
    db.executemany("INSERT INTO pages VALUES (?, 'waiting', 'link')", [(page,) for page in range(5)])
    tallies.add({("waiting", "link"): 5})
    assert counts(db, "tallies") == counts(db, "pages")
    tallies.replace([0, 1], {("fetched", "ok"): 1, ("error", "dns"): 1})
    db.execute("UPDATE pages SET state = 'fetched', reason = 'ok' WHERE id = 0")
    db.execute("UPDATE pages SET state = 'error', reason = 'dns' WHERE id = 1")
    assert counts(db, "tallies") == counts(db, "pages")
    with tallies.kept([1, 2]):
        db.execute("UPDATE pages SET state = 'fetched', reason = 'ok' WHERE id IN (1, 2)")
    assert counts(db, "tallies") == counts(db, "pages") == {("waiting", "link"): 2, ("fetched", "ok"): 3}
    db.close()
