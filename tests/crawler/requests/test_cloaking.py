"""Crawls that ask for pages under a browser's name: what they find, how often they ask, and what they send."""

import random
from pathlib import Path

import pytest
from support.cloakers import CLOAKED, HONEST, Ask, Behaviour, Cloakers, Reply, crawl_cloakers
from support.origins import crawled
from support.sites import rows

from minicrawl.crawler.requests.cloaking import AS_BROWSER

FIREFOX = dict(AS_BROWSER)["User-Agent"]


def results(store: Path) -> dict[str, str]:
    return dict(rows(store, "SELECT url, result FROM cloaking JOIN pages ON pages.id = page"))


def cloaker(pages: int = 1, behaviour: Behaviour = CLOAKED["other text"], **more: str) -> Cloakers:
    return Cloakers({"a.test": (behaviour, pages, 1.0)}, **more)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_cloaked_pages_are_found_among_look_alikes_at_all_defaults(tmp_path: Path, seed: int) -> None:
    """Sites of 1 to 30 pages, all or half of which cloak. Nothing but `robots.txt` is between two requests."""
    rng, sites, cloaks = random.Random(seed), dict[str, tuple[Behaviour, int, float]](), set[str]()
    for name, behaviour in [*CLOAKED.items(), *CLOAKED.items(), *HONEST.items()]:
        host = f"site{len(sites)}-{seed}.test"
        sites[host] = behaviour, rng.randint(1, 30), rng.choice([1.0, 0.5])
        cloaks |= {host} if name in CLOAKED else set()
    web = Cloakers(sites)
    report = crawl_cloakers(web, tmp_path / "crawl.db")
    assert (report.reason, len(sites) >= 40) == ("nothing-left", True)
    assert min(web.gaps()) >= 1.0
    found = results(tmp_path / "crawl.db")
    truth = {url for url in found if url.split("/")[2] in cloaks and web.behaves(url)}
    told = {url for url, result in found.items() if result == "cloaked"}
    assert len(truth) >= 30
    assert len(told & truth) >= 0.9 * len(told)
    assert len(told & truth) >= 0.8 * len(truth)


@pytest.mark.parametrize("pages", [1, 3])
def test_small_sites_are_checked_by_their_front_page_and_one_more(tmp_path: Path, pages: int) -> None:
    crawl_cloakers(cloaker(pages), tmp_path / "crawl.db")
    found = results(tmp_path / "crawl.db")
    assert len(found) == min(pages, 2)
    assert set(found.values()) == {"cloaked"}
    assert "http://a.test/" in found


def test_a_front_page_that_leads_on_is_checked_where_it_leads(tmp_path: Path) -> None:
    def moved(ask: Ask) -> Reply:
        return "-> /1" if ask.page == "/" else CLOAKED["other text"](ask)

    crawl_cloakers(cloaker(2, moved), tmp_path / "crawl.db")
    assert results(tmp_path / "crawl.db") == {"http://a.test/1": "cloaked"}


def test_nothing_is_asked_under_another_name_unless_that_is_wanted(tmp_path: Path) -> None:
    web = cloaker(3)
    crawl_cloakers(web, tmp_path / "crawl.db", check_cloaking=False)
    assert not any("Mozilla" in asked.headers["user-agent"] for asked in web.asked)
    assert results(tmp_path / "crawl.db") == {}
    before = len(web.asked)
    crawl_cloakers(web, tmp_path / "crawl.db")
    assert len(results(tmp_path / "crawl.db")) == 2, "the pages of an earlier run are checked, and not read again"
    checks = [asked.path for asked in web.asked[before:] if asked.path != "/robots.txt"]
    assert len(checks) == 12, "three copies for each of two askers"
    crawl_cloakers(web, tmp_path / "crawl.db")
    assert [asked.path for asked in web.asked[before + 12 :] if asked.path != "/robots.txt"] == []


