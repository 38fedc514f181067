"""Places of links, compared with a slow and obvious implementation, on generated and hostile pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode
from support.effort import growth

from minicrawl.model import Place, Wanted
from minicrawl.web.html.content import ARTICLE, MAIN, NAMED, PERHAPS, container
from minicrawl.web.html.content import TEXT as BODY
from minicrawl.web.html.parse import parse_html

PAGE = b"""<body><div class="page-header"><a href=/home>Home</a></div><nav><a href=/a>A</a><a href=/cited>C</a></nav>
<div class="document"><p>As has been shown in <a href=/cited>the paper</a>, it holds.<ul><li><a href=/item>item</a></ul>
<nav class=content><a href=/toc>toc</a></nav></div><aside><a href=/ad>ad</a></aside>
<div id=sidebar><a href=/side>s</a></div><footer><p>All that is said here is in
<a href=/license>the license</a></footer>"""
WEIGHTS = {Place.TEXT: 8, Place.LIST: 2, Place.NAVIGATION: 1}

FRAMES = ("nav", "header", "footer", "aside", "menu")
FRAME_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar")
NAMES = (
    *("nav", "wy-nav-side", "menu", "sidebar", "side-bar", "foot", "footnote", "footer", "copyright", "header", "head"),
    *("ahead", "headline", "page-head", "banner", "masthead", "content", "nav-content", "main-content", "maincontent"),
    *("article", "documentation", "document", "body", "mainmenu", "main", "x", "", "Kopfzeile", "inhalt", "NAV", "toc"),
    *("comments", "comment-body", "commentary", "reply", "disqus_thread", "cookie-banner", "related-posts", "share"),
)


def place_of(link: LexborNode) -> Place:
    """The rule, word by word: the first element that decides, from the link upwards."""
    element = link.parent
    while element is not None:
        decision = said_by(element)
        if decision is not None:
            break
        element = element.parent
    if element is not None and decision == "frame":
        return Place.NAVIGATION
    is_text = any(
        beside is not None and beside.is_text_node and says_something(beside) for beside in (link.prev, link.next)
    )
    return Place.TEXT if is_text else Place.LIST


def said_by(element: LexborNode) -> str | None:
    if element.tag == "body":
        return "content"
    if element.tag not in NAMED and "-" not in (element.tag or ""):  # unknown elements may be containers
        return None
    mark = container(element.tag or "", element.attributes)
    return "content" if mark in (MAIN, ARTICLE, BODY) else None if mark in (PERHAPS, "") else "frame"


def says_something(text: LexborNode) -> bool:
    return len(" ".join((text.text_content or "").split())) > 8


def expected(page: bytes) -> dict[str, Place]:
    """The best place of the links to each target."""
    found: dict[str, Place] = {}
    for link in LexborHTMLParser(page).css("a[href]"):
        target = link.attributes["href"] or ""
        found[target] = min(place_of(link), found.get(target, Place.NAVIGATION))
    return found


def places_in(page: bytes) -> dict[str, Place]:
    parsed = parse_html(page, "http://h.test/", None, Wanted(places=True))
    return {
        url.removeprefix("http://h.test"): Place(place)
        for url, place in zip(parsed.outlinks, parsed.places, strict=True)
    }


def test_links_weigh_by_their_best_place() -> None:
    paths = places_in(PAGE)
    assert list(paths) == ["/home", "/a", "/cited", "/item", "/toc", "/ad", "/side", "/license"]
    assert [WEIGHTS[place] for place in paths.values()] == [1, 1, 8, 2, 1, 1, 1, 1]


def test_places_are_gathered_only_where_they_are_wanted() -> None:
    assert parse_html(PAGE, "http://h.test/").places == b""


def test_links_that_do_not_stand_on_the_page_are_in_a_list() -> None:
    page = b"<link rel=next href=/n><nav><map><area href=/area></map><iframe src=/f></iframe><a href=/a>a</a></nav>"
    assert places_in(page) == {"/n": 1, "/area": 1, "/f": 1, "/a": 2}
    assert places_in(page + b"<nav><a href=/n>n</a><p>Some words beside: <a rel=x href=/f>f</a>")["/n"] == Place.LIST


BESIDE = ("cookie-notice", "related", "newsletter", "share-buttons", "breadcrumb", "popup", "pagination", "widget")
OF_CONTENT = ("cookbook-recipes", "relatedness", "newsletters", "shareholders", "entry-content", "paginated")


@pytest.mark.parametrize("name", [*BESIDE, *OF_CONTENT])
def test_links_that_a_text_leaves_out_by_their_container_are_navigation(name: str) -> None:
    words = "<p>Some words beside it <a href=/1>1</a></div>"
    assert places_in(f"<main><div class='{name}'>{words}".encode()) == {
        "/1": Place.NAVIGATION if name in BESIDE else Place.TEXT
    }


ATTRIBUTES = st.one_of(
    st.just(""),
    st.builds(
        "{}='{}'".format,
        st.sampled_from(["class", "id", "CLASS"]),
        st.lists(st.sampled_from(NAMES), max_size=2).map(" ".join),
    ),
    st.builds("class='' id={}".format, st.sampled_from(["nav", "content"])),
    st.builds("role='{}'".format, st.sampled_from([*FRAME_ROLES, "main", "note", " Navigation "])),
)
TEXTS = st.sampled_from(
    ["", ", ", "a word", "nine char", "  eight   \n  ch ", "and quite a text beside it", " " * 70 + "nine chars"]
)
TAGS = st.sampled_from([*FRAMES, "main", "article", "div", "section", "ul", "li", "td", "p", "span", "b"])
LINKS = st.integers(0, 5).map("<a href=/{}>words</a>".format)


def inside(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    content = st.lists(blocks, max_size=4).map("".join)
    return st.builds(lambda tag, attributes, words: f"<{tag} {attributes}>{words}</{tag}>", TAGS, ATTRIBUTES, content)


PAGES = st.lists(st.recursive(LINKS | TEXTS, inside, max_leaves=12), max_size=4).map("".join)


@given(page=PAGES, ending=st.sampled_from(["", "</div>", "</ul></p>", "<nav><a href=/9>x</a>", "<!-- <nav> -->"]))
def test_places_are_those_of_the_rule(page: str, ending: str) -> None:
    """Well-formed or not: where elements end is for the parser to say."""
    body = f"<body>{ending}{page}{ending}<a href=/0>".encode()
    assert places_in(body) == expected(body)


@pytest.mark.parametrize(
    ("page", "place"),
    [
        (b"<div class=kopfzeile><ul>%b</ul></div><div class=fusszeile>%b</div>", Place.LIST),
        (b"<nav>%b<main><div>%b</div></nav>", None),
        (b"<nav><p>Some words beside it %b and behind it</p>%b</nav>", Place.NAVIGATION),
        (b"<div><div>%b</div>%b</div>", Place.LIST),
    ],
    ids=["another language", "content in navigation", "all in navigation", "no classes"],
)
def test_sites_that_do_not_follow_the_custom(page: bytes, place: Place | None) -> None:
    """Words that are not English fall back to tags and text; a site that has all in one place loses nothing by it."""
    found = places_in(page % (b"<a href=/1>1</a>", b"<a href=/2>2</a>"))
    assert found == ({"/1": place, "/2": place} if place is not None else {"/1": Place.NAVIGATION, "/2": Place.LIST})


@pytest.mark.parametrize(
    "name",
    [
        *("hfeed no-sidebar", "with-footer", "post comments-open", "x-sidebar-layout"),
        *("football-news", "unavailable", "navy", "copyrightrichtext"),
    ],
)
def test_a_name_that_tells_of_a_layout_or_contains_such_a_word_decides_nothing(name: str) -> None:
    page = f"<div class='{name}'><p>Some words beside it <a href=/1>1</a></div>"
    assert places_in(page.encode()) == {"/1": Place.TEXT}


@pytest.mark.parametrize("link", [b"", b"<a href=/%d>x</a>"], ids=["one link", "a link a level"])
def test_time_follows_the_length_of_a_page_however_deep_it_is(link: bytes) -> None:
    def nested(levels: int) -> bytes:
        opened = (b"<div class=c%d>%b" % (level, link.replace(b"%d", b"%d" % level)) for level in range(levels))
        return b"<nav><a href=/>x</a>" + b"".join(opened) + b"<a href=/>x"

    assert growth(lambda levels: places_in(nested(levels)), 400, 10) < 1.5
    assert set(places_in(nested(400)).values()) == {Place.NAVIGATION}
