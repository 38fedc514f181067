"""Each setting that may change while a crawl runs has its effect from then on, and none has it before."""

from pathlib import Path
from typing import Any

import pytest
from politeness import Witness
from support.sites import text
from support.skipping import apart
from support.steering import HOME, Steered, steered

from minicrawl import Crawl
from minicrawl.setting import LIVE
from minicrawl.settings import SETTINGS

WIDE = [f"{HOME}x/{number}" for number in range(12)]
OTHERS = [f"http://b.test/{number}" for number in range(12)]
SITE: dict[str, Any] = {HOME: [*WIDE, *OTHERS], f"{HOME}x/3": [f"{HOME}x/deep"]}
SITE |= {url: [f"{url}/next"] for url in [*WIDE[4:], *OTHERS]} | {f"{url}/next": [] for url in [*WIDE, *OTHERS]}
SITE |= {f"{HOME}x/deep": [], f"{HOME}listed": []} | {url: [] for url in WIDE[:3]}
SITEMAP = f"<urlset><url><loc>{HOME}listed</loc></url></urlset>"

# What each becomes after two pages. A crawl of this web stands for those of all kinds.
CHANGED: dict[str, Any] = {
    "pages": 5,
    "time": 9,
    "bytes": 200,
    "until_coverage": 0.4,
    "scope": "host",
    "allow": ["/x/"],
    "deny": ["/next"],
    "max_depth": 1,
    "sitemaps": False,
    "delay": 5,
    "per_host": 4,
    "concurrency": 1,
    "boost": ["x/9=100"],
    "host_pages": 3,
}
OTHERWISE = {"ip_delay", "workers", "ask", "patience"} & SETTINGS.keys()
"""Those that are tried on webs of their own."""
CHANGED = {name: value for name, value in CHANGED.items() if name in SETTINGS}  # a part may be taken away


async def traced(store: Path, delay: float, change: dict[str, Any]) -> tuple[list[tuple[float, str]], int, str]:
    """When each URL was asked for, the most requests in flight, and why the crawl ended; changed after two pages."""
    server = Steered(SITE, robots=f"Sitemap: {HOME}sitemap.xml", takes=2)
    server.beside = {f"{HOME}sitemap.xml": text(SITEMAP, "application/xml")}
    async with steered(server, store, delay=delay, ignore_robots=False) as crawl:
        await server.until(2)
        if change:
            await crawl.adjust(**change)
        report = await crawl.finished()
    began = server.came[0][0]
    return [(round(at - began, 1), url) for at, url in server.came], server.most, report.reason


@pytest.mark.parametrize("name", CHANGED)
@apart
async def test_a_change_has_its_effect(tmp_path: Path, name: str) -> None:
    delay = 0.0 if name in {"per_host", "concurrency"} else 0.5  # with one, a slow host has no second request
    unchanged, again = [await traced(tmp_path / f"{number}.db", delay, {}) for number in range(2)]
    assert unchanged == again
    changed = await traced(tmp_path / "changed.db", delay, {name: CHANGED[name]})
    assert changed != unchanged
    assert changed[0][:3] == unchanged[0][:3]


async def test_a_change_has_its_effect_on_addresses_and_processes(tmp_path: Path) -> None:
    """An address that is asked every hour, by this process: until it is asked at once, by another."""
    witness = Witness(2, 1, crawl_delay=0, retry_after=0, pages=5)
    async with witness.serving():
        options: dict[str, Any] = {
            "connect_to": witness.connect_to,
            "allow_private": True,
            "delay": 0,
            "ip_delay": 3600,
        }
        async with Crawl(
            [f"http://h{number}.test/0" for number in range(2)], tmp_path / "crawl.db", **options
        ) as crawl:
            events = crawl.events()
            await anext(events)
            before = len(witness.log)
            await crawl.adjust(ip_delay=0, workers=1)
            assert [worker.doing for worker in crawl.status.workers] != []
            report = await crawl.finished()
    assert before < 3
    assert (report.reason, report.fetched) == ("nothing-left", 10)


def test_each_setting_that_may_change_is_tried() -> None:
    assert {name for name, one in SETTINGS.items() if LIVE in one.marks} == CHANGED.keys() | OTHERWISE
