"""A page as selectors look at it.

A page as hooks see it.
"""

import pytest

from minicrawl.extract.document import Document, Page, by_name, wrong_css, wrong_xpath

PAGE = Document(b"""<h1 class="a b"> One <b>and</b>
    two</h1><p title="x">1<p title="">2<p>3<time datetime="2026-01-02">then</time>""")


@pytest.mark.parametrize(
    ("selector", "attribute", "found"),
    [("h1", None, ["One and two"]), ("p", None, ["1", "2", "3then"]), ("p", "title", ["x", ""]), ("table", None, [])],
)
def test_css(selector: str, attribute: str | None, found: list[str]) -> None:
    assert PAGE.css(selector, attribute) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("//h1", ["One and two"]),
        ("//time/@datetime", ["2026-01-02"]),
        ("//p/text()", ["1", "2", "3"]),
        ("count(//p)", ["3"]),
        ("string(//h1/b)", ["and"]),
    ],
)
def test_xpath(path: str, found: list[str]) -> None:
    assert PAGE.xpath(path) == found


@pytest.mark.parametrize("html", [b"", b" ", b"<!-- -->", b"\0"])
def test_nothing_is_found_in_next_to_nothing(html: bytes) -> None:
    assert (Document(html).css("p"), Document(html).xpath("//h1")) == ([], [])


def test_wrong_selectors_are_told() -> None:
    assert [wrong_css(selector) for selector in ("h1", "p[", "", "p::text")] == [False, True, True, True]
    assert [wrong_xpath(path) is None for path in ("//p", "//p[", "foo(", "//x:y", "")] == [True, *[False] * 4]


SHOWN = Page(
    "http://a.test/",
    200,
    "text/html",
    "<title>t</title><h1>Ü</h1><script>no</script><p>two  words</p>".encode(),
    "t",
    ("http://a.test/x",),
)


def test_page_says_what_it_has() -> None:
    assert (SHOWN.css("h1"), SHOWN.xpath("//p/text()"), SHOWN.text) == (["Ü"], ["two  words"], "Ü two words")
    assert SHOWN.tree.css_first("p") is not None
    assert SHOWN.xml_tree is not None
    assert SHOWN.css("p", "class") == []


def test_fields_of_one_name_are_joined() -> None:
    fields = [("vary", "a"), ("set-cookie", "a=1, b"), ("vary", "b"), ("set-cookie", "c"), ("date", "Mon, 1")]
    assert by_name(fields) == {"vary": "a, b", "set-cookie": "a=1, b\nc", "date": "Mon, 1"}
