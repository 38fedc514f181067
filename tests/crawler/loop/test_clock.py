"""The clock of a crawl follows the event loop's, whatever happens to the machine's."""

import asyncio
import time

import pytest

from minicrawl.crawler.loop.clock import SteadyClock


def test_clock_does_not_step_with_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> tuple[float, float]:
        clock = SteadyClock()
        before = clock()
        monkeypatch.setattr(time, "time", lambda: 0.0)
        return before, clock()

    now = time.time()
    before, after = asyncio.run(run())
    assert before == pytest.approx(now, abs=60)
    assert before <= after
