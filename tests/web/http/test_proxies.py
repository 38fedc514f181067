"""Which proxies requests for an origin go through, and what goes through them."""

import logging

import pytest
from support.origins import OWNER, PEM, Web
from support.proxies import ForwardProxy

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import SettingError
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import CrawlSettings
from minicrawl.timing import Timing
from minicrawl.web.http.credentials import Proxies, proxy_of
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.net.routes import ProxyRule, shown_proxy

P, Q = "http://p.test:1", "socks5h://q.test:2"


def chosen(origin: str, *rules: str, **environment: str) -> str:
    proxies = Proxies(list(map(ProxyRule.parse, rules)), environment, lambda url: "elsewhere.test" in url)
    return " ".join(map(str, proxies.of(origin)))


@pytest.mark.parametrize(
    ("origin", "rules", "expected"),
    [
        ("https://a.test", [P], P),
        ("https://a.test", [], ""),
        ("https://a.test", ["none", P], ""),
        ("https://x.onion", [f"*.onion={Q}", P], Q),
        ("https://onion.test", [f"*.onion={Q}", P], P),
        ("https://onion.test", [f"*.onion={Q}"], ""),
        ("https://a.test", ["a.test=none", P], ""),
        ("https://b.a.test", ["a.test=none", P], P),
        ("https://b.a.test", ["*a.test=none", P], ""),
        ("http://a.test", [f"https://*={Q}", P], P),
        ("https://a.test", [f"https://*={Q}", P], Q),
        ("https://a.test:444", [f"*:444={Q}", P], Q),
        ("https://a.test", [f"*:443={Q}", P], Q),
        ("http://[::1]:81", [f"[::1]:81={Q}", P], Q),
        ("https://a.test", [f"A.TEST={Q}", P], Q),
    ],
)
def test_the_first_pattern_that_matches_decides(origin: str, rules: list[str], expected: str) -> None:
    assert chosen(origin, *rules) == expected


@pytest.mark.parametrize(
    ("not_for", "origin", "is_exempt"),
    [
        ("a.test", "https://a.test", True),
        ("a.test", "https://b.a.test", True),
        (".a.test", "https://b.a.test", True),
        ("*.a.test", "https://b.a.test", True),
        ("a.test", "https://xa.test", False),
        ("A.TEST , b.test", "https://a.test", True),
        ("a.test:444", "https://a.test:444", True),
        ("a.test:444", "https://a.test", False),
        ("*", "https://a.test", True),
        ("192.0.2.0/24", "http://192.0.2.7", True),
        ("192.0.2.0/24", "http://198.51.100.7", False),
        ("192.0.2.7", "http://192.0.2.7:81", True),
        ("192.0.2.7:81", "http://192.0.2.7:81", True),
        ("192.0.2.7:81", "http://192.0.2.7", False),
        ("2001:db8::/32", "http://[2001:db8::1]", True),
        ("", "https://a.test", False),
        (",,", "https://a.test", False),
        (".", "https://a.test", False),
        ("a.test", "http://192.0.2.7", False),
    ],
)
def test_no_proxy_names_hosts_domains_and_networks(not_for: str, origin: str, is_exempt: bool) -> None:
    for rules, environment in (([P], {}), ([], {"all": P})):
        assert chosen(origin, *rules, no=not_for, **environment) == ("" if is_exempt else P)
    assert chosen(origin, f"*={Q}", no=not_for) == Q  # a pattern is more than a default


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://a.test", "http://s.test:80"),
        ("http://a.test", "http://h.test:3128"),
        ("http://localhost", ""),
        ("http://x.localhost:81", ""),
        ("http://127.0.0.9", ""),
        ("http://[::1]", ""),
        ("http://elsewhere.test", ""),
        ("http://10.0.0.1", "http://h.test:3128"),
    ],
)
def test_the_environment_counts_where_nothing_is_given(origin: str, expected: str) -> None:
    environment = {"http": "h.test:3128", "https": "http://s.test", "all": Q, "ftp": "nonsense", "no": "n.test"}
    assert chosen(origin, **environment) == expected
    assert chosen(origin, "none", **environment) == ""
    assert chosen(origin, P, **environment) == P
    assert chosen(origin, all=Q) == (Q if expected else "")


def test_several_proxies_share_the_hosts_and_each_host_keeps_its_own() -> None:
    urls = [f"http://p{number}.test:1" for number in range(4)]
    proxies = Proxies([ProxyRule(None, url) for url in urls], {})
    first = {host: str(proxies.in_turn(f"https://h{host}.test")[0]) for host in range(200)}
    assert set(first.values()) == set(urls)
    assert all(len(proxies.in_turn(f"https://h{host}.test")) == 4 for host in first)
    assert [str(proxies.in_turn(f"http://h{host}.test:81")[0]) for host in first] == list(first.values())
    proxies.failed(proxies.in_turn("https://h0.test")[0], "it is dead", 5.0)
    moved = {host for host, url in first.items() if str(proxies.in_turn(f"https://h{host}.test")[0]) != url}
    assert moved == {host for host, url in first.items() if url == first[0]}


