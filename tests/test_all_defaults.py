"""Each capability, politeness and all else as it is by default, to the natural end of a crawl."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import skipping
from support.cluster_runs import check_same, folder_at
from support.command_line import answer, run
from support.gathered import sound_pages
from support.intakes import PATIENT
from support.needs import is_there, needs
from support.patience import PATIENCE
from support.sites import Server, html, served

from minicrawl.api import acrawl
from minicrawl.demo.web import serving_answers
from minicrawl.model import CrawlReport
from minicrawl.store.ranks import RankedPage

H0, H1, H4 = SEEDS = [f"http://h{number}.test/" for number in (0, 1, 4)]
"""At home in both partitions where there are two."""
WORDS = {H0: "harbour", H0 + "a": "lantern", H1: "meadow", H4: "orchard"}
LINKS = {H0: [H0 + "a", H1], H0 + "a": [H0, H4], H1: [H0 + "a", H4], H4: [H0, H4 + "gone"]}
SITE = {url: [f"<title>{word}</title><p>Here stands one {word}.", *LINKS[url]] for url, word in WORDS.items()}
PAGES = [*SITE, H4 + "gone"]
IN_PROCESSES: Mapping[str, list[str]] = {
    "workers": ["crawl", "--no-progress", "--workers", "2"],
    "2 partitions": ["crawl", "--partitions", "2"],
}


def crawled(store: Path, **settings: Any) -> tuple[CrawlReport, Counter[str]]:
    """A crawl in this process, which waits for nothing, and how often it has asked for each page."""
    server = Server(SITE)
    report = skipping.run(acrawl(SEEDS, store, transport=server, **settings), grace=0.0)
    return report, Counter(url for url in server.asked if url in PAGES)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RankedPage]:
    """What one process finds, which ends when nothing is left."""
    store = tmp_path_factory.mktemp("alone") / "crawl.db"
    report, asked = crawled(store)
    assert (report.reason, report.fetched, asked) == ("nothing-left", 5, Counter(PAGES))
    return sound_pages(store)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """The stores of crawls in several processes, and what these have said; they wait, so they do that together."""
    folder = tmp_path_factory.mktemp("processes")

    async def crawl(name: str, words: list[str], port: int) -> tuple[Path, dict[str, Any]]:
        store = folder / name
        if "--partitions" in words:
            folder_at(store, int(words[-1]))
        given = [*SEEDS, "--store", str(store), "--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--json"]
        command = [sys.executable, "-m", "minicrawl", *words, *given, "-q"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        try:
            out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
            return store, {"reason": "it has not ended"}
        return store, json.loads(out)

    async def crawl_all() -> dict[str, tuple[Path, dict[str, Any]]]:
        async with serving_answers(lambda url, _: served(SITE, url)) as port:
            some = {name: words for name, words in IN_PROCESSES.items() if name == "workers" or is_there("ray")}
            each = [crawl(name, words, port) for name, words in some.items()]
            return dict(zip(some, await asyncio.gather(*each), strict=True))

    return asyncio.run(crawl_all())


@pytest.mark.slow
@pytest.mark.parametrize("how", ["workers", pytest.param("2 partitions", marks=needs("ray"))])
def test_processes_end_with_what_one_finds(
    how: str, ended: dict[str, tuple[Path, dict[str, Any]]], alone: dict[str, RankedPage]
) -> None:
    store, report = ended[how]
    assert (report["reason"], report.get("fetched")) == ("nothing-left", 5)
    check_same(sound_pages(store), alone)


def test_pages_are_fetched_again_as_often_as_is_asked_for(tmp_path: Path) -> None:
    report, asked = crawled(tmp_path / "crawl.db", refresh=True, pages=30, timing=PATIENT)
    assert (report.reason, report.fetched, asked.total()) == ("pages", 30, 30)
    assert {url for url, times in asked.items() if times > 1} == SITE.keys()


def test_an_archive_has_every_answer(tmp_path: Path) -> None:
    report, _ = crawled(tmp_path / "crawl.db", archive=tmp_path / "archive")
    assert report.reason == "nothing-left"
    store = ("--store", tmp_path / "crawl.db")
    assert run("archive", "check", "--deep", *store).exit_code == 0
    assert {url: run("archive", "get", url, *store).stdout for url in SITE} == {url: html(SITE[url]) for url in SITE}


def test_a_search_finds_what_was_crawled(tmp_path: Path) -> None:
    report, _ = crawled(tmp_path / "crawl.db", search=True)
    assert report.reason == "nothing-left"
    for url, word in WORDS.items():
        assert [page["url"] for page in answer("search", word, "--store", tmp_path / "crawl.db")] == [url]
