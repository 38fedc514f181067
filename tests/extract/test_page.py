"""A page as hooks see it."""

from dataclasses import FrozenInstanceError

import pytest

from minicrawl.extract.page import Page, by_name

PAGE = Page(
    "http://a.test/",
    200,
    "text/html",
    "<title>t</title><h1>Ü</h1><script>no</script><p>two  words</p>".encode(),
    "t",
    ("http://a.test/x",),
)


def test_page_says_what_it_has() -> None:
    assert (PAGE.css("h1"), PAGE.xpath("//p/text()"), PAGE.text) == (["Ü"], ["two  words"], "Ü two words")
    assert PAGE.tree.css_first("p") is not None
    assert PAGE.xml_tree is not None
    assert PAGE.css("p", "class") == []


def test_page_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        PAGE.url = "http://b.test/"  # type: ignore[misc]
    with pytest.raises(TypeError):
        by_name([("etag", "x")])["etag"] = "y"  # type: ignore[index]


def test_fields_of_one_name_are_joined() -> None:
    fields = [("vary", "a"), ("set-cookie", "a=1, b"), ("vary", "b"), ("set-cookie", "c"), ("date", "Mon, 1")]
    assert by_name(fields) == {"vary": "a, b", "set-cookie": "a=1, b\nc", "date": "Mon, 1"}
