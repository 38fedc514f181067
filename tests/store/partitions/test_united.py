"""A partition shows its own pages alone."""

from pathlib import Path

from support.sites import rows

from minicrawl.cluster.folder import found
from minicrawl.store.partitions.numbers import Numbers


def test_the_files_are_left_as_they_are(three: tuple[Path, Path]) -> None:
    folder = found(three[1])
    before = [rows(store, "SELECT * FROM sqlite_schema") for store in folder.stores]
    with folder.opened() as stores:
        mirrors = [len(store.united.mirrors().page) for store in stores]
        Numbers(stores)
    assert [rows(store, "SELECT * FROM sqlite_schema") for store in folder.stores] == before
    assert sum(mirrors) == sum(rows(store, "SELECT count(*) FROM mirrors")[0][0] for store in folder.stores) > 0
