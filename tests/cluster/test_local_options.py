"""Options that are about single pages, links, hosts or owners hold in partitions as they do in one process."""

import asyncio
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, folder_at, ranked_pages
from support.pdfs import answered, document
from support.rendered import Site, slow_with_chromium
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.api import acrawl
from minicrawl.cluster.folder import found
from minicrawl.cluster.running.keeper import Ended, Keeper
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.demo.resources import Reply
from minicrawl.demo.server import serving_answers
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.reader import open_store

HOSTS = [f"h{number}.test" for number in range(6)]
SEEDS = [f"http://{host}/" for host in HOSTS]
LETS_IN = "Basic dXNlcjpwYXNz"
"""user:pass"""


def respond(url: str, asked: Mapping[str, str]) -> Reply:
    """Each host has a home, a page for who is logged in, one for who has the cookie of the home, and two more, one
    of which all other hosts link to."""
    host, path = url.removeprefix("http://").split("/", 1)
    others = [f"http://{other}/copy2" for other in HOSTS if other != host]
    pages = {"": ["/closed", "/member", "/copy1", *others], "closed": [], "member": [], "copy1": ["/"], "copy2": ["/"]}
    is_let_in = {"closed": asked.get("Authorization") == LETS_IN, "member": "name=value" in asked.get("Cookie", "")}
    if path not in pages or not is_let_in.get(path, True):
        return Reply(401 if path in is_let_in else 404, {"Content-Type": "text/html"}, b"no")
    links = "".join(
        f'<a href="http://{host}{link}">' if link[0] == "/" else f'<a href="{link}">' for link in pages[path]
    )
    title = f"<title>{host} {path.rstrip('12')}</title><p>{host} {path.rstrip('12')}"
    headers = {"Content-Type": "text/html", **({"Set-Cookie": "name=value"} if not path else {})}
    return Reply(200, headers, f"{title}{links}".encode())


def alone(store: Path, settings: Mapping[str, Any]) -> dict[str, tuple[object, ...]]:
    async def crawl() -> None:
        async with serving_answers(respond) as port:
            rules = (ConnectTo(None, None, "127.0.0.1", port),)
            await acrawl(SEEDS, store, connect_to=rules, **{**SETTINGS, **settings})

    asyncio.run(crawl())
    with open_store(store) as reader:
        return {page.url: (page.state, page.status, page.inlinks, page.depth) for page in reader.pages("importance")}


def in_parts(path: Path, settings: Mapping[str, Any]) -> Ended:
    async def crawl() -> Ended:
        async with serving_answers(respond) as port:
            rules = (ConnectTo(None, None, "127.0.0.1", port),)
            chosen = CrawlSettings.of({**SETTINGS, **settings, "connect_to": rules})
            return await Keeper(folder_at(path, 3), chosen, Seeds(SEEDS)).crawl()

    return asyncio.run(crawl())


def together(path: Path) -> dict[str, tuple[object, ...]]:
    with found(path).opened() as stores:
        return {page.url: (page.state, page.status, page.inlinks, page.depth) for page in ranked_pages(stores)}


def at(states: Mapping[str, tuple[object, ...]], paths: Iterable[str]) -> set[object]:
    return {states[f"{seed}{path}"][1] for seed in SEEDS for path in paths}


@pytest.mark.slow
def test_logins_and_cookies_let_each_partition_in(tmp_path: Path) -> None:
    settings = {"auth": ("user:pass",), "cookies": True}
    expected = alone(tmp_path / "one.db", settings)
    in_parts(tmp_path / "web", settings)
    found_there = together(tmp_path / "web")
    assert found_there == expected
    assert at(found_there, ["closed"]) == {200}
    assert at(found_there, ["member"]) <= {200, 401}
    for store in found(tmp_path / "web").stores:
        assert store.stat().st_mode & 0o077 == 0
        assert LETS_IN.encode() not in store.read_bytes()
        assert b"user:pass" not in store.read_bytes()
    assert "user:pass" not in (tmp_path / "web" / "cluster.json").read_text()


