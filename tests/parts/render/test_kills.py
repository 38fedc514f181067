"""What is learned of scripts outlives kill -9, and is shared by nobody: a host is in one partition."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from support.cluster_runs import folder_at
from support.command_line import run
from support.needs import needs
from support.patience import PATIENCE
from support.rendered import HOST, Site, descendants, is_alive, slow_with_chromium
from support.scripted_webs import Web, own_words
from support.sites import faults_in, rows

PAGES = 9


def app(host: str = HOST, pages: int = PAGES) -> Web:
    """An application whose pages are one shell, which asks for the words of its page."""
    paths = [f"/item/i{number}" for number in range(pages)]
    code = f"""
const list = {json.dumps(paths)}.map(to => `<li><a href="${{to}}">${{to}}</a></li>`).join('')
fetch('/words' + location.pathname).then(answer => answer.text()).then(words =>
    document.querySelector('main').innerHTML = `<p>${{words}}</p>` + (location.pathname === '/' ? list : ''))"""
    shell = "<!doctype html><title>App</title><main></main><script src=/app.js></script>"
    words: Web = {f"{host}/words{path}": ("text/plain", own_words(path[6:])) for path in paths}
    words[f"{host}/words/"] = ("text/plain", own_words("home"))
    return dict.fromkeys([f"{host}/", *(host + path for path in paths)], shell) | words | {
        f"{host}/app.js": ("text/javascript", code)
    }  # fmt: skip


class KillingSite(Site):
    """Kills who asks for the words of a page, before it has them."""

    victim: asyncio.subprocess.Process | None = None
    deadly = ""
    browsers: dict[int, str] = {}  # noqa: RUF012 - of one test

    async def _reply(self, url: str) -> str | bytes | tuple[str, ...] | int:
        if url == self.deadly and self.victim is not None:
            self.deadly, self.browsers = "", descendants(self.victim.pid)
            os.kill(self.victim.pid, signal.SIGKILL)
        return await super()._reply(url)


async def crawling(site: Site, store: Path, *words: str) -> asyncio.subprocess.Process:
    given = ["--store", str(store), "--connect-to", f"::127.0.0.1:{site.port}", "--allow-private", "--delay", "0"]
    command = [sys.executable, "-m", "minicrawl", "crawl", "-q", *words, *given, "--render", "auto", "--text"]
    return await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)


@slow_with_chromium
def test_a_page_whose_rendering_is_killed_is_read_again_and_verdicts_are_those_of_one_crawl(tmp_path: Path) -> None:
    """So the plain reading need not be taken in first: with nothing of a page in the store, nothing of it is lost."""
    store = tmp_path / "crawl.db"

    async def crawl() -> tuple[KillingSite, set[str], int]:
        async with KillingSite(app()) as site:
            site.deadly = f"{HOST}/words/item/i4"
            site.victim = await crawling(site, store, f"{HOST}/")
            assert await asyncio.wait_for(site.victim.wait(), PATIENCE) == -signal.SIGKILL
            assert faults_in(store) == []
            read = {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'")}
            asked = len(site.asked)
            again = await crawling(site, store)
            assert await asyncio.wait_for(again.wait(), PATIENCE) == 0
            return site, read, asked

    site, read, asked = asyncio.run(crawl())
    assert f"{HOST}/item/i4" not in read
    assert read.isdisjoint(site.asked[asked:])
    assert faults_in(store) == []
    assert rows(store, "SELECT pattern, rendered, gains FROM rendered") == [("/", 1, 1), ("/item/{}", PAGES, PAGES)]
    for number in range(PAGES):
        assert own_words(f"i{number}") in run("text", f"{HOST}/item/i{number}", "--store", store).stdout
    assert site.browsers
    assert not any(map(is_alive, site.browsers))


@slow_with_chromium
@needs("ray")
def test_each_partition_has_the_verdicts_of_its_hosts(tmp_path: Path) -> None:
    """Both hosts have a partition of their own."""
    hosts = ("http://h0.test", "http://h1.test")
    folder_at(tmp_path / "parts", 2)
    web = {url: reply for host in hosts for url, reply in app(host, 4).items()}

    async def crawl() -> None:
        async with Site(web) as site:
            seeds = [f"{host}/" for host in hosts]
            process = await crawling(site, tmp_path / "parts", *seeds, "--partitions", "2")
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0

    asyncio.run(crawl())
    query = "SELECT host, pattern, gains > 0 FROM rendered ORDER BY pattern"
    found = [rows(store, query) for store in sorted((tmp_path / "parts").glob("*.db"))]
    assert sorted(found) == [[(host[7:], "/", 1), (host[7:], "/item/{}", 1)] for host in hosts]
    assert "pages rendered to compare" in run("status", "--store", tmp_path / "parts").stdout
