"""What the generated web promises, read off the bytes it answers with, and over a real socket."""

import asyncio
import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import aiohttp
import networkx
import pytest
from support.loopback import quiet_port

from minicrawl.demo.resources import CALENDAR_MONTHS
from minicrawl.demo.web import DemoWeb, mass_curve, masses, pages_until_mass, serving
from minicrawl.errors import SettingError
from minicrawl.model import ParsedPage
from minicrawl.web.html.parse import parse_html
from minicrawl.web.robots.rules import RobotsRules
from minicrawl.web.urls.keys import authority, origin_of
from minicrawl.web.urls.normalise import normalise

HOSTS, PAGES = 30, 1500


class Explored:
    """All that can be reached of a web, one request per URL, as a crawler that obeys the rules sees it.

    `replies`: by URL, None where robots.txt forbids to ask. `parsed`: the HTML pages. `outlinks`: counted
    links of every known URL. `stands_for`: target of every alias. `robots`: rules by origin.
    """

    def __init__(self, web: DemoWeb) -> None:
        self.replies: dict[str, Any] = {}
        self.parsed: dict[str, ParsedPage] = {}
        self.outlinks: dict[str, list[str]] = {}
        self.stands_for: dict[str, str] = {}
        self.robots: dict[str, RobotsRules] = {}
        waiting = list(web.seeds)
        known = set(waiting)
        for url in waiting:
            found = self.read(web, url)
            waiting += [target for target in dict.fromkeys(found) if target not in known]
            known.update(found)

    def read(self, web: DemoWeb, url: str) -> Sequence[str]:
        """Note what `url` answers; returns the URLs it makes known."""
        self.outlinks[url] = []
        if not self.rules(web, url).allows("minicrawl", url):
            self.replies[url] = None
            return []
        reply = self.replies[url] = web.respond(url)
        content_type = reply.headers.get("Content-Type", "")
        if reply.status in (301, 302):
            return self.alias(url, normalise(reply.headers["Location"], url))
        if reply.status != 200 or not content_type.startswith("text/html"):
            return []
        page = self.parsed[url] = parse_html(reply.body, url, content_type)
        self.outlinks[url] = [target for target in page.outlinks if target != url]
        if page.canonical not in (None, url):
            return [*page.outlinks, *self.alias(url, page.canonical)]
        return page.outlinks

    def alias(self, url: str, target: str | None) -> list[str]:
        assert target is not None
        end = target
        while end in self.stands_for:
            end = self.stands_for[end]
        if end == url:  # a loop is an error
            return []
        self.stands_for[url] = target
        return [target]

    def rules(self, web: DemoWeb, url: str) -> RobotsRules:
        root = origin_of(url)
        if root not in self.robots:
            self.robots[root] = RobotsRules.parse(web.respond(f"{root}/robots.txt").body)
        return self.robots[root]

    def indegrees(self) -> Counter[str]:
        return Counter(target for targets in self.outlinks.values() for target in targets)


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb.generate(seed=1, hosts=HOSTS, pages=PAGES)


@pytest.fixture(scope="module")
def explored(web: DemoWeb) -> Explored:
    return Explored(web)


