"""A live crawl goes to pages of a wanted type first, as it learns where they are."""

import random
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from support.sites import Server, Site, crawl, faults_in, rows

from minicrawl.cli import main

FEEDS = 40
ORDER = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch ORDER BY fetches.id"


class WithData(Server):
    """Serves what stands under /data/ as XML."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        pages = self.handler

        def handler(request: httpx.Request) -> httpx.Response:
            page = pages(request)
            assert isinstance(page, httpx.Response)
            xml = {"content-type": "application/xml"}
            return httpx.Response(200, headers=xml, text="<data/>") if "/data/" in str(request.url) else page

        self.handler = handler


def site() -> tuple[Site, list[str]]:
    """Every page leads to some others and to a document of one folder, whose URLs have no ending."""
    draw = random.Random(2)
    pages = [f"http://h.test/{''.join(draw.choices('abcdefghij', k=8))}" for _ in range(400)]
    data = [f"http://h.test/data/{''.join(draw.choices('abcdefghij', k=8))}" for _ in range(FEEDS)]
    found: Site = {url: [*draw.sample(pages, 4), draw.choice(data)] for url in pages}
    return found | {url: [] for url in data}, pages[:1]


def harvest(store: Path, *, first: int = 80, **settings: object) -> int:
    """How many documents are among the first answers."""
    web, seeds = site()
    crawl(WithData(web), store, seeds, pages=first, probe=False, traps=False, ignore_robots=True, **settings)
    return sum("/data/" in url for (url,) in rows(store, ORDER))


def test_wanted_pages_come_first(tmp_path: Path) -> None:
    without, focused = harvest(tmp_path / "any.db"), harvest(tmp_path / "xml.db", focus_type=("xml",))
    assert focused >= 1.5 * without
    assert faults_in(tmp_path / "xml.db") == []


@pytest.mark.parametrize(("wanted", "sentence"), [("xml", "read like http://h.test/data/*, "), ("news", "a date")])
def test_why_says_what_a_link_weighs(tmp_path: Path, wanted: str, sentence: str) -> None:
    store, news = tmp_path / "crawl.db", "http://h.test/2026/11/21/x"
    web, seeds = site()
    web[seeds[0]] = [*web[seeds[0]], news]
    crawl(WithData(web), store, seeds, pages=60, focus_type=(wanted,), probe=False, traps=False, ignore_robots=True)
    of = {"news": "%/2026/%", "xml": "%/data/%"}[wanted]
    ((url,),) = rows(store, "SELECT url FROM pages WHERE url LIKE ? ORDER BY url LIMIT 1", of)
    printed = CliRunner().invoke(main, ["why", url, "--store", str(store), "--wide"]).stdout
    (line,) = [line for line in printed.splitlines() if line.startswith("  focus ")]
    assert "links to it weigh" in line
    assert sentence in line
