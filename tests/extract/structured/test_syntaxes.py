"""All syntaxes of a page."""

from minicrawl.extract.document import Document
from minicrawl.extract.structured.json_ld import TOO_DEEP
from minicrawl.extract.structured.syntaxes import SYNTAXES, structured

PAGE = """
<script type="application/ld+json">{"@type": "Book"}</script><p itemscope><i itemprop=a>x</i></p>
<p vocab="http://v.test/" property=a>y</p><p class=h-card>C</p><meta property=og:title content=T>
<meta name=DC.title content=D>
"""


def test_page_has_all_of_them() -> None:
    failures: list[str] = []
    found = structured(Document(PAGE.encode()), "http://a.test/", failures)
    assert (tuple(found), failures) == (SYNTAXES, [])
    assert (found["jsonld"], found["dublincore"]) == ([{"@type": "Book"}], {"title": "D"})


def test_none_is_left_out_and_reasons_are_told() -> None:
    failures: list[str] = []
    html = f'<script type="application/ld+json">{"[" * 9_999}{"]" * 9_999}</script>'
    assert structured(Document(html.encode()), "http://a.test/", failures) == {}
    assert failures == [TOO_DEEP]