def by_networkx(explored: Explored) -> dict[str, float]:
    """PageRank with aliases folded into what they stand for, their part of the jumps too; dead pages have none."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    jumps: Counter[str] = Counter()

    def page(url: str) -> str:
        while url in explored.stands_for:
            url = explored.stands_for[url]
        return url

    dead = {url for url, reply in explored.replies.items() if reply is not None and reply.status == 404}
    for url, targets in explored.outlinks.items():
        jumps[page(url)] += url not in dead
        graph.add_node(page(url))
        if url not in explored.stands_for:
            for target, links in Counter(map(page, targets)).items():
                graph.add_edge(url, target, weight=links)
    ranks = networkx.pagerank(graph, personalization=jumps, tol=1e-15, max_iter=1000)
    living = {url: rank for url, rank in ranks.items() if url not in dead}
    return {url: rank / sum(living.values()) for url, rank in living.items()}


def test_truth_is_pagerank_of_what_the_bytes_say(web: DemoWeb, explored: Explored) -> None:
    truth, expected = web.truth(), by_networkx(explored)
    assert truth.keys() == explored.outlinks.keys()
    assert truth == pytest.approx(dict.fromkeys(truth, 0.0) | expected, abs=1e-9)


def test_urls_are_in_normal_form(web: DemoWeb) -> None:
    assert [normalise(url) for url in web.truth()] == list(web.truth())


def test_same_arguments_make_the_same_web(web: DemoWeb) -> None:
    again = DemoWeb.generate(seed=1, hosts=HOSTS, pages=PAGES)
    urls = list(web.truth())
    assert list(again.truth()) == urls
    assert all(again.respond(url) == web.respond(url) for url in urls[::50])


def test_every_host_and_every_page_can_be_reached(web: DemoWeb, explored: Explored) -> None:
    assert len(set(web.hosts)) == HOSTS
    assert {authority(url) for url in explored.outlinks} == set(web.hosts)
    assert all(host.endswith(".test") for host in web.hosts)
    ordinary = [
        url
        for url in explored.parsed
        if url not in explored.stands_for and "/calendar/" not in url and "/caf%C3%A9" not in url
    ]
    assert len(ordinary) == PAGES


def test_few_pages_get_most_links(explored: Explored) -> None:
    """The exponent of the tail by Hill's estimator, and the largest against the mean."""
    indegrees = explored.indegrees()
    assert max(indegrees.values()) >= 20 * sum(indegrees.values()) / len(explored.outlinks)
    tail = [n for n in indegrees.values() if n >= 10]
    assert 1 + len(tail) / sum(math.log(n / 9.5) for n in tail) == pytest.approx(2.3, abs=0.35)


def test_links_are_ten_a_page_and_mostly_inside_the_host(explored: Explored) -> None:
    pages = [url for url in explored.parsed if "/calendar/" not in url]
    links = [(url, target) for url in pages for target in explored.outlinks[url]]
    assert len(links) / PAGES == pytest.approx(10, abs=1.5)
    inside = sum(authority(url) == authority(target) for url, target in links) / len(links)
    assert inside == pytest.approx(0.8, abs=0.04)


def test_the_webs_oddities_are_all_there(explored: Explored) -> None:
    replies = explored.replies
    statuses = Counter(reply.status for reply in replies.values() if reply is not None)
    redirects = statuses[301] + statuses[302]
    assert redirects == pytest.approx(0.03 * PAGES, rel=0.3)
    assert statuses[404] == pytest.approx(0.03 * PAGES, rel=0.3)
    assert sum(reply is None for reply in replies.values()) >= 3  # robots.txt
    types = Counter(reply.headers.get("Content-Type") for reply in replies.values() if reply is not None)
    assert types["application/pdf"] >= 1
    assert types["text/plain"] >= 1
    assert types["text/html; charset=iso-8859-1"] == 1
    assert sum(page.canonical is not None for page in explored.parsed.values()) >= 3
    assert sum(page.nofollow for page in explored.parsed.values()) >= 3
    assert any(not links for url, links in explored.outlinks.items() if url in explored.parsed)
    assert any(b"<base " in reply.body for reply in replies.values() if reply is not None)


def test_redirects_come_in_chains_and_one_loop(explored: Explored) -> None:
    redirects = {url for url, reply in explored.replies.items() if reply and reply.status in (301, 302)}
    assert any(explored.stands_for.get(url) in redirects & explored.stands_for.keys() for url in redirects)
    assert len(redirects - explored.stands_for.keys()) == 1


def test_calendar_goes_on_for_months_and_always_leads_home(web: DemoWeb, explored: Explored) -> None:
    months = [url for url in explored.parsed if url.startswith(web.calendar)]
    assert len(months) == 2 * CALENDAR_MONTHS + 1
    home = web.calendar.removesuffix("calendar/")
    assert all(home in explored.outlinks[url] for url in months)
    assert web.respond(f"{web.calendar}2046/12").status == 404
    assert web.respond(f"{web.calendar}2026/13").status == 404


