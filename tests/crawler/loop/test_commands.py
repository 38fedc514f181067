"""What a running crawl is asked to do, and when it is said to be done."""

import asyncio
from collections import deque
from collections.abc import Callable

import pytest

from minicrawl.crawler.loop.commands import Commands
from minicrawl.errors import ConfigError, CrawlEndedError


class Loop:
    """As much of a crawl's loop as commands need."""

    def __init__(self) -> None:
        self.arrivals: deque[Callable[[float], None]] = deque()
        self.commands = Commands(lambda links, take: self.arrivals.append(take))

    async def take(self) -> None:
        await asyncio.sleep(0)
        while self.arrivals:
            self.arrivals.popleft()(7.0)
        await asyncio.sleep(0)


def fail(now: float) -> None:
    raise ConfigError("no")


async def test_a_command_is_done_with_the_commit_after_it() -> None:
    loop = Loop()
    first, failed = (asyncio.create_task(loop.commands.done(change)) for change in (lambda now: now + 1, fail))
    await asyncio.sleep(0)
    assert not loop.commands.wait_for_commit
    await loop.take()
    later = asyncio.create_task(loop.commands.done(lambda now: now))
    assert loop.commands.wait_for_commit
    assert not first.done()
    assert not failed.done()
    loop.commands.committed()
    assert await first == 8.0
    with pytest.raises(ConfigError, match="no"):
        await failed
    assert not later.done()
    assert not loop.commands.wait_for_commit
    await loop.take()
    loop.commands.committed()
    assert await later == 7.0


@pytest.mark.parametrize(("failure", "raised"), [(None, CrawlEndedError), (OSError("disk"), OSError)])
async def test_the_end_of_the_crawl_is_told_to_all_who_wait_or_come_later(
    failure: Exception | None, raised: type[Exception]
) -> None:
    loop = Loop()
    made, waits = asyncio.create_task(loop.commands.done(str)), asyncio.create_task(loop.commands.done(str))
    await loop.take()
    loop.commands.end(failure)
    for task in (made, waits):
        with pytest.raises(raised):
            await task
    with pytest.raises(CrawlEndedError):
        await loop.commands.done(str)