def test_partitions_read_the_file_of_cookies_and_leave_it_as_one_process_does(tmp_path: Path) -> None:
    """Also those cookies of which no page of the crawl has been."""
    files = [tmp_path / "one.txt", tmp_path / "parts.txt"]
    for file in files:
        lines = [f"{host}\tFALSE\t/\tFALSE\t0\tname\tvalue" for host in (*HOSTS[:3], "elsewhere.test")]
        file.write_text("\n".join(lines))
    settings = {"scope": "host", "max_depth": 1}
    expected = alone(tmp_path / "one.db", {**settings, "cookie_file": files[0]})
    in_parts(tmp_path / "web", {**settings, "cookie_file": files[1]})
    assert together(tmp_path / "web") == expected
    kept = [sorted(line for line in file.read_text().splitlines() if line[:1] not in ("", "#")) for file in files]
    assert kept[0] == kept[1]
    assert len(kept[0]) == len(HOSTS) + 1
    assert stat.S_IMODE(files[1].stat().st_mode) == 0o600
    stores = found(tmp_path / "web").stores
    held = [domain for store in stores for (domain,) in rows(store, "SELECT domain FROM cookies")]
    assert sorted(held) == sorted([*HOSTS, "elsewhere.test"]), "each is in one store"


@slow_with_chromium
def test_pages_are_rendered_in_the_browser_of_their_partition(tmp_path: Path) -> None:
    """With scripts of hosts wherever these are."""
    script = f'<script src="{SEEDS[0]}made.js"></script>'
    pages: dict[str, Any] = {seed: f"<p>{seed}</p>{script}" for seed in SEEDS}
    pages |= {f"{seed}made": f"<p>made by a script of {seed}</p>" for seed in SEEDS}
    pages[f"{SEEDS[0]}made.js"] = ("text/javascript", "document.body.innerHTML += '<a href=/made>made</a>'")

    async def crawl() -> None:
        async with Site(pages) as site:
            rules = (ConnectTo(None, None, "127.0.0.1", site.port),)
            chosen = CrawlSettings.of({**SETTINGS, "connect_to": rules, "render": ("test/$",)})
            await Keeper(folder_at(tmp_path / "web", 2), chosen, Seeds(SEEDS)).crawl()

    asyncio.run(crawl())
    answered = {url for url, (_, status, *_) in together(tmp_path / "web").items() if status == 200}
    assert answered == {*SEEDS, *(f"{seed}made" for seed in SEEDS)}


@pytest.mark.slow
def test_pdf_files_and_well_known_files_are_read_in_their_partition(tmp_path: Path) -> None:
    """The PDF file and the llms.txt of each host link to the next host, which another partition may have."""
    pages: dict[str, Any] = {}
    for seed, following in zip(SEEDS, [*SEEDS[1:], SEEDS[0]], strict=True):
        paper = answered(document([f"A paper of {seed}"], uris=[f"{following}by-paper"]))
        llms = ("text/plain", f"# Docs of {seed}\n\n- [One]({following}by-llms)\n")
        pages |= {seed: '<p>home<a href="/paper.pdf">', f"{seed}paper.pdf": paper, f"{seed}llms.txt": llms}
        pages |= {f"{seed}by-paper": "<p>one", f"{seed}by-llms": "<p>two"}

    async def crawl() -> None:
        async with Site(pages) as site:
            rules = (ConnectTo(None, None, "127.0.0.1", site.port),)
            more = {"connect_to": rules, "pdf": True, "well_known": ("llms.txt",), "text": True}
            chosen = CrawlSettings.of({**SETTINGS, **more})
            await Keeper(folder_at(tmp_path / "web", 3), chosen, Seeds(SEEDS)).crawl()

    asyncio.run(crawl())
    found_there = together(tmp_path / "web")
    assert {url for url, (_, status, *_) in found_there.items() if status == 200} == pages.keys()
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []
