"""Cookie walls: pages that set a cookie and lead back are asked for again, while they would be sent other cookies."""

from pathlib import Path

import httpx
import pytest
from support.sites import Server, crawl, faults_in, states

HOME, SIGN_ON = "http://a.test/", "http://login.a.test/on"
ASK, AGREE = HOME + "ask", HOME + "agree"


class Wall(Server):
    """Lets nobody in without a cookie. by: the page that sets it, itself or another, or one to which a page of its own
    links that is shown instead; values: one after the other; 0: it lets everybody in."""

    def __init__(self, by: str, values: int = 1) -> None:
        super().__init__({HOME: ["/x", "/agree"] if by == AGREE else ["/x"], HOME + "x": [HOME], ASK: ["/agree"]})
        self.by, self.values, self.given = by, values, 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url, cookie = str(request.url), request.headers.get("cookie", "")
        is_let_in = not self.values or f"pass={self.values}" in cookie
        if request.url.path in ("/robots.txt", "/ask") or (url not in (SIGN_ON, AGREE) and is_let_in):
            return super()._answer(request)
        self.asked.append(url)
        location = HOME if url == self.by else ASK if self.by == AGREE else self.by
        fields = {"location": location}
        if url == self.by:
            self.given += 1
            fields["set-cookie"] = f"pass={self.given}; Domain=a.test; Path=/"
        return httpx.Response(302, headers=fields)


def crawled(tmp_path: Path, wall: Wall, **settings: object) -> dict[str, str]:
    store = tmp_path / "crawl.db"
    crawl(wall, store, [HOME], **settings)
    assert faults_in(store) == []
    return states(store)


@pytest.mark.parametrize(("by", "values"), [(HOME, 1), (HOME, 2), (SIGN_ON, 1)])
def test_a_page_that_sets_a_cookie_and_leads_back_is_asked_again(tmp_path: Path, by: str, values: int) -> None:
    states = crawled(tmp_path, Wall(by, values), cookies=True)
    assert states.pop(SIGN_ON, None) == ("error redirect-loop" if by == SIGN_ON else None)
    assert states == {HOME: "fetched ok", HOME + "x": "fetched ok"}


@pytest.mark.parametrize("by", [HOME, SIGN_ON])
def test_a_wall_that_never_opens_is_asked_three_times(tmp_path: Path, by: str) -> None:
    wall = Wall(by, values=99)
    states = crawled(tmp_path, wall, cookies=True)
    assert states[by] == "error redirect-loop"
    assert wall.asked.count(HOME) <= 3
    assert wall.asked.count(by) <= 3


def test_without_cookies_nothing_is_asked_again(tmp_path: Path) -> None:
    wall = Wall(HOME)
    assert crawled(tmp_path, wall) == {HOME: "error redirect-loop"}
    assert wall.asked == [HOME]


@pytest.mark.parametrize(("values", "most"), [(1, 2), (99, 3), (0, 1)])
def test_a_page_is_asked_again_once_a_link_behind_it_has_set_a_cookie(tmp_path: Path, values: int, most: int) -> None:
    """And a page that was let in, and is led to by an answer that sets a cookie, is not."""
    wall = Wall(AGREE, values)
    found = crawled(tmp_path, wall, cookies=True)
    assert (found.get(HOME + "x") == "fetched ok") == (values < 2)
    assert wall.asked.count(HOME) <= most
