"""Headers, passwords and certificates of the user, by origin."""

import asyncio
import ssl
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.origins import OWNER, PEM, Asked, Web, crawled, pages
from support.sites import Server, Site

from minicrawl.api import acrawl
from minicrawl.crawler.http.credentials import (
    Entry,
    Headers,
    NetrcError,
    Place,
    own_contexts,
    password_headers,
    read_netrc,
)
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, Header

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
    with pytest.raises(SettingError, match="is no host; write it as"):
        Headers([Header.parse("a..b%%=X-A: b")], frozenset())


class Told(Server):
    """Remembers which requests had which of the headers X-Plain and Authorization."""

    def __init__(self, site: Site) -> None:
        super().__init__(site, robots="")
        self.told: dict[str, list[str]] = {}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        names = [name for name in ("x-plain", "authorization") if name in request.headers]
        self.told[str(request.url)] = names
        return super()._answer(request)


def test_nothing_secret_leaves_the_seeds_origins(tmp_path: Path) -> None:
    """Not by a link, nor a redirect, nor the robots.txt of another host; and the seeds of earlier runs count."""
    server = Told(
        {
            "http://a.test/": ["http://b.test/", "https://a.test/x", "/moved", "http://a.test:81/"],
            "http://a.test/moved": "http://c.test/",
        }
    )
    options: dict[str, Any] = {"transport": server, "delay": 0.0, "header": ("Authorization: hush", "*=X-Plain: hello")}
    asyncio.run(acrawl(["http://a.test/"], tmp_path / "crawl.db", pages=1, **options))
    asyncio.run(acrawl([], tmp_path / "crawl.db", **options))
    both, plain = ["x-plain", "authorization"], ["x-plain"]
    assert {url: names for url, names in server.told.items() if "cannot" not in url} == {
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
    *(
        "https://a.test",
        "http://a.test",
        "https://a.test:444",
        "http://a.test:81",
        "https://b.a.test",
        "http://[::1]:81",
    ),
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
    assert place.of(seed_origins) == {seed for seed in seed_origins if place.has(seed)}


def test_the_endpoints_of_https_are_known_beforehand() -> None:
    endpoints = {
        text: Place(text, "--x").endpoints() for text in ("a.test", "a.test:81", "http://a.test", "https://[::1]")
    }
    assert endpoints == {
        "a.test": {("a.test", 443)},
        "a.test:81": {("a.test", 81)},
        "http://a.test": set(),
        "https://[::1]": {("::1", 443)},
    }


def test_what_is_no_host_is_named_with_its_option() -> None:
    with pytest.raises(SettingError, match=r"--x a\.\.b%%=\.\.\.: 'a\.\.b%%' is no host"):
        Place("a..b%%", "--x")


NETRC = """
# that of a
machine a.test login me password hush
machine b.test
    login you
    password #1"
machine ::1 login me password hush
default login all password all
"""


@pytest.fixture
def netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "netrc"
    file.write_text(NETRC)
    monkeypatch.setenv("NETRC", str(file))
    return file


def going(origin: str, *, seeds: tuple[str, ...] = (), **settings: object) -> list[str]:
    """Values of the headers that carry passwords to an origin."""
    given = CrawlSettings(**settings)  # type: ignore[arg-type]
    headers = Headers(given.headers, frozenset(seeds), password_headers(given))
    return [value for name, value in headers.going_to(origin) if name == "Authorization"]


def test_names_and_passwords_are_sent_as_in_the_rfc() -> None:
    """The examples of RFC 7617, 2 and 2.1."""
    aladdin, test = "a.test=Aladdin:open sesame", "b.test=test:123£"
    assert going("https://a.test", auth=(aladdin, test)) == ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="]
    assert going("https://b.test", auth=(aladdin, test)) == ["Basic dGVzdDoxMjPCow=="]


def test_the_first_of_several_passwords_counts_and_a_header_counts_before_all(netrc: Path) -> None:
    both: dict[str, Any] = {"auth": ("a.test=a:a", "a.test=b:b"), "netrc": True}
    assert going("https://a.test", **both) == ["Basic YTph"]
    assert going("https://b.test", **both) == [password_headers(CrawlSettings(netrc=True))[1].value]
    assert going("https://a.test", header="a.test=authorization: mine", **both) == []
    assert Headers([Header.parse("a.test=authorization: mine")], frozenset()).going_to("https://a.test") == [
        ("authorization", "mine")
    ]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://a.test", True),
        ("https://b.test", True),
        ("https://[::1]", True),
        ("http://seed.a.test", False),
        ("http://a.test", False),
        ("https://a.test:444", False),
        ("https://c.test", False),
        ("http://b.test:81", True),
    ],
)
def test_a_netrc_is_for_its_machines_and_its_default_for_nobody(origin: str, expected: bool, netrc: Path) -> None:
    assert bool(going(origin, seeds=("http://b.test:81", "http://c.test"), netrc=True)) is expected


