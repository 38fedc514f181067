"""Pages that people pass through, against the formula taken page by page."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, random_site, rows

from minicrawl.analysis.top.hubs import Pages, best_hubs, hubs
from minicrawl.crawler.urls.keys import site_of
from minicrawl.rank.blocks import LinkRows
from minicrawl.store.links import from_bytes
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def of_store(store: Path) -> dict[str, float]:
    with open_store(store) as reader:
        return {page.url: value for _, page, value in best_hubs(reader)}


def by_hand(store: Path) -> dict[str, float]:
    """The formula in words: aliases stand for what they lead to, links between sites or to dead pages do not count."""
    pages = rows(store, "SELECT id, url, importance, state FROM ranks")
    url = {number: address for number, address, _, _ in pages}
    importance = {address: value for _, address, value, _ in pages}
    is_open = {address for _, address, _, state in pages if state == "fetched"}
    links = {url[source]: [url[at] for at in from_bytes(blob)] for source, blob in
             rows(store, "SELECT source, targets FROM links")}  # fmt: skip
    alias = {address: links[address][0] for _, address, _, state in pages if state == "alias"}
    ways = [
        (source, alias.get(target, target))
        for source, targets in links.items()
        for target in targets
        if source in is_open and alias.get(target, target) in is_open - {source}
        and site_of(source) == site_of(alias.get(target, target))
    ]  # fmt: skip
    inlinks = Counter(target for _, target in ways)
    of_site = Counter(site_of(address) for address in is_open)
    found = {}
    for page in is_open:
        leads_to = sum(importance[target] / inlinks[target] for source, target in ways if source == page)
        found[page] = inlinks[page] / of_site[site_of(page)] * leads_to
    return {page: value for page, value in found.items() if value}


def test_hubs_are_those_of_the_formula(tmp_path: Path) -> None:
    site, seeds = random_site(1)
    first, *_ = site
    aliases: Site = {"http://h0.test/in": ["http://h0.test/old", "/gone"], "http://h0.test/old": first}
    crawl({**aliases, **site}, tmp_path / "crawl.db", ["http://h0.test/in", *seeds])
    found = of_store(tmp_path / "crawl.db")
    assert found == pytest.approx(by_hand(tmp_path / "crawl.db"), rel=1e-9)
    assert all(one >= other for one, other in pairwise(found.values()))


@pytest.mark.parametrize("leaves", [1, 50])
def test_star_has_closed_form(leaves: int) -> None:
    """Of a centre that links to every leaf, and each leaf back: I of the centre is their number, of a leaf 1."""
    outdegrees = np.array([leaves, *[1] * leaves])
    star = LinkRows(np.arange(leaves + 1), outdegrees, np.array([*range(1, leaves + 1), *[0] * leaves]))
    importance = np.array([0.5, *[0.5 / leaves] * leaves])
    site, is_open = np.zeros(leaves + 1, dtype=np.int64), np.ones(leaves + 1, dtype=np.bool_)
    found = hubs(Pages(site, importance, is_open), lambda: [star])
    assert found[0] == pytest.approx(leaves / (leaves + 1) * 0.5)
    assert found[1:] == pytest.approx(np.full(leaves, 1 / (leaves + 1) * 0.5 / leaves))


def test_contents_come_before_what_everybody_cites(tmp_path: Path) -> None:
    """The licence is linked from all pages and leads nowhere new; the index of all words is linked from one."""
    chapters = [f"/chapter{number}" for number in range(20)]
    site: Site = {HOME: ["/contents", "/licence"], HOME + "contents": [*chapters, "/licence", HOME]}
    site |= {HOME + chapter[1:]: ["/contents", "/licence", HOME] for chapter in chapters}
    site |= {HOME + "licence": [HOME, "/words"], HOME + "words": [*chapters, "/licence"]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        by_importance = [page.url for page in reader.pages(n=2)]
    assert HOME + "licence" in by_importance
    assert next(iter(of_store(tmp_path / "crawl.db"))) == HOME + "contents"
