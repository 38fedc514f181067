"""What is told of pages that were checked for cloaking."""

from pathlib import Path

from support.command_line import answer
from support.command_line import run as command
from support.origins import PEM, Asked, Web
from support.prose import prose
from support.skipping import run

from minicrawl.analysis.explain import explain
from minicrawl.api import acrawl
from minicrawl.store.reader import open_store

FOR_BROWSERS = {"c.test": b"404 Not Found", "r.test": b"403 Forbidden"}
"""The answers of hosts to browsers, where these are not what crawlers get."""


def reply(asked: Asked) -> list[bytes]:
    host, status = asked.headers["host"], b"200 OK"
    if asked.path == "/robots.txt":
        status = b"404 Not Found"
    elif "Firefox" in asked.headers["user-agent"]:
        status = FOR_BROWSERS.get(host, status)
    return [b"HTTP/1.1 " + status, b"Content-Type: text/html", b"", prose(1, 200, f"{host} /").encode()]


def test_why_and_status_tell_it(tmp_path: Path) -> None:
    store, web = tmp_path / "crawl.db", Web(reply)

    async def crawled() -> None:
        async with web:
            seeds = [f"http://{host}.test/" for host in "crs"]
            await acrawl(seeds, store, check_cloaking=True, allow_private=True, ca_file=PEM, connect_to=web.connect_to)

    run(crawled())
    with open_store(store) as reader:
        notes = {host: explain(reader, f"http://{host}.test/").notes for host in "crs"}
    assert notes == {
        "c": ("spam sign   cloaked: a browser gets status 404, a crawler gets the page 'c.test /'",),
        "r": (),
        "s": (),
    }
    assert answer("status", "--store", store)["cloaking"] == {"same": 1, "cloaked": 1, "http-403": 1}
    assert "cloaking  3 pages checked: " in command("status", "--store", store).output
