"""The server: the page's files, the answer to each path, the port."""

import asyncio
import re
import socket
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from support.browsing import Browser, dashboard
from support.cluster_runs import crawled_by_command
from support.command_line import answer
from support.patience import PATIENCE
from support.sites import HOME, crawled_once
from support.steering import Steered, wide
from support.steering import steered as steered_alone

from minicrawl.control.commands import listening
from minicrawl.dashboard.readings import Readings
from minicrawl.dashboard.serving import serving, static_files
from minicrawl.errors import SettingError

MOST = 180_000
STATIC = static_files()
SCRIPTS = {path: answer.body.decode() for path, answer in STATIC.items() if path.endswith(".js")}


def test_it_is_small() -> None:
    assert sum(len(answer.body) for path, answer in STATIC.items() if path != "/") <= MOST


def test_every_file_is_served() -> None:
    folder = files("minicrawl.dashboard").joinpath("static")
    assert {f"/{file.name}" for file in folder.iterdir()} == STATIC.keys() - {"/"} | {"/uplot.LICENSE"}
    assert STATIC["/"] == STATIC["/index.html"]


def test_what_it_asks_for_is_there() -> None:
    page = STATIC["/"].body.decode()
    asked = set(re.findall(r'(?:src|href)="(/[^"]*)"', page))
    for path, text in SCRIPTS.items():
        asked |= {f"/{name}" for name in re.findall(r'from "\./([^"]+)"', text)}
        assert not re.search(r'from "(?!\./)', text), path
    assert asked <= STATIC.keys()
    assert asked | {"/", "/index.html", "/report.js"} == STATIC.keys()


def test_it_names_no_other_server() -> None:
    for path, file in STATIC.items():
        text = file.body.decode()
        for name in ("http://www.w3.org/2000/svg", "https://example.org", "https://github.com/leeoniya/uPlot"):
            text = text.replace(name, "")
        assert not re.search(r"https?://\w", text), path


def test_text_cannot_become_markup_or_script() -> None:
    sinks = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|setHTML"
    sinks += r"|\beval\b|new Function|javascript:"
    page = STATIC["/"].body.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=", page)
    for path, text in SCRIPTS.items():
        assert not re.search(sinks, text), path


store = crawled_once({HOME: ["/a", "/b"], f"{HOME}a": [HOME], f"{HOME}b": ["/a"]}, [HOME])


PATHS = (
    "/api/now",
    "/api/top",
    "/api/pages?where=",
    "/api/hosts",
    "/api/sites",
    "/api/issues",
    "/api/course",
    "/api/why?url=a.test",
    "/metrics",
)


async def test_each_path_says_something_to_who_has_the_token_and_nothing_to_others(store: Path) -> None:
    async with dashboard(store) as browser:
        for path in PATHS:
            assert (await browser.ask(path)).status == 200, path
            for status, headers in REFUSED:
                came = await browser.ask(path, **headers)
                assert (came.status, list(came.json)) == (status, ["failed"]), (path, headers)


REFUSED: list[tuple[int, dict[str, Any]]] = [
    (401, {"authorization": None}),
    (401, {"authorization": "Bearer wrong"}),
    (421, {"host": "evil.test"}),
    (403, {"origin": "http://evil.test"}),
]


async def test_nothing_is_done_for_others(store: Path) -> None:
    async with dashboard(store) as browser:
        message = {"do": "set", "settings": {"delay": 7}}
        for status, headers in [*REFUSED, (415, {"content_type": "text/plain"}), (415, {"content_type": None})]:
            assert (await browser.ask("/api/control", "POST", message, **headers)).status == status
        assert (await browser.now())["settings"]["delay"] == 0.0
        assert (await browser.ask("/api/control", "POST", message)).json["changed"][0]["after"] == "7"
        assert (await browser.now())["settings"]["delay"] == 7.0
        await browser.has_done(do="set", settings={"delay": 0})


async def test_the_page_is_there_without_a_token_and_holds_no_secret(store: Path) -> None:
    async with dashboard(store) as browser:
        for path in ("/", "/app.js", "/style.css"):
            came = await browser.ask(path, authorization=None)
            assert came.status == 200
            assert browser.token.encode() not in came.body
            assert came.headers["content-security-policy"].startswith("default-src 'none'")


