"""Absolute URLs, texts and limits of a page."""

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured.bounded_page import MOST_CHARACTERS, BoundedPage, children, joined


def page(html: str) -> BoundedPage:
    return BoundedPage(Document(html.encode()).tree, "http://a.test/b/", [])


@pytest.mark.parametrize(
    ("reference", "url"),
    [(" c \n", "http://a.test/b/c"), ("//d.test", "http://d.test"), ("http://[x", ""), ("", "http://a.test/b/")],
)
def test_urls_are_absolute(reference: str, url: str) -> None:
    assert joined("http://a.test/b/", reference) == url


def test_urls_are_relative_to_the_base() -> None:
    assert page("<base href='/x/'><base href='/y/'>").url("z") == "http://a.test/x/z"


def test_words_are_divided_by_spaces_of_html_alone() -> None:
    (element,) = page("<p class='a\u00a0b c\tc a\u00a0b'>").tree.css("p")
    assert page("").words(element, "class") == ["a\u00a0b", "c"]


def test_children_are_elements() -> None:
    (element,) = page("<p>a<!--b--><i>c</i>").tree.css("p")
    assert [child.tag for child in children(element)] == ["i"]


def test_room_ends() -> None:
    whole = page(f"<p title='{'x' * (MOST_CHARACTERS - 1)}'>")
    (element,) = whole.tree.css("p")
    assert whole.has_room
    assert whole.attribute(element, "lang", "title")
    assert whole.has_room
    assert whole.attribute(element, "title")
    assert not whole.has_room
    assert whole.text(element) == ""
