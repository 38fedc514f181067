"""New partitions are sound."""

from contextlib import ExitStack
from pathlib import Path

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.new_store import make_store
from minicrawl.store.reader import open_store


def test_new_partitions_are_consistent(tmp_path: Path) -> None:
    stores = [tmp_path / f"{number}.db" for number in range(3)]
    for number, store in enumerate(stores):
        make_store(store, "a crawl", number, 3)
    with ExitStack() as stack:
        assert list(all_violations([stack.enter_context(open_store(store)) for store in stores])) == []