def test_page_in_another_encoding_reads_right(web: DemoWeb, explored: Explored) -> None:
    page = next(page for page in explored.parsed.values() if str(page.title).endswith("à la carte"))
    cafe = f"http://{web.hosts[2]}/caf%C3%A9-d%C3%A9j%C3%A0-vu"
    assert dict(zip(page.outlinks, page.anchors, strict=True))[cafe] == "Café Zürich: déjà vu"
    assert explored.parsed[cafe].title == "Café Zürich: déjà vu"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hosts": 1}, "a demo web needs at least 2 hosts, not 1"),
        ({"hosts": 40, "pages": 399}, "a demo web needs 10 pages per host: at least 400, not 399"),
    ],
)
def test_web_too_small_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        DemoWeb.generate(**options)


def test_small_webs_have_their_truth_too() -> None:
    web = DemoWeb.generate(2, hosts=2, pages=20)
    assert web.truth() == pytest.approx(dict.fromkeys(web.truth(), 0.0) | by_networkx(Explored(web)), abs=1e-9)


def test_pages_until_mass_is_the_first_prefix_that_holds_the_share() -> None:
    """In sixteenths, which add up exactly. A page counts once, and what is not a page of the web holds nothing."""
    draw = random.Random(5)
    for _ in range(50):
        truth = {f"page {number}": draw.randrange(4) / 16 for number in range(8)}
        order = draw.choices([*truth, "no page"], k=draw.randrange(12))
        share = draw.randrange(1, 20) / 16
        distinct = list(dict.fromkeys(order))
        held = [sum(truth.get(url, 0.0) for url in distinct[:count]) for count in range(len(distinct) + 1)]
        assert pages_until_mass(order, truth, share) == next((n for n, mass in enumerate(held) if mass >= share), None)


def test_all_that_was_fetched_is_needed_for_all_that_it_holds() -> None:
    """To the last digit: tenths do not add up exactly, and in another order to something else."""
    draw = random.Random(5)
    for _ in range(50):
        truth = {f"page {number}": draw.random() for number in range(30)}
        order = draw.sample(list(truth), k=20)
        held = masses(order, truth)
        assert len(held) == 21
        assert pages_until_mass(order, truth, held[-1]) == 20
        assert mass_curve(order, truth, [0.0, 20 / 30, 21 / 30]) == [0.0, held[-1], None]


@pytest.fixture(scope="module")
def small() -> DemoWeb:
    return DemoWeb.generate(seed=3, hosts=4, pages=60)


async def answers(web: DemoWeb, urls: list[str]) -> list[tuple[int, str | None, str | None, bytes]]:
    """(status, Location, Content-Type, body) of every URL, asked of the server by its Host header."""
    async with serving(web) as port, aiohttp.ClientSession() as client:
        found = []
        for url in urls:
            host, _, path = url.removeprefix("http://").partition("/")
            address = f"http://127.0.0.1:{port}/{path}"
            async with client.get(address, headers={"Host": host}, allow_redirects=False) as response:
                headers = response.headers
                body = await response.read()
                found.append((response.status, headers.get("Location"), headers.get("Content-Type"), body))
        return found


def test_server_says_what_the_web_responds(small: DemoWeb) -> None:
    host = small.hosts[2]
    urls = [
        *small.seeds,
        f"http://{host}/caf%C3%A9-d%C3%A9j%C3%A0-vu",
        f"http://{host}/robots.txt",
        f"http://{host}/nothing?here=1",
        f"{small.calendar}2026/11",
        next(url for url in small.truth() if small.respond(url).status == 302),
        "http://unknown.test/",
    ]
    replies = [small.respond(url) for url in urls]
    assert {reply.status for reply in replies} >= {200, 302, 404}
    for reply, (status, location, content_type, body) in zip(replies, asyncio.run(answers(small, urls)), strict=True):
        assert (status, body) == (reply.status, reply.body)
        assert location == reply.headers.get("Location")
        assert location or content_type == reply.headers["Content-Type"]


async def test_port_is_free_again_afterwards(small: DemoWeb) -> None:
    async with serving(small, quiet_port()) as port:
        pass
    async with serving(small, port) as again:
        assert again == port
