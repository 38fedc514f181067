"""New partitions have all the cash there is, to the unit."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.new_store import make_store
from minicrawl.opic import TOTAL
from minicrawl.opic.adaptive import cash_of
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("partitions", [1, 2, 3, 7, 64])
def test_shares_are_all_the_cash(partitions: int) -> None:
    shares = [cash_of(number, partitions) for number in range(partitions)]
    assert sum(shares) == TOTAL
    assert max(shares) - min(shares) < partitions


def test_new_partitions_are_consistent(tmp_path: Path) -> None:
    stores = [tmp_path / f"{number}.db" for number in range(3)]
    for number, store in enumerate(stores):
        make_store(store, "a crawl", number, 3)
    with ExitStack() as stack:
        assert list(all_violations([stack.enter_context(open_store(store)) for store in stores])) == []
