"""When pages are fetched again, as the store has it."""

from pathlib import Path

from support.sites import HOME, Site, crawl, rows

from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_changes_are_one_line_a_page_and_kind_and_pages_of_plain_crawls_became_new_when_they_were_read(
    store: Path,
) -> None:
    site: Site = {HOME: [HOME + "1", HOME + "2", HOME + "to"], HOME + "1": [HOME], HOME + "2": [], HOME + "to": HOME}
    crawl(site, store, [HOME])
    for change in ((0, 10.0, "new", 4), (1, 20.0, "changed", 1), (1, 30.0, "changed", 2)):
        rows(store, "INSERT INTO changes (page, at, what, added, removed) VALUES (?, ?, ?, ?, 1)", *change)
    with open_store(store) as reader:
        found = [(page.url, page.what, page.times, page.added) for page in reader.changes()]
        assert sorted(found) == [
            (HOME, "new", 1, 4),
            (HOME + "1", "changed", 2, 3),
            (HOME + "1", "new", 1, 0),
            (HOME + "2", "new", 1, 0),
        ]
        shares = [page.importance for page in reader.changes()]
        assert shares == sorted(shares, reverse=True)
        assert {page.url for page in reader.changes(25.0)} == {HOME + "1", HOME + "2"}
        assert [page.times for page in reader.changes(25.0) if page.what == "changed"] == [1]


def test_a_crawl_has_begun_when_the_first_of_what_is_known_of_it_happened(store: Path) -> None:
    with Writer(store) as writer:
        assert writer.refreshes.began() is None
    crawl({HOME: [HOME + "1"], HOME + "1": [HOME]}, store, [HOME])
    for table, column in (("course", "at"), ("changes", "at"), ("fetches", "fetched_at")):
        rows(store, "INSERT INTO changes (page, at, what, added, removed) VALUES (0, 9e9, 'new', 0, 0)")
        with open_store(store) as reader:
            began = reader.refreshes.began()
        assert began is not None
        rows(store, f"UPDATE {table} SET {column} = ? WHERE {column} = (SELECT min({column}) FROM {table})", began - 5)
        with open_store(store) as reader:
            assert reader.refreshes.began() == began - 5
