"""A crawl in partitions, gathered: the store of one crawl, whenever that is done."""

import asyncio
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

import numpy as np
import pytest
from support.cluster_runs import check_same, crawled_alone, run_in_parts
from support.gathered import in_full, sound_pages
from support.partitions import Partitions, random_web
from support.partitions import crawled_alone as alone_in_memory
from support.sites import faults_in, rows, texts_in

from minicrawl.cluster.answers import whole
from minicrawl.cluster.keeper import Keeper
from minicrawl.errors import MinicrawlError
from minicrawl.model import Progress
from minicrawl.settings import CrawlSettings
from minicrawl.store.folder import found
from minicrawl.store.gather import gather
from minicrawl.store.hosts import HealthRow
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer

NO_CALENDAR = ("/calendar/",)
"""Which of its months a crawl reads, as more are a trap, depends on the order of its visits."""
ALL_DEFAULTS: dict[str, Any] = {"allow_private": True, "delay": 0.0, "scope": "any", "text": True, "deny": NO_CALENDAR}
"""Without waits, in all of the web but its calendar."""


@pytest.fixture(scope="module")
def crawls(ray: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a crawl in partitions, web, gathered while it ran and when it had ended; alone: of one process."""
    path = tmp_path_factory.mktemp("crawls")

    def beside(keeper: Keeper) -> None:
        def gather_some(progress: Progress) -> None:
            if progress.fetched and not (path / "begun.db").exists():
                gather(path / "web", path / "begun.db")

        keeper.listener = replace(keeper.listener, shows=gather_some)

    ended = asyncio.run(run_in_parts(path / "web", 4, ALL_DEFAULTS, beside))
    assert (ended.reason, (path / "begun.db").exists()) == ("nothing-left", True)
    gather(path / "web", path / "ended.db")
    crawled_alone(path / "alone.db", traps=True, sitemaps=True, text=True, deny=NO_CALENDAR)
    return path


def told(store: Path) -> dict[object, tuple[object, ...]]:
    """What is known of each URL beside its rank."""
    query = """
        SELECT pages.url, pages.reason, found.url IS NULL, target.url, hosts.name, sites.name, title, digest, leader.url
        FROM pages JOIN hosts ON hosts.id = pages.host JOIN sites ON sites.id = site
        LEFT JOIN pages found ON found.id = pages.found_on LEFT JOIN pages target ON target.id = pages.stands_for
        LEFT JOIN fetches ON fetches.id = pages.fetch LEFT JOIN pages leader ON leader.id = leader"""
    return {url: tuple(of) for url, *of in rows(store, query)}


@pytest.mark.slow
def test_a_gathered_store_is_that_of_one_crawl(crawls: Path) -> None:
    both = crawls / "ended.db", crawls / "alone.db"
    together, alone = map(sound_pages, both)
    check_same(together, alone)
    assert list(together)[:100] == list(alone)[:100]
    ours, theirs = map(in_full, both)
    assert ours["links"] == theirs["links"]
    for table in ("fetches", "texts", "robots", "sitemaps", "sitemap_pages", "voices"):
        assert ours[table].total() == theirs[table].total(), table
    assert told(both[0]) == told(both[1])
    doors = "SELECT url, is_front, is_entrance, voices FROM doors JOIN pages ON pages.id = page ORDER BY url"
    assert rows(both[0], doors) == rows(both[1], doors)
    # The lines of each text, as which of them a host repeats, and are not content, hangs on the order of its pages.
    kept, expected = ({url: sorted(text.splitlines()) for url, text in texts_in(store).items()} for store in both)
    assert kept == expected != {}


@pytest.mark.slow
def test_a_gathering_that_is_killed_is_made_up_for(crawls: Path, store: Path) -> None:
    """It dies when all rows and texts are written, and nothing is committed."""
    shutil.copy(crawls / "begun.db", store)
    program = f"""
import os, pathlib, minicrawl.store.gather as it
it.Store.course = lambda store: os.kill(os.getpid(), 9)
it.gather(pathlib.Path({str(crawls / "web")!r}), pathlib.Path({str(store)!r}))"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -SIGKILL
    assert faults_in(store) == []
    assert gather(crawls / "web", store)
    assert in_full(store) == in_full(crawls / "ended.db")


# In the midst of a crawl.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "web"


@pytest.fixture
def midst(folder: Path) -> Iterator[Partitions]:
    """Not over: rows are in outboxes, some of these are taken, and some mirrors are of pages unknown at their homes."""
    web = random_web(random.Random(7), pages=80, hosts=12)
    with Partitions(folder, web, list(web)[:3], 4) as partitions:
        for turns in (3, 3, 4):
            for number in partitions.numbers:
                for _ in range(turns):
                    partitions.turn(number)
            if turns == 3:
                partitions.exchange()
        for number in partitions.numbers:
            partitions.commit(number)
        source, home = next((a, b) for a in partitions.numbers for b in partitions.outbox(a).homes())
        partitions.take(home, source, partitions.outbox(source).rows(home))
        partitions.commit(home)
        for number in partitions.numbers:
            partitions.turn(number)
            partitions.commit(number)
        yield partitions


def test_what_is_on_its_way_is_in_the_accounts(midst: Partitions, folder: Path, store: Path) -> None:
    def asked(query: str) -> list[Any]:
        return [value for file in midst.stores for (value,) in rows(file, query)]

    known, mirrors = (set(asked(f"SELECT url FROM pages WHERE state {of} 'elsewhere'")) for of in ("<>", "="))
    assert len(asked("SELECT number FROM outbox")) > 3
    assert sum(asked("SELECT taken FROM neighbours")) > 3
    assert mirrors - known
    gather(folder, store)
    assert faults_in(store) == []
    assert [url for (url,) in rows(store, "SELECT url FROM pages ORDER BY url")] == sorted(known | mirrors)
    assert rows(store, "SELECT count(*) FROM pages WHERE found_on IS NULL") == [(3,)]
    states = dict(rows(store, "SELECT url, state FROM pages"))
    assert {states[url] for url in mirrors - known} == {"waiting"}


def test_ill_hosts_stay_ill_with_their_witnesses(midst: Partitions, folder: Path, store: Path) -> None:
    expected = dict[str, tuple[str, list[str]]]()
    for number in midst.numbers:
        writer = midst.open[number].state.writer
        own = "SELECT pages.id, host, name, url FROM pages JOIN hosts ON hosts.id = host WHERE state <> 'elsewhere'"
        pages, (host, *_), (name, *_), urls = zip(*writer.rows(f"{own} ORDER BY host DESC, url LIMIT 2"), strict=True)
        reason, witnesses = f"http-50{number}", to_bytes(np.array(pages))
        with writer.transaction():
            row = HealthRow(host, "ill", "down", reason, 1.0, 0.0, 1, 10.0, 9.0, 0.0, 0.0, 0, witnesses, 0, 0.0)
            writer.put(HealthRow, [row])
        expected[name] = (reason, list(urls))
    gather(folder, store)
    assert faults_in(store) == []
    assert {host.host: host.reason for host in whole(folder)[0].ill_hosts} == {
        name: reason for name, (reason, _) in expected.items()
    }
    with open_store(store) as reader:
        names = {row.id: row.name for row in reader.hosts.all()}
        found = {
            names[row.host]: (row.reason, [reader.page_table.url(page) for page in from_bytes(row.witnesses).tolist()])
            for row in reader.hosts.health()
        }
        assert found == expected
        assert {host.host for host in reader.hosts.ill()} == expected.keys()


def test_one_process_goes_on_where_partitions_were(midst: Partitions, folder: Path, store: Path) -> None:
    gather(folder, store)
    found = alone_in_memory(store, midst.web, [])
    assert faults_in(store) == []
    alone = alone_in_memory(store.with_name("alone.db"), midst.web, midst.seeds)
    assert found.keys() == alone.keys()
    for url, (received, *others) in alone.items():
        assert found[url][1:] == tuple(others)
        assert found[url][0] == pytest.approx(received, rel=1e-9)


def test_a_front_page_is_a_door_before_its_home_knows_it(folder: Path, store: Path) -> None:
    fronts = [f"http://h{number}.test/" for number in range(8)]
    with Partitions(folder, {fronts[0]: fronts}, fronts[:1], 4, jump="sites") as partitions:
        partitions.share_births_out()
        turns = {number: partitions.turn(number) for number in partitions.numbers}
        assert sorted(turns.values()) == [False, False, False, True]
        for number in partitions.numbers:
            partitions.commit(number)
        gather(folder, store)
    found = rows(store, "SELECT url FROM doors JOIN pages ON id = page WHERE is_front ORDER BY url")
    assert found == [(url,) for url in fronts]
    assert faults_in(store) == []


def test_voices_for_an_alias_are_those_of_its_page_in_partitions_that_do_not_know_that(
    folder: Path, store: Path
) -> None:
    """Of eight sites elsewhere half link to the alias, which they alone know, and half to the page itself."""
    web: dict[str, list[str] | str] = {"http://a.test/old": "http://a.test/new", "http://a.test/new": []}
    others = [f"http://b{number}.test/" for number in range(8)]
    web |= {url: [list(web)[number % 2]] for number, url in enumerate(others)}
    with Partitions(folder, web, others, 4, jump="sites") as partitions:
        partitions.crawl()
        partitions.share_births_out()
        partitions.settle()
        assert partitions.faults() == []
        gather(folder, store)
    doors = "SELECT url, is_entrance, voices FROM doors JOIN pages ON pages.id = page ORDER BY url"
    assert rows(store, doors) == [("http://a.test/new", 0, 8 * 64), *((url, 1, 0) for url in others)]


def test_commits_between_two_looks_are_waited_for(
    midst: Partitions, folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stores of a crawl that runs are read as of commits that go together."""
    pin, looks = Store.pin, list[Path]()

    def pinned(store: Store) -> None:
        looks.append(store.path)
        if len(looks) == 6:  # each look opens four stores, and looks at them once more
            for _ in range(2):  # what was confirmed is deleted at the next commit
                for number in midst.numbers:
                    midst.turn(number)
                midst.exchange()
        pin(store)

    monkeypatch.setattr(Store, "pin", pinned)
    gather(folder, store)
    assert len(looks) == 16
    assert faults_in(store) == []


# What already exists, and what cannot be gathered.


def test_gathered_again_it_is_as_gathered_anew(midst: Partitions, folder: Path, store: Path) -> None:
    copy, anew, writer = store.with_name("copy"), store.with_name("anew.db"), midst.open[0].state.writer
    read = [page for (page,) in rows(midst.stores[0], "SELECT id FROM pages WHERE state = 'fetched'")]

    def forget_answers() -> None:
        with writer.transaction():
            writer.forget_answers(read[1:])
        shutil.copytree(folder, copy)

    def put_the_copy_back() -> None:
        """And go on another way, with more commits than before."""
        for number in midst.numbers:
            midst.kill(number)
        shutil.copytree(copy, folder, dirs_exist_ok=True)
        for number in midst.numbers:
            midst.start(number)
        midst.web = {}
        midst.crawl()
        for _ in range(20):
            midst.exchange()

    gather(folder, store)
    file, numbers = store.stat().st_ino, rows(store, "SELECT id, url FROM pages")
    for change in (partial(midst.turn, 0), forget_answers, midst.crawl, put_the_copy_back):
        change()
        for number in midst.numbers:
            midst.commit(number)
        assert gather(folder, store)
        gather(folder, anew, force=True)
        assert in_full(store) == in_full(anew)
        assert faults_in(store) == []
        if change != put_the_copy_back:
            assert store.stat().st_ino == file
            assert set(numbers) <= set(rows(store, "SELECT id, url FROM pages"))


@pytest.mark.usefixtures("midst")
def test_a_file_of_another_crawl_is_left_alone(folder: Path, store: Path, tmp_path: Path) -> None:
    store.write_text("mine")
    for file, why in ((store, "already exists; name another file"), (folder / "crawl.db", "among the stores")):
        with pytest.raises(MinicrawlError, match=why):
            gather(folder, file)
    assert (store.read_text(), sorted(tmp_path.iterdir())) == ("mine", [store, folder])
    assert gather(folder, store, force=True)
    before = store.read_bytes()
    assert not gather(folder, store)
    assert store.read_bytes() == before
    with Writer(store) as writer, pytest.raises(MinicrawlError, match="a crawl is using"):
        with writer.transaction():
            writer.save_meta({"is_ranked": 0})
        gather(folder, store, force=True)
    with pytest.raises(MinicrawlError, match="has changed since it was gathered"):
        gather(folder, store)


def test_what_is_not_a_whole_crawl_is_refused(midst: Partitions, folder: Path, store: Path, tmp_path: Path) -> None:
    for number in midst.numbers:
        midst.kill(number)
    parted = found(folder)
    with midst:
        midst.crawl()
    elsewhere = replace(found(folder), nodes={1: "10.0.0.2"})
    refused: dict[str, Callable[[], object]] = {
        "there is no crawl in partitions": lambda: shutil.rmtree(folder),
        "but is missing or empty": lambda: parted.store(1).unlink(),
        "is damaged": lambda: parted.store(1).write_bytes(parted.store(1).read_bytes()[:5000]),
        "a row refers to one that is not": lambda: rows(parted.store(1), "UPDATE links SET targets = x'ffffff00'"),
        "the number 2000000000": lambda: rows(parted.store(1), "UPDATE pages SET id = 2000000000 WHERE id = 3"),
        "is on node 10.0.0.2": lambda: elsewhere.keep_settings(CrawlSettings()),
    }
    kept = shutil.copytree(folder, tmp_path / "kept")
    for why, spoil in refused.items():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder)
        spoil()
        with pytest.raises(MinicrawlError, match=why):
            gather(folder, store)
        assert not list(tmp_path.glob("*crawl.db*"))