def test_robots_txt_holds_for_the_browser_s_name_too(tmp_path: Path) -> None:
    """By the crawler's own rules, where a redirect of the page leads as well; and Crawl-delay."""
    robots = "User-agent: minicrawl\nDisallow: /hop\nCrawl-delay: 7\nUser-agent: *\nAllow: /\n"
    web = cloaker(3, CLOAKED["redirect by way of the site"], robots=robots)
    crawl_cloakers(web, tmp_path / "crawl.db")
    assert min(web.gaps()) >= 7.0
    assert not any(asked.path == "/hop" for asked in web.asked)
    assert set(results(tmp_path / "crawl.db").values()) == {"robots"}
    web = cloaker(3, robots="User-agent: *\nDisallow: /\n")
    crawl_cloakers(web, tmp_path / "all.db")
    assert {asked.path for asked in web.asked} == {"/robots.txt"}
    assert results(tmp_path / "all.db") == {}


def test_a_browser_sends_what_a_browser_does_and_nothing_of_the_user_s(tmp_path: Path) -> None:
    web = cloaker()
    secrets = ("Authorization: Bearer hush", "X-Mine: 1")
    mine = {"cookies": True, "header": secrets, "contact": "me@example.org", "auth": "a.test=me:hush"}
    crawl_cloakers(web, tmp_path / "crawl.db", **mine)
    pages = [asked.headers for asked in web.asked if asked.path == "/"]
    assert {"authorization", "x-mine", "from"} < pages[0].keys()
    browser = [headers for headers in pages if headers["user-agent"] == FIREFOX]
    assert [len(pages), len(browser)] == [7, 3]
    for headers in pages[1:]:
        bare = {name.lower(): value for name, value in AS_BROWSER} | {"host": "a.test"}
        bare["user-agent"] = headers["user-agent"]
        assert headers == bare | {"accept-encoding": headers["accept-encoding"]}
    assert {headers["user-agent"] for headers in pages} == {FIREFOX, pages[0]["user-agent"]}
    assert "minicrawl" in pages[0]["user-agent"]


def test_pages_at_an_end_are_checked_all_the_same_and_time_ends_checks(tmp_path: Path) -> None:
    web = cloaker(30)
    report = crawl_cloakers(web, tmp_path / "crawl.db", pages=4)
    assert (report.reason, report.fetched, len(results(tmp_path / "crawl.db"))) == ("pages", 4, 2)
    web = cloaker(4)
    report = crawl_cloakers(web, tmp_path / "short.db", time=7)
    assert (report.reason, report.fetched) == ("time", 4)
    assert results(tmp_path / "short.db") == {}
    assert crawl_cloakers(web, tmp_path / "short.db", time=60).reason == "nothing-left"
    assert len(results(tmp_path / "short.db")) == 2


HOOK = """
def request(url):
    return {"X-Hook": "hush"}
"""


def test_workers_make_checks_as_well_and_no_hook_and_no_archive_sees_them(tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(HOOK)
    web = cloaker(3)
    more = {"hook": str(tmp_path / "hooks.py"), "workers": 1, "archive": tmp_path / "archive"}
    crawled(web, tmp_path / "crawl.db", ["http://a.test/"], check_cloaking=True, **more)
    assert set(results(tmp_path / "crawl.db").values()) == {"cloaked"}
    sent = [asked.headers.get("x-hook") for asked in web.asked if asked.path != "/robots.txt"]
    assert (sent.count("hush"), sent.count(None)) == (3, 12)
    archived = rows(tmp_path / "crawl.db", "SELECT page FROM records WHERE page IS NOT NULL OR url NOT LIKE '%.txt'")
    assert len(archived) == 3


NOT_COMPARED = {"refuses browsers": "http-403", "overloaded": "http-503", "cookie wall": "redirect-loop"}
NOT_COMPARED |= {"consent on another host": "redirect-302"}


@pytest.mark.parametrize("name", NOT_COMPARED)
def test_what_cannot_be_compared_is_not_cloaked(tmp_path: Path, name: str) -> None:
    crawl_cloakers(cloaker(1, HONEST[name]), tmp_path / "crawl.db")
    assert results(tmp_path / "crawl.db")["http://a.test/"] == NOT_COMPARED[name]
