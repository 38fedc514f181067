"""Commits, and the commands that wait for them: what is said to be done is there, whenever the crawl is killed."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.skipping import apart
from support.small_web import small_web
from support.steering import HOME, Steered, kept, kept_list, steered, wide

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.engine import Commits
from minicrawl.store.reader import open_store
from minicrawl.timing import STANDARD

# Asks for one thing after the other, and writes down what was said to be done.
STEER = """
import asyncio, sys, minicrawl

async def main():
    store, port = sys.argv[1], sys.argv[2]
    settings = dict(connect_to=f"::127.0.0.1:{port}", allow_private=True, ignore_robots=True, delay=0.05, ip_delay=0)
    async with minicrawl.Crawl("http://a.test/", store, **settings) as crawl:
        for number in range(10_000):
            await crawl.add_seeds(f"http://a.test/new/{number}")
            print("seed", number, flush=True)
            await crawl.adjust(concurrency=number + 1)
            print("concurrency", number + 1, flush=True)
            await crawl.ban("club.test") if number % 2 else None
            print("banned", number % 2, flush=True)
            await crawl.again("http://a.test/")
            if number % 2:
                await crawl.unban("club.test")
                print("banned", 0, flush=True)

asyncio.run(main())
"""


def killed(store: Path, port: int, words: int) -> dict[str, int]:
    """What a crawl said to be done, the last of each, that was killed after so many of its words."""
    crawl = subprocess.Popen([sys.executable, "-c", STEER, str(store), str(port)], stdout=subprocess.PIPE, text=True)
    assert crawl.stdout is not None
    lines = [crawl.stdout.readline() for _ in range(words)]
    os.kill(crawl.pid, signal.SIGKILL)
    lines += crawl.communicate()[0].splitlines()
    return {name: int(number) for name, number in (line.split() for line in lines if line.count(" ") == 1)}


@pytest.mark.slow
@pytest.mark.parametrize("words", [6, 12, 19])
def test_done_means_done_whenever_the_crawl_is_killed(store: Path, words: int) -> None:
    with small_web() as port:
        done = killed(store, port, words)
    with open_store(store) as reader:
        urls = {page.url for page in reader.pages()}
        assert list(violations(reader)) == []
    assert {f"http://a.test/new/{number}" for number in range(done["seed"] + 1)} <= urls
    # What was asked for next may have been done, too, as nobody was told any more.
    assert kept(store, "concurrency") - done.get("concurrency", 64) in {0, 1, 1 - 64}
    assert kept_list(store, "banned_hosts") in ([], ["club.test"])


class Counted:
    """As much of a crawl as commits need."""

    def __init__(self) -> None:
        self.turns_in_batch = self.commits = 0
        self.turns_per_commit = 256
        self.has_news = self.has_made = False
        self.is_urgent = self.wait_for_commit = self.is_coverage_old = False
        self.state = self.hosts = self.ranking = self
        self.timing = replace(STANDARD, quiet=60.0)

    def commit(self, meta: object) -> None:
        self.commits += 1
        self.turns_in_batch = 0


def test_a_commit_is_due_when_it_is_late_or_full_or_waited_for() -> None:
    now, crawl = [10.0], Counted()
    parts: Any = crawl
    commits = Commits(parts, parts, parts, lambda: now[0], dict)
    assert not commits.is_due(10.9, is_asking=True)
    assert commits.is_due(11.0, is_asking=True)
    for name, value in (
        ("turns_in_batch", 256),
        ("is_urgent", True),
        ("wait_for_commit", True),
        ("is_coverage_old", True),
    ):
        setattr(crawl, name, value)
        assert commits.is_due(10.1, is_asking=True)
        setattr(crawl, name, type(value)())
    now[0] = 12.0
    commits.write()
    assert (crawl.commits, commits.last, commits.asked_until) == (1, 12.0, 12.0 + STANDARD.lease)


def test_a_commit_is_late_later_after_one_of_nothing() -> None:
    crawl = Counted()
    parts: Any = crawl
    commits = Commits(parts, parts, parts, lambda: 10.0, dict)
    for name, late_at in (("none", 70.0), ("has_news", 11.0), ("none", 70.0), ("has_made", 11.0)):
        setattr(crawl, name, True)
        commits.write()
        crawl.has_news = crawl.has_made = False
        assert (commits.late_at(is_asking=False), commits.late_at(is_asking=True)) == (late_at, 11.0)
    crawl.has_news = True
    assert commits.late_at(is_asking=False) == 11.0


@apart
async def test_commands_that_come_together_share_a_commit(tmp_path: Path) -> None:
    async with steered(Steered(wide(50)), tmp_path / "crawl.db", delay=10) as crawl:
        await asyncio.sleep(1)
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(crawl.add_seeds(f"{HOME}new/{number}") for number in range(200)))
        assert asyncio.get_running_loop().time() - began < 0.1
        await crawl.stop(now=True)
    assert crawl.status.known == 251
