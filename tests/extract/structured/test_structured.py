"""JSON-LD in scripts, Open Graph in meta elements, and the limits of a page and all its syntaxes."""

import json

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured import (
    MOST_CHARACTERS,
    SYNTAXES,
    TOO_DEEP,
    BoundedPage,
    json_ld,
    open_graph,
    structured,
)

PLAIN = '{"@type": "Book", "name": "B // /* <!-- ,] "}'
BOOK = json.loads(PLAIN)


def found(html: str) -> tuple[list[object], list[str]]:
    failures: list[str] = []
    return json_ld(BoundedPage(Document(html.encode()).tree, "http://a.test/", failures)), failures


def script(text: str, kind: str = "application/ld+json") -> str:
    return f'<script type="{kind}">{text}</script>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (script(f"[1, {PLAIN}, [{PLAIN}], {{}}]"), [BOOK, BOOK]),
        (script("null") + script(PLAIN, "application/LD+json; charset=utf-8"), [BOOK]),
        (script(PLAIN, "text/ld+json"), []),
        ("<p>nothing", []),
    ],
    ids=["arrays", "type", "other type", "nothing"],
)
def test_objects_of_scripts(html: str, expected: list[object]) -> None:
    assert found(html) == (expected, [])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 300 + "1" + "}" * 300, "/**/" + "[" * 100_000])
def test_deep_values_are_left_out_with_a_reason(text: str) -> None:
    assert found(script(text) + script(PLAIN)) == ([BOOK], [TOO_DEEP])


def page(html: str) -> BoundedPage:
    return BoundedPage(Document(html.encode()).tree, "http://a.test/", [])


def metas(*pairs: str) -> str:
    return "".join('<meta property="{}" content="{}">'.format(*pair.split("=", 1)) for pair in pairs)


OPEN_GRAPH: dict[str, tuple[str, dict[str, object]]] = {
    "basic": (
        metas("og:title=The Rock", "og:type=video.movie", "og:url=https://www.imdb.com/title/tt0117500/"),
        {"og:title": "The Rock", "og:type": "video.movie", "og:url": "https://www.imdb.com/title/tt0117500/"},
    ),
    "array": (metas("og:image=a.jpg", "og:image=b.jpg"), {"og:image": ["a.jpg", "b.jpg"]}),
    "structured": (
        metas(
            "og:image=rock.jpg",
            "og:image:width=300",
            "og:image:height=300",
            "og:image=rock2.jpg",
            "og:image=rock3.jpg",
            "og:image:height=1000",
        ),
        {
            "og:image": [
                {"value": "rock.jpg", "width": "300", "height": "300"},
                "rock2.jpg",
                {"value": "rock3.jpg", "height": "1000"},
            ]
        },
    ),
    "og:image:url is og:image": (
        metas("og:image:url=a.jpg", "og:image:width=1", "og:image=b.jpg", "og:image:url=b.jpg"),
        {"og:image": [{"value": "a.jpg", "width": "1"}, "b.jpg"]},
    ),
    "alternates": (
        metas("og:locale=en_GB", "og:locale:alternate=fr_FR", "og:locale:alternate=es_ES"),
        {"og:locale": {"value": "en_GB", "alternate": ["fr_FR", "es_ES"]}},
    ),
    "a part without its whole": (metas("product:price:amount=9.50"), {"product:price:amount": "9.50"}),
    "names in any case, and by name": (
        "<meta name=' og:Title ' content=' T '><meta name=twitter:card content=c><meta name=author content=x>"
        "<meta property=og:url>",
        {"og:title": "T", "twitter:card": "c"},
    ),
    "a declared prefix": (
        "<html prefix='og: http://ogp.me/ns# FB:  http://ogp.me/ns/fb#'>" + metas("fb:app_id=1", "al:x=2"),
        {"fb:app_id": "1"},
    ),
}


@pytest.mark.parametrize("case", OPEN_GRAPH)
def test_open_graph(case: str) -> None:
    html, expected = OPEN_GRAPH[case]
    assert open_graph(page(html)) == expected


def test_words_are_divided_by_spaces_of_html_alone() -> None:
    (element,) = page("<p class='a\u00a0b c\tc a\u00a0b'>").tree.css("p")
    assert page("").words(element, "class") == ["a\u00a0b", "c"]


def test_room_ends() -> None:
    whole = page(f"<p title='{'x' * (MOST_CHARACTERS - 1)}'>")
    (element,) = whole.tree.css("p")
    assert whole.has_room
    assert whole.attribute(element, "title")
    assert whole.has_room
    assert whole.attribute(element, "title")
    assert not whole.has_room
    assert whole.text(element) == ""


PAGE = """
<script type="application/ld+json">{"@type": "Book"}</script><p itemscope><i itemprop=a>x</i></p>
<meta property=og:title content=T>
"""


def test_page_has_all_of_them() -> None:
    failures: list[str] = []
    found = structured(Document(PAGE.encode()), "http://a.test/", failures)
    assert (tuple(found), failures) == (SYNTAXES, [])
    assert found["jsonld"] == [{"@type": "Book"}]
