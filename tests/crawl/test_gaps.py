"""No request leaves before its time, measured at a server of 200 hosts on 40 addresses, also across a kill.

Whatever the machine is busy with, no gap can look shorter than it was: here delays are counted from when the answer is
there, and the server notes a request before it answers.
"""

import asyncio
import shutil
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx
import pytest
from politeness import Witness
from sites import Server, Site, crawl, rows

from minicrawl.crawl.audit import audit
from minicrawl.crawl.politeness import STRAINS_OF_THE_DEAD
from minicrawl.crawl.run import acrawl
from minicrawl.crawl.timing import Timing
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

DELAY = 0.03
HOME = "http://a.test/"


HURRY = Timing(least_backoff=0.02, longest_backoff=0.1, batch=0.1, lease=0.15, retry=0.001, on_its_way=1000.0)
# The server shares the crawl's event loop: an answer may wait there for long until it is read.
UNREAD = 2.0
crawl_in_a_hurry = partial(crawl, timing=HURRY)


def check(witness: Witness) -> None:
    assert [gap for gap in witness.gaps(DELAY, HURRY, UNREAD) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < DELAY] == []


def crawling(witness: Witness, store: Path, **settings: object) -> "asyncio.Task[object]":
    rules = tuple(ConnectTo.parse(rule) for rule in witness.connect_to)
    options = {"delay": DELAY, "connect_to": rules, "allow_private": True, "concurrency": 256} | settings
    return asyncio.create_task(acrawl(witness.seeds, store, timing=HURRY, **options))


async def run_killed(witness: Witness, store: Path, requests: int, **settings: object) -> Path:
    """Crawl up to so many requests. What a kill leaves is the store of that moment, and requests nobody has noted."""
    first = crawling(witness, store, **settings)
    while len(witness.log) < requests:
        await asyncio.sleep(0.01)
    left, begun = store.with_name("left.db"), time.monotonic()
    for ending in ("", "-wal"):
        shutil.copy(f"{store}{ending}", f"{left}{ending}")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await witness.drained()
    witness.kills.append((begun, time.monotonic()))
    return left


def test_no_gap_is_below_the_promised_one_also_across_a_kill(tmp_path: Path) -> None:
    witness = Witness(200, 40, crawl_delay=0.2, retry_after=1, pages=2)

    async def run() -> None:
        async with witness.serving():
            await crawling(witness, await run_killed(witness, tmp_path / "crawl.db", 150))

    asyncio.run(run())
    assert len({asked.host for asked in witness.log}) == 200
    check(witness)


@pytest.mark.parametrize(
    "later", [{"delay": 0.3, "ip_delay": 0.0}, {"delay": 0.001, "ip_delay": 0.3}], ids=["hosts", "addresses"]
)
def test_after_a_kill_nobody_is_asked_who_may_have_been_asked_just_before(
    tmp_path: Path, later: dict[str, float]
) -> None:
    witness = Witness(20, 5, crawl_delay=0.0, retry_after=0)

    async def run() -> None:
        async with witness.serving():
            left = await run_killed(witness, tmp_path / "crawl.db", 15)
            await crawling(witness, left, time=1.0, pages=1, **later)

    asyncio.run(run())
    again = [asked.arrived for asked in witness.log if asked.arrived > witness.kills[0][1]]
    assert min(again) - witness.kills[0][1] >= 0.3


def test_what_a_host_asked_for_is_kept_at_once(tmp_path: Path) -> None:
    """Before the next commit is due the crawl may be killed."""
    never = replace(HURRY, batch=1000.0, lease=1000.0)
    store, strains = tmp_path / "crawl.db", []

    class Busy(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            strains.extend(rows(store, "SELECT strains FROM hosts"))
            return super()._answer(request)

    crawl(Busy({HOME: 503}), store, [HOME], delay=0.001, ignore_robots=True, timing=never)
    assert strains == [(0,), (1,), (2,)]


def test_a_host_that_only_fails_is_dead_and_its_pages_have_their_turns(tmp_path: Path) -> None:
    """All of them, without a request, and again so in the next run."""
    site: Site = {HOME: [f"/{number}" for number in range(9)], HOME + "9": []} | {
        f"{HOME}{number}": 429 for number in range(9)
    }
    store = tmp_path / "crawl.db"
    _, server = crawl_in_a_hurry(site, store, [HOME], delay=0.001, ignore_robots=True)
    assert len(server.asked) == 1 + STRAINS_OF_THE_DEAD
    states = Counter(rows(store, "SELECT state, reason FROM pages"))
    assert states[("error", "host-dead")] > 0
    assert states.total() == 10
    assert states[("waiting", "link")] == 0
    _, server = crawl_in_a_hurry(site, store, [HOME + "9"], delay=0.001, ignore_robots=True)
    assert server.asked == []
    assert list(audit(open_store(store))) == []


def test_a_dead_host_is_asked_again_when_its_rest_is_over(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME + "0": 429, HOME + "1": []}
    crawl_in_a_hurry(site, store, [HOME + "0"], delay=0.001, ignore_robots=True)
    rows(store, "UPDATE hosts SET strains = 20, dead_until = 1")
    _, server = crawl_in_a_hurry(site, store, [HOME + "1"], delay=0.001, ignore_robots=True)
    assert server.asked == [HOME + "1"]
    assert rows(store, "SELECT strains, dead_until FROM hosts") == [(0, 0.0)]


def test_without_politeness_no_host_is_dead(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site: Site = {HOME + "0": 429, HOME + "1": []}
    crawl_in_a_hurry(site, store, [HOME + "0"], delay=0.001, ignore_robots=True)
    rows(store, "UPDATE hosts SET strains = 20, dead_until = 9e9")
    _, server = crawl_in_a_hurry(site, store, [HOME + "1"], delay=0.0, ignore_robots=True)
    assert server.asked == [HOME + "1"]
