"""Headers, passwords and certificates of the user, by origin."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.sites import Server

from minicrawl.api import acrawl
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Header
from minicrawl.web.http.credentials import Headers, Place

SEEDS = frozenset({"https://a.test", "http://b.test:81"})


@pytest.mark.parametrize(
    ("header", "sites"),
    [
        ("*=X-Plain: de", "https://a.test http://a.test http://b.test:81 http://b.test https://c.test"),
        ("Accept-Language: de", "https://a.test http://b.test:81"),
        ("X-JWT: x", "https://a.test http://b.test:81"),
        ("Authorization: x", "https://a.test http://b.test:81"),
        ("Cookie: x", "https://a.test http://b.test:81"),
        ("a.test=Cookie: x", "https://a.test"),
        ("b.test:81=X-Plain: x", "http://b.test:81"),
        ("A.Test=Accept-Language: x", "https://a.test http://a.test"),
        ("A.Test=X-Access-Code: x", "https://a.test"),
        ("https://a.test=Cookie: x", "https://a.test"),
        ("b.test=Cookie: x", "http://b.test:81"),
        ("http://b.test=Cookie: x", "http://b.test"),
        ("b.test:81=Cookie: x", "http://b.test:81"),
        ("b.test:80=Cookie: x", ""),
        ("d.test=Cookie: x", ""),
    ],
)
def test_a_header_goes_to_whom_it_is_for(header: str, sites: str) -> None:
    headers = Headers([Header.parse(header)], SEEDS)
    asked = ["https://a.test", "http://a.test", "http://b.test:81", "http://b.test", "https://c.test"]
    assert [site for site in asked if headers.going_to(site)] == sites.split()


def test_a_host_may_be_spelled_as_a_browser_takes_it() -> None:
    headers = Headers([Header.parse("bücher.test=DNT: 1")], frozenset())
    assert headers.going_to("http://xn--bcher-kva.test") == [("DNT", "1")]


def test_a_host_that_is_none_is_told() -> None:
    with pytest.raises(SettingError, match="is not a host; write"):
        Headers([Header.parse("a..b%%=X-A: b")], frozenset())


def test_nothing_secret_leaves_the_seeds_origins(tmp_path: Path) -> None:
    """Not by a link, nor a redirect, nor the robots.txt of another host; and the seeds of earlier runs count."""
    links = ["http://b.test/", "https://a.test/x", "/moved", "http://a.test:81/"]
    server = Server({"http://a.test/": links, "http://a.test/moved": "http://c.test/"}, robots="")
    options: dict[str, Any] = {"transport": server, "delay": 0.0, "header": ("Authorization: hush", "*=X-Plain: hello")}
    asyncio.run(acrawl(["http://a.test/"], tmp_path / "crawl.db", pages=1, **options))
    asyncio.run(acrawl([], tmp_path / "crawl.db", **options))
    both, plain = ["x-plain", "authorization"], ["x-plain"]
    told = {
        str(request.url): [name for name in ("x-plain", "authorization") if name in request.headers]
        for request in server.requests
    }
    assert {url: names for url, names in told.items() if "cannot" not in url} == {
        "http://a.test/robots.txt": both,
        "http://a.test/": both,
        "http://a.test/moved": both,
        **{
            f"{site}{path}": plain
            for site, path in [
                ("http://b.test/", ""),
                ("http://b.test/", "robots.txt"),
                ("https://a.test/", "x"),
                ("https://a.test/", "robots.txt"),
                ("http://a.test:81/", ""),
                ("http://a.test:81/", "robots.txt"),
                ("http://c.test/", ""),
                ("http://c.test/", "robots.txt"),
            ]
        },
    }


ORIGINS = (
    "https://a.test",
    "http://a.test",
    "https://a.test:444",
    "http://a.test:81",
    "https://b.a.test",
    "http://[::1]:81",
    "https://a.test.",
)


@pytest.mark.parametrize(
    ("text", "seeds", "expected"),
    [
        ("a.test", "", "https://a.test"),
        ("A.Test", "http://a.test:81 http://b.test", "https://a.test http://a.test:81"),
        ("a.test:444", "", "https://a.test:444"),
        ("a.test:81", "http://a.test http://a.test:81", "http://a.test:81"),
        ("http://a.test", "", "http://a.test"),
        ("https://a.test:444", "", "https://a.test:444"),
        ("[::1]:81", "http://[::1]:81", "http://[::1]:81"),
    ],
)
def test_a_name_alone_means_https_and_the_seeds(text: str, seeds: str, expected: str) -> None:
    place, seed_origins = Place(text, "--x"), frozenset(seeds.split())
    assert [origin for origin in ORIGINS if place.may_have_secrets(origin, seed_origins)] == expected.split()


def going(origin: str, *, seeds: tuple[str, ...] = (), **settings: object) -> list[str]:
    """Values of the headers that carry passwords to an origin."""
    given = CrawlSettings(**settings)  # type: ignore[arg-type]
    headers = Headers(given.header, frozenset(seeds), given.auth)
    return [value for name, value in headers.going_to(origin) if name == "Authorization"]


def test_names_and_passwords_are_sent_as_in_the_rfc() -> None:
    """The examples of RFC 7617, 2 and 2.1."""
    aladdin, test = "a.test=Aladdin:open sesame", "b.test=test:123£"
    assert going("https://a.test", auth=(aladdin, test)) == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
    assert going("https://b.test", auth=(aladdin, test)) == ["Basic dGVzdDoxMjPCow=="]


def test_the_first_of_several_passwords_counts_and_a_header_counts_before_all() -> None:
    both: dict[str, Any] = {"auth": ("a.test=a:a", "a.test=b:b")}
    assert going("https://a.test", **both) == ["Basic YTph"]
    assert going("https://a.test", header="a.test=authorization: mine", **both) == []
    assert Headers([Header.parse("a.test=authorization: mine")], frozenset()).going_to("https://a.test") == [
        ("authorization", "mine")
    ]


def test_a_host_that_is_none_is_named_by_its_option() -> None:
    with pytest.raises(SettingError, match=r"--auth a\.\.b%%=\.\.\.: 'a\.\.b%%' is not a host; write"):
        going("https://a.test", auth="a..b%%=me:hush")
