"""What a user does to a crawl that judges URLs, while it runs and in the next run."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.intakes import intake_of
from support.made_webs import MADE, read_by_crawl
from support.made_webs.judged import wrong_books
from support.made_webs.web import HOST, MadeWeb, key_of, links_of
from support.sites import Server, crawl, rows, text
from support.skipping import apart

from minicrawl import Crawl

SLOW = {"http://slow.test/": ["/later"], "http://slow.test/later": []}
SECONDS = 60
"""A crawl of a made site without delays is over by then; another host has a page left, and waits twice as long."""


def served(web: MadeWeb) -> Server:
    robots = {"http://slow.test/robots.txt": text(f"User-agent: *\nCrawl-delay: {2 * SECONDS}")}
    return Server(SLOW, absent=web.reply, beside=robots)


def crawled(server: Server, store: Path, **settings: Any) -> Crawl:
    return Crawl([f"{HOST}/", "http://slow.test/"], store, transport=server, delay=0.01, scope="any", **settings)


def known_and_unread(web: MadeWeb, server: Server) -> set[str]:
    """URLs that pages link to and that were not asked for."""
    asked = {key_of(url) for url in server.asked if url.startswith(HOST)}
    return {HOST + link for key in asked for link in links_of(key, web.answer(key)) if link[0] == "/"} - {*server.asked}


@apart
async def test_a_page_that_is_wanted_first_is_read_whatever_is_thought_of_it(store: Path) -> None:
    server = served(web := MADE["wiki"](0))
    async with crawled(server, store) as crawl:
        await asyncio.sleep(SECONDS)
        url, other, *_ = sorted(known_and_unread(web, server))
        await crawl.again(url)
        await asyncio.sleep(SECONDS / 2)
        assert url in server.asked
        assert other not in server.asked
        assert "http://slow.test/later" not in server.asked
    assert wrong_books(store) == []


@apart
async def test_urls_that_are_asked_for_from_now_on_are_read(store: Path) -> None:
    server = served(web := MADE["wiki"](0))
    async with crawled(server, store) as crawl:
        await asyncio.sleep(SECONDS)
        unread = known_and_unread(web, server)
        asked = {url for url in unread if "action=edit" in url}
        await crawl.change_settings({"ask": ["action=edit"]})
        await asyncio.sleep(SECONDS / 2)
        assert asked
        assert asked < unread
        assert unread & {*server.asked} == asked
    assert wrong_books(store) == []


@pytest.mark.parametrize("name", ["wiki", "index_sorted"])
def test_without_traps_all_that_was_left_out_is_read(store: Path, name: str) -> None:
    web = MADE[name](0)
    left_out = read_by_crawl(web, store).left
    assert left_out["waiting link"] > 50
    assert read_by_crawl(web, store, traps=False).requests >= left_out["waiting link"]
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'waiting'") == [(0,)]


@pytest.mark.parametrize(("name", "least"), [("wiki", 0), ("index_sorted", 0), ("members_only", 1)])
def test_the_next_run_tries_few_samples_more_and_ends(store: Path, name: str, least: int) -> None:
    """None of those that are known to be poor."""
    first = read_by_crawl(MADE[name](0), store)
    again = read_by_crawl(MADE[name](0), store)
    assert again.ended
    assert least <= again.requests < first.left["waiting link"] / 2
    assert wrong_books(store) == []


def test_a_request_is_made_from_memory_as_a_commit_may_be_under_way(store: Path) -> None:
    """Of a host whose books are not loaded, the lines of the page are asked for: nothing says yet that they are not."""
    crawl({"http://a.test/": ["http://a.test/x?y=1", "http://a.test/z"]}, store, ["http://a.test/"], pages=1)
    intake = intake_of(store)
    urls = list(map(intake.state.urls.url, (1, 2)))
    intake.state.writer.close()
    assert [intake.visits.steps.request(page, url).lines for page, url in enumerate(urls, 1)] == [True, True]