def test_netrc_is_where_the_environment_says_or_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine a.test login a password a")
    (tmp_path / "other").write_text("machine a.test login b password b")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NETRC", raising=False)
    assert going("https://a.test", netrc=True) == ["Basic YTph"]
    monkeypatch.setenv("NETRC", str(tmp_path / "other"))
    assert going("https://a.test", netrc=True) == ["Basic Yjpi"]
    monkeypatch.setenv("NETRC", str(tmp_path / "none"))
    with pytest.raises(SettingError, match=f"--netrc: {tmp_path}/none cannot be read: No such file"):
        going("https://a.test", netrc=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [(b"machine a.test login", "line 1: nothing stands"), (b"nonsense x", "line 1: a word"), (b"\xff", "is not UTF-8")],
)
def test_a_netrc_that_is_none_is_named_without_its_passwords(text: bytes, problem: str, netrc: Path) -> None:
    netrc.write_bytes(text)
    with pytest.raises(SettingError, match=f"--netrc: {netrc}.*{problem}"):
        going("https://a.test", netrc=True)


def test_a_host_that_is_none_is_named_by_its_option() -> None:
    with pytest.raises(SettingError, match=r"--auth a\.\.b%%=\.\.\.: 'a\.\.b%%' is no host; write it as"):
        going("https://a.test", auth="a..b%%=me:hush")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("machine a.test login me password hush", [Entry("a.test", "me", "hush")]),
        ("machine a.test\n  login me\n\tpassword hush\r\n", [Entry("a.test", "me", "hush")]),
        ("machine a password p login l machine b login m", [Entry("a", "l", "p"), Entry("b", "m", "")]),
        ("# a comment\nmachine a login l password p # another\n", [Entry("a", "l", "p")]),
        ("machine a login l password #p", [Entry("a", "l", "#p")]),
        ("machine a login l password p#q", [Entry("a", "l", "p#q")]),
        ('machine a login "l m" password "p \\"q\\" \\\\"', [Entry("a", "l m", 'p "q" \\')]),
        ("machine a login login password password", [Entry("a", "login", "password")]),
        ("machine machine login l", [Entry("machine", "l", "")]),
        ("machine a login l account x password p", [Entry("a", "l", "p")]),
        ("default login all password p", [Entry(None, "all", "p")]),
        ("machine a\nmacdef init\n cd /x\n machine evil\n\nmachine b", [Entry("a", "", ""), Entry("b", "", "")]),
        ("macdef init\n machine evil", []),
        ('machine a login "" password ""', [Entry("a", "", "")]),
        ("machine a login l password p machine a login m", [Entry("a", "l", "p"), Entry("a", "m", "")]),
    ],
)  # fmt: skip
def test_entries_stand_in_the_order_of_the_file(text: str, expected: list[Entry]) -> None:
    assert read_netrc(text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n\nmachine", 3),
        ("machine a\nlogin", 2),
        ("hush", 1),
        ("login hush", 1),
        ("machine a login l\npassword a hush", 2),
        ('machine a login l\npassword "hush', 2),
        ('machine a login "l\nm" hush', 2),
    ],
)
def test_what_is_wrong_is_told_by_its_line_without_its_words(text: str, line: int) -> None:
    with pytest.raises(NetrcError, match=f"^line {line}: ") as caught:
        read_netrc(text)
    assert "hush" not in str(caught.value)


