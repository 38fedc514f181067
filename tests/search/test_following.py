"""The index brought up to date: whatever happened in between, it equals a rebuilt one; and one that follows a crawl."""

import asyncio
import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from support.dying import dies_at, killed_at
from support.searching import content, found, indexed, page, rebuilt, urls
from support.sites import Server, Site, crawl, rows

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import Caller, crawl_with
from minicrawl.errors import SettingError, StoreError
from minicrawl.reading import open_store
from minicrawl.search.following import Follower, Indexer, bring_up_to_date, follow_crawl, following, pause
from minicrawl.search.index_folder import index_path, open_index, store_mark

A, B = "http://a.test/", "http://b.test/"


def web(seed: int, pages: int = 60) -> Site:
    """Pages on three hosts that link to one another; some redirect, some say noindex, some are gone."""
    draw = random.Random(seed)
    names = [f"http://{draw.choice('abc')}.test/{i}" for i in range(pages)]
    site: Site = {}
    for i, name in enumerate(names):
        links = [(draw.choice(names), draw.choice(["guide", "next", f"page {draw.randrange(9)}"])) for _ in range(6)]
        head = "<meta name=robots content=noindex>" if i % 11 == 5 else ""
        words = " ".join(f"w{draw.randrange(500)}" for _ in range(60))
        # In one block with the text, so that no link is a block that a host repeats.
        text = words + "".join(f' <a href="{url}">{says}</a>' for url, says in links)
        site[name] = 404 if i % 13 == 7 else names[i - 1] if i % 9 == 4 else page(f"T{i} {words[:9]}", text, head=head)
    return site


def catch_up(store: Path) -> int:
    with following(store) as follower:
        return follower.catch_up()


def test_index_that_follows_says_what_one_does_that_is_built_anew(tmp_path: Path) -> None:
    store, site = tmp_path / "crawl.db", web(1)
    for pages in (5, 9, 20, 40):
        crawl(site, store, list(site)[:4], text=True, pages=pages)
        catch_up(store)
    followed = content(store)
    assert len(followed["pages"]) > 20
    anew = rebuilt(store)
    assert {name: set(followed[name]) ^ set(rows_) for name, rows_ in anew.items() if followed[name] != rows_} == {}


def test_pages_read_again_merged_or_gone_are_followed(tmp_path: Path) -> None:
    store, site = tmp_path / "crawl.db", web(2)
    indexed(site, store, *list(site)[:4])
    changed = dict(site)
    draw = random.Random(5)
    for name in draw.sample(list(site), 30):
        changed[name] = draw.choice([404, A + "0", page("Anew", "other zebra words", (B, "zebra link"))])
    crawl(changed, store, [], text=True, discovery=0.0, pages=60)
    assert catch_up(store) > 5
    followed = content(store)
    assert urls(store, "zebra")
    anew = rebuilt(store)
    assert {name: set(followed[name]) ^ set(rows_) for name, rows_ in anew.items() if followed[name] != rows_} == {}


def test_index_is_not_behind_where_the_last_text_is_of_a_page_that_stands_for_another(tmp_path: Path) -> None:
    canonical = f"<link rel=canonical href='{A}'>"
    site = {A: page("Zebra", "zebra", (B, "b")), B: page("Zebra too", "zebra and more", head=canonical)}
    store = indexed(site, tmp_path / "crawl.db", A)
    last = "SELECT state FROM texts JOIN pages ON pages.id = page ORDER BY text DESC LIMIT 1"
    assert rows(store, last) == [("alias",)]
    assert found(store, "zebra").behind == 0


def killed(store: Path, steps: int) -> None:
    """Catch up in a process that is killed when it has put so many pages, or committed them."""

    def act() -> None:
        with open_store(store) as reader:
            index = open_index(index_path(store), store_mark(reader.hash_key), writes=True)
            dies_at(steps, index, ("put", "remove", "set_state"))
            Follower(reader, index).catch_up()

    killed_at(0, (), act)


def test_kill_in_the_midst_leaves_an_index_that_opens_and_catches_up(tmp_path: Path) -> None:
    store, site = tmp_path / "crawl.db", web(4)
    draw = random.Random(6)
    indexed(site, store, *list(site)[:4], pages=4)
    for _ in range(6):
        crawl(site, store, [], text=True, pages=1, discovery=0.7)
        killed(store, draw.randrange(5))
        urls(store, "w1 w2")
        held = {page for page, *_ in content(store)["pages"]}
        assert held <= {page for (page,) in rows(store, "SELECT id FROM pages")}  # behind the store, never before it
    catch_up(store)
    assert content(store) == rebuilt(store)


def test_stop_is_asked_between_commits_and_loses_nothing(tmp_path: Path) -> None:
    site = {f"{A}{i}": page(f"T{i}", f"word{i}") for i in range(1_100)}
    crawl(site, tmp_path / "crawl.db", list(site), text=True)
    asked = count()
    with following(tmp_path / "crawl.db") as follower:
        assert follower.catch_up(lambda: next(asked) > 0) == 500
        assert len(follower.index.texts()) == 500
        assert follower.catch_up() == 600
        assert len(follower.index.texts()) == 1_100
        assert follower.index.size() > 0


def test_rebuilding_takes_the_place_of_an_index_whatever_is_wrong_with_it(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "zebra")}, tmp_path / "crawl.db")
    (index_path(store) / "words" / "meta.json").write_bytes(b"broken" * 1_000)
    with pytest.raises(StoreError, match="--rebuild"), following(store):
        pass
    with following(store, rebuild=True) as follower:
        follower.catch_up()
    assert urls(store, "zebra") == [A]


def test_store_without_texts_is_told_apart(tmp_path: Path) -> None:
    crawl({A: []}, tmp_path / "bare.db", [A])
    with open_store(tmp_path / "bare.db") as store, pytest.raises(SettingError, match="has no texts"):
        bring_up_to_date(store)
    with open_store(indexed({A: page("x", "y")}, tmp_path / "crawl.db")) as store:
        assert bring_up_to_date(store)[:2] == (0, 1)
        assert bring_up_to_date(store, rebuild=True)[:2] == (1, 1)


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
        assert len(follower.index.texts()) == 10
    crawl(SITE, store, [], text=True)
    read, write = os.pipe()
    os.close(write)  # killed
    with following(store) as follower, os.fdopen(read, "rb", buffering=0) as told:
        follow_crawl(follower, told)
        assert len(follower.index.texts()) == 10


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
    report = asyncio.run(crawl_with(given, Seeds([A]), store, Caller(beside=indexer, transport=Server(SITE))))
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
