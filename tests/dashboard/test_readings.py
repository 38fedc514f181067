"""What a store says to a page is what its commands say on the terminal."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from support.ailing import WAITING, crawl_ailing
from support.command_line import answer
from support.patience import PATIENCE
from support.sites import crawl, crawled_once, random_site, rows

from minicrawl.dashboard.looks import Looks
from minicrawl.dashboard.readings import NotYetError, Readings, Shared
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.report import report_on
from minicrawl.store.reader import open_store

store = crawled_once(*random_site(5), pages=40)


def test_top_is_that_of_the_command_line(store: Path) -> None:
    for by in ("importance", "inlinks"):
        found = Readings(store).top(by, 9)
        assert [page["url"] for page in found["pages"]] == [
            page["url"] for page in answer("top", "--n", "9", "--by", by, "--store", store)
        ]
        assert found["by"] == by


def test_pages_are_those_of_the_command_line(store: Path) -> None:
    for where in ("status = 200 AND host LIKE '%h1.test%'", "inlinks > 1", " "):
        found = Readings(store).pages(where, 7)
        asked = where.strip() or "1"
        expected = answer("top", "--where", asked, "--by", "importance", "--n", "999", "--store", store)
        assert found["count"] == len(expected) > 2
        assert [page["url"] for page in found["pages"]] == [page["url"] for page in expected[:7]]


def test_issues_are_those_of_the_command_line_and_the_report(store: Path) -> None:
    found, told = Readings(store).issues(), answer("audit", "--json", "--store", store)
    assert (found["summary"], found["do_first"]) == (told["summary"], told["do_first"])
    counts = Counter(each["rule"] for each in told["findings"])
    assert {issue["rule"]: issue["count"] for issue in found["issues"]} == counts
    with open_store(store) as reader:
        assert report_on(reader)["issues"] == found


def test_hosts_have_all_pages(store: Path) -> None:
    found = Readings(store).hosts()
    assert found["count"] == len(found["hosts"]) == 4
    for host in found["hosts"]:
        states = dict(
            rows(
                store,
                "SELECT state, count(*) FROM pages JOIN hosts ON hosts.id = host WHERE name = ? GROUP BY 1",
                host["name"],
            )
        )
        assert host["known"] == sum(states.values())
        assert host["read"] == states.get("fetched", 0) + states.get("alias", 0)
        assert host["waiting"] == states.get("waiting", 0)
        assert host["given_up"] == host["known"] - host["read"] - host["waiting"]


def test_ill_hosts_are_said_as_such_and_their_pages_wait(tmp_path: Path, store: Path) -> None:
    crawl_ailing(tmp_path / "crawl.db", 403)
    readings = Readings(tmp_path / "crawl.db")
    found = {
        host["name"]: (host["ill"], host["reason"], host["next"] is not None) for host in readings.hosts()["hosts"]
    }
    assert found == {"ill.test": ("refusing", "http-403", True), "well.test": ("", None, False)}
    look = Looks(readings).look()
    assert (look["reason"], look["ill_hosts"], look["ill_pages"]) == ("patience", 1, WAITING)
    look = Looks(Readings(store)).look()
    assert (look["ill_hosts"], look["ill_pages"]) == (0, 0)


def test_why_is_that_of_the_command_line(store: Path) -> None:
    url = rows(store, "SELECT url FROM pages WHERE state = 'fetched' LIMIT 1")[0][0]
    found = json.loads(json.dumps(Readings(store).why(url)))
    assert found == answer("why", url, "--store", store)


@pytest.mark.parametrize(
    "reading",
    [
        lambda store: Readings(store).top("url; DROP TABLE pages", 9),
        lambda store: Readings(store).top("", 10**6),
        lambda store: Readings(store).pages("colour = red", 9),
        lambda store: Readings(store).why(""),
        lambda store: Readings(store).why("http://a.test/" + "x" * 9999),
    ],
)
def test_what_cannot_be_read_is_one_sentence(store: Path, reading) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(MinicrawlError) as refusal:
        reading(store)
    assert "\n" not in str(refusal.value)


def test_a_crawl_may_begin_later(tmp_path: Path) -> None:
    later = Readings(tmp_path / "crawl.db")
    assert not later.has_begun()
    with pytest.raises(StoreError, match="there is no crawl at"):
        later.at_rest()
    crawl({"http://a.test/": ["/a"]}, later.path, ["http://a.test/"], delay=0.25)
    assert later.has_begun()
    status, earlier, banned, settings = later.at_rest()
    assert (status.known, earlier.runs, settings.delay, list(banned)) == (2, 0, 0.25, [])
    crawl({"http://a.test/b": []}, later.path, ["http://a.test/b"], delay=0.5)
    status, earlier, _, settings = later.at_rest()
    assert (status.known, earlier.runs, settings.delay) == (3, 1, 0.5)


class Work:
    """Takes a time of its own clock, and says how often it was done."""

    def __init__(self, takes: float = 0.0) -> None:
        self.now = 100.0
        self.done = 0
        self.takes = takes

    def __call__(self) -> int:
        self.now += self.takes
        self.done += 1
        return self.done


async def test_a_value_is_good_for_a_while_and_for_longer_if_it_took_long() -> None:
    work = Work(takes=3.0)
    shared = Shared(2.0, 10.0, clock=lambda: work.now)
    assert await shared.get("a", work) == 1
    work.now += 29.9
    assert await shared.get("a", work) == 1
    work.takes = 0.0
    work.now += 0.2
    assert await shared.get("a", work) == 2
    work.now += 1.9
    assert await shared.get("a", work) == 2
    work.now += 0.2
    assert await shared.get("a", work) == 3
    assert await shared.get("b", work) == 4
    shared.renew()
    assert await shared.get("a", work) == 5


async def test_many_at_once_look_once() -> None:
    work = Work()
    shared = Shared(2.0, 10.0, clock=lambda: work.now)
    assert set(await asyncio.gather(*(shared.get("a", work) for _ in range(20)))) == {1}


async def test_a_failure_is_told_and_not_kept() -> None:
    work = Work()
    shared = Shared(2.0, 10.0, clock=lambda: work.now)

    def fail() -> int:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        await shared.get("a", fail)
    assert await shared.get("a", work) == 1


async def test_who_asks_after_a_change_is_not_shown_what_was_begun_before_it() -> None:
    work, begun, permit = Work(), threading.Event(), threading.Event()
    shared = Shared(2.0, 10.0, clock=lambda: work.now)

    def slow() -> str:
        begun.set()
        assert permit.wait(PATIENCE)
        return "before"

    first = asyncio.create_task(shared.get("a", slow))
    await asyncio.to_thread(begun.wait, PATIENCE)
    shared.renew()
    later = [asyncio.create_task(shared.get("a", lambda: "after")) for _ in range(3)]
    await asyncio.sleep(0)
    permit.set()
    assert await first == "before"
    assert await asyncio.gather(*later) == ["after"] * 3


async def test_only_so_many_are_kept() -> None:
    work = Work()
    shared = Shared(2.0, 10.0, most=3, clock=lambda: work.now)
    for key in range(5):
        await shared.get(key, work)
    assert await shared.get(4, work) == 5
    assert await shared.get(0, work) == 6


async def test_who_has_no_patience_sees_what_was_before() -> None:
    """While the next value is worked out, the last one is shown; of the first there is only that it will be there."""

    work, permits = Work(), threading.Semaphore(0)
    shared = Shared(0.0, 0.0, patience=(0.0, 0.0), clock=lambda: work.now)

    def slow() -> int:
        assert permits.acquire(timeout=PATIENCE)
        return work()

    for _ in range(3):
        with pytest.raises(NotYetError):
            await shared.get("a", slow)
    permits.release()
    assert await until_known(shared, slow) == 1
    assert [await shared.get("a", slow) for _ in range(5)] == [1] * 5
    permits.release()  # for what is still at work


async def test_an_outdated_value_has_its_age_until_the_next_one_is_there() -> None:
    work, permits = Work(), threading.Semaphore(1)
    shared = Shared(2.0, 0.0, patience=(None, 0.0), clock=lambda: work.now)

    def slow() -> int:
        assert permits.acquire(timeout=PATIENCE)
        return work()

    assert await shared.last("a", slow) == (1, 0.0, False)
    work.now += 1.5
    assert await shared.last("a", slow) == (1, 1.5, False)
    work.now += 1.5
    assert await shared.last("a", slow) == (1, 3.0, True)
    permits.release()
    while (kept := await shared.last("a", slow))[2]:
        await asyncio.sleep(0.001)
    assert kept == (2, 0.0, False)


async def until_known(shared: Shared, work: Callable[[], int]) -> int:
    while True:
        try:
            return await shared.get("a", work)
        except NotYetError:
            await asyncio.sleep(0.001)
