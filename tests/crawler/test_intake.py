"""Where cash goes in every case (table A3 of the design): to the unit, and a reason for every URL."""

from pathlib import Path

import pytest
from support.intakes import intake_of, next_page
from support.sites import HOME, Site, crawl, faults_in, rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.visits.visit import WitnessRequest
from minicrawl.model import Fetched, ParsedPage
from minicrawl.opic import UNIT

A, B, C = (f"http://a.test/{name}" for name in "abc")
DELAY = 1.0


def one_visit(tmp_path: Path, site: Site, **settings: object) -> tuple[dict[str, int], dict[str, tuple[str, str]]]:
    """Visit only the home page. The cash each URL got from links, and each URL's state and reason."""
    store = tmp_path / "crawl.db"
    crawl(site, store, [HOME], pages=1, jump="pages", **settings)
    assert faults_in(store) == []
    cash = {url: cash - UNIT for url, cash in rows(store, "SELECT url, cash FROM ranks WHERE url != ?", HOME)}
    states = {url: (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM pages")}
    return cash, states


def share(links: int) -> int:
    return UNIT * 17 // 20 // links


CASES = {
    "two links": ([A, B], {A: share(2), B: share(2)}),
    "the same link twice counts once": ([A, A, B], {A: share(2), B: share(2)}),
    "fragments are one page": ([A + "#1", A + "#2"], {A: share(1)}),
    "a link to itself is not counted": ([HOME, HOME + "#top", "", A], {A: share(1)}),
    "no links: all to the virtual page": ([], {}),
    "nofollow is not counted": ([A, f'<a rel="nofollow" href="{B}">', f'<a rel="ugc" href="{C}">'], {A: share(1)}),
    "meta nofollow: all to the virtual page": (['<meta name="robots" content="nofollow">', A], {}),
    "mailto and the like are no links": ([A, "mailto:a@b.test", "javascript:x()"], {A: share(1)}),
    "canonical to another page: all of it": ([f'<link rel="canonical" href="{A}">', B], {A: UNIT, B: 0}),
    "canonical to itself": ([f'<link rel="canonical" href="{HOME}">', B], {B: share(1)}),
    "meta refresh: all of it": ([f'<meta http-equiv="refresh" content="0; url={A}">'], {A: UNIT}),
}


@pytest.mark.parametrize(("links", "expected"), CASES.values(), ids=CASES.keys())
def test_cash_of_a_page_goes_where_its_links_go(tmp_path: Path, links: list[str], expected: dict[str, int]) -> None:
    cash, _ = one_visit(tmp_path, {HOME: links})
    assert cash == expected


def test_links_out_of_scope_are_not_counted_and_not_known(tmp_path: Path) -> None:
    cash, _ = one_visit(tmp_path, {HOME: [A, "http://other.test/"]}, scope="host")
    assert cash == {A: share(1)}
    assert rows(tmp_path / "crawl.db", "SELECT refused FROM links") == [(1,)]


def test_redirect_hands_over_all_cash_and_has_no_importance(tmp_path: Path) -> None:
    cash, states = one_visit(tmp_path, {HOME: A})
    assert cash == {A: UNIT}
    assert states == {HOME: ("alias", "redirect-301"), A: ("waiting", "redirect-301")}
    assert rows(tmp_path / "crawl.db", "SELECT url, importance FROM ranks") == [(A, 1.0), (HOME, 0.0)]


@pytest.mark.parametrize(
    ("reply", "state", "reason"),
    [
        (404, "error", "http-404"),
        (403, "error", "http-403"),
        (204, "fetched", "http-204"),
        (HOME, "error", "redirect-loop"),
        ("mailto:a@b.test", "error", "redirect-nowhere"),
        ("http://other.test/", "error", "redirect-scope-host"),
    ],
)
def test_page_without_usable_answer_gives_all_to_the_virtual_page(
    tmp_path: Path, reply: int | str, state: str, reason: str
) -> None:
    cash, states = one_visit(tmp_path, {HOME: reply}, scope="host")
    assert cash == {}
    assert states == {HOME: (state, reason)}


def test_disallowed_page_is_known_and_ranked_but_never_asked_for(store: Path) -> None:
    from support.sites import Server

    server = Server({HOME: [A, B], B: [A]}, robots="User-agent: *\nDisallow: /a")
    crawl(server, store, [HOME])
    assert server.asked == [HOME, B]
    assert rows(store, "SELECT state, reason, visited FROM pages WHERE url = ?", A) == [("disallowed", "robots", 1)]
    ((importance,),) = rows(store, "SELECT importance FROM ranks WHERE url = ?", A)
    # Births (.5 + .5 / 13, .5 * 7 / 13, .5 * 5 / 13): the front, and 1 + 4 log2(1 + links), rounded, of 13 in all.
    assert importance == pytest.approx(59 / 149)
    assert faults_in(store) == []


def test_two_pages_that_each_call_the_other_canonical_keep_their_own_links(store: Path) -> None:
    site: Site = {HOME: [f'<link rel="canonical" href="{A}">'], A: [f'<link rel="canonical" href="{HOME}">', B]}
    crawl(site, store, [HOME])
    assert rows(store, "SELECT state, reason FROM pages ORDER BY id")[:2] == [
        ("alias", "canonical"),
        ("fetched", "canonical-loop"),
    ]
    assert rows(store, "SELECT count(*) FROM pages") == [(3,)]


@pytest.mark.parametrize("pages", [1, 100], ids=["in two runs", "in one batch"])
def test_canonical_that_redirects_back_is_void(tmp_path: Path, store: Path, pages: int) -> None:
    """As on sites that moved to https and still call the http page canonical: the page stands for itself."""
    site: Site = {HOME: [f'<link rel="canonical" href="{A}">', A, B], A: HOME, B: [HOME]}
    crawl(site, store, [HOME], pages=pages)
    crawl(site, store, [HOME])
    plain = tmp_path / "plain.db"
    crawl(site | {HOME: [A, B]}, plain, [HOME])
    states = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    assert states == {HOME: "fetched canonical-loop", A: "alias redirect-301", B: "fetched ok"}
    query = "SELECT url, importance FROM ranks"
    assert dict(rows(store, query)) == pytest.approx(dict(rows(plain, query)), abs=2e-6)
    assert faults_in(store) == []


def test_failure_keeps_its_cash_until_it_is_given_up(store: Path) -> None:
    report, server = crawl({HOME: 503}, store, [HOME], time=4)
    assert (report.reason, server.asked) == ("time", [HOME])
    assert rows(store, "SELECT state, reason, attempts, cash FROM pages") == [("waiting", "http-503", 1, 0)]


def handed_out(intake: Intake, now: float) -> list[str]:
    frontier, urls = intake.state.frontier, []
    while (page := next_page(frontier, now)) is not None:
        urls.append(intake.state.urls.url(page))
    return urls


@pytest.mark.parametrize("retry_after", ["120", "Thu, 01 Jan 1970 00:18:40 GMT"])
@pytest.mark.parametrize("status", [403, 429, 503])
def test_host_that_asks_for_rest_is_left_alone(tmp_path: Path, status: int, retry_after: str) -> None:
    """For its other pages, too, and by the next run; other hosts are not held up."""
    intake = intake_of(tmp_path / "crawl.db", now=1000.0, delay=DELAY)
    intake.start([HOME, A, "http://b.test/"], 1000.0)
    assert sorted(handed_out(intake, 1000.0)) == [HOME, "http://b.test/"]
    (home,) = intake.state.urls.find([HOME])
    assert home is not None
    intake.visits.absorb(home, Fetched(HOME, status=status, retry_after=retry_after), ParsedPage(), 1000.0)
    intake.commit({})
    assert handed_out(intake, 1119.9) == []
    assert intake.state.frontier.best_errand(1119.9) is None
    _, errand = intake.state.frontier.best_errand(1120.0) or (None, None)
    assert isinstance(errand, WitnessRequest)
    assert errand.url == HOME
    intake.state.writer.close()
    again = intake_of(tmp_path / "crawl.db", now=1005.0, delay=DELAY)
    assert handed_out(again, 1119.9) == ["http://b.test/"]
    assert handed_out(again, 1120.0) == [HOME]
    again.state.writer.close()


WEEK = 7 * 24 * 3600


@pytest.mark.parametrize(
    ("asked", "opened_at", "until"),
    [
        pytest.param(WEEK, 1_500_000.0, 1_000_000.0 + WEEK, id="days later"),
        pytest.param(WEEK, 1_000_000.0, 1_000_000.0 + WEEK, id="at once"),
        pytest.param(3600, 1_003_600.0, None, id="over by then"),
        pytest.param(WEEK + 1, 1_000_100.0, None, id="more than a week was never meant"),
        pytest.param(3600, 990_000.0, 1_003_600.0, id="the clock was set back by hours"),
        pytest.param(3600, 100_000.0, 100_000.0 + WEEK, id="the clock was set back by months"),
    ],
)
def test_a_rest_holds_in_the_next_run(tmp_path: Path, asked: int, opened_at: float, until: float | None) -> None:
    intake = intake_of(tmp_path / "crawl.db", now=1_000_000.0, delay=DELAY)
    intake.start([HOME, A], 1_000_000.0)
    assert handed_out(intake, 1_000_000.0) == [HOME]
    (home,) = intake.state.urls.find([HOME])
    assert home is not None
    intake.visits.absorb(home, Fetched(HOME, status=403, retry_after=str(asked)), ParsedPage(), 1_000_000.0)
    intake.commit({})
    intake.state.writer.close()
    again = intake_of(tmp_path / "crawl.db", now=opened_at, delay=DELAY)
    if until is not None:
        assert handed_out(again, until - 0.1) == []
    assert len(handed_out(again, until or opened_at)) == 1
    again.state.writer.close()


UNCHANGED = "SELECT url, state, reason, visited, attempts, status, fetched_at, title, depth, inlinks FROM pages"
UNCHANGED += " LEFT JOIN fetches ON fetches.id = fetch ORDER BY url"


def test_page_that_is_not_modified_is_as_it_was(store: Path) -> None:
    """A 304 that nobody asked for says nothing against a page whose links are known."""
    site: Site = {HOME: [A, B], A: [HOME, C], B: A, C: [HOME]}
    crawl(site, store, [HOME])
    links, pages = (rows(store, query) for query in ("SELECT * FROM links", UNCHANGED))
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    report, server = crawl(dict.fromkeys(site, 304), store, [], discovery=0.0, pages=4)
    assert (report.fetched, report.failures, set(server.asked)) == (4, {}, set(site))
    assert (rows(store, "SELECT * FROM links"), rows(store, UNCHANGED)) == (links, pages)
    assert dict(rows(store, "SELECT url, importance FROM ranks")) == pytest.approx(importance, abs=2e-6)
    assert faults_in(store) == []
