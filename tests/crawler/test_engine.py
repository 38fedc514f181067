"""The loop as a whole: every page once, robots obeyed, politeness kept, limits held, failures tried again."""

import asyncio
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.intakes import DAYS_LATER
from support.opic_webs import settled
from support.patience import PATIENCE
from support.sites import HOME, Server, Site, crawl, faults_in, random_site, rows

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.verify import verify
from minicrawl.api import acrawl
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sources.local import LocalSource
from minicrawl.crawler.visits.visit import Visits
from minicrawl.demo.web import DemoWeb, serving
from minicrawl.errors import StoreError
from minicrawl.model import Fetched, PageRequest, ParsedPage
from minicrawl.opic.surfer import REASONABLE
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing


@pytest.mark.parametrize("concurrency", [1, 4, 64])
def test_every_reachable_page_is_asked_for_once(tmp_path: Path, concurrency: int) -> None:
    site, seeds = random_site(9)
    site = {url: links or [url] for url, links in site.items()}  # for an empty page a witness is asked
    _, server = crawl(site, tmp_path / "crawl.db", seeds, concurrency=concurrency)
    reachable, todo = set(seeds), list(seeds)
    while todo:
        found = set(site[todo.pop()]) - reachable
        reachable |= found
        todo += found
    assert sorted(server.asked) == sorted(reachable)
    assert faults_in(tmp_path / "crawl.db") == []


async def test_whole_demo_web_is_ranked_as_it_truly_is(store: Path) -> None:
    """Over real HTTP, with redirects, dead links, traps and robots.txt: importance equals exact PageRank."""
    web = DemoWeb.generate(seed=3, hosts=6, pages=120)
    async with serving(web) as port:
        there: Any = {"connect_to": (ConnectTo(None, None, "127.0.0.1", port),), "allow_private": True}
        await acrawl(web.seeds, store, **there, delay=0.0, traps=False, jump="pages")  # as its makers have reckoned
    truth = web.truth()
    ranks = dict(rows(store, "SELECT url, importance FROM ranks"))
    assert ranks.keys() == truth.keys()
    assert sum(abs(ranks[url] - truth[url]) for url in truth) < 1e-5
    assert faults_in(store) == []


def test_one_host_however_it_is_written_has_one_clock(tmp_path: Path) -> None:
    """http and https, their own ports, and the dot that ends a whole name; another port is another server."""
    same = [f"{home}{page}" for page in "12" for home in (HOME, "https://A.test:443/", "http://a.test.:80/")]
    others = ["http://a.test:8080/", "http://a.test.:8080/"]
    server, store = Server({}), tmp_path / "crawl.db"
    crawl(server, store, same, delay=0.02, concurrency=16)
    times = sorted(server.by_host["a.test"] + server.by_host["a.test."])
    assert len(times) == 3 + len(same)
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.02
    crawl(server, store, others)
    found = rows(store, "SELECT name, count(*) FROM hosts JOIN pages ON host = hosts.id GROUP BY 1 ORDER BY 1")
    assert found == [("a.test", 6), ("a.test:8080", 2)]


def test_failure_is_tried_again_later_and_then_given_up(store: Path) -> None:
    flaky: Site = {HOME + "flaky": lambda _, count: [] if count > 1 else 503}
    site: Site = {HOME: ["/flaky", "/dead"], HOME + "dead": 503} | flaky

    server = Server(site)
    crawl(server, store, [HOME], timing=Timing(retry=0.001))
    assert [server.asked.count(HOME + name) for name in ("flaky", "dead")] == [2, 3]
    assert server.asked.count(HOME) <= 1 + 2  # it is the witness, once for each
    states = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    assert states == {HOME: "fetched ok", HOME + "flaky": "fetched ok", HOME + "dead": "error http-503"}


