"""Experiments find the pages that need a browser, and spare those that do not: on made sites, and kept by the store."""

from collections import defaultdict
from pathlib import Path

import pytest
from support.command_line import run
from support.rendered import HOST, Reply, Site, crawled, never, slow_with_chromium, to
from support.scripted_webs import PAGES, Web, app, boxed, endless, half_list, own_words, whole
from support.sites import rows

from minicrawl.timing import Timing


def rendered(store: Path) -> dict[str, tuple[int, int]]:
    """Pages that were rendered, and of these those with a gain, by class."""
    found = rows(store, "SELECT pattern, rendered, gains FROM rendered")
    return {pattern: (pages, gains) for pattern, pages, gains in found}


def read(store: Path, name: str) -> str:
    return run("text", f"{HOST}/item/{name}", "--store", store).stdout


@slow_with_chromium
def test_all_pages_of_an_application_are_rendered_and_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(app(9)), store, text=True, render="auto")
    assert rendered(store) == {"/": (1, 1), "/item/{}": (9, 9)}
    assert all(own_words(f"i{number}") in read(store, f"i{number}") for number in range(9))
    why = run("why", f"{HOST}/item/i3", "--store", store).stdout
    assert "pages like h.test/item/{} need Chromium: in http://h.test/item/i" in why


@slow_with_chromium
@pytest.mark.parametrize("words", [60, 20])
def test_a_site_that_is_whole_has_samples_alone(tmp_path: Path, words: int) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(whole(words=words)), store, text=True, render="auto")
    assert rows(store, "SELECT count(*) FROM scripted") == [(PAGES + 1,)]
    assert sum(pages for pages, _ in rendered(store).values()) <= 5
    assert own_words("i7", words) in read(store, "i7")
    assert "without scripts" not in run("status", "--store", store).stdout
    why = run("why", f"{HOST}/item/i7", "--store", store).stdout
    assert "pages like h.test/item/{} are read without scripts" in why


@slow_with_chromium
def test_a_list_that_scripts_fill_is_found(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(half_list()), store, text=True, render="auto")
    assert all(own_words(f"i{number}", 60) in read(store, f"i{number}") for number in range(PAGES))
    assert sum(pages for pages, _ in rendered(store).values()) <= 5


@slow_with_chromium
@pytest.mark.parametrize(("adds", "read"), [("links", 7), ("nothing", 1)])
def test_a_page_that_leads_nowhere_is_tried_once_where_a_seed_redirects_to_another_host(
    tmp_path: Path, adds: str, read: int
) -> None:
    """The page has words, and is no shell. The twin, which is whole, costs one rendering."""
    start, store = "http://www.h.test/en/start", tmp_path / "crawl.db"
    links = "".join(f"<a href=/plant/{number}>plant {number}</a> " for number in range(6)) if adds == "links" else ""
    pages: dict[str, Reply] = {
        f"{HOST}/": to(start),
        start: f"<title>Plants</title><p>{own_words('start')}<div></div><script src=/app.js></script>",
        "http://www.h.test/app.js": ("text/javascript", f"document.querySelector('div').innerHTML = '{links}'"),
        **{f"http://www.h.test/plant/{number}": f"<p>{own_words(f'plant{number}')}" for number in range(6)},
    }
    crawled(Site(pages), store, render="auto")
    assert rows(store, "SELECT count(*) FROM pages WHERE state = 'fetched'") == [(read,)]
    assert rendered(store) == {"/en/{}": (1, int(adds == "links"))}


@slow_with_chromium
def test_a_list_that_goes_on_when_it_is_scrolled_is_read_to_its_end(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(endless()), store, text=True, render="auto")
    assert {f"{HOST}/item/i{number}" for number in range(PAGES)} <= set(site.asked)
    assert rows(store, "SELECT pattern, scrolled FROM rendered") == [("/", 1)]


@slow_with_chromium
def test_a_box_with_links_is_scrolled_and_no_other_one(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(boxed()), store, text=True, render="auto")
    assert {f"{HOST}/item/i{number}" for number in range(PAGES)} <= set(site.asked)
    assert f"{HOST}/licence" not in site.asked
    assert rows(store, "SELECT pattern, scrolled FROM rendered") == [("/", 1)]


@slow_with_chromium
def test_a_page_that_asks_for_what_never_comes_whenever_it_is_scrolled_is_not_scrolled_for_long(tmp_path: Path) -> None:
    code = "let n = 0; onscroll = () => fetch('/never/' + n++)"
    page = f"<!doctype html><p>{own_words('tall', 60)}</p><div style='height: 90000px'></div><script>{code}</script>"
    pages = defaultdict[str, Reply](lambda: never, {f"{HOST}/": page, f"{HOST}/robots.txt": 404})
    site = crawled(Site(pages), tmp_path / "crawl.db", text=True, render="auto", timing=Timing(render=1.0))
    assert 0 < sum("/never" in url for url in site.asked) < 20
    assert own_words("tall", 60) in run("text", f"{HOST}/", "--store", tmp_path / "crawl.db").stdout