class AskingWeb(Web):
    """Asks for certificates, and notes which origins were shown one. must: those that show none are sent away."""

    def __init__(self, *, must: bool = False) -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_verify_locations(PEM)
        tls.verify_mode = ssl.CERT_REQUIRED if must else ssl.CERT_OPTIONAL
        super().__init__(pages, tls)
        self.shown: set[str] = set()

    def _noted(self, head: str, writer: asyncio.StreamWriter) -> Asked:
        asked = super()._noted(head, writer)
        tls = writer.get_extra_info("ssl_object")
        if tls is not None and tls.getpeercert():
            self.shown.add(asked.origin)
        return asked


@pytest.mark.parametrize(
    ("given", "seed", "expected"),
    [
        (f"h.test={PEM}", f"{OWNER}/", {OWNER}),
        (f"h.test={PEM},{PEM}", "http://evil.test/", {OWNER}),
        (f"h.test:444={PEM}", f"{OWNER}/", {"https://h.test:444"}),
        (f"https://sub.h.test={PEM}", f"{OWNER}/", {"https://sub.h.test"}),
        (str(PEM), f"{OWNER}/", {OWNER}),
        (str(PEM), "http://h.test/", set()),
    ],
)
def test_a_certificate_is_shown_to_whom_it_is_for(given: str, seed: str, expected: set[str], tmp_path: Path) -> None:
    web = AskingWeb()
    crawled(web, tmp_path / "crawl.db", [seed], client_cert=(given,))
    assert web.shown == expected
    assert {asked.origin for asked in web.asked} >= {OWNER, "https://evil.test", "https://h.test:444"}


def test_a_host_that_lets_nobody_else_in_is_read(tmp_path: Path) -> None:
    web = AskingWeb(must=True)
    crawled(web, tmp_path / "crawl.db", [f"{OWNER}/"], scope="host", client_cert=f"h.test={PEM}", pages=3)
    assert {asked.path for asked in web.asked} > {"/", "/robots.txt"}


def test_what_is_no_certificate_is_named(tmp_path: Path) -> None:
    none, encrypted = tmp_path / "none.pem", tmp_path / "key.pem"
    none.write_text("no certificate")
    make = ["openssl", "pkey", "-in", str(PEM), "-aes256", "-passout", "pass:hush", "-out", str(encrypted)]
    subprocess.run(make, check=True, capture_output=True)
    for given, problem in [
        (str(none), f"--client-cert: {none} does not hold a certificate and its key in PEM form"),
        (f"{PEM},{none}", f"--client-cert: {PEM} and {none} do not hold a certificate"),
        (f"{PEM},{encrypted}", f"--client-cert {encrypted}: the key is encrypted"),
        (f"a..%%={PEM}", "--client-cert a..%%=...: 'a..%%' is no host"),
    ]:
        with pytest.raises(SettingError) as caught:
            own_contexts(CrawlSettings(client_cert=(given,)), frozenset())
        assert problem in str(caught.value)


def test_the_first_certificate_for_a_host_counts() -> None:
    settings = CrawlSettings(client_cert=(f"h.test={PEM}", f"{PEM}"))
    contexts = own_contexts(settings, frozenset({OWNER, "https://i.test", "http://j.test"}))
    assert contexts.keys() == {("h.test", 443), ("i.test", 443)}
    assert contexts["h.test", 443] is not contexts["i.test", 443]
