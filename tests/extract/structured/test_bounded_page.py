"""Absolute URLs, texts and limits of a page, and all its syntaxes."""

from minicrawl.extract.document import Document
from minicrawl.extract.structured import MOST_CHARACTERS, SYNTAXES, BoundedPage, structured


def page(html: str) -> BoundedPage:
    return BoundedPage(Document(html.encode()).tree, "http://a.test/b/", [])


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
