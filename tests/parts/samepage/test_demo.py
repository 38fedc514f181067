"""The web of the demo with its traps, of which none has an end."""

from collections import Counter
from pathlib import Path

import httpx
from support.sites import Server, faults_in, rows
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.demo.web import DemoWeb

WEB = DemoWeb.generate(seed=1, hosts=3, pages=40, traps=True)
MOST = 1_500


def answer(request: httpx.Request, _: int) -> httpx.Response:
    reply = WEB.respond(str(request.url))
    return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)


def trap_of(url: str) -> str | None:
    if url.startswith(WEB.calendar):
        return "calendar"
    assert WEB.traps is not None
    return url.removeprefix(WEB.traps).replace("?", "/").partition("/")[0] if url.startswith(WEB.traps) else None


def test_a_crawl_of_the_demo_with_traps_ends_and_reads_all_beside_them(tmp_path: Path) -> None:
    store, server = tmp_path / "crawl.db", Server({}, absent=answer)
    crawl = acrawl(WEB.seeds, store, transport=server, delay=0.0, concurrency=1, ignore_robots=True, pages=MOST)
    report = run(crawl, grace=0.0)
    assert report.reason == "nothing-left"
    found = rows(store, "SELECT url, state FROM pages")
    assert [url for url, state in found if state == "waiting" and trap_of(url) is None] == []
    read = Counter(trap_of(url) for url, state in found if state != "waiting")
    assert {trap: count for trap, count in read.items() if trap is not None and count > 160} == {}
    assert {*read} == {None, "calendar", "shop", "about", "search", "lost"}
    assert faults_in(store) == []
