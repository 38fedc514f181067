"""Cookie walls: pages that set a cookie and lead back are asked for again, while they would be sent other cookies."""

from pathlib import Path

import httpx
import pytest
from support.sites import Server, crawl, faults_in, states

HOME, SIGN_ON = "http://a.test/", "http://login.a.test/on"


class Wall(Server):
    """Lets nobody in without a cookie. by: the page that sets it, itself or another; values: one after the other."""

    def __init__(self, by: str, values: int = 1) -> None:
        super().__init__({HOME: ["/x"], HOME + "x": [HOME]})
        self.by, self.values, self.given = by, values, 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url, cookie = str(request.url), request.headers.get("cookie", "")
        if request.url.path == "/robots.txt" or (url != SIGN_ON and f"pass={self.values}" in cookie):
            return super()._answer(request)
        self.asked.append(url)
        location = HOME if url == self.by else self.by
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
