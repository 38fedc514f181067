"""What a running crawl is asked to do, and when it is said to be done; its events, and who reads them."""

import asyncio
import random
import threading
from collections import deque
from collections.abc import Callable

import pytest

from minicrawl.crawler.loop.commands import Commands, EventReader, EventStream
from minicrawl.errors import ConfigError, CrawlEndedError
from minicrawl.events import Event, EventsDropped


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


async def read(reader: EventReader, most: int = 10**6) -> list[Event]:
    found = []
    async for event in reader:
        found.append(event)
        if len(found) == most:
            break
    return found


async def test_what_is_read_and_what_is_dropped_is_all_there_was() -> None:
    """Readers that come at any time, with any room, and read now and then."""

    rng, stream, told = random.Random(3), EventStream(lambda: 0.0), 0
    readers: list[tuple[EventReader, int, list[Event], int]] = []
    for _ in range(2000):
        if rng.random() < 0.01:
            room = rng.choice([1, 3, 50])
            readers.append((stream.reader(room), told, [], room))
        elif rng.random() < 0.7:
            stream.tell(Event(told))
            told += 1
            stream.wake()
        elif readers:
            reader, _, found, _ = rng.choice(readers)
            stream.tell(Event(told))  # so that there is one to read
            told += 1
            found += await read(reader, 1)
    stream.end()
    for reader, since, found, _ in readers:
        expected = since
        for event in [*found, *await read(reader)]:
            if isinstance(event, EventsDropped):
                expected += event.events
            else:
                assert event.at == expected
                expected += 1
        assert expected == told


async def test_a_reader_waits_for_the_next_event_and_for_the_end() -> None:
    stream = EventStream(lambda: 0.0)
    task = asyncio.create_task(read(stream.reader(9)))
    await asyncio.sleep(0)
    thread = threading.Thread(target=stream.tell, args=[Event(1.0)])
    thread.start()
    thread.join()
    stream.wake()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not task.done()
    stream.end()
    assert await task == [Event(1.0)]
    assert await read(stream.reader(9)) == []


def test_the_latest_events_are_kept_from_the_first_question_on_and_numbered() -> None:
    stream = EventStream(lambda: 0.0)
    stream.tell(Event(-1.0))
    assert not stream.is_followed
    assert stream.latest(0) == []
    assert stream.is_followed
    assert not stream.has_readers
    for number in range(1, 1001):
        stream.tell(Event(float(number)))
        stream.tell(Event(-1.0), is_look=True)
    latest = stream.latest(0)
    assert 100 <= len(latest) <= 500
    assert [(number, event.at) for number, event in latest] == [(n, float(n)) for n in range(1001 - len(latest), 1001)]
    assert [number for number, _ in stream.latest(990)] == list(range(991, 1001))
    assert stream.latest(1000) == []
