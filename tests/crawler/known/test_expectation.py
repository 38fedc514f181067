"""Expected importance of stores: what a crawl keeps, worked out again in other ways."""

from pathlib import Path

import pytest
from support.sites import Site, crawl, wide_site

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.known.expectation import expectation_of
from minicrawl.store.reader import open_store


def stopped(tmp_path: Path, seed: int, pages: int) -> Path:
    """A crawl with redirects and pages that are not there, stopped on the way."""
    site, seeds = wide_site(seed)
    urls = list(site)
    changed: Site = dict(site)
    for number in range(6, 60, 6):
        changed[urls[number]] = 404 if number % 4 else urls[number + 1]
    crawl(changed, tmp_path / "crawl.db", seeds, pages=pages, jump="pages")
    return tmp_path / "crawl.db"


def test_a_stopped_crawl_keeps_what_its_store_alone_gives(tmp_path: Path) -> None:
    """The crawl takes it from its books; `expectation_of` reads every row again."""
    path = stopped(tmp_path, 1, 40)
    with open_store(path) as store:
        kept, found = store.expected.shares(), expectation_of(store)
        assert kept == pytest.approx(found.shares, abs=1e-6)
        of = store.expected.of()
        assert of is not None
        assert of.coverage == pytest.approx(found.of.coverage, abs=1e-5)
        assert of == found.of._replace(coverage=of.coverage)
        assert found.of.read < found.of.known == store.size()
        assert list(violations(store)) == []
