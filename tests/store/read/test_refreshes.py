"""When pages are fetched again, as the store has it."""

from pathlib import Path

from sites import crawl, rows

from minicrawl.store.reader import open_store
from minicrawl.store.rows import RefreshRow

HOME = "http://a.test/"


def test_rows_and_columns_are_of_the_pages_that_have_any(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: [HOME + "1", HOME + "missing"], HOME + "1": HOME}, store, [HOME])
    rows(store, "INSERT INTO refresh VALUES (1, 5.0, 9.0, 0.25, 1.0, 2, 1, 4.0, NULL, 'then', x'', '=#')")
    rows(store, "INSERT INTO refresh_hosts VALUES (0, 7.0, 0.5, 3, 1)")
    with open_store(store) as reader:
        found = reader.refreshes
        assert found.row(1) == RefreshRow(1, 5.0, 9.0, 0.25, 1.0, 2, 1, 4.0, None, "then", b"", "=#")
        assert found.row(0) is None
        assert [column.tolist() for column in found.columns()] == [[1], [5.0], [9.0], [0.25]]
        assert found.unscheduled().page.tolist() == [0]
        assert [tuple(row) for row in found.hosts()] == [(0, 7.0, 0.5, 3, 1)]
