"""Resources of the demo web, and pages as HTML."""

from random import Random

import pytest

from minicrawl.demo.resources import (
    CALENDAR_START,
    ENTRANCES,
    Page,
    host_names,
    month_page,
    month_url,
    relative,
    rendered,
    root_of,
    trap_page,
)
from minicrawl.demo.weaving import Loom


def test_urls_of_the_same_host_are_written_without_it() -> None:
    assert root_of("http://a.test/x/y") == "http://a.test/"
    assert relative("http://a.test/y?z", "http://a.test/x") == "/y?z"
    assert relative("http://b.test/y", "http://a.test/x") == "http://b.test/y"


def page(**more: str) -> Page:
    made = Page("http://a.test/x", "A & B", **more)  # type: ignore[arg-type]
    made.link("http://a.test/", "Home")
    made.link("http://a.test/caf%C3%A9", "caf\u00e9")
    made.link("http://b.test/?a=1&b=2", "<away>", is_counted=False)
    return made


def test_links_are_relative_and_escaped_and_say_what_is_not_counted() -> None:
    html = rendered(page())
    assert "<title>A &amp; B</title>" in html
    assert '<a href="/caf%C3%A9">caf\u00e9</a>' in html
    assert '<a href="http://b.test/?a=1&amp;b=2" rel="nofollow">&lt;away&gt;</a>' in html
    assert '<a href="#content">' in html


def test_hosts_have_names_of_their_own_however_many() -> None:
    names = host_names(Random(0), 1000)
    assert len(set(names)) == 1000
    assert all(name.endswith(".test") for name in names)


ROOT = "http://a.test/calendar/"


def test_last_month_leads_back_only_unless_there_is_no_end() -> None:
    last = month_url(ROOT, CALENDAR_START + 12)
    ends, goes_on = month_page(ROOT, last, 12), month_page(ROOT, last, None)
    assert ends is not None
    assert goes_on is not None
    assert (len(ends.outlinks()), len(goes_on.outlinks())) == (2, 3)


@pytest.mark.parametrize("path", ["2026/13", "2026/00", "2026", "2026/11/01", "2028/01"])
def test_what_is_no_month_is_no_page(path: str) -> None:
    assert month_page(ROOT, ROOT + path, 12) is None


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_page_of_a_trap_leads_to_more_of_it(entrance: str) -> None:
    path = entrance
    for _ in range(5):
        found = trap_page(path)
        assert found is not None
        path = list(found[2])[-1]
        assert path.split("/")[0].split("?")[0] == entrance.split("/", maxsplit=1)[0].split("?", maxsplit=1)[0]


def test_shop_says_the_same_under_every_session() -> None:
    one, other = trap_page("shop/aa/boots"), trap_page("shop/bb/boots")
    assert one is not None
    assert other is not None
    assert one[:2] == other[:2]
    assert set(one[2]).isdisjoint(other[2])


def test_traps_hang_on_the_second_host() -> None:
    loom = Loom(Random(0), hosts=3, pages=60)
    prefix = loom.set_traps()
    home = loom.resources[loom.root(1)]
    assert isinstance(home, Page)
    assert sum(url.startswith(prefix) for url in home.outlinks()) == 4
