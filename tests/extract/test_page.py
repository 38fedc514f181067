"""A page as hooks see it."""

from dataclasses import FrozenInstanceError

import pytest

from minicrawl.extract.page import Page

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
