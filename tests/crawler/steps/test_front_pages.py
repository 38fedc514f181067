"""Names of one front page are one page, from an end to the other of a crawl with all defaults."""

from collections.abc import Collection
from pathlib import Path

import pytest
from support.sites import EVERYTHING, HOME, Server, Site, crawl, faults_in, ranks, rows, states
from support.skipping import run

from minicrawl.analysis.page_links import Asked, page_links
from minicrawl.analysis.verify import verify
from minicrawl.api import acrawl
from minicrawl.store.reader import open_store

WORDS = f"<p>{' '.join(f'word{number}' for number in range(40))}"
FRONT = ["<title>Front</title>", WORDS, "page.html"]
GIT = {HOME + "git/", HOME + "git/git.html"}
SHORT = {HOME + "git/short/", HOME + "git/short/index.html"}
ASP = {HOME + "asp/", HOME + "asp/index.aspx"}
SPELT = [
    {HOME + "case/Page", HOME + "case/page"},
    {HOME + "empty.html", HOME + "empty.html?"},
    {HOME + "sorted?a=1&b=2", HOME + "sorted?b=2&a=1"},
    {HOME + "dot.html", "http://a.test./dot.html"},
    {HOME + "labels.html", "http://www.www.a.test/labels.html"},
]
DEFAULT = {HOME + "iis/", HOME + "iis/Default.aspx"}
DIFFERENT = [HOME + "differs/A", HOME + "differs/a", HOME + "differs/?b=1&a=2", HOME + "differs/?a=2&b=1"]
LITTLE = {HOME + "little/A", HOME + "little/a"}
TWICE = (
    {HOME, "https://a.test/"},
    {HOME + "page.html", "http://www.a.test/page.html"},
    {HOME + "slash", HOME + "slash/"},
)
SITE: Site = {
    HOME: [
        WORDS,
        HOME + "index.html",
        HOME + "other/",
        HOME + "other/index.html",
        HOME + "docs/?",
        HOME + "docs/",
        HOME + "x.html",
    ],
    HOME + "index.html": [f"<p>{WORDS} more", HOME + "x.html"],
    HOME + "other/": FRONT,
    HOME + "other/index.html": FRONT,
    HOME + "other/page.html": ["index.html", "./", "index.php"],
    HOME + "other/index.php": FRONT,
    HOME + "docs/?": [*FRONT, "<p>docs"],
    HOME + "docs/": [*FRONT, "<p>docs"],
    HOME + "docs/page.html": ["./"],
    HOME + "x.html": FRONT,
    HOME + "page.html": [
        WORDS + " page",
        HOME,
        HOME + "git/git.html",
        HOME + "git/",
        HOME + "git/short/",
        HOME + "git/short/index.html",
        HOME + "asp/",
        HOME + "asp/index.aspx",
        HOME + "asp/list.aspx",
        HOME + "slash/",
        HOME + "slash",
        "https://a.test/",
        "http://www.a.test/page.html",
        *(url for urls in (*SPELT, DEFAULT) for url in sorted(urls, reverse=True)),
        *DIFFERENT,
        *LITTLE,
    ],
    HOME + "git/git.html": [*FRONT, "<p>git"],
    HOME + "git/": [*FRONT, "<p>git"],
    HOME + "slash": [*FRONT, "<p>slash"],
    HOME + "slash/": [*FRONT, "<p>slash"],
    **{url: ["<p>ho"] for url in (*ASP, HOME + "asp/list.aspx")},
    HOME + "git/short/": ["<p>hi"],
    HOME + "git/short/index.html": ["<p>hi"],
}
SITE |= {url: [WORDS + f" spelt {number}"] for number, urls in enumerate((*SPELT, DEFAULT)) for url in urls}
SITE |= {url: [WORDS + f" differs {number}"] for number, url in enumerate(DIFFERENT)}
SITE |= {url: ["<p>says little"] for url in LITTLE}
SITE |= {"https://a.test/": SITE[HOME], "http://www.a.test/page.html": SITE[HOME + "page.html"]}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fronts") / "crawl.db"
    run(acrawl([HOME], path, transport=Server(SITE), **EVERYTHING), grace=0.0)
    return path


def test_names_of_a_front_page_with_the_same_bytes_are_one_page(store: Path) -> None:
    found = states(store)
    named = {url: found[url] for url in SITE if url.startswith((HOME + "other/", HOME + "docs/")) and "page" not in url}
    assert sorted(named.values()) == ["alias front-page"] * 3 + ["fetched ok"] * 2
    for folder in ("other/", "docs/"):
        assert [state for url, state in named.items() if url.startswith(HOME + folder)].count("fetched ok") == 1


@pytest.mark.parametrize(
    ("urls", "reason"),
    [(GIT, "front-page"), (SHORT, "front-page"), (ASP, "front-page"), (DEFAULT, "front-page")]
    + [(urls, "same-page") for urls in (*TWICE, *SPELT)],
)
def test_two_names_are_one_page(store: Path, urls: Collection[str], reason: str) -> None:
    """A front page is a file of its folder; schemes, www, a last slash and other spellings make other names."""
    found = states(store)
    assert sorted(found[url] for url in urls) == [f"alias {reason}", "fetched ok"]


def test_links_to_all_names_of_a_page_are_links_to_it(store: Path) -> None:
    """The page that links to `git/` links to `git/git.html`, too, whichever of them is the page."""
    with open_store(store) as reader:
        (page,) = [
            url for url, state in rows(store, "SELECT url, state FROM pages") if url in GIT and state == "fetched"
        ]
        assert {link.target for link in page_links(reader, Asked(to=page)).rows()} == GIT


def test_other_bytes_and_other_names_are_other_pages(store: Path) -> None:
    """The front page of the host says something else under its other name; x.html has the bytes of another folder's;
    list.aspx says as little as the front page of its folder; a server may mind letters and order, and little text tells
    nothing of them."""
    found = dict(rows(store, "SELECT url, state FROM pages"))
    assert {
        found[url] for url in (HOME, HOME + "index.html", HOME + "x.html", HOME + "asp/list.aspx", *DIFFERENT, *LITTLE)
    } == {"fetched"}


def test_the_page_has_the_importance_of_all_its_names(store: Path) -> None:
    """Nothing is left to the aliases, and the ranking is exact PageRank of the links with these folded."""
    assert not faults_in(store)
    aliases = [url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'alias'")]
    assert [ranks(store)[url] for url in aliases] == [0.0] * (9 + len(SPELT) + 1)
    with open_store(store) as reader:
        assert verify(reader).excess() <= 0.0


@pytest.mark.parametrize(
    ("canonical", "same", "reason"),
    [
        ("http://b.test/", True, "front-page"),
        ("http://b.test/", False, "canonical-scope-site"),
        (HOME + "page.html", True, "canonical"),
    ],
)
def test_names_of_a_page_whose_canonical_is_out_of_scope_are_one_page(
    tmp_path: Path, canonical: str, same: bool, reason: str
) -> None:
    names = f'<link rel="canonical" href="{canonical}">'
    site: Site = {
        HOME: [names, WORDS, "/index.html", "/page.html"],
        HOME + "index.html": [names, WORDS, *([] if same else ["<p>more"]), "/index.html", "/page.html"],
        HOME + "page.html": [WORDS, "<p>and more"],
    }
    crawl(site, tmp_path / "crawl.db", [HOME], scope="site")
    found = rows(tmp_path / "crawl.db", "SELECT reason FROM pages WHERE url = ?", HOME + "index.html")
    assert found == [(reason,)]
