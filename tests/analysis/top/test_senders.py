"""Who links to a page and what each sends, against the books taken row by row."""

from pathlib import Path

import pytest
from support.sites import Site, crawl, random_site, rows

from minicrawl.analysis.top.senders import Senders, senders
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import State
from minicrawl.store.links import from_bytes
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
WORDS = "some words that stand beside a link"


def all_senders(store: Path) -> list[Senders]:
    """Of every page that is no alias."""
    with open_store(store) as reader:
        return senders(reader, [page for page in range(reader.size()) if reader.page_table.state(page) != State.ALIAS])


def by_hand(store: Path) -> list[tuple[int, int, int, int]]:
    """Of every page that is no alias: pages that link to it or to an alias of it, those on other sites, these sites,
    units they brought: an alias hands on what it was born with, too."""
    pages = dict(enumerate(rows(store, "SELECT url, received, forwarded, stands_for FROM pages ORDER BY id")))

    def end(page: int) -> int:
        return page if pages[page][3] is None else end(pages[page][3])

    linking: dict[int, list[str]] = {page: [] for page in pages}
    for source, targets in rows(store, "SELECT source, targets FROM links"):
        for target in from_bytes(targets).tolist() if end(source) == source else ():
            linking[end(target)].append(site_of(pages[source][0]))
    found = []
    for page in filter(lambda page: end(page) == page, pages):
        others = [site for site in linking[page] if site != site_of(pages[page][0])]
        born = sum(pages[alias][2] - pages[alias][1] for alias in pages if alias != page and end(alias) == page)
        found.append((len(linking[page]), len(others), len(set(others)), pages[page][1] - born))
    return found


def test_senders_are_those_in_the_books_to_the_unit(tmp_path: Path) -> None:
    site, seeds = random_site(1)
    first, second, *_ = site
    aliases: Site = {"http://away.test/": ["http://h0.test/old", second], "http://h0.test/old": first}
    crawl({**aliases, **site}, tmp_path / "crawl.db", ["http://away.test/", *seeds])
    found = all_senders(tmp_path / "crawl.db")
    assert [(each.pages, each.on_other_sites, each.other_sites, each.units) for each in found] == by_hand(
        tmp_path / "crawl.db"
    )


def test_the_largest_part_is_what_one_page_sent(tmp_path: Path) -> None:
    """The page with one link sends all it passes on along it, the page with two half."""
    site: Site = {HOME: ["/one", "/two"], HOME + "one": ["/x"], HOME + "two": ["/x", "/y"]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        (page,) = reader.page_table.find([HOME + "x"]).values()
        (found,) = senders(reader, [page])
    assert (found.pages, found.most_by) == (2, HOME + "one")
    assert found.most_share == pytest.approx(2 / 3, abs=1e-6)
    assert (found.on_other_sites, found.other_sites) == (0, 0)


def test_places_are_counted_where_they_are_known(tmp_path: Path) -> None:
    site: Site = {
        HOME: ["/one", "/two", "/alike"],
        HOME + "one": [f'<nav><a href="/x">x</a></nav><p>{WORDS} <a href="/y">y</a> {WORDS}'],
        HOME + "two": [f'<nav><a href="/y">y</a></nav><p>{WORDS} <a href="/x">x</a> {WORDS}'],
        HOME + "alike": ['<nav><a href="/x">x</a> <a href="/y">y</a></nav>'],
    }
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        pages = reader.page_table.find([HOME + "x", HOME + "one"])
        of_x, of_one = senders(reader, [pages[HOME + "x"], pages[HOME + "one"]])
    assert (of_x.pages, of_x.places) == (3, {"text": 1, "navigation": 1})
    assert (of_one.pages, of_one.places) == (1, {})


def test_what_links_of_all_places_brought_is_what_the_books_have(tmp_path: Path) -> None:
    """Whatever a link's place is worth to the ledger, it is worth here."""
    site: Site = {
        HOME + str(page): [
            f'<nav><a href="/{page + 1}">next</a></nav><p>{WORDS} <a href="/{page * 7 % 20}">more</a> {WORDS}'
            f'<ul><li><a href="/{page * 3 % 20}">x</a></ul>'
        ]
        for page in range(20)
    }
    crawl(site, tmp_path / "crawl.db", [HOME + "0"])
    found = all_senders(tmp_path / "crawl.db")
    assert sum(each.places.get("navigation", 0) for each in found) >= 5
    assert [(each.pages, each.units) for each in found] == [
        (pages, units) for pages, _, _, units in by_hand(tmp_path / "crawl.db")
    ]
