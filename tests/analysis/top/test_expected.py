"""The order of pages by what they will be worth, kept or worked out."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, of_version, rows, wide_site

from minicrawl.analysis.top.expected import ExpectedPages, best_first, expected_pages, parts_of
from minicrawl.settings import EXPECTED
from minicrawl.store.reader import Store, open_store

HOME = "http://a.test/"


def worked_out(store: Store, read: int, *, is_rough: bool = False) -> ExpectedPages:
    pages = expected_pages(store, read, is_rough=is_rough)
    assert pages is not None
    return pages


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    site, seeds = wide_site(3)
    crawl(site, tmp_path / "crawl.db", seeds, pages=40, jump="pages")
    return tmp_path / "crawl.db"


def test_while_pages_wait_the_order_is_that_of_expected_importance(stopped: Path) -> None:
    with open_store(stopped) as store:
        order, ranked = best_first(store, None)
        found = list(ranked)
        assert (order.by, order.read, order.known, order.has_unread) == (EXPECTED, 40, store.size(), True)
        values = [page.expected or 0.0 for _, page, _ in found]
        assert values == sorted(values, reverse=True)
        assert [page.rank for _, page, _ in found] == list(range(1, store.size() + 1))
        assert [page.url for _, page, _ in found] == [page.url for page in store.pages()]
        assert [page.importance for page in store.pages("importance")] == sorted(
            (page.importance for page in store.pages()), reverse=True
        )
        assert values != [page.expected for page in store.pages("importance")]
        with pytest.raises(ValueError, match="inlinks, expected, not 'x'"):
            store.pages("x")


def test_in_the_end_both_orders_are_one(tmp_path: Path) -> None:
    site, seeds = wide_site(3, 60)
    crawl(site, tmp_path / "crawl.db", seeds, pages=30, jump="pages")
    crawl(site, tmp_path / "crawl.db", seeds, jump="pages")
    with open_store(tmp_path / "crawl.db") as store:
        order, ranked = best_first(store, None)
        assert (order.by, order.has_unread, order.of) == ("importance", False, None)
        urls = [page.url for _, page, _ in ranked]
        assert urls == [page.url for page in store.pages(EXPECTED)] == [page.url for page in store.pages()]
        assert worked_out(store, order.read).shares == pytest.approx(store.ranks.importance(), abs=1e-12)


@pytest.mark.parametrize("version", [4, 8])
def test_of_an_older_store_it_is_worked_out(stopped: Path, version: int) -> None:
    with open_store(stopped) as store:
        urls, shares = [page.url for page in store.pages()], store.expected.shares()
    of_version(version, stopped)
    with open_store(stopped) as store:
        assert store.expected.of() is None
        order, ranked = best_first(store, None)
        assert order.of is not None
        assert (order.by, order.of.read) == (EXPECTED, 40)
        assert {page.url for _, page, _ in ranked} == set(urls)
        assert worked_out(store, 40).shares == pytest.approx(shares, abs=1e-4)
        assert store.pages() is not None
        assert [page.url for page in store.pages()] == [page.url for page in store.pages("importance")]


def test_who_asks_again_and_again_gets_it_roughly(stopped: Path) -> None:
    of_version(8, stopped)
    with open_store(stopped) as store:
        fine, rough = worked_out(store, 40), worked_out(store, 40, is_rough=True)
        assert np.abs(fine.shares - rough.shares).sum() < 2e-3
        assert (fine.of.stays is None, rough.of.stays) == (False, None)
        assert rough.of.coverage == pytest.approx(fine.of.coverage, abs=1e-3)
        assert rough.of == fine.of._replace(stays=None, coverage=rough.of.coverage)


def test_it_is_worked_out_again_once_a_tenth_more_was_read(stopped: Path) -> None:
    rows(stopped, "UPDATE meta SET value = json_set(value, '$.read', 37) WHERE key = 'expected'")
    with open_store(stopped) as store:
        assert worked_out(store, 40).of.read == 37
    rows(stopped, "UPDATE meta SET value = json_set(value, '$.read', 36) WHERE key = 'expected'")
    with open_store(stopped) as store:
        assert worked_out(store, 40).of.read == 40


def test_page_that_was_found_since_comes_last(stopped: Path) -> None:
    rows(stopped, "UPDATE expected SET shares = substr(shares, 1, 19 * 7), unread = x'' WHERE first = 50")
    rows(stopped, "DELETE FROM expected WHERE first > 50")
    with open_store(stopped) as store:
        found = list(best_first(store, None)[1])
        assert sorted(number for number, page, _ in found[57:]) == list(range(57, store.size()))
        assert {page.expected for _, page, _ in found[57:]} == {None}


def test_share_of_a_page_comes_from_links_found_and_expected(tmp_path: Path) -> None:
    """Two pages of a.test were read, and each links to c.test; so will the two that wait, as far as can be told."""
    site: Site = {
        HOME: ["/b", "/c", "/d", "http://c.test/"],
        HOME + "b": ["http://c.test/", HOME],
        "http://c.test/": [],
    }
    path = tmp_path / "crawl.db"
    crawl(site, path, [HOME], pages=3, jump="pages")
    assert rows(path, "SELECT count(*) FROM pages WHERE visited AND url LIKE '%a.test%'") == [(2,)]
    with open_store(path) as store:
        (page,) = store.page_table.find(["http://c.test/"]).values()
        share = store.ranks.page(page).expected
        parts = parts_of(store, page, share, [HOME, HOME + "b"])
        assert parts is not None
        assert parts.found + parts.expected == pytest.approx(share)
        assert parts.expected == pytest.approx(store.expected.unread_part(page))
        assert [(site.owner, site.unread, site.visited) for site in parts.sites] == [("a.test", 2, 2)]
        assert (parts.read, parts.known) == (3, 5)
        (home,) = store.page_table.find([HOME + "c"]).values()
        unlinked = parts_of(store, home, store.ranks.page(home).expected, [])
        assert unlinked is not None
        assert unlinked.sites == ()
        assert parts_of(store, page, None, [HOME]) is None
        assert np.isclose(store.expected.shares().sum(), 1.0)
