"""What a crawl of millions of pages does block by block, on sites so small that any mistake shows."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, faults_in, random_site, rows

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.opic import GRANT, Interpolation
from minicrawl.sizes import STANDARD_SIZES, Sizes

HOME = "http://a.test/"


SMALL = Sizes(accounts=7, settled=7, rows=7, arrays=1, block=8, loaded=9, links=0, pages=20)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", 7)


@pytest.mark.parametrize(("seed", "discovery"), [(0, 1.0), (1, 0.6)])
def test_crawl_in_blocks_is_the_crawl(
    tmp_path: Path, seed: int, discovery: float, request: pytest.FixtureRequest
) -> None:
    """Also when it is taken up again: the same visits, the same cash and the same depths; ranks but for the error."""
    site, seeds = random_site(seed)
    asked, found = [], []
    for name, sizes in (("whole.db", STANDARD_SIZES), ("blocks.db", SMALL)):
        store = tmp_path / name
        for pages in (5, 10, 30):
            _, server = crawl(site, store, seeds, discovery=discovery, pages=pages, sizes=sizes)
            asked.append(server.asked)
        assert faults_in(store, sizes) == []
        found.append(list(zip(*rows(store, "SELECT url, cash, depth, importance FROM ranks ORDER BY id"), strict=True)))
        request.getfixturevalue("small_blocks")
    assert asked[:3] == asked[3:]
    assert found[0][:3] == found[1][:3]
    assert np.abs(np.array(found[0][3]) - np.array(found[1][3])).sum() < 2e-6


def test_known_page_takes_few_bytes() -> None:
    """Beside its 5 in the frontier and 4 in the queue."""
    accounts = Accounts(Interpolation())
    accounts.discover(0, [GRANT] * 1000)
    owners = (accounts, accounts.book, accounts.ledger, accounts.coverage)
    columns = [each for owner in owners for each in vars(owner).values() if isinstance(each, np.ndarray) and len(each)]
    assert sum(column.itemsize for column in columns) == 54


UNBALANCED = {
    "UPDATE pages SET received = received + 1000000000000 WHERE id = 1": [
        "the ledger's total is kept as",
        "the ledger holds",
        "page 1 has received",
    ],
    "UPDATE pages SET standing = -10000000000000000000 / 3 WHERE id = 1": [
        "page 1 has negative cash",
        "the cash book holds",
    ],
    "DELETE FROM links WHERE source = 1": ["page 1 was read", "page 0 has received", "page 0 counts 2 in-links"],
    "UPDATE links SET targets = x'07000000' WHERE source = 1": ["a link leads to a page that is not in the store"],
    "UPDATE links SET source = 7 WHERE source = 1": ["1 rows of links come from a page that is not in the store"],
}


@pytest.mark.parametrize("change", UNBALANCED)
@pytest.mark.usefixtures("small_blocks")
def test_audit_finds_what_does_not_add_up(tmp_path: Path, change: str) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/x", "/y"], f"{HOME}x": [HOME], f"{HOME}y": [HOME]}, store, [HOME])
    db = sqlite3.connect(store)
    db.execute(change)
    db.commit()
    db.close()
    problems = faults_in(store, SMALL)
    starts = UNBALANCED[change]
    assert [problem[: len(start)] for problem, start in zip(problems, starts, strict=True)] == starts
