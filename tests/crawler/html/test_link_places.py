"""Where links stand, as a weigher of links asks for it."""

from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import Place, Wanted

PAGE = b"""<body><div class="page-header"><a href=/home>Home</a></div><nav><a href=/a>A</a><a href=/cited>C</a></nav>
<div class="document"><p>As has been shown in <a href=/cited>the paper</a>, it holds.<ul><li><a href=/item>item</a></ul>
<nav class=content><a href=/toc>toc</a></nav></div><aside><a href=/ad>ad</a></aside>
<div id=sidebar><a href=/side>s</a></div><footer><p>All that is said here is in
<a href=/license>the license</a></footer>"""
WEIGHTS = {Place.TEXT: 8, Place.LIST: 2}


def test_links_weigh_by_their_best_place() -> None:
    page = parse_html(PAGE, "http://h.test/", None, Wanted(places=True))
    weights = [WEIGHTS.get(Place(place), 1) for place in page.places]
    paths = [url.removeprefix("http://h.test/") for url in page.outlinks]
    assert paths == ["home", "a", "cited", "item", "toc", "ad", "side", "license"]
    assert weights == [1, 1, 8, 2, 1, 1, 1, 1]


def test_places_are_gathered_only_where_they_are_wanted() -> None:
    assert parse_html(PAGE, "http://h.test/").places == b""
