"""The calendar and the traps."""

import pytest

from minicrawl.demo.resources import CALENDAR_START, ENTRANCES, month_page, month_url, trap_page

ROOT = "http://a.test/calendar/"


def test_month_leads_home_and_to_the_months_beside_it() -> None:
    page = month_page(ROOT, f"{ROOT}2027/01", 12)
    assert page is not None
    assert page.outlinks() == ["http://a.test/", f"{ROOT}2026/12", f"{ROOT}2027/02"]


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
