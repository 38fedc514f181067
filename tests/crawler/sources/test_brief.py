"""A brief crosses a process border whole, and whoever has it fetches and parses by it."""

import asyncio
import pickle
import subprocess
import sys

import pytest
from support.absorbing import HOME
from support.sites import Server

from minicrawl.crawler.http.httpx_transport import HttpxTransport
from minicrawl.crawler.sources.brief import Brief
from minicrawl.model import PageRequest, Wanted
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD


@pytest.mark.parametrize(("wanted", "places"), [(Wanted(), 0), (Wanted(places=True), 2)])
def test_a_brief_that_was_pickled_reads_the_same(wanted: Wanted, places: int) -> None:
    brief = Brief(CrawlSettings(delay=0.0), wanted=wanted)

    async def outlinks(of: Brief) -> tuple[tuple[str, ...], bytes]:
        async with of.source(HttpxTransport(Server({HOME: ["/a", "/b"]}), STANDARD)) as source:
            _, parsed = await source.page(PageRequest(HOME))
        return parsed.outlinks, parsed.places

    found = asyncio.run(outlinks(brief))
    assert (found[0], len(found[1])) == ((HOME + "a", HOME + "b"), places)
    assert asyncio.run(outlinks(pickle.loads(pickle.dumps(brief)))) == found


def test_a_worker_loads_nothing_that_few_crawls_or_pages_need() -> None:
    code = (
        "import sys, minicrawl.crawler.sources.worker; "
        "print([name for name in sys.modules if name.startswith(("
        "'minicrawl.crawler.rendering.', 'minicrawl.crawler.frontier', 'minicrawl.archive.', 'minicrawl.opic', "
        "'minicrawl.rank', 'scipy', 'httpx', 'lxml', 'urllib.request', 'charset_normalizer'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
