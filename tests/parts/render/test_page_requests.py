"""Answers to the requests of pages, on a real server without a browser; their pace and cache."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from support.raw_server import all_names_at
from support.rendered import HOST, Reply, Site, to
from support.skipping import run

from minicrawl.crawler.hosts.clocks import HostDelays
from minicrawl.crawler.sources.local import fetch_options
from minicrawl.parts.render.page_requests import Pace, PageRequests, Resource, ResourceCache
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import Parts

PAGE = f"{HOST}/page"
OTHER = "http://other.test"
Asked = tuple[str, str, str]


async def answers(
    replies: dict[str, Reply],
    *asked: Asked,
    page: str = PAGE,
    headers: dict[str, str] | None = None,
    **settings: object,
) -> tuple[list[Resource | None], Site]:
    """Answer requests of a page, one after the other: (kind, method, URL)."""
    site = Site(replies)
    async with site:
        given = all_names_at(site.port, **{"delay": 0.0} | settings)
        async with Fetcher(fetch_options(given)) as fetcher:
            requests = PageRequests(fetcher, given)
            return [await requests.answer(Parts(), page, *one, headers or {}) for one in asked], site


SCRIPT: Reply = ("text/javascript", "1")
KINDS = {
    "script": ("script", "GET", True),
    "fetch": ("fetch", "GET", True),
    "XHR": ("xhr", "GET", True),
    "a form's answer": ("fetch", "POST", False),
    "deletion": ("xhr", "DELETE", False),
    "picture": ("image", "GET", False),
    "font": ("font", "GET", False),
    "film": ("media", "GET", False),
    "frame": ("document", "GET", True),
    "events": ("eventsource", "GET", False),
    "beacon": ("ping", "POST", False),
    "prefetch": ("other", "GET", False),
    "manifest": ("manifest", "GET", False),
}
SHOWN = {"picture", "font", "film"}


@pytest.mark.parametrize("shows", [False, True])
@pytest.mark.parametrize("name", KINDS)
async def test_a_page_gets_scripts_and_what_they_fetch_and_what_it_shows_if_that_is_wanted(
    name: str, shows: bool
) -> None:
    kind, method, is_asked = KINDS[name]
    (found,), site = await answers({f"{HOST}/x": SCRIPT}, (kind, method, f"{HOST}/x"), screenshots=shows)
    is_asked = is_asked or (shows and name in SHOWN)
    assert (found is not None, f"{HOST}/x" in site.asked) == (is_asked, is_asked)


@pytest.mark.parametrize("shows", [False, True])
async def test_frames_of_other_origins_are_asked_for_only_to_be_shown(shows: bool) -> None:
    (found,), site = await answers({f"{OTHER}/x": SCRIPT}, ("document", "GET", f"{OTHER}/x"), screenshots=shows)
    assert (found is not None, f"{OTHER}/x" in site.asked) == (shows, shows)


async def test_a_style_sheet_is_empty_and_nobody_is_asked() -> None:
    (found,), site = await answers({}, ("stylesheet", "GET", f"{OTHER}/x.css"))
    assert found is not None
    assert (found.status, found.body, site.asked) == (200, b"", [])


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/", "http://[::1]:{port}/", "http://localhost:{port}/", "http://h.test:{port}/",
            "http://169.254.169.254/latest/meta-data/", "http://2130706433:{port}/", "http://[::ffff:7f00:1]:{port}/",
            "http://10.0.0.1/", "http://0.0.0.0:{port}/", "file:///etc/passwd", "data:text/plain,x", "blob:x"]
)  # fmt: skip
async def test_no_request_goes_to_a_private_address_whatever_it_is_called(url: str) -> None:
    site = Site({})
    async with site:
        # h.test is a name whose address is private.
        settings = CrawlSettings(
            delay=0.0, ignore_robots=True, connect_to=(ConnectTo.parse("h.test::127.0.0.1:"),), timeout=20.0
        )
        async with Fetcher(fetch_options(settings)) as fetcher:
            asked = url.format(port=site.port)
            found = await PageRequests(fetcher, settings).answer(Parts(), PAGE, "fetch", "GET", asked, {})
    assert found is None
    assert site.connections == 0


async def test_robots_txt_of_each_host_is_asked_for_once_and_obeyed_at_every_hop() -> None:
    forbids = ("text/plain", "User-agent: minicrawl\nDisallow: /no\n")
    replies: dict[str, Reply] = {
        f"{HOST}/robots.txt": forbids,
        f"{OTHER}/robots.txt": to("http://moved.test/rules"),
        "http://moved.test/rules": forbids,
        f"{HOST}/yes": SCRIPT,
        f"{HOST}/no": SCRIPT,
        f"{OTHER}/no": SCRIPT,
        f"{HOST}/to-no": to(f"{OTHER}/no"),
    }
    urls = [f"{HOST}/yes", f"{HOST}/no", f"{HOST}/to-no", f"{HOST}/yes?2"]
    found, site = await answers(replies, *(("fetch", "GET", url) for url in urls))
    assert [one is not None for one in found] == [True, False, False, True]
    assert f"{OTHER}/no" not in site.asked
    assert [site.asked.count(f"{host}/robots.txt") for host in (HOST, OTHER)] == [1, 1]


async def test_a_host_whose_robots_txt_cannot_be_had_is_not_asked() -> None:
    found, site = await answers({f"{HOST}/robots.txt": 500, f"{HOST}/x": SCRIPT}, ("script", "GET", f"{HOST}/x"))
    assert found == [None]
    assert f"{HOST}/x" not in site.asked


CORS = "Access-Control-Allow-Origin: "
READERS: dict[str, tuple[str, Reply, bool]] = {
    "of its own": (f"{HOST}/x", ("text/plain", "x"), True),
    "redirected within": (f"{HOST}/to-own", ("text/plain", "x"), True),
    "redirected away": (f"{HOST}/to-other", ("text/plain", "x"), False),
    "redirected away, and may": (f"{HOST}/to-other", ("text/plain", "x", f"{CORS}*"), True),
    "redirected away, and may by name": (f"{HOST}/to-other", ("text/plain", "x", f"{CORS}{HOST}"), True),
    "redirected away, and another may": (f"{HOST}/to-other", ("text/plain", "x", f"{CORS}{OTHER}"), False),
}


@pytest.mark.parametrize(("url", "reply", "is_read"), READERS.values(), ids=READERS.keys())
async def test_a_redirect_does_not_let_scripts_read_what_is_not_for_them(url: str, reply: Reply, is_read: bool) -> None:
    """What is asked of another origin at once, the browser itself judges by the header fields, which it gets."""
    replies = {
        f"{HOST}/x": reply,
        f"{OTHER}/x": reply,
        f"{HOST}/to-own": to("/x"),
        f"{HOST}/to-other": to(f"{OTHER}/x"),
    }
    found, _ = await answers(replies, ("fetch", "GET", url))
    assert [one is not None for one in found] == [is_read]


async def test_the_browser_gets_the_fields_by_which_it_judges_and_none_that_concern_a_connection() -> None:
    reply = ("text/plain", "x", f"{CORS}https://a.test\r\nSet-Cookie: a=b\r\nVary: A\r\nVary: B\r\nKeep-Alive: 5")
    (found,), _ = await answers({f"{OTHER}/x": reply}, ("fetch", "GET", f"{OTHER}/x"))
    assert found is not None
    assert found.headers == {"content-type": "text/plain", CORS[:-2].lower(): "https://a.test", "vary": "A, B"}


async def test_passwords_go_to_their_origin_for_its_own_pages_alone() -> None:
    replies: dict[str, Reply] = {f"{HOST}/x": SCRIPT, f"{OTHER}/to": to(f"{HOST}/x")}
    urls = [f"{HOST}/x", f"{OTHER}/to"]
    secret: dict[str, Any] = {"header": "http://h.test=Authorization: hush"}
    asked = tuple(("script", "GET", url) for url in urls)
    own, site = await answers(replies, *asked[:1], **secret)
    assert [one is not None for one in own] == [True]
    assert any(b"Authorization: hush" in head for head in site.headers)
    others, site = await answers(replies, *asked, page=f"{OTHER}/page", **secret)
    assert others == [None, None]
    assert f"{HOST}/x" not in site.asked


async def test_a_script_with_a_password_is_not_kept_for_other_pages() -> None:
    site = Site({f"{HOST}/x": SCRIPT})
    async with site:
        given = all_names_at(site.port, delay=0.0, header="http://h.test=Authorization: hush")
        async with Fetcher(fetch_options(given)) as fetcher:
            requests = PageRequests(fetcher, given)
            found = [
                await requests.answer(Parts(), page, "script", "GET", f"{HOST}/x", {}) is not None
                for page in (PAGE, f"{OTHER}/page", PAGE)
            ]
    assert found == [True, False, True]
    assert site.asked.count(f"{HOST}/x") == 2


async def test_scripts_are_asked_for_once() -> None:
    found, site = await answers({f"{HOST}/x": SCRIPT}, *[("script", "GET", f"{HOST}/x")] * 3)
    assert None not in found
    assert site.asked.count(f"{HOST}/x") == 1


async def test_of_a_browsers_fields_few_go_on_and_none_that_breaks_a_request() -> None:
    given = {"Accept": "application/json", "Origin": HOST, "Cookie": "a=b", "User-Agent": "Chromium", "Host": "x.test",
             "X-Requested-With": "a\r\nInjected: 1", "Authorization": "x", "Range": "bytes=0-1"}  # fmt: skip
    _, site = await answers({f"{HOST}/x": SCRIPT}, ("fetch", "GET", f"{HOST}/x"), headers=given)
    head = site.headers[-1]
    assert b"application/json" in head
    assert not any(
        word in head for word in (b"Cookie", b"Chromium", b"x.test", b"Injected", b"Authorization", b"Range")
    )


@pytest.mark.parametrize(
    "reply",
    [b"nonsense\r\n\r\n", to(f"{HOST}/x"), b"HTTP/1.1 302 No\r\nContent-Length: 0\r\n\r\n", ("a/b", "x" * 3000)],
    ids=["no HTTP", "a circle of redirects", "a redirect to nowhere", "too large"],
)  # fmt: skip
async def test_what_cannot_be_had_whole_is_no_answer(reply: Reply) -> None:
    found, _ = await answers({f"{HOST}/x": reply}, ("fetch", "GET", f"{HOST}/x"), max_size=1000)
    assert found == [None]


def begun(delay: float, *, hosts: int = 1, turns: int = 5, crawl_delay: float = 0.0) -> list[tuple[str, float, float]]:
    """Host, begin and end of turns that are all asked for at once, and take a second each."""
    found = []

    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace, start = Pace(HostDelays(delay), clock), clock()

        async def one(host: str) -> None:
            async with pace.turn(host, crawl_delay):
                begin = clock() - start
                await asyncio.sleep(1.0)
                found.append((host, begin, clock() - start))

        await asyncio.gather(*(one(f"h{number % hosts}") for number in range(turns)))

    run(main(), grace=0.0)
    return found


@pytest.mark.parametrize(
    ("delay", "crawl_delay", "apart"),
    [(2.0, 0.0, 2.0), (0.0, 0.0, 0.0), (2.0, 5.0, 5.0), (5.0, 2.0, 5.0), (0.0, 5.0, 0.0)],
)
def test_turns_at_a_host_are_the_delay_apart_and_never_two_at_once(
    delay: float, crawl_delay: float, apart: float
) -> None:
    found = sorted(begun(delay, crawl_delay=crawl_delay), key=lambda turn: turn[1])
    assert len(found) == 5
    gaps = [later[1] - earlier[2] for earlier, later in pairwise(found)]
    assert min(gaps) >= apart - 1e-3
    assert max(gaps) <= apart + 0.1


def test_a_request_that_was_made_elsewhere_counts_and_a_turn_that_fails_is_over() -> None:
    async def main() -> None:
        clock = asyncio.get_running_loop().time
        pace, start = Pace(HostDelays(2.0), clock), clock()
        pace.note_asked("h")
        with pytest.raises(ValueError, match="no"):
            async with pace.turn("h"):
                assert clock() - start >= 2.0
                raise ValueError("no")
        async with pace.turn("h"):
            assert clock() - start >= 4.0

    run(main(), grace=0.0)


URL = "http://h.test/app.js"


def resource(size: int = 10, status: int = 200, **headers: str) -> Resource:
    return Resource(URL, status, {name.replace("_", "-"): value for name, value in headers.items()}, b"x" * size)


@pytest.mark.parametrize(
    "found", [resource(status=404), resource(status=206), resource(cache_control="private, No-Store"), resource(101)]
)
def test_what_is_not_to_be_kept_is_not(found: Resource) -> None:
    cache = ResourceCache(lambda: 0.0, most=100)
    cache.put(URL, found)
    assert (cache.get(URL), cache.size) == (None, 0)


def test_what_came_first_goes_first_and_the_size_is_that_of_all() -> None:
    cache = ResourceCache(lambda: 0.0, most=100)
    for number in range(50):
        cache.put(f"http://h.test/{number % 20}", resource(number))
        kept = {n: cache.get(f"http://h.test/{n}") for n in range(20)}
        assert cache.size == sum(len(found.body) for found in kept.values() if found) <= 100
        assert kept[number % 20] == resource(number)


DATA = f"{HOST}/data?of=all"
LIFETIMES: dict[str, tuple[tuple[str, ...], int]] = {
    "nothing is said": ((), 1),
    "it is fresh": (("Cache-Control: public, max-age=600",), 1),
    "with validators": (('ETag: "1"', "Last-Modified: Sun, 01 Nov 2026 00:00:00 GMT"), 1),
    "it varies by what is the same": (("Vary: Accept-Encoding, Cookie",), 1),
    "no-store": (("Cache-Control: No-Store",), 3),
    "no-cache": (("Cache-Control: no-cache",), 3),
    "pragma": (("Pragma: no-cache",), 3),
    "it is old at once": (("Cache-Control: max-age=0, must-revalidate",), 3),
    "it has expired": (("Expires: 0",), 3),
    "it sets a cookie": (("Set-Cookie: visitor=1",), 3),
    "it varies by anything": (("Vary: *",), 3),
}


@pytest.mark.parametrize("case", LIFETIMES)
@pytest.mark.parametrize("kind", ["fetch", "xhr"])
async def test_pages_share_the_answers_to_their_scripts_for_as_long_as_these_are_fresh(kind: str, case: str) -> None:
    fields, times = LIFETIMES[case]
    reply = "\r\n".join(("application/json", *fields)), "{}"
    found, site = await answers({DATA: reply}, *[(kind, "GET", DATA)] * 3)
    assert [one is not None and one.body for one in found] == [b"{}"] * 3
    assert site.asked.count(DATA) == times


async def test_an_answer_for_one_origin_or_header_is_none_for_another_and_secrets_are_nobodys() -> None:
    fetch = ("fetch", "GET", DATA)
    async with Site({DATA: ("application/json\r\nAccess-Control-Allow-Origin: *", "1")}) as site:
        given = all_names_at(site.port, delay=0.0)
        async with Fetcher(fetch_options(given)) as fetcher:
            requests = PageRequests(fetcher, given)
            for page, accepts in [(PAGE, "a/b"), (PAGE, "a/b"), (PAGE, "c/d"), (f"{OTHER}/", "a/b"), (PAGE, "a/b")]:
                assert await requests.answer(Parts(), page, *fetch, {"accept": accepts}) is not None
    assert site.asked.count(DATA) == 3
    _, site = await answers({DATA: SCRIPT}, fetch, fetch, header=f"{HOST}=Authorization: hush")
    assert site.asked.count(DATA) == 2


async def test_a_page_that_asks_again_waits_for_another_answer() -> None:
    async with Site({DATA: ("application/json", "1")}) as site:
        given = all_names_at(site.port, delay=0.0)
        async with Fetcher(fetch_options(given)) as fetcher:
            requests, page = PageRequests(fetcher, given), Parts()
            for _ in range(3):
                await requests.answer(page, PAGE, "fetch", "GET", DATA, {})
            await requests.answer(Parts(), PAGE, "fetch", "GET", DATA, {})
    assert site.asked.count(DATA) == 3


@pytest.mark.parametrize("kind", ["script", "fetch"])
async def test_what_pages_ask_for_at_once_is_asked_for_once(kind: str) -> None:
    async with Site({DATA: SCRIPT}) as site:
        given = all_names_at(site.port, delay=0.0)
        async with Fetcher(fetch_options(given)) as fetcher:
            requests, pages = PageRequests(fetcher, given), [Parts() for _ in range(5)]
            found = await asyncio.gather(*(requests.answer(page, PAGE, kind, "GET", DATA, {}) for page in pages))
    assert [one is not None and one.body for one in found] == [b"1"] * 5
    assert site.asked.count(DATA) == 1
    assert [page.held for page in pages] == [0] * 5
