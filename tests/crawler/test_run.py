"""One run, from what it is given to its report: what is refused before there is a store, and what one run leaves to the
next."""

from pathlib import Path
from typing import Any

import pytest
from support.effort import loaded_by
from support.intakes import HOME
from support.sites import Server, Site, crawl, random_site, rows
from support.skipping import run

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.errors import ConfigError, SeedError, SettingError
from minicrawl.store.reader import open_store

SITE: Site = {HOME: ["/a", "/b"], HOME + "a": ["/b"], HOME + "b": []}


NOT_LOADED = ["scipy", "httpx", "lxml", "rich.console", "tldextract", "aiodns", "brotli", "backports.zstd", "email"]
NOT_LOADED += ["minicrawl.archive", "minicrawl.extract", "minicrawl.crawler.archiving"]
NOT_LOADED += ["minicrawl.parts.pdf.documents", "pypdf", "minicrawl.parts.render.renderer", "playwright"]


def test_a_crawl_begins_without_what_few_crawls_need() -> None:
    """Each would take up to a fifth of a second to load."""
    modules = "minicrawl.crawler.run, minicrawl.control.commands, minicrawl.search.following"
    assert loaded_by(f"import {modules}, minicrawl.cli.display").isdisjoint(NOT_LOADED)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"workers": 2}, SettingError, "a custom transport works in this process only"),
        ({"delay": -1.0}, ConfigError, "--delay"),
        ({}, SeedError, "you gave no seeds"),
    ],
)
def test_what_cannot_begin_leaves_no_store(
    tmp_path: Path, given: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    seeds = Seeds([HOME] if given else [])
    with pytest.raises(error, match=sentence):
        run(crawl_with(given, seeds, tmp_path / "crawl.db", Caller(transport=Server(SITE))), grace=0.0)
    assert list(tmp_path.iterdir()) == []


def test_the_report_is_what_the_store_says(store: Path) -> None:
    site, seeds = random_site(8)
    report, server = crawl({url: 410 if url.endswith("5") else links for url, links in site.items()}, store, seeds)
    with open_store(store) as reader:
        counts = reader.page_table.counts()
        assert list(violations(reader)) == []
        assert report.known == reader.size()
    assert report.reason == "nothing-left"
    assert report.read == sum(count for (state, _), count in counts.items() if state in ("fetched", "alias"))
    assert report.failures == {reason: count for (state, reason), count in counts.items() if state == "error"}
    assert report.fetched == len(server.asked)
    assert rows(store, "SELECT value FROM meta WHERE key = 'in_doubt'") == [(0,)]
    assert rows(store, "SELECT value FROM meta WHERE key = 'is_ranked'") == [(1,)]
