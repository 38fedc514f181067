"""A crawl says how many links it left out because pages, or the links themselves, ask robots not to follow them."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import answer, run
from support.sites import HOME, Site, crawl, page, rows

LINKS = [f"{HOME}{name}" for name in "abcde"]
META = '<meta name="{}" content="{}">'
MARKED = '<a rel="nofollow" href="/{}">to</a>'
ASKS = "Left out because their pages say nofollow: 5 links of 1 page; that is the site's"


def of_front(front: Any) -> Site:
    return {HOME: front} | {url: [HOME] for url in LINKS}


@pytest.mark.parametrize(
    ("front", "counts"),
    [
        ([META.format("robots", "index, nofollow"), *LINKS, "http://elsewhere.test/"], (5, 1, 5)),
        ([META.format("ROBOTS", "NONE"), *LINKS], (5, 1, 5)),
        (page(*LINKS, headers={"X-Robots-Tag": "nofollow"}), (5, 1, 5)),
        (page(*LINKS, headers={"X-Robots-Tag": "otherbot: nofollow"}), (0, 0, 0)),
        ([META.format("otherbot", "nofollow"), *LINKS], (0, 0, 0)),
        ([META.format("robots", "noindex, follow"), *LINKS], (0, 0, 0)),
        ([META.format("robots", "nofollow")], (0, 0, 0)),
        ([*map(MARKED.format, "abc"), *LINKS[3:]], (3, 0, 0)),
        ([META.format("robots", "nofollow"), *map(MARKED.format, "ab"), *LINKS[2:]], (5, 1, 5)),
    ],
)
def test_links_are_counted_that_pages_or_links_themselves_withhold(
    store: Path, front: Any, counts: tuple[int, int, int]
) -> None:
    for _ in range(2):  # read again, nothing is counted twice
        crawl(of_front(front), store, [HOME], scope="site", refresh=True, discovery=0.5, pages=4)
    told = answer("status", "--store", store)["unasked"]
    assert (told["nofollow"], told["pages"], told["links"]) == counts
    said = run("status", "--store", store).stdout
    assert (ASKS in said) == (counts[1] > 0)
    assert ("rel=nofollow" in said) == (counts[0] > counts[2])
    assert ("unasked" in said) == (counts[0] > 0)


def test_one_page_of_many_that_withholds_its_links_is_one_of_them(store: Path) -> None:
    site = of_front(LINKS) | {LINKS[0]: [META.format("robots", "nofollow"), HOME, HOME + "x"]}
    crawl(site, store, [HOME])
    for command in ("status", "crawl"):  # the crawl has nothing left to ask for
        said = run(command, "--store", store).stdout
        assert ASKS.replace("5", "2") in said
    told = json.loads(run("why", HOME + "x", "--store", store, "--json").stdout)
    assert told["reason"] == "no-link"
    assert "2 links that pages mark as nofollow may lead there" in told["rule"]
    said = run("why", LINKS[0], "--store", store).stdout
    assert "not counted: 2 nofollow" in said
    assert "unless --ignore-robots is on" in said


def test_on_ones_own_server_they_are_followed_also_when_that_is_said_later(store: Path) -> None:
    site = of_front([META.format("robots", "NONE"), MARKED.format("marked"), *LINKS])
    crawl(site, store, [HOME], ignore_robots=True)
    assert len(rows(store, "SELECT 1 FROM pages WHERE state = 'fetched'")) == 6
    told = answer("status", "--store", store)["unasked"]
    assert (told["nofollow"], told["pages"], told["links"]) == (1, 0, 0)
    later = store.with_name("later.db")
    crawl(site, later, [HOME])
    crawl(site, later, [HOME], ignore_robots=True, refresh=True, discovery=0.5, pages=12)
    assert len(rows(later, "SELECT 1 FROM pages WHERE state = 'fetched'")) == 6


def test_where_no_page_says_nofollow_why_does_not_speak_of_it(store: Path) -> None:
    crawl(of_front(LINKS), store, [HOME])
    assert json.loads(run("why", HOME + "x", "--store", store, "--json").stdout)["rule"] == (
        "no page read so far has a counted link to it"
    )