@pytest.mark.parametrize(
    ("site", "robots", "asked"),
    [({HOME: 403}, 404, 1), ({HOME: [HOME + "a"]}, "User-agent: *\nDisallow: /", 0), ({HOME: "ftp://a.test/"}, 404, 1)],
    ids=["forbidden", "disallowed", "nowhere"],
)
def test_store_of_errors_is_not_read_again_for_ever(tmp_path: Path, site: Site, robots: int | str, asked: int) -> None:
    """Every run asks once for what failed, and ends when nothing else is to be read again."""
    for _ in range(3):
        report, server = crawl(Server(site, robots), tmp_path / "crawl.db", [HOME], discovery=0.5)
        assert (report.reason, len(server.asked), report.read) == ("nothing-left", asked, 0)
    assert faults_in(tmp_path / "crawl.db") == []


def test_bug_in_a_stage_ends_the_crawl_and_keeps_what_was_absorbed(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug must be heard of, not swallowed. One over what a page says is its own: http/test_failures.py."""
    page = LocalSource.page

    async def broken(self: LocalSource, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        if request.url != HOME:
            raise ZeroDivisionError("a bug")
        return await page(self, request)

    monkeypatch.setattr(LocalSource, "page", broken)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        crawl({HOME: ["/a"]}, store, [HOME])
    assert faults_in(store) == []
    assert rows(store, "SELECT url, state FROM pages ORDER BY id") == [(HOME, "fetched"), (HOME + "a", "waiting")]


async def test_loop_goes_on_while_a_page_is_taken_in_and_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both wait here for something to happen in the loop: if it stood still, they would wait in vain."""
    has_ticked = {"absorb": False, "commit": False}
    loop = asyncio.get_running_loop()

    def waiting(function: Any) -> Any:
        def wrapper(self: Any, *args: Any, **options: Any) -> None:
            if threading.current_thread() is not threading.main_thread():
                ticked = threading.Event()
                loop.call_soon_threadsafe(ticked.set)
                has_ticked[function.__name__] = ticked.wait(PATIENCE)
            function(self, *args, **options)

        return wrapper

    monkeypatch.setattr(Visits, "absorb", waiting(Visits.absorb))
    monkeypatch.setattr(Intake, "commit", waiting(Intake.commit))
    server, timing = Server({HOME: ["/a", "/b", "/c"]}), Timing(links_at_once=2)
    await acrawl([HOME], tmp_path / "crawl.db", transport=server, delay=0.0, timing=timing)
    assert has_ticked == {"absorb": True, "commit": True}


async def test_cancelled_in_the_middle_of_a_page_the_crawl_has_all_of_it(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absorb = Visits.absorb
    begun, go_on = threading.Event(), threading.Event()

    def waiting(self: Visits, *args: Any) -> None:
        begun.set()
        go_on.wait(PATIENCE)
        absorb(self, *args)

    monkeypatch.setattr(Visits, "absorb", waiting)
    server = Server({HOME: ["/a", "/b"]})
    crawling = asyncio.create_task(acrawl([HOME], store, transport=server, timing=Timing(links_at_once=1)))
    await asyncio.to_thread(begun.wait, PATIENCE)
    for _ in range(3):
        crawling.cancel()
        await asyncio.sleep(0)
    assert not crawling.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await crawling
    assert rows(store, "SELECT url, state FROM pages ORDER BY id") == [
        (HOME, "fetched"),
        (HOME + "a", "waiting"),
        (HOME + "b", "waiting"),
    ]
    assert faults_in(store) == []


def test_a_small_max_size_does_not_cut_robots_txt(tmp_path: Path) -> None:
    """RFC 9309 2.5: at least 500 KiB are read, whatever the settings say of pages."""
    robots = "# filler\n" * 1000 + "User-agent: *\nDisallow: /no\n"
    server = Server({"http://a.test/": ["/no", "/yes"], "http://a.test/no": [], "http://a.test/yes": []}, robots)
    crawl(server, tmp_path / "crawl.db", ["http://a.test/"], max_size=1000)
    assert server.asked == ["http://a.test/", "http://a.test/yes"]


def test_pages_that_were_never_fetched_are_not_collected(store: Path) -> None:
    """A seed with 20 links to pages that robots.txt forbids, and one to a page that it allows."""
    forbidden = [f"http://a.test/no/{number}" for number in range(20)]
    server = Server({HOME: [*forbidden, HOME + "yes"], HOME + "yes": []}, robots="User-agent: *\nDisallow: /no")
    report, _ = crawl(server, store, [HOME], jump="pages")
    assert (report.reason, report.fetched, report.known, report.read) == ("nothing-left", 2, 22, 2)
    # Walkers start at each of 22 pages, and .85 go on from HOME; HOME and /yes have 2 + .85 / 21 of 22.85.
    shown = (2 + 0.85 / 21) / 22.85
    assert (report.coverage, report.coverage_about, report.coverage_shown) == pytest.approx(settled(shown, 0), rel=1e-6)
    with open_store(store) as reader:
        assert verify(reader).read == 2


SITES: list[Site] = [
    {HOME: ["/a", "/b"], HOME + "a": ["/gone", "/c"], HOME + "b": "http://a.test/c", HOME + "c": [HOME]},
    {HOME: 403},
    {HOME: "http://b.test/", "http://b.test/": ["/x"], "http://b.test/x": 403},
    *(random_site(seed)[0] for seed in range(2)),
]


@pytest.mark.parametrize("number", range(len(SITES)))
def test_coverage_of_a_crawl_that_has_ended_is_what_the_read_pages_have_of_the_known_graph(
    store: Path, number: int
) -> None:
    """Run after run, while half of the site is lost and comes back; pages not read have no links."""
    site = SITES[number]
    seeds = [HOME] if HOME in site else list(site)[:3]
    for half in (2, 0, 2):
        served = {url: reply for at, (url, reply) in enumerate(site.items()) if half == 0 or at % half == 0}
        report, _ = crawl(served, store, seeds, **DAYS_LATER)
        with open_store(store) as reader:
            states = {state for state, _ in reader.page_table.counts()}
            if states == {"alias", "error"}:  # a page that is not there, and one that stands for it
                assert (report.read, report.coverage_shown) == (1, 0.0)
                with pytest.raises(StoreError, match="nothing to rank"):
                    folded_store(reader)
                continue
            folded = folded_store(reader)
        is_read = np.isin(folded.states, ["fetched", "alias"])
        assert report.read == np.count_nonzero(is_read)
        share = folded.importance(REASONABLE)[is_read].sum()
        assert report.coverage_shown == pytest.approx(settled(share, 0)[2], abs=1e-5)


def test_links_left_out_are_counted_as_the_store_has_them(store: Path) -> None:
    """Also when a page is read again, and when a later run follows what was too far from the seeds before."""
    out = [f"http://b.test/{number}" for number in range(7)]
    site: Site = {HOME: ["/a", *out], HOME + "a": ["/b", out[0]], HOME + "b": [HOME + "c", *out[:3]]}
    for settings in ({"max_depth": 1}, {"max_depth": 2}, {"max_depth": None, "discovery": 0.2, "pages": 5}):
        report, _ = crawl(site, store, [HOME], scope="host", **settings)
        assert [(report.left_out,)] == rows(store, "SELECT sum(refused) FROM links")
        assert [(report.left_out,)] == rows(store, "SELECT value FROM meta WHERE key = 'links_left_out'")
    assert report.left_out == 11


def test_bug_while_absorbing_leaves_half_a_visit_out_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from minicrawl.opic import Book

    visit, visits = Book.visit, []

    def breaks_later(self: Book, *arguments: object, **options: object) -> None:
        visit(self, *arguments, **options)  # type: ignore[arg-type]
        visits.append(arguments)
        if len(visits) == 5:
            raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Book, "visit", breaks_later)
    site, seeds = random_site(10)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        crawl(site, tmp_path / "crawl.db", seeds)
    assert faults_in(tmp_path / "crawl.db") == []
