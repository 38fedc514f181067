"""Properties in <meta>: the examples of ogp.me."""

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured import BoundedPage, open_graph


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
