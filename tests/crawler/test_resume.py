"""A crawl that is killed, interrupted or run again goes on where the last commit left it."""

import json
import os
import random
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from support.archives import complaints
from support.patience import PATIENCE
from support.sites import Reply, Site, crawl, faults_in, html, random_site, rows
from support.small_web import Pages, WebServer

from minicrawl.analysis.archives import opened


def states(store: Path) -> list[tuple[object, ...]]:
    """What a store says of every URL, and its links."""
    ends = "SELECT a.url, b.url FROM link_pairs JOIN pages a ON a.id = source JOIN pages b ON b.id = target"
    return [
        *rows(store, "SELECT url, state, reason, visited, inlinks FROM pages ORDER BY url"),
        *sorted(rows(store, ends)),
    ]


@pytest.mark.parametrize("strategy", ["greedy", "random", "breadth-first"])
def test_crawl_in_pieces_ends_as_the_crawl_in_one(tmp_path: Path, strategy: str) -> None:
    """Where cash decides, the end of a run passes it on, so that another page may come first in the next."""
    site, seeds = random_site(7)
    whole, pieces = tmp_path / "whole.db", tmp_path / "pieces.db"
    settings = {"strategy": strategy, "jump": "pages", "ignore_robots": True}
    _, server = crawl(site, whole, seeds, **settings)
    asked: list[str] = []
    for part in (1, 2, 3, 5, 8, 1000):
        asked += crawl(site, pieces, seeds, pages=part, **settings)[1].asked
    assert sorted(asked) == sorted(server.asked)
    assert asked == server.asked or strategy == "greedy"
    assert states(pieces) == states(whole)
    query = "SELECT url, importance FROM ranks"
    assert dict(rows(pieces, query)) == pytest.approx(dict(rows(whole, query)), abs=2e-6)


def test_copy_of_a_folder_goes_on_with_its_own_files(tmp_path: Path) -> None:
    site, seeds = random_site(7)
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    crawl(site, first / "crawl.db", seeds, pages=4, archive=first / "kept")
    before = {path: path.read_bytes() for path in first.rglob("*") if path.is_file()}
    shutil.copytree(first, second)
    crawl(site, second / "crawl.db", [], pages=3)
    assert {path: path.read_bytes() for path in first.rglob("*") if path.is_file()} == before
    assert complaints(second / "crawl.db") == []
    with opened(second / "crawl.db", None) as archive:
        assert archive.collection.folder == second / "kept"
        read = rows(second / "crawl.db", "SELECT url FROM pages JOIN fetches ON fetches.id = fetch")
        assert {one.url for one in archive.collection} >= {url for (url,) in read}


class Web(WebServer):
    """A site on a real socket, that can freeze its answers from a given request on."""

    def __init__(self, site: Mapping[str, Reply]) -> None:
        self.asked: list[str] = []
        self.frozen_from = 10**9
        self.is_frozen = threading.Event()
        self.thaw = threading.Event()
        web = self

        class Handler(Pages):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
                url = f"http://{self.headers['host']}{self.path}"
                if self.path != "/robots.txt":
                    web.asked.append(url)
                    if len(web.asked) > web.frozen_from:
                        web.is_frozen.set()
                        web.thaw.wait(PATIENCE)
                links = site.get(url)
                self.answer(*((200, html(links).encode()) if isinstance(links, list) else (404, b"")))

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.fixture
def web() -> Iterator[tuple[Web, Mapping[str, Reply], list[str]]]:
    site, seeds = random_site(11, pages=100, hosts=8)
    for url, neighbour in pairwise(site):
        site[neighbour] = [*site[neighbour], url]
    with (served := Web(site)).serving():
        yield served, site, seeds
        served.thaw.set()


def test_kill_9_loses_nothing_that_was_committed(tmp_path: Path, store: Path, web: tuple[Web, Site, list[str]]) -> None:
    """Killed again and again at random points, the crawl still reads every page, and every unit of cash is there."""
    served, site, seeds = web
    rng = random.Random(0)
    kills: list[tuple[set[str], int]] = []
    for _ in range(2):
        served.frozen_from = len(served.asked) + rng.randrange(5, 30)
        served.is_frozen.clear()
        served.thaw.clear()
        crawling = subprocess.Popen(
            served.crawl_command(store, seeds, "--json", "--concurrency", "4"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ,
        )
        assert served.is_frozen.wait(PATIENCE)
        os.kill(crawling.pid, signal.SIGKILL)
        crawling.wait()
        served.thaw.set()
        assert faults_in(store) == []
        read = {url for (url,) in rows(store, "SELECT url FROM pages WHERE visited")}
        kills.append((read, len(served.asked)))
    served.frozen_from = 10**9
    done = subprocess.run(
        served.crawl_command(store, seeds, "--json", "--concurrency", "4"), capture_output=True, check=True
    )
    report = json.loads(done.stdout)
    assert report["reason"] == "nothing-left"
    assert faults_in(store) == []
    whole = tmp_path / "whole.db"
    crawl(site, whole, seeds)
    query = "SELECT url, importance FROM ranks ORDER BY url"
    assert dict(rows(store, query)) == pytest.approx(dict(rows(whole, query)), abs=1e-6)
    for read, asked in kills:
        assert read.isdisjoint(served.asked[asked:])
