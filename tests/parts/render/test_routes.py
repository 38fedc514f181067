"""Routes, such as #/x, are pages of their own where scripts show a text of its own at them. Elsewhere they are places
of a page, as they always are without a browser."""

import json
from pathlib import Path

import pytest
from support.command_line import run
from support.rendered import HOST, Reply, Site, crawled, slow_with_chromium
from support.scripted_webs import Web, own_words
from support.sites import rows

from minicrawl.archive.collection import Collection
from minicrawl.parts.render.comparison import are_pages
from minicrawl.timing import Timing

ROUTES = [f"{HOST}/#/plant/{number}" for number in range(6)]


def routed(sign: str = "#/", pages: int = 6) -> Web:
    """An application that shows its pages at routes; its document names itself as canonical."""
    texts = {f"{sign}plant/{at}": own_words(f"p{at}") for at in range(pages)}
    code = f"""
const texts = {json.dumps(texts)}
const list = Object.keys(texts).map(to => `<li><a href="${{to}}">${{to}}</a></li>`).join('')
const show = () => document.querySelector('main').innerHTML = `<p>${{texts[location.hash] ?? 'welcome'}}</p>` + list
addEventListener('hashchange', show)
show()"""
    head = f"<!doctype html><link rel=canonical href={HOST}/><title>App</title>"
    shell = f"{head}<main></main><script src=/app.js></script>"
    return {f"{HOST}/": shell, f"{HOST}/app.js": ("text/javascript", code)}


def pages(store: Path) -> dict[str, str]:
    return dict(rows(store, "SELECT url, state FROM pages ORDER BY url"))


def text(store: Path, url: str) -> str:
    return run("text", url, "--store", store).stdout


@slow_with_chromium
@pytest.mark.parametrize("render", ["auto", "."])
def test_routes_of_an_application_are_pages_and_the_wire_sees_none_of_them(tmp_path: Path, render: str) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(routed()), store, text=True, render=render)
    assert pages(store) == {f"{HOST}/": "fetched"} | dict.fromkeys(ROUTES, "fetched")
    assert all(own_words(f"p{at}") in text(store, url) for at, url in enumerate(ROUTES))
    assert set(site.asked) == {f"{HOST}/", f"{HOST}/app.js", f"{HOST}/robots.txt"}
    assert f"{ROUTES[3]}\n" in run("why", ROUTES[3], "--store", store).stdout
    assert rows(store, "SELECT count(*) FROM links") == [(7,)]


@slow_with_chromium
def test_a_route_behind_a_document_in_a_folder_with_a_sign_of_search_engines_is_a_page(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(routed("#!/", 2)), store, text=True, render="auto")
    assert pages(store).keys() == {f"{HOST}/", f"{HOST}/#!/plant/0", f"{HOST}/#!/plant/1"}


@slow_with_chromium
def test_routes_go_on_where_a_crawl_was_ended_and_wait_as_shells_without_a_browser(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(routed()), store, text=True, render="auto", pages=3)
    crawled(Site(routed()), store, text=True, render="none", pages=2)
    assert rows(store, "SELECT count(*) FROM scripted WHERE reading = 'shell'") == [(2,)]
    crawled(Site(routed()), store, text=True, render="auto")
    assert all(own_words(f"p{at}") in text(store, url) for at, url in enumerate(ROUTES))


@slow_with_chromium
def test_routes_that_have_shown_pages_are_not_tried_again_in_another_run(tmp_path: Path) -> None:
    store, web = tmp_path / "crawl.db", routed(pages=3)
    code = "addEventListener('hashchange', () => fetch('/tried'))"
    web[f"{HOST}/other"] = f"<title>Other</title><main></main><script src=/app.js></script><script>{code}</script>"
    crawled(Site(web), store, render="auto")
    other = crawled(Site(web), store, f"{HOST}/other", render="auto")
    assert f"{HOST}/tried" not in other.asked
    assert f"{HOST}/other#/plant/0" in pages(store)


@slow_with_chromium
def test_the_archive_has_the_request_for_the_document_of_a_route(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    crawled(Site(routed(pages=2)), store, render="auto", archive=folder)
    urls = [one.url for one in Collection(folder).index]
    assert urls.count(f"{HOST}/") == 3
    assert not [url for url in urls if "#" in url]
    of_route = "SELECT records.url FROM records JOIN pages ON pages.id = page WHERE pages.url LIKE '%#%'"
    assert rows(store, of_route) == [(f"{HOST}/",)] * 2


@slow_with_chromium
def test_a_page_that_is_whole_is_rendered_for_its_routes(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    words = f"'{own_words('x')}'.replaceAll('x', location.hash)"
    text = f"onhashchange = () => document.querySelector('p').textContent = {words}"
    crawled(Site(manual(text, "/one")), store, text=True, render="auto")
    assert pages(store).keys() == {f"{HOST}/", f"{HOST}/#/one"}
    assert rows(store, "SELECT pattern, gains FROM rendered") == [("/", 1), ("/#/{}", 1)]


def manual(code: str, *names: str) -> Web:
    """A page that names places of itself as if they were routes."""
    names = names or ("/one", "/two", "!/three", "section", "!")
    links = "".join(f"<a href=#{name}>{name}</a>" for name in names)
    page = f"<p>{own_words('manual', 60)}</p>{links}<script>{code}</script>"
    return {f"{HOST}/": page}


AT_ROUTES: dict[str, str] = {
    "nothing happens": "1",
    "all show the same": f"onhashchange = () => document.querySelector('p').textContent = '{own_words('lost')}'",
    "a word and a clock": "onhashchange = () => document.querySelector('p').append(Date.now(), location.hash)",
    "the page is left": "onhashchange = () => location = '/elsewhere'",
    "the page spins": "onhashchange = () => { for (;;); }",
}


@slow_with_chromium
@pytest.mark.parametrize("case", AT_ROUTES)
def test_places_of_a_page_are_no_pages(tmp_path: Path, case: str) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(manual(AT_ROUTES[case])), store, text=True, render="auto", timing=Timing(render=2.0))
    assert pages(store) == {f"{HOST}/": "fetched"}
    assert own_words("manual", 60) in text(store, f"{HOST}/")
    assert f"{HOST}/elsewhere" not in site.asked


PAGE, ONE, TWO = own_words("page", 60), own_words("one"), own_words("two")
SHOWN_AT_ROUTES = {
    "two pages": ([ONE, TWO], True),
    "one page": ([ONE], True),
    "the page itself, and another": ([PAGE, TWO], True),
    "a text below the page": ([f"{PAGE} {ONE}", f"{PAGE} {TWO}"], True),
    "the page itself": ([PAGE, PAGE], False),
    "one text for all": ([ONE, ONE], False),
    "nine words more": ([f"{PAGE} {own_words('one', 9)}"], False),
    "nothing": (["", ""], False),
}


@pytest.mark.parametrize("case", SHOWN_AT_ROUTES)
def test_routes_are_pages_if_each_shows_a_text_that_neither_the_page_has_nor_another_route(case: str) -> None:
    texts, expected = SHOWN_AT_ROUTES[case]
    assert are_pages(f"<p>{PAGE}</p>", [f"<p>{text}</p>" for text in texts]) is expected


def test_without_a_browser_routes_are_places_of_their_page(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    web: dict[str, Reply] = {f"{HOST}/": "<p>old</p><a href=#!>up</a><a href=#!/x>x</a><a href=/#/y>y</a>"}
    crawled(Site(web), store)
    assert pages(store) == {f"{HOST}/": "fetched"}
    assert run("why", f"{HOST}/#/y", "--store", store).stdout.startswith(f"{HOST}/\n")
