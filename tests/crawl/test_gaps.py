"""No request leaves before its time, measured at a server of 200 hosts on 40 addresses, also across a kill.

A gap is counted from the end of an answer, noted before it is sent, to the arrival of the next request: whatever the
machine is busy with, it can only look longer than it was.
"""

import asyncio
import shutil
import time
from pathlib import Path

import pytest
from politeness import Witness

from minicrawl.crawl.run import acrawl
from minicrawl.settings import ConnectTo

DELAY = 0.03


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.crawl.politeness.LEAST_BACKOFF", 0.04)
    monkeypatch.setattr("minicrawl.crawl.engine._LEASE_SECONDS", 0.55)
    monkeypatch.setattr("minicrawl.crawl.outcome._FIRST_WAIT", 0.01)


def check(witness: Witness) -> None:
    assert [gap for gap in witness.gaps(DELAY) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < DELAY] == []


def crawling(witness: Witness, store: Path, **settings: object) -> "asyncio.Task[object]":
    rules = tuple(ConnectTo.parse(rule) for rule in witness.connect_to)
    options = {"delay": DELAY, "connect_to": rules, "allow_private": True, "concurrency": 256} | settings
    return asyncio.create_task(acrawl(witness.seeds, store, **options))


def test_no_gap_is_below_the_promised_one_also_across_a_kill(tmp_path: Path) -> None:
    """What a kill leaves is the store as it is at one moment, and requests that nobody has noted."""
    witness = Witness(200, 40, crawl_delay=0.2, retry_after=1, pages=2)

    async def run() -> None:
        async with witness.serving():
            first = crawling(witness, tmp_path / "crawl.db")
            while len(witness.log) < 150:
                await asyncio.sleep(0.01)
            for ending in ("", "-wal"):
                shutil.copy(tmp_path / f"crawl.db{ending}", tmp_path / f"left.db{ending}")
            first.cancel()
            witness.kills.append(time.monotonic())
            await asyncio.gather(first, return_exceptions=True)
            await crawling(witness, tmp_path / "left.db")

    asyncio.run(run())
    assert len({asked.host for asked in witness.log}) == 200
    check(witness)