SAID = [
    ("GET", "/nothing", 404),
    ("GET", "/../../etc/passwd", 404),
    ("GET", "/static/app.js", 404),
    ("DELETE", "/api/now", 405),
    ("POST", "/", 405),
    ("GET", "/api/control", 405),
    ("GET", "/api/now?after=-1", 400),
    ("GET", "/api/now?after=1e9", 400),
    ("GET", "/api/top?by=nothing", 400),
    ("GET", "/api/top?n=501", 400),
    ("GET", f"/api/top?n={'9' * 16}", 400),
    ("GET", "/api/why?url=mailto:a@b", 400),
    ("HEAD", "/api/now", 200),
]
RUBBISH = [b"", b"{", b"[" * 100_000, b"\xff", b"null", b'{"do": "rm"}', b'{"do": "pause", "now": 1}']


async def test_what_is_not_there_and_rubbish_are_one_sentence(store: Path) -> None:
    async with dashboard(store) as browser:
        for method, path, status in SAID:
            assert (await browser.ask(path, method, b"{}" if method == "POST" else None)).status == status, path
        for body in RUBBISH:
            came = await browser.ask("/api/control", "POST", body)
            assert came.status in (400, 409)
            assert "\n" not in came.json["failed"]


async def test_a_running_crawl_is_steered_and_two_pages_see_the_same(tmp_path: Path) -> None:
    server, store = Steered(wide(20)), tmp_path / "crawl.db"
    async with steered_alone(server, store, delay=0) as crawl, listening(crawl, store), dashboard(store) as browser:
        await server.until(2)
        server.open.clear()  # lest the crawl is over before it is asked
        other = Browser(f"http://127.0.0.1:{browser.port}/#token={browser.token}")
        assert (await browser.has_done(do="pause")).json["state"] == "paused"
        server.open.set()
        for page in (browser, other):
            assert (await page.now())["state"] == "paused"
        assert (await browser.has_done(do="set", settings={"delay": "2s", "workers": -1})).status == 400
        assert (await browser.has_done(do="add", seeds=["http://b.test"])).json["new"] == 1
        assert (await browser.has_done(do="ban", host="b.test")).json["host"] == "b.test"
        assert (await other.now())["banned"] == ["b.test"]
        names = [host["host"] for host in (await other.now(hosts=1))["hosts"]]
        assert names in (["a.test"], ["a.test", "b.test"])  # a moment old
        assert (await other.now())["hosts"] == []
        assert (await other.has_done(do="resume")).json["state"] == "running"
        await asyncio.wait_for(crawl.finished(), PATIENCE)
    assert "http://b.test/" not in server.asked


async def test_without_a_store_there_is_a_page_all_the_same(tmp_path: Path) -> None:
    async with dashboard(tmp_path / "none.db") as browser:
        assert (await browser.now())["state"] == "none"
        assert (await browser.ask("/api/top")).status == 409
        assert (await browser.ask("/metrics")).body.endswith(b"minicrawl_up 0\n# EOF\n")


@pytest.fixture(scope="module")
def folder(ray: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, _ = crawled_by_command(tmp_path_factory.mktemp("cluster"), "--no-traps")
    return path


async def test_each_path_says_something_of_all_partitions(store: Path, folder: Path) -> None:
    async with dashboard(folder) as browser, dashboard(store) as of_one:
        for path in ("/api/now", "/api/top", "/metrics"):
            assert (await browser.ask(path)).status == 200, path
        now, one = await browser.now(), await of_one.now()
        assert now.keys() == one.keys() | {"partitions"}
        known = sum(answer("status", "--store", folder)["states"].values())
        assert (now["crawl"], now["reason"], now["known"]) == ("resting", "nothing-left", known)
        for path in ("/api/pages", "/api/hosts", "/api/sites", "/api/issues", "/api/course"):
            assert b"minicrawl gather" in (await browser.ask(path)).body
        assert sum(part["known"] for part in now["partitions"]) == known
        lines = (await browser.ask("/metrics")).body.decode().splitlines()
        assert f"minicrawl_pages_known {known}" in lines
        for part in now["partitions"]:
            assert f'minicrawl_partition_pages_known{{partition="{part["number"]}"}} {part["known"]}' in lines


async def test_it_has_a_token_of_its_own_each_time(tmp_path: Path) -> None:
    async with serving(Readings(tmp_path / "a.db")) as one, serving(Readings(tmp_path / "b.db")) as other:
        tokens = {urlsplit(address).fragment for address in (one, other)}
        assert len(tokens) == 2
        assert all(len(token) > 32 for token in tokens)
        assert urlsplit(one).hostname == "127.0.0.1"
        assert (await Browser(one).now())["store"].endswith("a.db")
        stolen = Browser(one)
        stolen.token = Browser(other).token
        assert (await stolen.ask("/api/now")).status == 401


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    async def main(port: int) -> None:
        async with serving(Readings(tmp_path / "a.db"), port):
            pass

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingError, match=f"--port {port} cannot be used"):
            asyncio.run(main(port))
