"""The process that has the index follow a crawl."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.searching import content, page, rebuilt, urls
from support.sites import Server, crawl

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import crawl_with
from minicrawl.search.following import Indexer, follow_crawl, following, pause
from minicrawl.search.index_folder import index_path

A = "http://a.test/"
SITE = {A: page("Zebra", "stripes", *((f"{A}{i}", f"number {i}") for i in range(30)))} | {
    f"{A}{i}": page(f"P{i}", f"word{i}") for i in range(30)
}


def test_crawl_with_search_leaves_an_index_that_has_all(store: Path) -> None:
    crawl(SITE, store, [A], search=True)
    assert urls(store, "word7") == [f"{A}7"]
    assert content(store) == rebuilt(store)
    crawl(SITE | {f"{A}new": page("New", "lion")}, store, [f"{A}new"])  # the store remembers
    assert urls(store, "lion") == [f"{A}new"]


def test_index_follows_until_the_crawl_ends_without_a_word(store: Path) -> None:
    crawl(SITE, store, [A], text=True, pages=10)
    read, write = os.pipe()
    with following(store) as follower, os.fdopen(read, "rb", buffering=0) as told:
        os.write(write, b".")
        os.close(write)
        follow_crawl(follower, told)
        assert len(follower.index.starts()) == 10
    crawl(SITE, store, [], text=True)
    read, write = os.pipe()
    os.close(write)  # killed
    with following(store) as follower, os.fdopen(read, "rb", buffering=0) as told:
        follow_crawl(follower, told)
        assert len(follower.index.starts()) == 10


def test_rounds_of_indexing_get_rarer_and_never_take_more_than_half_of_the_time() -> None:
    assert [pause(elapsed, 0.1, 0.01) for elapsed in (1, 50, 1_000)] == [1, 10, 30]
    assert pause(1_000, took=70, looked=1) == 70
    assert pause(1_000, took=70, looked=9) == 90


def children() -> set[int]:
    """The processes that this one has started."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


@pytest.mark.parametrize("stop", ["Ctrl-C", "--time"])
def test_a_crawl_leaves_its_index_for_later(store: Path, caplog: pytest.LogCaptureFixture, stop: str) -> None:
    """At its end, with a follower that does not come to its own: the next run has the index catch up."""
    told: list[str] = []
    others = children()

    @contextmanager
    def awaiting() -> Iterator[None]:
        (follower,) = children() - others
        os.kill(follower, signal.SIGSTOP)
        if stop == "Ctrl-C":
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        yield
        told.append("waited")

    given = {"search": True, "delay": 0, "ignore_robots": True, "workers": 0}
    given |= {"time": 3600} if stop == "--time" else {}
    indexer = Indexer(awaiting, handle_signals=True, patience=0.0)
    report = asyncio.run(crawl_with(given, Seeds([A]), store, beside=indexer, transport=Server(SITE)))
    assert (report.reason, len(told)) == ("nothing-left", 1)
    assert "the index is behind the crawl" in caplog.text
    crawl(SITE, store, [])
    assert content(store) == rebuilt(store)


def test_an_index_of_another_version_is_told_with_one_way_out(
    store: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    crawl(SITE, store, [A], search=True, pages=10)
    (index_path(store) / "index.json").write_text('{"version": 1}')
    crawl(SITE, store, [])
    assert "'minicrawl index --rebuild' rebuilds it" in capfd.readouterr().err
    assert "brings it up to date" not in caplog.text
