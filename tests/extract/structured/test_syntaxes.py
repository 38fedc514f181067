"""All syntaxes of a page."""

from minicrawl.extract.document import Document
from minicrawl.extract.structured import SYNTAXES, structured

PAGE = """
<script type="application/ld+json">{"@type": "Book"}</script><p itemscope><i itemprop=a>x</i></p>
<meta property=og:title content=T>
"""


def test_page_has_all_of_them() -> None:
    failures: list[str] = []
    found = structured(Document(PAGE.encode()), "http://a.test/", failures)
    assert (tuple(found), failures) == (SYNTAXES, [])
    assert found["jsonld"] == [{"@type": "Book"}]
