"""What is read of the order by anticipated cash."""

from pathlib import Path

from support.sites import rows

from minicrawl.store.read.anticipated import AnticipatedHost, AnticipatedPage
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_what_is_kept_of_pages_and_hosts_is_read_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    kept = AnticipatedHost(2, waiting=3, spent=4, brought=5, visited=6)
    writer = Writer(path)
    with writer.transaction():
        writer.save_anticipated([AnticipatedPage(7, 2**61)], [kept])
    with open_store(path) as store:
        assert (store.anticipated.brought(7), store.anticipated.brought(8)) == (2**61, 0)
        assert store.anticipated.pages() == [AnticipatedPage(7, 2**61)]
        assert store.anticipated.hosts() == [store.anticipated.host(2)] == [kept]
        assert store.anticipated.host(1) == AnticipatedHost(1, 0, 0, 0, 0)
    with writer.transaction():
        writer.forget_anticipated()
    writer.close()
    assert rows(path, "SELECT count(*) FROM anticipated, anticipated_hosts") == [(0,)]
