"""Why a URL is in the state it is in."""

import json
from pathlib import Path

from support.sites import HOME, Server, Site, crawled_once

from minicrawl.analysis.explain import Explanation, KnownPage, explain
from minicrawl.store.reader import open_store

SITE: Site = {HOME: ["/b", "/private", "/gone", "http://b.test/", "<title>Home</title>"], HOME + "b": [HOME]}
KEYS_OF_A_PAGE = {
    *("url", "asked", "state", "reason", "meaning", "rule", "sitemap", "robots", "leads_to", "probe"),
    "queue",
    *("rank", "importance", "history", "cash", "depth", "status", "inlinks", "outlinks", "fetched_at", "title"),
    *("coverage", "coverage_about", "coverage_shown"),
    *("known_pages", "found_on", "attempts", "content_type", "bytes", "seconds", "host"),
    *("linked_from", "links_to", "not_counted", "alternate_of", "duplicate_of"),
    "refresh",
    "jump",
    "usage",
}
store = crawled_once(Server(SITE, robots="User-agent: *\nDisallow: /p"), [HOME], scope="host")


def explained(store: Path, text: str) -> Explanation:
    with open_store(store) as reader:
        return explain(reader, text)


def test_a_page_that_was_read_is_explained_with_its_links(store: Path) -> None:
    found = explained(store, "http://A.test:80/b#part")
    assert (found.asked, found.url, found.state, found.reason, found.rule) == (HOME + "b",) * 2 + (
        "fetched",
        "ok",
        None,
    )
    assert found.meaning == "it was read, and its links were followed"
    assert isinstance(found.page, KnownPage)
    assert (found.page.linked_from, found.page.links_to, found.page.found_on) == ((HOME,), (HOME,), HOME)
    assert found.robots.verdict == "allowed"


def test_json_has_stable_keys_side_by_side(store: Path) -> None:
    known, unknown = explained(store, HOME).as_json(), explained(store, HOME + "nowhere").as_json()
    assert set(known) == KEYS_OF_A_PAGE
    assert set(unknown) == {"asked", "url", "state", "reason", "meaning", "rule", "sitemap", "robots", "usage"}
    assert known["not_counted"] == {"nofollow": 0, "out of scope or in a trap": 1}
    assert list(known["host"]) == ["name", "crawl_delay", "next_at", "delay", "seconds", "health"]
    assert known["host"]["health"] is None
    page = explained(store, HOME).page
    assert page is not None
    assert json.loads(json.dumps(known))["links_to"] == list(page.links_to)
