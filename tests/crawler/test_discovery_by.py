"""A live crawl holds the share of its fetches for never-read pages by the cash of the virtual page, as in the paper."""

import random
from pathlib import Path

import pytest
from support.sites import Site, crawl, faults_in, rows

PAGES = 1500
LEVEL = "SELECT value FROM meta WHERE key = 'unvisited_level'"


def wide_site() -> tuple[Site, list[str]]:
    """Every page has a link to a page that no other has, one that the site turns on, and some to any."""
    draw = random.Random(4)
    urls = [f"http://h{page % 8}.test/{''.join(draw.choices('abcdefghij', k=9))}" for page in range(PAGES)]
    site: Site = {url: [urls[int(draw.paretovariate(0.8)) % 40], *draw.sample(urls, 3)] for url in urls}
    for page in range(1, PAGES):
        site[urls[(page - 1) // 3]].append(urls[page])
    return site, urls[:3]


def crawled(store: Path, fetches: int, **settings: object) -> None:
    site, seeds = wide_site()
    crawl(site, store, seeds, pages=fetches, traps=False, probe=False, sitemaps=False, ignore_robots=True, **settings)


@pytest.mark.parametrize("rule", ["income", "edges"])
def test_cash_that_never_read_pages_are_paid_adds_up(tmp_path: Path, rule: str) -> None:
    """Also what the view of the store says, and what a later run by credit makes of it."""
    store = tmp_path / "crawl.db"
    crawled(store, 200, discovery=0.7, discovery_by=rule)
    assert rows(store, LEVEL)[0][0] > 0
    (waiting,) = rows(store, "SELECT count(*) FROM pages WHERE NOT visited")
    assert waiting[0] > 100
    for _ in range(2):
        assert faults_in(store) == []
        ((cash, virtual, total),) = rows(
            store,
            "SELECT (SELECT sum(cash) FROM ranks), (SELECT sum(value) FROM meta WHERE key IN ('reserve', 'income')), "
            "(SELECT value FROM meta WHERE key = 'cash_total')",
        )
        assert cash + virtual == total
        crawled(store, 20, discovery=0.7, discovery_by="credit")
        assert rows(store, LEVEL) == [(0,)]
