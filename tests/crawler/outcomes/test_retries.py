"""Every reason code has a sentence for people, and says whether its pages are asked for again."""

import random
import re
from pathlib import Path

import httpx
import pytest
from support.intakes import intake_of, next_page
from support.sites import HOME, Server, Site, crawl, faults_in, rows, text

import minicrawl
from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.outcomes.retries import ask_again, wants, why_so
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.reasons import REASONS, meaning
from minicrawl.settings import CrawlSettings
from minicrawl.settings.options import SCOPES
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing

SCOPE = Scope(CrawlSettings(), ())
TLS = {code for code in REASONS if code.startswith("tls")}
# Reason codes as the source has them: behind a state, in tables of exceptions, and those of traps.
_IN_SOURCE = re.compile(
    r"""(?:State\.[A-Z]+,\s|reason=|Error,?\),\s|FetchError\()"([a-z]+(?:-[a-z0-9]+)*)"|"(trap-[a-z-]+)\""""
)


def codes() -> set[str]:
    """The reason codes that the source of the crawl speaks of."""
    files = Path(minicrawl.__file__).parent.joinpath("crawler").rglob("*.py")
    found = {match[1] or match[2] for file in files for match in _IN_SOURCE.finditer(file.read_text("utf-8"))}
    return found | TLS | {f"scope-{kind}" for kind in SCOPES if kind != "any"}


OF_FAMILIES = {"http-404", "http-799", "redirect-308", "redirect-loop", "canonical-scope-site"}


@pytest.mark.parametrize("reason", sorted(codes() | OF_FAMILIES | {*REASONS, "meta-refresh-too-long"}))
def test_every_code_has_a_meaning_of_one_clause(reason: str) -> None:
    text = meaning(reason)
    assert text
    assert text == text.strip().removesuffix(".")


@pytest.mark.parametrize(
    ("reason", "state", "text"),
    [
        ("http-404", None, "the answer was 404 Not Found"),
        ("http-799", None, "the answer was 799"),
        ("http-503", State.WAITING, "the answer was 503 Service Unavailable"),
        ("redirect-301", None, "it redirects to another page (301 Moved Permanently)"),
        ("redirect-301", State.WAITING, "a page that stands for it leads to it, and it has not been fetched yet"),
        ("redirect-loop", None, "it redirects, but that leads back here"),
        ("canonical-dead", None, "it names another page as canonical, but that is missing"),
        (
            "redirect-scope-site",
            None,
            "it redirects, but a rule leaves out its target: it is on none of the seeds' sites (--scope site)",
        ),
    ],
)
def test_codes_of_families_say_which_one(reason: str, state: State | None, text: str) -> None:
    assert (meaning(reason, state) or "").startswith(text)


@pytest.mark.parametrize("reason", ["", "http", "http-", "nonsense", "canonical-nonsense", "redirect-"])
def test_what_is_no_code_has_no_meaning(reason: str) -> None:
    assert meaning(reason) is None


@pytest.mark.parametrize(
    ("reason", "option"),
    [
        *((reason, "") for reason in sorted(TLS)),
        ("tls-authority", "--ca-file"),
        ("private-address", "--allow-private"),
        ("dns", "--connect-to"),
    ],
)
def test_what_was_wrong_is_told_and_the_option_that_helps(reason: str, option: str) -> None:
    text = why_so(reason, 1, None, SCOPE, None)
    assert text
    assert option in text


class Failing(Server):
    """Fails as a network does, for the hosts in `down`."""

    def __init__(self, site: Site, down: dict[str, Exception]) -> None:
        super().__init__(site)
        self.down = down

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.host in self.down:
            raise self.down[request.url.host]
        return super()._answer(request)


SITE: Site = {HOME: ["/b", "http://b.test/", "http://b.test/2"], HOME + "b": [], "http://b.test/": [HOME]}


def tls() -> Exception:
    import ssl

    error = httpx.ConnectError("no")
    error.__cause__ = ssl.SSLError("unknown authority")
    return error


@pytest.mark.parametrize("given", [[], [HOME]], ids=["no-seeds", "the-same-seeds"])
def test_what_could_not_be_connected_to_is_asked_again_by_the_next_run(tmp_path: Path, given: list[str]) -> None:
    store = tmp_path / "crawl.db"
    server = Failing(SITE, {"a.test": tls()})
    report, _ = crawl(server, store, [HOME])
    assert report.failures == {"tls": 1}
    server.down = {}
    report, _ = crawl(server, store, given)
    assert (report.fetched, report.known) == (4, 4)
    assert faults_in(store) == []
    assert rows(store, "SELECT url FROM ranks ORDER BY rank LIMIT 1") == [(HOME,)]


def test_what_failed_otherwise_waits_for_the_option_or_the_seed(store: Path) -> None:
    server = Server({HOME: ["/b", "/c"], HOME + "b": 404, HOME + "c": 410})
    crawl(server, store, [HOME])
    server.asked.clear()
    crawl(server, store, [])
    assert server.asked == []
    crawl(server, store, [], retry="http-410")
    assert server.asked == [HOME + "c"]
    crawl(server, store, [HOME, HOME + "b"])
    assert server.asked == [HOME + "c", HOME + "b"]
    crawl(server, store, [], retry="all")
    assert sorted(server.asked[2:]) == [HOME + "b", HOME + "c"]
    assert faults_in(store) == []


