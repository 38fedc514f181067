"""What is for one origin goes to no other: whatever hosts link and redirect to, on real connections.

Which origins those are, for every form of the options, is in http/test_credentials.py.
"""

import gzip
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from support import skipping
from support.command_line import run
from support.origins import ORIGINS, OWNER, PEM, Asked, Web, crawled, pages
from support.proxies import ForwardProxy
from support.sites import rows

from minicrawl.api import Crawl, acrawl
from minicrawl.events import PageFetched
from minicrawl.settings import SETTINGS

HUSH = "Basic " + b64encode(b"me:hush").decode()
NAMED = "http://h.test:81"


@pytest.mark.parametrize(
    ("secret", "workers"), [({"header": "Authorization: hush"}, 0), ({"auth": "me:hush"}, 0), ({"auth": "me:hush"}, 2)]
)
def test_a_secret_goes_to_the_origin_of_the_seeds_and_to_no_other(
    secret: dict[str, str], workers: int, tmp_path: Path
) -> None:
    web, store = Web(), tmp_path / "crawl.db"
    crawled(web, store, [f"{OWNER}/"], workers=workers, **secret)
    assert {asked.origin for asked in web.asked} == set(ORIGINS)
    having = web.having("authorization")
    assert set(having) == {OWNER}
    assert set(having.values()) <= {"hush", HUSH}
    assert all("authorization" in asked.headers for asked in web.asked if asked.origin == OWNER)
    assert b"hush" not in b"".join(file.read_bytes() for file in tmp_path.glob("crawl.db*"))


def test_a_header_that_is_no_secret_goes_to_all_ports_and_schemes_of_its_host(tmp_path: Path) -> None:
    web = Web()
    crawled(web, tmp_path / "crawl.db", [f"{OWNER}/"], header="h.test=Accept-Language: a")
    assert set(web.having("accept-language")) == {"https://h.test", "http://h.test", NAMED, "https://h.test:444"}


def test_no_secret_is_in_the_archive_the_log_or_the_settings(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "minicrawl")
    web, store = Web(), tmp_path / "crawl.db"
    settings = {"auth": "h.test=me:hush", "header": "X-Api-Key: hush"}
    crawled(web, store, [f"{OWNER}/"], archive=tmp_path / "kept", dedup=False, **settings)
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "kept/archive").glob("*.warc.gz"))
    assert b"GET / HTTP/1.1" in kept
    assert web.having("authorization").keys() == web.having("x-api-key").keys() == {OWNER}
    for secret in ("hush", HUSH.removeprefix("Basic ")):
        assert secret.encode() not in kept
        assert secret not in caplog.text
    kept_settings = json.loads(rows(store, "SELECT value FROM meta WHERE key = 'settings'")[0][0])
    assert kept_settings["auth"] == ["h.test=***"]


SIGNED_IN = "SID=hush; Secure; HttpOnly; Path=/"
SHARED = "all=hush; Domain=h.test"
GREEDY = "evil=1; Domain=test"


def signs_in(asked: Asked) -> list[bytes]:
    """Sets cookies at OWNER, and one that nobody may set at the others."""
    status, *lines = pages(asked)
    fields = [SIGNED_IN, SHARED] if asked.origin == OWNER and asked.path == "/" else [GREEDY]
    return [status, *(f"Set-Cookie: {field}".encode() for field in fields), *lines]


takes_cookies = pytest.mark.skipif("cookies" not in SETTINGS, reason="cookies are a part")


