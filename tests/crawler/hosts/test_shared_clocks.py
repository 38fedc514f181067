"""Clocks that crawls share: no gap is below the larger delay, whoever asks or dies; who is alone shares none."""

import asyncio
import sys
from pathlib import Path

import pytest
from politeness import Witness
from support import skipping

from minicrawl.api import acrawl
from minicrawl.crawler.hosts.shared_clocks import place
from minicrawl.settings import ConnectTo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="crawls of one process share clocks on Linux only")


@pytest.fixture(autouse=True)
def _new_file() -> None:
    place().unlink(missing_ok=True)


def test_crawls_of_their_own_leave_no_gap_too_small(tmp_path: Path) -> None:
    """Three crawls that begin one after the other, with a server that measures, by a clock that skips."""
    witness = Witness(5, 2, crawl_delay=3.0, retry_after=5, pages=2, crawls=3)

    async def crawled(number: int) -> None:
        await asyncio.sleep(0.7 * number)
        rules = tuple(ConnectTo.parse(rule) for rule in witness.connect_to)
        store = tmp_path / f"{number}.db"
        await acrawl(witness.seeds, store, connect_to=rules, allow_private=True, delay=1.0)

    async def run() -> None:
        async with witness.serving():
            await asyncio.gather(*map(crawled, range(3)))

    skipping.run(run())
    assert len(witness.log) > 3 * 5 * 2
    assert [gap for gap in witness.gaps(1.0) if gap[1] < gap[2]] == []
    assert [gap for gap in witness.address_gaps() if gap[1] < 1.0] == []
