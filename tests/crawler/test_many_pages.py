"""What a crawl of millions of pages does block by block, on sites so small that any mistake shows."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, faults_in, random_site, rows

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.sizes import STANDARD_SIZES, Sizes

SMALL = Sizes(accounts=7, settled=7, rows=7, loaded=9, links=0)


@pytest.mark.parametrize("seed", range(2))
def test_crawl_in_blocks_is_the_crawl(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when it is taken up again: the same visits, the same cash and the same depths; ranks but for the error."""
    site, seeds = random_site(seed)
    asked, found = [], []
    for name, sizes in (("whole.db", STANDARD_SIZES), ("blocks.db", SMALL)):
        store = tmp_path / name
        for pages in (5, 10, 30):
            _, server = crawl(site, store, seeds, pages=pages, sizes=sizes)
            asked.append(server.asked)
        assert faults_in(store, sizes) == []
        found.append(list(zip(*rows(store, "SELECT url, cash, depth, importance FROM ranks ORDER BY id"), strict=True)))
        monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", 7)
    assert asked[:3] == asked[3:]
    assert found[0][:3] == found[1][:3]
    assert np.abs(np.array(found[0][3]) - np.array(found[1][3])).sum() < 2e-6


def test_known_page_takes_few_bytes() -> None:
    """Beside its 5 in the frontier and 4 in the queue."""
    accounts = Accounts()
    accounts.discover(0, 1000)
    owners = (accounts, accounts.book, accounts.coverage)
    columns = [each for owner in owners for each in vars(owner).values() if isinstance(each, np.ndarray) and len(each)]
    assert sum(column.itemsize for column in columns) == 46