@takes_cookies
@pytest.mark.parametrize(("workers", "on"), [(0, False), (0, True), (2, True)])
def test_cookies_go_to_the_hosts_they_are_for_and_to_no_other(workers: int, on: bool, tmp_path: Path) -> None:
    """Whichever process asks a host, the other hosts of its domain have their cookies from the next request on."""
    web, store = Web(signs_in), tmp_path / "crawl.db"
    options = {"workers": workers, "strategy": "breadth-first", "archive": tmp_path / "kept", "dedup": False}
    crawled(web, store, [f"{OWNER}/"], cookies=on, **options)
    values = web.having("cookie")
    if not on:
        assert values == {}
        return
    secure = {OWNER: "SID=hush; all=hush", "https://h.test:444": "SID=hush; all=hush"}
    in_the_clear = dict.fromkeys(("http://h.test", NAMED, "http://sub.h.test", "https://sub.h.test"), "all=hush")
    assert values == secure | in_the_clear
    assert not {asked.path for asked in web.asked if "cookie" in asked.headers} & {"/robots.txt", "/rules"}
    kept = b"".join(gzip.decompress(file.read_bytes()) for file in (tmp_path / "kept/archive").glob("*.warc.gz"))
    assert b"GET /linked HTTP/1.1" in kept
    assert b"hush" not in kept
    assert store.stat().st_mode & 0o777 == 0o600
    assert rows(store, "SELECT name, domain FROM cookies ORDER BY name") == [("SID", "h.test"), ("all", "h.test")]


@takes_cookies
def test_a_crawl_that_goes_on_is_still_logged_in(tmp_path: Path) -> None:
    """By the store, or by the file that the last run wrote; and not without being asked to."""
    store, file = tmp_path / "crawl.db", tmp_path / "cookies.txt"
    crawled(Web(signs_in), store, [f"{OWNER}/"], cookie_file=file, pages=1)
    assert "hush" in file.read_text()
    for folder, options in (("a", {}), ("b", {"forget": True}), ("c", {"cookie_file": file})):
        web = Web(signs_in)
        copied = tmp_path / folder / "crawl.db"
        copied.parent.mkdir()
        if folder != "c":
            copied.write_bytes(store.read_bytes())
        given = {"cookies": False, "cookie_file": None} if options.get("forget") else options
        crawled(web, copied, [f"{OWNER}/linked"], scope="host", **given)
        assert ("SID=hush" in web.having("cookie").get(OWNER, "")) is (folder != "b")


def test_pages_wait_while_the_proxy_is_dead_and_others_go_on(tmp_path: Path) -> None:
    """No page has failed by that, in this run or for the next one; hosts that go directly are read meanwhile."""
    web, store = Web(), tmp_path / "crawl.db"

    async def run() -> None:
        async with web:
            options: Any = {"delay": 0.0, "traps": False, "sitemaps": False, "ca_file": PEM}
            options |= {"connect_to": web.connect_to, "allow_private": True}
            through = ForwardProxy(web)
            async with through:
                pass  # its port is its own from now on, and closed
            proxies = (f"*evil.test=http://127.0.0.1:{through.port}", "none")
            async with Crawl([f"{OWNER}/"], store=store, proxy=proxies, **options) as crawl:
                async for event in crawl.events():
                    if (
                        isinstance(event, PageFetched)
                        and len({asked.origin for asked in web.asked}) == len(ORIGINS) - 3
                    ):
                        break
                await crawl.stop()
            assert not any("evil" in asked.origin for asked in web.asked)
            states = rows(store, "SELECT DISTINCT state FROM pages WHERE url LIKE '%evil.test%'")
            assert states == [("waiting",)]
            async with through:
                await acrawl([], store, **options)
            assert {asked.origin for asked in web.asked} == set(ORIGINS)
            assert {name.partition(":")[0] for name in through.asked} == {"evil.test", "h.test.evil.test"}

    skipping.run(run())


async def test_the_proxy_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = Web()
    async with web, ForwardProxy(web) as through:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{through.port}")
        monkeypatch.setenv("no_proxy", "sub.h.test")
        options: Any = {"delay": 0.0, "traps": False, "sitemaps": False}
        await acrawl(["http://h.test/"], tmp_path / "crawl.db", scope="host", pages=2, **options)
    assert "h.test:80" in through.asked
    assert {asked.origin for asked in web.asked} >= {"http://h.test"}


def test_the_proxies_of_the_environment_are_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:hush@127.0.0.1:9")
    words = ["crawl", "http://127.0.0.1:2/", "--time", "0.1s", "--store", str(tmp_path / "crawl.db")]
    for more, is_announced in (([], True), (["--proxy", "none"], False)):
        result = run(*words, *more)
        line = "Requests go through the environment's proxies: http://***@127.0.0.1:9; --proxy none goes"
        assert (line in result.stderr) is is_announced
        assert "hush" not in result.output
