"""Which sitemaps are asked for and which of their URLs are let in, over random steps with crashes in between."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from minicrawl.crawler.requests.sitemap_queue import (
    DUE,
    LIFETIME,
    MOST_LEVELS,
    MOST_SITEMAPS,
    MOST_WAITING,
    SitemapQueue,
)
from minicrawl.store.hosts import HostRow
from minicrawl.store.writer import Writer

HOSTS = 4


class Queued:
    """A queue, and the store that its rows go to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.open()
        with self.writer.transaction():
            self.writer.put(HostRow, (HostRow(host, f"h{host}.test", 0.0, 0.0) for host in range(HOSTS)))

    def open(self) -> None:
        self.writer = Writer(self.path)
        self.queue = SitemapQueue(self.writer)

    def commit(self) -> None:
        with self.writer.transaction():
            self.queue.save(self.writer)

    def left_out(self) -> object:
        self.commit()
        return self.writer.meta_json("sitemaps_left_out")

    def crash(self) -> None:
        """What was not committed is lost."""
        self.writer.close()
        self.open()

    def asked(self, now: float) -> list[int]:
        return [row.id for row in self.queue.to_ask(now)]


@pytest.fixture
def queued(tmp_path: Path) -> Iterator[Queued]:
    queued = Queued(tmp_path / "crawl.db")
    yield queued
    queued.writer.close()


def url(host: int, name: object) -> str:
    return f"http://h{host}.test/{name}"


def test_of_one_host_one_sitemap_at_a_time_is_asked_for(queued: Queued) -> None:
    queue = queued.queue
    queue.named_by_robots(0, [url(0, "a.xml"), url(0, "b.xml")], 0, 0.0)
    queue.named_by_robots(1, [url(1, "a.xml")], 0, 0.0)
    assert queued.asked(0.0) == [0, 2]
    assert queued.asked(0.0) == []
    queue.tried(0, "http-503", 503, 10.0)
    assert (queue.next_ready(), queued.asked(9.9)) == (10.0, [])
    assert queued.asked(10.0) == [0]
    queue.closed(0, "ok", 200, 3, 10.0)
    assert queued.asked(10.0) == [1]
    assert queue.row(0).reason == "ok"


def test_a_sitemap_that_is_named_again_is_asked_for_again_after_a_day(queued: Queued) -> None:
    queue = queued.queue
    queue.named_by_robots(0, [url(0, "a.xml")], 0, 0.0)
    queued.asked(0.0)
    queue.closed(0, "ok", 200, 0, 100.0)
    for now, asked in (
        (100.0 + LIFETIME - 1, []),
        (50.0 + LIFETIME, []),
        (100.0 + LIFETIME, [0]),
        (LIFETIME + 101, []),
    ):
        queue.named_by_robots(0, [url(0, "a.xml")], 0, now)
        assert queued.asked(now) == asked
    queue.closed(0, "ok", 200, 0, 1e9)
    queue.named_by_robots(0, [url(0, "a.xml")], 0, 5.0)  # the clock was set back: nobody knows by how much
    assert queued.asked(5.0) == [0]


def test_sitemaps_too_many_or_too_deep_are_counted_by_who_names_them(queued: Queued) -> None:
    queue = queued.queue
    queue.named_by_robots(0, [url(0, 0)], 0, 0.0)
    for level in range(MOST_LEVELS + 2):
        queue.named_by(min(level, MOST_LEVELS), [url(0, level + 1)], 0.0)
    assert queued.left_out() == {str(MOST_LEVELS): 2}
    queue.named_by_robots(1, [url(1, name) for name in range(MOST_SITEMAPS + 3)], 0, 0.0)
    assert queued.left_out() == {str(MOST_LEVELS): 2, "-1": 3}
    queue.named_by_robots(1, [url(1, name) for name in range(MOST_SITEMAPS)], 0, 0.0)
    assert queued.left_out() == {str(MOST_LEVELS): 2}


def test_a_host_with_many_urls_waiting_is_asked_for_no_more_sitemaps(queued: Queued) -> None:
    queue = queued.queue
    queue.named_by_robots(0, [url(0, "a"), url(0, "b")], 0, 0.0)
    queued.asked(0.0)
    queue.enqueue(0, [url(0, number) for number in range(MOST_WAITING)])
    queue.closed(0, "ok", 200, MOST_WAITING, 0.0)
    queued.commit()
    assert queued.asked(0.0) == []
    assert queue.next_urls(1, 0) is not None
    assert queued.asked(0.0) == [1]


@pytest.mark.parametrize("seed", range(3))
def test_every_url_is_let_in_once_whatever_crashes(queued: Queued, seed: int) -> None:
    """And next is always the host that has had the fewest let in, of those with committed URLs."""
    rng = random.Random(seed)
    for host in range(HOSTS):
        queued.queue.named_by_robots(host, [url(host, "a.xml")], host, 0.0)
    queued.asked(0.0)
    queued.commit()
    listed: list[str] = []  # committed ones
    known: list[str] = []
    pages = count()
    for step in range(60):
        new_host = rng.randrange(HOSTS)
        new = [url(new_host, f"{step}/{number}") for number in range(rng.randrange(5))]
        queued.queue.enqueue(new_host, new)
        let_in: list[str] = []
        for _ in range(rng.randrange(4)):
            before = {host: queued.queue.row(host).made_known for host in queued.queue.hosts()}
            found = queued.queue.next_urls(2)
            if found is None:
                break
            sitemap, urls = found
            waiting = set(listed) - set(known) - set(let_in)
            with_committed = [host for host in before if any(at.startswith(url(host, "")) for at in waiting)]
            assert before[sitemap.host] == min(before[host] for host in with_committed)
            let_in += urls
            queued.queue.let_in(sitemap.id, [next(pages) for _ in urls])
        if rng.random() < 0.3:
            queued.crash()
            continue
        queued.commit()
        listed += new
        known += let_in
    while (found := queued.queue.next_urls(10)) is not None:
        known += found[1]
    assert Counter(known) == Counter(listed)
    assert queued.queue.waiting == 0
    assert queued.queue.hosts() == []


def test_sitemaps_in_flight_are_due_again_after_a_crash(queued: Queued) -> None:
    queued.queue.named_by_robots(0, [url(0, "a"), url(0, "b")], 0, 0.0)
    queued.queue.named_by_robots(1, [url(1, "a")], 0, 0.0)
    queued.asked(0.0)
    queued.queue.tried(0, "http-503", 503, 50.0)
    queued.queue.closed(2, "ok", 200, 0, 0.0)
    queued.commit()
    queued.crash()
    assert [queued.queue.row(number).reason for number in range(3)] == ["http-503", DUE, "ok"]
    assert queued.asked(0.0) == [0]