@pytest.mark.parametrize("text", ["p.test:1", "ftp://p.test", "http://", "http://p.test/path", "a=b=http://p", "a=p:1"])
def test_what_is_no_proxy_is_named(text: str) -> None:
    with pytest.raises(SettingError, match="--proxy takes the URL of a proxy"):
        CrawlSettings.of({"proxy": text})


def test_a_password_in_what_is_no_proxy_is_not_repeated() -> None:
    assert shown_proxy("*.a.test=http://me:hush@p.test") == "*.a.test=http://***@p.test"
    assert shown_proxy("me:hush@p.test:1") == "***@p.test:1"
    for wrong in ("http://me:hush@p.test:x", "ftp://me:hush@p.test"):
        with pytest.raises(SettingError) as caught:
            proxy_of(wrong)
        assert "hush" not in str(caught.value)
        assert "***" in str(caught.value)


Found = tuple[list[Fetched], ForwardProxy]


async def fetched(proxy: str, *urls: str, login: str | None = None, tls: bool = False, **settings: object) -> Found:
    """Fetch these URLs through a proxy; {port} stands for its port."""
    async with (
        Web(lambda _: [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"", b"x"]) as web,
        ForwardProxy(web, login, tls=tls) as through,
    ):
        rules = tuple(rule.format(port=through.port) for rule in proxy.split())
        given = CrawlSettings(proxy=rules, ca_file=PEM, **settings)  # type: ignore[arg-type]
        async with Fetcher(fetch_options(given), timing=Timing(connect=60.0, read=60.0)) as fetcher:
            return [await fetcher.fetch(PageRequest(url)) for url in urls], through


@pytest.mark.parametrize("scheme", ["http", "https", "socks5h"])
@pytest.mark.parametrize("login", [None, "me:hu sh"])
async def test_pages_come_through_a_proxy_which_looks_up_names(scheme: str, login: str | None) -> None:
    proxy = f"{scheme}://{'me:hu%20sh@' if login else ''}127.0.0.1:{{port}}"
    urls = ("http://h.test/linked", "http://h.test:81/linked", f"{OWNER}/linked", f"{OWNER}/linked")
    found, through = await fetched(proxy, *urls, login=login, tls=scheme == "https")
    assert [(one.status, one.reason) for one in found] == [(200, None)] * 4
    assert sorted(set(through.asked)) == ["h.test:443", "h.test:80", "h.test:81"]
    assert through.asked.count("h.test:443") == 1  # a tunnel is used again
    assert not any(name.startswith("proxy-") for asked in through.web.asked for name in asked.headers)


async def test_a_proxy_is_not_asked_for_what_is_plainly_private() -> None:
    private = (
        "http://localhost/",
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "https://a.localhost./",
        "http://[3fff::1]/",
    )
    for scheme in ("socks5", "socks5h", "http"):
        found, through = await fetched(f"{scheme}://127.0.0.1:{{port}}", *private)
        assert [one.reason for one in found] == ["private-address"] * 5
        assert through.asked == []


@pytest.mark.parametrize(
    ("proxy", "login", "reason"),
    [
        ("http://127.0.0.1:{port}", "me:hush", "it wants a name and password"),
        ("http://me:wrong@127.0.0.1:{port}", "me:hush", "it wants a name and password, or others"),
        ("socks5h://127.0.0.1:{port}", "me:hush", "it wants a name and password"),
        ("socks5h://me:wrong@127.0.0.1:{port}", "me:hush", "Invalid username/password"),
        ("http://127.0.0.1:9", None, "refused"),
        ("socks5://127.0.0.1:9", None, "refused"),
        ("http://none.invalid:1", None, "dns"),
        ("https://127.0.0.1:{port}", None, "tls"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_named_once(
    proxy: str, login: str | None, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    urls = [f"{OWNER}/linked", "http://h.test/linked"]
    found, _ = await fetched(proxy, *urls, login=login, allow_private=True)
    assert {one.reason for one in found} == {"proxy"}
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert reason in warnings[0]
    assert f"the proxy {proxy.partition('://')[0]}://" in warnings[0]
    assert "wrong" not in warnings[0]


async def test_another_proxy_of_the_list_takes_over() -> None:
    hosts = ("http://h.test/linked", "http://evil.test/linked", "http://sub.h.test/linked", f"{OWNER}/linked")
    found, through = await fetched("http://127.0.0.1:9 socks5h://127.0.0.1:{port} http://127.0.0.1:7", *hosts)
    assert [one.status for one in found] == [200] * 4
    assert {asked.partition(":")[0] for asked in through.asked} == {"h.test", "evil.test", "sub.h.test"}


async def test_a_host_that_is_closed_is_not_the_proxys_fault(caplog: pytest.LogCaptureFixture) -> None:
    found, _ = await fetched("socks5h://127.0.0.1:{port}", "http://closed.test/", "http://h.test/linked")
    assert [one.reason for one in found] == ["refused", None]
    assert "proxy" not in caplog.text