@pytest.mark.parametrize("seed", range(4))
def test_every_unit_of_cash_is_there_after_any_number_of_retries(tmp_path: Path, seed: int) -> None:
    """Some hosts of a random web come and go; at every end the books balance, and in the end every page was read."""
    rng = random.Random(seed)
    urls = [f"http://h{number % 5}.test/{number}" for number in range(30)]
    server = Failing({url: rng.sample(urls, 4) for url in urls}, {})
    hosts = [f"h{number}.test" for number in range(5)]
    for _ in range(4):
        server.down = {host: tls() for host in rng.sample(hosts, 3)}
        crawl(server, tmp_path / "crawl.db", urls[:1], pages=rng.randrange(1, 9))
        assert faults_in(tmp_path / "crawl.db") == []
    server.down = {}
    crawl(server, tmp_path / "crawl.db", [])
    assert rows(tmp_path / "crawl.db", "SELECT DISTINCT state FROM pages") == [("fetched",)]
    crawl(server, tmp_path / "whole.db", urls[:1])
    query = "SELECT url, importance FROM ranks ORDER BY url"
    whole = dict(rows(tmp_path / "whole.db", query))
    assert dict(rows(tmp_path / "crawl.db", query)) == pytest.approx(whole, abs=1e-6)


PASSING = {
    *("dns", "dns-unanswered", "private-address", "tls", "tls-expired", "connect", "refused", "proxy", "reset"),
    *("connection", "timeout", "timeout-connect", "timeout-read", "bad-response", "worker-died", "render-crashed"),
    *("http-408", "http-425", "http-429", "http-500", "http-502", "http-503", "http-504", "http-520", "http-599"),
    *("makes-host-ill", "robots-unreachable"),
}
LASTING = {
    *("http-400", "http-401", "http-403", "http-404", "http-405", "http-410", "http-418", "http-451", "soft-404"),
    *("trap-host-budget", "redirect-loop", "redirect-scope-site", "robots", "usage", "http-999999", "host-banned"),
    *("render-killed", "render-timeout", "parser-failed", "bad-port", "bad-url", "undecodable", "not-archived"),
}


@pytest.mark.parametrize("reason", sorted(PASSING | LASTING))
def test_every_run_asks_again_what_passes_and_other_failures_if_told_to(reason: str) -> None:
    assert wants(reason) == (reason in PASSING)
    assert wants(reason, ("soft-404",)) == (reason in PASSING or reason == "soft-404")
    assert wants(reason, ("x", reason))
    assert wants(reason, ("all",))


@pytest.mark.parametrize("status", [403, 404, 429, 500, 503, 522])
def test_the_next_run_asks_for_pages_and_sitemaps_that_failed_for_a_passing_reason(store: Path, status: int) -> None:
    """And the one after it does not, as they are there."""
    bad, sitemap = HOME + "bad", HOME + "sitemap.xml"
    beside: Site = {sitemap: status}
    server = Server({HOME: [bad], bad: status}, text(f"Sitemap: {sitemap}"), beside=beside)
    hurry = Timing(retry=0.001)
    crawl(server, store, [HOME], timing=hurry, ignore_robots=False)
    server.site[bad] = []
    server.times.clear()
    passes = wants(f"http-{status}")
    for expected in ({bad, sitemap} if passes else set(), set()):
        beside[sitemap] = text("<urlset/>", "application/xml")
        crawl(server, store, [], timing=hurry, ignore_robots=False)
        assert set(server.all_asked) - {HOME + "robots.txt"} == expected
        server.times.clear()
    assert faults_in(store) == []


@pytest.mark.parametrize("is_followed", [True, False])
def test_a_scheme_that_was_guessed_wrong_is_http(tmp_path: Path, is_followed: bool) -> None:
    """Nobody listens for https; the next run does not ask again."""

    class Plain(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            if request.url.scheme == "https":
                self.asked.append(str(request.url))
                raise httpx.ConnectError("refused")
            return super()._answer(request)

    server = Plain({HOME: ["/b"], HOME + "b": []})
    crawl(server, tmp_path / "crawl.db", ["a.test"], ignore_robots=is_followed, scope="prefix", time=30)
    assert server.asked == [f"https://a.test/{'' if is_followed else 'robots.txt'}", HOME, HOME + "b"]
    assert rows(tmp_path / "crawl.db", "SELECT url, reason FROM pages WHERE state = 'error'") == [
        ("https://a.test/", "connect")
    ]
    assert faults_in(tmp_path / "crawl.db") == []


def test_a_scheme_that_was_guessed_right_is_https(tmp_path: Path) -> None:
    server = Server({"https://a.test/": []})
    crawl(server, tmp_path / "crawl.db", ["a.test"])
    assert server.asked == ["https://a.test/"]


@pytest.mark.parametrize("jump", ["sites", "pages"])
def test_a_page_that_was_not_there_holds_nothing_until_it_is_asked_for(tmp_path: Path, jump: str) -> None:
    """The books hold right after the store was told to ask again, where a kill may leave it, after a try without an
    answer, and once it is there."""
    store, dead = tmp_path / "crawl.db", HOME + "dead"
    site: Site = {HOME: [dead, "/b"], HOME + "b": [dead], dead: 404}
    crawl(site, store, [HOME], jump=jump)
    with Writer(store) as writer:
        assert ask_again(writer, [], ["http-404"]) == (1, ())

    def state() -> tuple[str, bool]:
        ((state, importance),) = rows(store, "SELECT state, importance FROM page WHERE url = ?", dead)
        assert faults_in(store) == []
        return state, importance > 0.0

    assert state() == ("waiting", False)
    intake = intake_of(store, jump=jump)
    intake.start([], 0.0)
    page = next_page(intake.state.frontier, 1e9)
    assert page is not None
    intake.visits.absorb(page, Fetched(dead, reason="worker-died"), ParsedPage(), 1e9)
    intake.commit({})
    intake.state.writer.close()
    assert state() == ("waiting", True)
    crawl({**site, dead: []}, store, [dead], jump=jump)
    assert state() == ("fetched", True)
