"""Expected importance of stores: what a crawl keeps, worked out again in other ways."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import Server, Site, crawl, rows, wide_site

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.crawler.known.expectation import expectation_of, kept_rows
from minicrawl.crawler.urls.groups import levels_of
from minicrawl.lab.expected import EXPECTED, rankings_at, replay_of
from minicrawl.opic.surfer import REASONABLE, UNIFORM
from minicrawl.sizes import Sizes
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def stopped(tmp_path: Path, seed: int, pages: int) -> Path:
    """A crawl with redirects and pages that are not there, stopped on the way."""
    site, seeds = wide_site(seed)
    urls = list(site)
    changed: Site = dict(site)
    for number in range(6, 60, 6):
        changed[urls[number]] = 404 if number % 4 else urls[number + 1]
    crawl(changed, tmp_path / "crawl.db", seeds, pages=pages, jump="pages")
    return tmp_path / "crawl.db"


@pytest.mark.parametrize("seed", range(3))
def test_a_stopped_crawl_keeps_what_its_store_alone_gives(tmp_path: Path, seed: int) -> None:
    """The crawl takes it from its books; `expectation_of` reads every row again."""
    path = stopped(tmp_path, seed, 40)
    with open_store(path) as store:
        kept, found = store.expected.shares(), expectation_of(store)
        assert kept == pytest.approx(found.shares, abs=1e-6)
        of = store.expected.of()
        assert of is not None
        assert of.coverage == pytest.approx(found.of.coverage, abs=1e-5)
        assert of == found.of._replace(coverage=of.coverage)
        assert found.of.read < found.of.known == store.size()
        assert list(violations(store)) == []


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_replay_of_the_same_crawl_expects(tmp_path: Path, seed: int) -> None:
    """Of links that all weigh alike. The replay has no pages but those it needs, and its own importance."""
    site, seeds = wide_site(seed, 400)
    path = tmp_path / "crawl.db"
    crawl(site, path, seeds, pages=120, surfer="uniform", jump="pages")
    with open_store(path) as store:
        shares = store.expected.shares()
        replay = replay_of(store, levels_of(store.page_table.urls()))
        found = rankings_at(*replay.at(replay.answers))[EXPECTED]
    assert np.abs(shares - found).sum() < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_shares_add_up_and_aliases_have_none(tmp_path: Path, seed: int) -> None:
    path = stopped(tmp_path, seed, 60)
    with open_store(path) as store:
        shares = store.expected.shares()
        assert shares.sum() == pytest.approx(1.0, abs=1e-12)
        assert (shares >= 0.0).all()
        aliases = [page for (page,) in rows(path, "SELECT id FROM pages WHERE state = 'alias'")]
        assert aliases
        assert not shares[aliases].any()
        unread = np.array([store.expected.unread_part(page) for page in range(store.size())])
    assert (unread <= shares + 1e-15).all()
    assert unread.sum() > 0.0


@pytest.mark.parametrize("surfer", ["uniform", "reasonable"])
def test_at_the_end_it_is_importance(tmp_path: Path, surfer: str) -> None:
    """Pages went on the way, some are forbidden, some stand for others; links stand in places of their own."""
    site, seeds = wide_site(4, 80)
    urls = list(site)
    whole: Site = {url: ["<nav>", *links[:3], "</nav>words words words", *links[3:]] for url, links in site.items()}
    whole[urls[3]], whole[urls[4]] = urls[1], 404
    path = tmp_path / "crawl.db"
    crawl(Server(whole, robots="User-agent: *\nDisallow: /a"), path, seeds, surfer=surfer, pages=30, jump="pages")
    whole[urls[5]] = 410
    crawl(Server(whole, robots="User-agent: *\nDisallow: /a"), path, seeds, jump="pages")
    assert {"alias", "error", "disallowed"} <= {state for (state,) in rows(path, "SELECT state FROM pages")}
    with open_store(path) as store:
        assert np.abs(store.expected.shares() - store.ranks.importance()).sum() <= 1e-9


@pytest.mark.parametrize("surfer", [UNIFORM, REASONABLE])
def test_pages_of_sites_of_which_nothing_was_read_change_nothing(tmp_path: Path, surfer: object) -> None:
    """Cash that an unread page would send is spread evenly, as importance has it: both are the same then.

    So the links are shared as in the ledger, worked out along them and not taken from it.
    """
    site: Site = {
        HOME: ["<nav>", "/b", "/c", "</nav>words words words", "/d"],
        HOME + "b": [HOME, "/c"],
        HOME + "c": ["<nav>", HOME, "http://later.test/", "</nav>more words here", "/b", "/d"],
        HOME + "d": HOME + "b",
    }
    path = tmp_path / "crawl.db"
    crawl(site, path, [HOME], pages=4, surfer=str(surfer), jump="pages")
    assert rows(path, "SELECT url FROM pages WHERE state = 'waiting'") == [("http://later.test/",)]
    with open_store(path) as store:
        found = expectation_of(store, tolerance=1e-12)
        assert np.abs(found.shares - store.ranks.importance()).sum() <= 1e-6  # the ledger is settled to so much
        assert not found.unread.any()
        assert kept_surfer(store) == surfer


def test_links_on_disk_give_the_same(tmp_path: Path) -> None:
    path = stopped(tmp_path, 1, 50)
    with open_store(path) as store:
        in_memory = expectation_of(store).shares
    with open_store(path, Sizes(links=10, link_rows=7)) as store:
        assert expectation_of(store).shares == pytest.approx(in_memory, abs=1e-15)
        with kept_rows(store, kept_surfer(store)) as links:
            assert len(list(links())) == len(list(links())) > 1


def test_sites_say_what_is_expected_of_whom(tmp_path: Path) -> None:
    """Of a.test two pages were read and two wait, which link like these; nothing is known of b.test."""
    site: Site = {HOME: ["/b", "/c", "/d", "http://b.test/"], HOME + "b": [HOME]}
    path = tmp_path / "crawl.db"
    crawl(site, path, [HOME], pages=2, jump="pages")
    with open_store(path) as store:
        (found,) = store.expected.sites(["a.test", "b.test"])
    assert (found.owner, found.visited, found.unvisited) == ("a.test", 2, 2)
    assert 0.0 < found.sends < 1.0


def test_what_stays_is_told_by_what_stayed_since_half_of_the_answers(tmp_path: Path) -> None:
    """Of fewer than a hundred pages all are among the first hundred, so all have stayed."""
    site, seeds = wide_site(2, 300)
    crawl(site, tmp_path / "few.db", seeds, pages=20, jump="pages")
    crawl(site, tmp_path / "many.db", seeds, pages=110, jump="pages")
    with open_store(tmp_path / "few.db") as few, open_store(tmp_path / "many.db") as many:
        of_few, of_many = few.expected.of(), many.expected.of()
        assert of_few is not None
        assert of_many is not None
        assert few.size() < 100 < many.size()
        assert of_few.stays == 1.0
        assert 0.5 < (of_many.stays or 0.0) < 1.0


def test_nothing_was_visited_before(tmp_path: Path) -> None:
    """The one answer there is belongs to the half that is left out."""
    crawl({HOME: ["/b", "/c"]}, tmp_path / "crawl.db", [HOME], pages=1, jump="pages")
    with open_store(tmp_path / "crawl.db") as store:
        assert expectation_of(store).of.stays == 0.0
