"""All syntaxes of a page, RDFa and microformats among them."""

from minicrawl.extract.document import Document
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
    assert found["microformats"] == [{"type": ["h-card"], "properties": {"name": ["C"]}}]
    assert "'http://v.test/a': [{'@value': 'y'}]" in str(found["rdfa"])
