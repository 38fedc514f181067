"""New partitions are sound."""

from pathlib import Path

from minicrawl.cluster.new_store import make_store
from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store


def test_new_partitions_are_consistent(tmp_path: Path) -> None:
    make_store(tmp_path / "2.db", "a crawl", 2, 3)
    with open_store(tmp_path / "2.db") as store:
        assert list(violations(store)) == []
