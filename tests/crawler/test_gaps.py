"""No request leaves before its time, measured at a server of 60 hosts on 12 addresses, also across a kill.

By a clock that skips what is waited for, and stands still while the server, which shares it, is busy.
"""

import asyncio
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from politeness import Witness
from support import skipping
from support.sites import EVERYTHING, HOME, Server, Site, crawl, rows

from minicrawl.api import acrawl
from minicrawl.settings import ConnectTo
from minicrawl.timing import Timing

DELAY = 1.0
TIMING = Timing(idle=0.5)  # nothing is done in the meantime


def check(witness: Witness) -> None:
    assert [gap for gap in witness.gaps(DELAY) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < DELAY] == []


def crawling(witness: Witness, store: Path, **settings: Any) -> "asyncio.Task[object]":
    rules = tuple(ConnectTo.parse(rule) for rule in witness.connect_to)
    options: dict[str, Any] = {"delay": DELAY, "concurrency": 256, "timing": TIMING} | settings
    return asyncio.create_task(acrawl(witness.seeds, store, connect_to=rules, allow_private=True, **options))


async def run_killed(witness: Witness, store: Path, requests: int, **settings: Any) -> Path:
    """Crawl up to so many requests. What a kill leaves is the store of that moment, and requests nobody has noted."""
    first = crawling(witness, store, **settings)
    while len(witness.log) < requests:
        await asyncio.sleep(0.1)
    left, begun = store.with_name("left.db"), asyncio.get_running_loop().time()
    for ending in ("", "-wal"):
        shutil.copy(f"{store}{ending}", f"{left}{ending}")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await witness.drained()
    witness.kills.append((begun, asyncio.get_running_loop().time()))
    return left


def test_no_gap_is_below_the_promised_one_also_across_a_kill(tmp_path: Path) -> None:
    witness = Witness(60, 12, crawl_delay=7.0, retry_after=30, pages=2)

    async def run() -> None:
        async with witness.serving():
            await crawling(witness, await run_killed(witness, tmp_path / "crawl.db", 50))

    skipping.run(run())
    assert len({asked.host for asked in witness.log}) == 60
    check(witness)


@pytest.mark.parametrize(
    "later", [{"delay": 10.0, "ip_delay": 0.0}, {"delay": 0.001, "ip_delay": 10.0}], ids=["hosts", "addresses"]
)
def test_after_a_kill_nobody_is_asked_who_may_have_been_asked_just_before(
    tmp_path: Path, later: dict[str, float]
) -> None:
    witness = Witness(20, 5, crawl_delay=0.0, retry_after=0)

    async def run() -> None:
        async with witness.serving():
            left = await run_killed(witness, tmp_path / "crawl.db", 15)
            await crawling(witness, left, time=60.0, pages=1, **later)

    skipping.run(run())
    again = [asked.arrived for asked in witness.log if asked.arrived > witness.kills[0][1]]
    assert min(again) - witness.kills[0][1] >= 10.0


def test_what_a_host_asked_for_is_kept_at_once(tmp_path: Path) -> None:
    """Before the next commit is due the crawl may be killed."""
    never = Timing(batch=1e6, lease=1e6)
    store, seen = tmp_path / "crawl.db", []

    def busy(_: object, count: int) -> int | list[str]:
        seen.extend(rows(store, "SELECT state, asked_until > since FROM health"))
        return ["/next"] if count < 3 else 429

    site = {HOME: busy, HOME + "next": lambda *_: httpx.Response(429, headers={"Retry-After": "60"})}
    crawl(site, store, [HOME], delay=0.001, ignore_robots=True, timing=never, patience=100.0)
    assert seen == [("ill", 1)]


def test_a_host_is_asked_as_often_as_the_delay_of_its_own_says(tmp_path: Path) -> None:
    """Also in the next run, which remembers it, and after it is given otherwise."""
    names = ("a.test", "slow.test", "quick.test")
    site: Site = {f"http://{name}/": [f"/{page}" for page in range(500)] for name in names}
    runs = [
        ({"host_delay": ["slow.test=7s", "quick.test=0.1s"]}, (1.0, 7.0, 0.1)),
        ({}, (1.0, 7.0, 0.1)),
        ({"host_delay": ["a.test=3s"]}, (3.0, 1.0, 1.0)),
    ]
    for given, delays in runs:
        server = Server(site)
        options = EVERYTHING | {"delay": 1.0, "concurrency": 8, "time": 16.0}  # also what is not there
        crawl(server, tmp_path / "crawl.db", list(site), **options, **given)
        for name, delay in zip(names, delays, strict=True):
            gaps = [after - before for before, after in pairwise(server.by_host[name])]
            assert gaps
            assert delay <= min(gaps) < 1.1 * delay + 0.1
