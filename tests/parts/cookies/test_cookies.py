"""Cookie walls: pages that set a cookie and lead back are asked for again, while they would be sent other cookies."""

from pathlib import Path

import httpx
import pytest
from support.sites import Server, crawl, faults_in, states

from minicrawl.parts.cookies import Cookies
from minicrawl.store.reader import open_store

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


def crawled(tmp_path: Path, wall: Server, **settings: object) -> dict[str, str]:
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


AGREE_LINK, TO_HOME = "<a href=/>Agree</a>", "<a href=/>Home</a><a href=/x>"
COOKIE, PASSWORD = "sets a cookie and leads back; a crawl with --cookies", "asks for a password; 'minicrawl login'"


@pytest.mark.parametrize(
    ("gate", "body", "cookie", "says"),
    [
        ("ask?back=/", AGREE_LINK, "pass=1", COOKIE),
        ("?ct=1", "", "pass=1", COOKIE),
        ("login?next=/", TO_HOME + "<input type=password>", "csrf=1", PASSWORD),
        ("ask?back=/", AGREE_LINK, "", ""),
        ("en/", TO_HOME, "seen=1", ""),
    ],
)
def test_gate_is_told_with_what_opens_it(tmp_path: Path, gate: str, body: str, cookie: str, says: str) -> None:
    """Where a site begins has more links than the one back. With --cookies, what a cookie opens is read."""
    fields = {"location": HOME} | ({"set-cookie": cookie} if cookie else {})
    server = Server({
        HOME: lambda request, _: [] if "pass=1" in request.headers.get("cookie", "") else HOME + gate,
        HOME + gate: lambda *_: httpx.Response(200 if body else 302, html=body, headers=fields),
    })  # fmt: skip
    assert crawled(tmp_path, server)[HOME].startswith("alias redirect-")
    with open_store(tmp_path / "crawl.db") as store:
        told = [*Cookies.ending({}, Cookies.figures(store)), *Cookies.explain(store, 1)]
    assert [f"{HOME}{gate}, which {says}" in line for line in told] == [True, True] * bool(says)
    assert (crawled(tmp_path / "with", server, cookies=True)[HOME] == "fetched ok") == (says == COOKIE)