@slow_with_chromium
def test_applications_that_read_by_post_are_named(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    asks = "fetch('/graphql', {method: 'POST', body: '{}'}).then(answer => document.body.append(answer.status))"
    beacons = "navigator.sendBeacon('/seen', '1'); fetch('http://other.test/', {method: 'POST'})"
    web: Web = {f"{HOST}/": f"<p>short</p><script>{asks}</script>"}
    web["http://b.test/"] = f"<p>short</p><script>{beacons}</script>"
    says = f"document.body.append('{own_words('intro')}')"
    web["http://list.test/"] = f"<a href=/>home</a><script>{says}; {asks}</script>"
    web["http://whole.test/"] = f"<a href=/>home</a><a href=/a>a</a><script>{says}; {asks}</script>"
    seeds = [f"http://{host}.test/" for host in ("h", "b", "list", "whole")]
    site = crawled(Site(web), store, *seeds, render="auto")
    assert f"{HOST}/graphql" not in site.asked
    status = run("status", "--store", store).stdout
    assert "1 rendered page of list.test needs POST" in status
    assert "whole.test needs" not in status
    said = "1 rendered page of h.test needs POST, which minicrawl does not send: http://h.test/"
    assert said in run("status", "--store", store).stdout
    assert said in run("crawl", "-q", "--store", store).stdout
    assert "b.test" not in run("status", "--store", store).stdout.partition("scripts")[2]


@slow_with_chromium
def test_verdicts_are_kept_when_a_crawl_goes_on(tmp_path: Path) -> None:
    store, web = tmp_path / "crawl.db", whole(words=20)
    for pages in (5, 12, 20):
        crawled(Site(web), store, render="auto", pages=pages)
        assert sum(pages for pages, _ in rendered(store).values()) <= 5
    before = rendered(store)
    crawled(Site(web), store, render="none")
    assert rendered(store) == before


@slow_with_chromium
def test_pages_read_before_a_class_needs_a_browser_are_read_anew(tmp_path: Path) -> None:
    """The first page of the class, its sample, is whole; the last, a suspect, is not."""
    store = tmp_path / "crawl.db"
    adds = "<script>document.body.append('" + "%s')</script>"
    web: Web = {f"{HOST}/": "<p>home</p>" + "".join(f"<a href=/item/i{at}>{at}</a>" for at in range(4))}
    web[f"{HOST}/item/i0"] = f"<p>{own_words('i0')}</p><script>1</script>"
    for at in (1, 2):
        web[f"{HOST}/item/i{at}"] = f"<p>{own_words(f'i{at}')}</p>" + adds % own_words(f"added{at}")
    web[f"{HOST}/item/i3"] = "<p>" + adds % own_words("added3")
    site = crawled(Site(web), store, text=True, render="auto", concurrency=1)
    assert all(own_words(f"added{at}") in read(store, f"i{at}") for at in (1, 2, 3))
    assert [site.asked.count(f"{HOST}/item/i{at}") for at in range(4)] == [1, 2, 2, 1]


@slow_with_chromium
def test_worker_processes_hand_over_what_scripts_add(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(app(3)), store, render="auto", workers=1)
    assert rendered(store) == {"/": (1, 1), "/item/{}": (3, 3)}


@slow_with_chromium
def test_scripts_that_add_nothing_on_three_hosts_make_no_more_samples_and_suspects_all_the_same(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    library = "<script src=http://cdn.test/library.js></script>"
    hosts = ["a.test", "b.test", "c.test", "d.test"]
    web: Web = {f"http://{host}/": f"<p>{own_words(host[0])}</p>{library}" for host in hosts}
    web |= {"http://e.test/": f"<p>short</p>{library}", "http://f.test/": f"<p>{own_words('f')}</p>{library}<script>2"}
    web["http://cdn.test/library.js"] = ("text/javascript", "1")
    seeds = [f"http://{host}.test/" for host in "abcdef"]
    crawled(Site(web), store, *seeds, render="auto", concurrency=1)
    assert rows(store, "SELECT count(*) FROM scripted WHERE reading = 'rendered'") == [(5,)]
    ((plain,),) = rows(store, "SELECT url FROM scripted JOIN pages ON id = page WHERE reading = 'plain'")
    assert plain in seeds[:4]


PLACES = ("/a", "/b/", "/c/x", "/d/x", "/e/x", "/f/x")
"""Each is a class of its own, of which one page is known: too small for a sample."""


def alike(end: str) -> Web:
    """Pages that all have the same text, as shells with a menu and a footer have."""
    page = f"<title>Shop</title><p>{own_words('all')}</p>{end}"
    pages: Web = dict.fromkeys((f"{HOST}{path}" for path in PLACES), page)
    links = "".join(f"<a href={path}>{path}</a>" for path in PLACES)
    code = f"document.body.append(' ' + '{own_words('x')}'.replaceAll('x', location.pathname[1]))"
    return {**pages, f"{HOST}/": f"<p>{own_words('home')}</p>{links}", f"{HOST}/own.js": ("text/javascript", code)}


@slow_with_chromium
def test_pages_that_are_the_same_without_their_scripts_are_suspects(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(alike("<script src=/own.js></script>")), store, text=True, render="auto")
    for path in PLACES:
        assert own_words(path[1]) in run("text", f"{HOST}{path}", "--store", store).stdout, path
        assert site.asked.count(f"{HOST}{path}") <= 2


@slow_with_chromium
@pytest.mark.parametrize(("end", "most"), [("", 0), ("<script>1</script>", len(PLACES))])
def test_pages_that_are_the_same_are_copies(tmp_path: Path, end: str, most: int) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(Site(alike(end)), store, text=True, render="auto")
    assert sum(pages for pages, _ in rendered(store).values()) <= most
    assert rows(store, "SELECT count(*) FROM fetches WHERE leader IS NOT NULL") == [(len(PLACES) - 1,)]
    assert all(site.asked.count(f"{HOST}{path}") <= 1 + bool(most) for path in PLACES)
