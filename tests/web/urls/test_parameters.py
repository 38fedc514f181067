"""Parameters for tracking and sessions: what is stripped, what is not, and that no server can trap a crawl by it."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.sites import HOME, Site, crawl, faults_in, rows

from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.urls.normalise import _listed, normalise, stripped, without_parameters

PAGE = "http://h.test/a"
UUID = "0b0a9df4-7a04-4f0e-8cd0-15e0a9f2a3b1"
ID = "cc8cf0596231f9a7dba4da6e77c29db3"

STRIPPED = {
    "?utm_source=x": "",
    "?utm_source=x&utm_medium=y&utm_campaign=z": "",
    "?a=1&utm_source=x": "?a=1",
    "?utm_source=x&a=1": "?a=1",
    "?a=1&utm_source=x&b=2": "?a=1&b=2",
    "?a=1&&utm_source=x&b=": "?a=1&&b=",
    "?b=%7e&fbclid=1&a=+%20;c": "?b=%7e&a=+%20;c",
    "?UTM_Source=x": "",
    "?gclid=1": "",
    "?gclid": "",
    "?gclid=": "",
    "?a&amp;utm_source=x": "?a",
    "?msclkid=1&mc_cid=2&mc_eid=3&_hsenc=4&mkt_tok=5&igshid=6&yclid=7&_ga=8": "",
    "?pk_campaign=1&mtm_source=2&itm_medium=3": "",
    "?PHPSESSID=1": "",
    "?ASPSESSIONIDQQABCD=1&CFID=1&CFTOKEN=2&osCsid=3": "",
    ";jsessionid=1A2B": "",
    ";jsessionid=1A2B.node1?x=1": "?x=1",
    ";JSESSIONID=1;v=2/b": ";v=2/b",
    "/..;jsessionid=1/b": None,
    "?__s=1&irclickid=2&ga_source=3&spm=4&wt_mc=5&cmpid=6&otm_x=7&vn_a_b=8&Echobox=9&oft_lk=1&wt.mc_id=2": "",
    "/(S(lit3py55t21z5v55vlm25s55))/b": "/b",
    "/(A(AAAAAAAAAAAA_-)S(lit3py55t21z5v55vlm25s55))": "",
    "/..;jsessionid=1/(S(lit3py55t21z5v55vlm25s55))/b": None,
}
KEPT = [
    "", "?", "?&", "?a", "?a=1&b=2", ";v=2", ";jsessionid", "/;jsessionidx=1", "?utm=1", "?utm_", "?xutm_source=1",
    "?a=utm_source=1", "?a?utm_source=1", "?a;utm_source=1", "?gclidx=1", "?a=gclid", "?sid=6993", "?s=how+to+do+it",
    "?s=a-rather-long-question-of-2-kinds", "?session=spring2024", "?session=12345678901234567890123", "?page=2",
    "?s=iphone15promaxcase256gb", "?session=keynote2024machinelearning", "?s=k3j9x0q2m8z7v1c5b6n4d2f0g8", ";sid=12",
    "?s=rtx4090ti24gbddr6xoc", "/(S(short))/b", "/(S)/b", "/f(x)/(y)", "/(S(lit3py55t21z5v55vlm25s55)x)/b", "?cid=1",
    "?q=utm_source", "?lang=en", "?mc=1", "?oft=1", "?wt_mcx=1", "?session=keynote2024", ";sid=keynote2024machinelearn",
    "?ref=nav", "?source=x", "?id=1", f"?id={ID}", f"?x={ID}", f"?s={ID}+1", "?pk_id=1", "?a=;jsessionid=1",
    f"?s={ID}&t=194400", f"?sid={ID}", f"?session_id={UUID}&x=1", f";sid={ID}", f";session_id={UUID};v=2",
]  # fmt: skip


def test_list_is_sorted_out() -> None:
    """Each name once, in lower case, and none that sites use for content."""
    names = _listed()
    assert len(names) == len(set(names)) > 150
    assert all(re.fullmatch(r"[a-z0-9_.]+\*?", name) for name in names)
    assert not {"ref", "source", "id", "cid", "q", "lang", "page", "s", "sid"} & set(names)


@pytest.mark.parametrize(("given", "left"), STRIPPED.items())
def test_what_says_who_follows_a_link_is_stripped(given: str, left: str | None) -> None:
    assert stripped(PAGE + given) == ("http://h.test/b" if left is None else PAGE + left)


@pytest.mark.parametrize("given", KEPT)
def test_all_else_is_kept_byte_for_byte(given: str) -> None:
    assert stripped(PAGE + given) == PAGE + given


ASP = "(S(lit3py55t21z5v55vlm25s55))"
_pieces = st.sampled_from(
    ["?", "&", ";", "/", "..", "=", "a", "utm_x", "sid", ID, UUID, ASP, "jsessionid=", "amp;", "gclid", "%2e", "%", "1"]
)


@given(end=st.lists(_pieces, max_size=12).map("".join))
@example(end=";jses;jsessionid=1sionid=2")
@example(end="/..;jsessionid=1/;jsessionid=2")
def test_stripping_is_idempotent_and_leaves_a_normalised_url(end: str) -> None:
    url = normalise(PAGE + end)
    assert url is not None
    once = stripped(url)
    assert stripped(once) == once == normalise(once)
    assert len(once) <= len(url)


def test_a_page_whose_links_have_sessions_in_their_paths_alone_has_plain_links() -> None:
    _, page = without_parameters(Fetched(PAGE), ParsedPage(outlinks=(f"http://h.test/{ASP}/b",), anchors=("1",)))
    assert page.outlinks == ("http://h.test/b",)


def test_links_that_are_the_same_now_are_one_with_the_first_text() -> None:
    links = (PAGE + "?gclid=1", "http://h.test/b", PAGE, PAGE + "?gclid=2")
    parsed = ParsedPage(outlinks=links, anchors=("1", "2", "3", "4"), canonicals=(PAGE + "?utm_source=x", PAGE))
    _, page = without_parameters(Fetched(PAGE), parsed)
    assert (page.outlinks, page.anchors, page.canonical) == ((PAGE, "http://h.test/b"), ("1", "2"), PAGE)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b?utm_source=x", "http://h.test/b"),
        ("b?c&gclid=1#top", "http://h.test/b?c"),
        ("/a?PHPSESSID=1", PAGE + "?PHPSESSID=1"),  # this very page: its server insists
        ("/a;jsessionid=1", PAGE + ";jsessionid=1"),
        ("/a", PAGE),
        ("", ""),
        ("mailto:a@b", None),
        (None, None),
    ],
)
def test_a_redirect_to_the_page_with_parameters_is_followed_as_it_is(location: str | None, target: str | None) -> None:
    fetched, _ = without_parameters(Fetched(PAGE, 302, location=location), ParsedPage())
    assert fetched.location == target
    if location:
        _, page = without_parameters(Fetched(PAGE), ParsedPage(refresh=normalise(location, PAGE)))
        assert page.refresh == target


SITE: Site = {
    HOME: [HOME + "a?utm_source=x", HOME + "a", HOME + "b?PHPSESSID=1&p=2", HOME + "c"],
    HOME + "a": [HOME + "?gclid=3"],
    HOME + "b?p=2": [],
    HOME + "c": HOME + "c?PHPSESSID=7",
    HOME + "c?PHPSESSID=7": [f'<link rel="canonical" href="{HOME}c">', HOME + "d?PHPSESSID=7"],
    HOME + "d": [],
}


def test_a_page_is_known_once_and_a_server_that_insists_on_its_session_is_no_loop(store: Path) -> None:
    _, server = crawl(SITE, store, [HOME + "?utm_medium=mail", HOME])
    assert sorted(server.asked) == sorted(SITE)
    states = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    assert states.pop(HOME + "c") == "alias redirect-301"
    assert states.pop(HOME + "c?PHPSESSID=7") == "fetched canonical-loop"
    assert set(states.values()) == {"fetched ok"}


def test_a_session_that_changes_with_every_answer_ends_after_ten_hops(store: Path) -> None:
    site: Site = {f"{HOME}?sid={hop:020}a": f"{HOME}?sid={hop + 1:020}a" for hop in range(20)}
    crawl({HOME: f"{HOME}?sid={0:020}a"} | site, store, [HOME])
    assert rows(store, "SELECT count(*), max(reason = 'redirect-chain') FROM pages") == [(11, 1)]


def test_kept_parameters_make_different_pages(store: Path) -> None:
    crawl(SITE, store, [HOME], keep_parameters=True)
    known = {url for (url,) in rows(store, "SELECT url FROM pages")}
    assert {HOME + "a?utm_source=x", HOME + "a", HOME + "?gclid=3"} < known


@pytest.mark.parametrize("keeps_first", [True, False])
def test_a_crawl_may_go_on_with_the_other_policy(store: Path, keeps_first: bool) -> None:
    crawl(SITE, store, [HOME], keep_parameters=keeps_first, pages=2)
    report, _ = crawl(SITE, store, [], keep_parameters=not keeps_first)
    assert report.reason == "nothing-left"
    assert faults_in(store) == []
    assert {stripped(url) for url in SITE} <= {stripped(url) for (url,) in rows(store, "SELECT url FROM pages")}
