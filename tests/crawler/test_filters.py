"""Every filter holds on every way to a URL: link, redirect, meta refresh, canonical. A seed is crawled in any case."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.sites import Site, crawl, rows

from minicrawl.store.reader import open_store

HOME = "http://www.a.test/dir/"
NEAR = HOME + "x"

# The settings, a URL that they refuse, and the reason code.
FILTERS: dict[str, tuple[dict[str, Any], str, str]] = {
    "scope-site": ({"scope": "site"}, "http://b.test/", "scope-site"),
    "scope-host": ({"scope": "host"}, "http://shop.a.test/", "scope-host"),
    "scope-prefix": ({"scope": "prefix"}, "http://www.a.test/other", "scope-prefix"),
    "deny": ({"deny": ("private", r"\.pdf$")}, HOME + "a.pdf", "deny"),
    "allow": ({"allow": ("/dir/$", "x$")}, HOME + "y", "allow"),
    "too-long": ({"traps": False}, HOME + "a" * 8_000, "too-long"),
}
# How the page NEAR leads to a URL, and what becomes of it when that URL is refused.
WAYS: dict[str, tuple[Callable[[str], str | list[str]], str]] = {
    "link": (lambda url: [url], "fetched ok"),
    "redirect": (lambda url: url, "error redirect-{}"),
    "meta refresh": (lambda url: [f'<meta http-equiv="refresh" content="0;{url}">'], "fetched meta-refresh-{}"),
    "canonical": (lambda url: [f'<link rel="canonical" href="{url}">'], "fetched canonical-{}"),
}


@pytest.mark.parametrize(
    ("name", "way"), [*((name, "link") for name in FILTERS), *(("deny", way) for way in [*WAYS][1:])]
)
def test_filter_holds_on_every_way(store: Path, name: str, way: str) -> None:
    settings, url, reason = FILTERS[name]
    leads_to, becomes = WAYS[way]
    site: Site = {HOME: [NEAR], NEAR: leads_to(url), url: []}
    _, server = crawl(site, store, [HOME], **settings)
    assert sorted(server.asked) == [HOME, NEAR]
    states = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    assert states == {HOME: "fetched ok", NEAR: becomes.format(reason)}
    with open_store(store) as reader:
        links = reader.link_table.row(reader.page_table.find([NEAR])[NEAR])
        assert (links.leads_to if links else None) == (None if way == "link" else url)
        assert reader.page_table.facts(1)["refused"] == (way in ("link", "canonical", "meta refresh"))

    crawl(site, store, [url], **settings)
    assert rows(store, "SELECT state FROM pages WHERE url = ?", url) == [("fetched",)]


@pytest.mark.parametrize(
    ("way", "is_known"), [("link", False), ("redirect", True), ("meta refresh", True), ("canonical", True)]
)
def test_what_a_page_stands_for_is_as_deep_as_the_page(store: Path, way: str, is_known: bool) -> None:
    """A redirect is not a link: the farthest page may lead to its target, but not link to it."""
    url = "http://www.a.test/far"
    crawl({HOME: [NEAR], NEAR: WAYS[way][0](url), url: []}, store, [HOME], max_depth=1)
    assert rows(store, "SELECT depth FROM pages WHERE url = ?", url) == ([(1,)] if is_known else [])
