"""Hosts that redirect from pages they do not have: these are missing, and so is the page for them; nothing else is."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from support.prose import prose
from support.sites import EVERYTHING, HOME, Server, Site, crawl, faults_in, states

GONE = [f"{HOME}f/gone{number}.html" for number in range(9)]
REAL = [f"{HOME}f/real{number}.html" for number in range(7)]
SORRY = "<title>Page not found</title><p>Sorry, the page that you asked for was not found."
SIGN_IN = "<title>Sign in</title><p>Sign in to go on <form><input name=user><input type=password></form>"
Leads = Callable[[str], str]
"""From the path of a page that is not there to where it redirects."""


class Missing(Server):
    """A site of real pages that links to missing ones as well, and under a path redirects from what it does not have.

    says: replies of the targets, by path. more: further replies by URL. linked: further paths on the front page. first:
    so many of the missing pages are linked before the real ones.
    """

    def __init__(  # noqa: PLR0913 - what such sites differ by
        self,
        leads: Leads,
        says: Mapping[str, Any],
        more: Mapping[str, Any] = MappingProxyType({}),
        *,
        linked: Sequence[str] = (),
        under: str = "/",
        first: int = 0,
    ) -> None:
        site: Site = {HOME: ["<title>Home</title>", *GONE[:first], *REAL, *GONE[first:], *linked]}
        site |= {url: [prose(number + 10, 60, f"Real {number}"), HOME, GONE[1]] for number, url in enumerate(REAL)}
        self._leads, self._says, self._under = leads, says, under
        super().__init__({**site, **more}, absent=self._missing)

    def _missing(self, request: httpx.Request, _: int) -> Any:
        path = request.url.path
        if path in self._says:
            return self._says[path]
        target = self._leads(path) if path.startswith(self._under) else ""
        return httpx.Response(302, headers={"location": target}) if target else 404


def kinds(store: Path, urls: list[str]) -> set[str]:
    found = states(store)
    return {found[url] for url in urls}


def targets(store: Path, path: str) -> set[str]:
    """The states of the pages at a path, whatever their query."""
    return {state for url, state in states(store).items() if url.partition("?")[0] == HOME + path[1:]}


LEADS: dict[str, tuple[Leads, dict[str, Any]]] = {
    "one page": (lambda path: "/404", {"/404": [SORRY]}),
    "ASP.NET": (lambda path: f"/Error.aspx?aspxerrorpath={path}", {"/Error.aspx": [SORRY]}),
    "IIS": (lambda path: f"/e/404.asp?404;http://a.test:80{path}", {"/e/404.asp": ["<p>Diese Seite gibt es hier nie"]}),
    "escaped URL": (lambda path: f"/no?from={quote(HOME + path[1:], '')}&code=404", {"/no": [SORRY]}),
    "title": (lambda path: f"/no?from={path}", {"/no": ["<title>Página no encontrada</title><p>¿Y ahora qué?"]}),
    "no word known": (lambda path: "/lost.html", {"/lost.html": ["<p>このページは存在しません"]}),
    "says much": (lambda path: "/lost.html", {"/lost.html": [prose(3, 4_000, "Lost")]}),
    "two hops": (lambda path: f"/to?at={path}", {"/to": "/lost", "/lost": [SORRY]}),
    "is gone": (lambda path: "/404", {"/404": 404}),
}


@pytest.mark.parametrize("first", [0, 9])
@pytest.mark.parametrize("case", LEADS)
def test_missing_pages_that_redirect_are_missing_and_so_is_the_page_for_them(
    store: Path, case: str, first: int
) -> None:
    leads, says = LEADS[case]
    _, server = crawl(Missing(leads, says, first=first), store, [HOME], strategy="breadth-first", **EVERYTHING)
    assert kinds(store, GONE) == {"error soft-404"}
    for path in says:
        assert targets(store, path) <= {"error soft-404", "error http-404"}
    assert kinds(store, [HOME, *REAL]) == {"fetched ok"}
    assert sum(url.startswith(HOME + "f/") and url not in {*GONE, *REAL} for url in server.asked) == 2
    assert faults_in(store) == []


@pytest.mark.parametrize("pages", [2, 5])
@pytest.mark.parametrize("case", ["one page", "ASP.NET", "two hops"])
def test_a_restart_forgets_nothing(store: Path, case: str, pages: int) -> None:
    leads, says = LEADS[case]
    server = Missing(leads, says)
    for most in (*[pages] * 8, 100):
        crawl(server, store, [HOME], strategy="breadth-first", **EVERYTHING, pages=most)
    assert kinds(store, GONE) == {"error soft-404"}
    for path in says:
        assert targets(store, path) == {"error soft-404"}
    assert faults_in(store) == []


def test_an_ending_that_is_not_found_says_nothing_of_another(store: Path) -> None:
    """Two files that are alike have the host asked for one with their ending; it has a program for others."""
    alike = [f"{HOME}f/{name}.txt" for name in ("one", "two")]
    more: Site = {HOME: ["<title>Home</title>", *alike, *GONE, *REAL]} | {url: [prose(1, 60)] for url in alike}
    server = Missing(lambda path: "/404" if path.endswith(".html") else "", {"/404": [SORRY]}, more)
    crawl(server, store, [HOME], strategy="breadth-first", **EVERYTHING)
    assert kinds(store, GONE) == {"error soft-404"}
    assert kinds(store, [HOME, *REAL, *alike]) == {"fetched ok"}
    assert [url for url in server.asked if url.startswith(HOME + "f/") and url.endswith(".txt") and url not in alike]
    assert faults_in(store) == []


EN = [prose(5, 60, "Welcome"), *REAL[:2]]
LIVES: dict[str, tuple[Leads, dict[str, Any], str]] = {
    "front page": (lambda path: "/", {}, "/"),
    "front page with a query": (lambda path: "/?error=404", {"/": ["<title>Home</title>", *GONE, *REAL]}, "/"),
    "of a language": (lambda path: "/en/", {"/en/": EN}, "/en/"),
    "search": (
        lambda path: f"/search?q={path[3:-5]}",
        {"/search": ["<title>Search</title><p>Nothing found"]},
        "/search",
    ),
    "of a folder": (lambda path: "/shop", {"/shop": EN}, "/shop"),
}


@pytest.mark.parametrize("first", [0, 9])
@pytest.mark.parametrize("case", LIVES)
def test_a_page_stays_to_which_others_link_as_well(store: Path, case: str, first: int) -> None:
    leads, says, path = LIVES[case]
    crawl(Missing(leads, says, linked=[path], first=first), store, [HOME], strategy="breadth-first", **EVERYTHING)
    assert kinds(store, GONE) == {"error soft-404"}
    assert kinds(store, [HOME, HOME + path[1:], *REAL]) == {"fetched ok"}
    assert faults_in(store) == []


def test_a_page_is_one_again_once_another_links_to_it(store: Path) -> None:
    """It was known by redirects only when it was read."""
    late = HOME + "late"
    more: Site = {REAL[-1]: [prose(7, 60, "Last"), late], late: [prose(8, 60, "Late"), "/en/"]}
    server = Missing(lambda path: "/en/", {"/en/": EN}, more, first=9)
    crawl(server, store, [HOME], strategy="breadth-first", **EVERYTHING)
    assert server.asked.index(HOME + "en/") < server.asked.index(late)
    assert kinds(store, GONE) == {"error soft-404"}
    assert kinds(store, [HOME, HOME + "en/", *REAL]) == {"fetched ok"}
    assert faults_in(store) == []


MOVED = {url: f"{HOME}new/{number}" for number, url in enumerate(GONE)}
OLD = {url: [prose(number + 40, 60, f"New {number}")] for number, url in enumerate(GONE)}
NEW = {MOVED[url]: page for url, page in OLD.items()}
TWINS: dict[str, tuple[Site, Leads, dict[str, Any], str]] = {
    "each has a new URL": (MOVED | NEW, lambda path: "", {}, "/nowhere"),
    "all have one new URL": (dict.fromkeys(GONE, HOME + "news"), lambda path: "", {"/news": EN}, "/nowhere"),
    "an old site": (dict.fromkeys(GONE, "https://b.test/"), lambda path: "", {"/": EN}, "/nowhere"),
    "private pages": (
        {url: f"/login?next={url[13:]}" for url in GONE}, lambda path: "", {"/login": [SIGN_IN]}, "/nowhere",
    ),
    "a private folder": ({}, lambda path: f"/login?next={path}", {"/login": [SIGN_IN]}, "/f/"),
    "a private host": ({}, lambda path: f"/login?next={quote(HOME + path[1:])}", {"/login": [SIGN_IN]}, "/"),
    "languages": ({}, lambda path: f"/en{path}", {f"/en{url[13:]}": page for url, page in OLD.items()}, "/f/gone"),
    "spelling": ({}, lambda path: f"{path[:-5]}/", {f"{url[13:-5]}/": page for url, page in OLD.items()}, "/f/gone"),
    "short links": ({url: f"http://s{at}.test/" for at, url in enumerate(GONE)}, lambda path: "", {"/": EN}, "/no"),
}  # fmt: skip


@pytest.mark.parametrize("first", [0, 9])
@pytest.mark.parametrize("case", TWINS)
def test_other_redirects_are_aliases(store: Path, case: str, first: int) -> None:
    more, leads, says, under = TWINS[case]
    linked = ["/login"] if case == "private pages" else []
    server = Missing(leads, says, more, linked=linked, under=under, first=first)
    crawl(server, store, [HOME], strategy="breadth-first", **EVERYTHING, pages=100)
    assert {state.partition("-")[0] for state in kinds(store, GONE)} == {"alias redirect"}
    assert kinds(store, [HOME, *REAL]) == {"fetched ok"}
    if case.startswith("a private"):
        assert targets(store, "/login") == {"fetched ok", "alias same-page"}
    asked = [url for url in server.asked if url.startswith(HOME + "f/") and "gone" not in url and "real" not in url]
    assert len(asked) <= (2 if "private" in case else case.startswith(("all have", "an old")))
    assert faults_in(store) == []


@pytest.mark.parametrize("pages", [1, 2])
def test_all_names_in_the_folder_of_one_page_lead_to_it(store: Path, pages: int) -> None:
    """Where the folder has another page, they are missing, and so is the page for them."""
    names, own = ([f"{HOME}f/7/{name}{number}" for number in range(3)] for name in ("old", "own"))
    says = {f"/f/7/own{number}": [prose(number, 60, f"Own {number}")] for number in range(pages)}
    crawl(Missing(lambda path: "/f/7/own0", says, linked=[*own[1:pages], *names], under="/f/7/"), store, [HOME])
    found = kinds(store, [*names, own[0]])
    assert found == ({"alias redirect-302", "fetched ok"} if pages == 1 else {"error soft-404"})
    assert faults_in(store) == []


NAMES = [HOME + name for name in ("home", "logout", "start", "default.asp", "index.jsp", "index.php", "Default.aspx")]


@pytest.mark.parametrize("is_all", [False, True])
def test_names_of_the_front_page_take_nothing_away_from_it(store: Path, is_all: bool) -> None:
    """Whether missing pages are redirected there as well."""
    under = "/" if is_all else "/nowhere"
    crawl(
        Missing(lambda path: "/", {}, dict.fromkeys(NAMES, HOME), linked=NAMES, under=under),
        store,
        [HOME],
        strategy="breadth-first",
        **EVERYTHING,
    )
    assert kinds(store, NAMES[3:]) == {"alias redirect-301"}
    assert kinds(store, NAMES[:3]) == {"error soft-404" if is_all else "alias redirect-301"}
    assert kinds(store, GONE) == {"error soft-404" if is_all else "error http-404"}
    assert kinds(store, [HOME, *REAL]) == {"fetched ok"}
    assert faults_in(store) == []
