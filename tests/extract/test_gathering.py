"""All that is taken out of one page."""

import json

import pytest

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, SelectorError
from minicrawl.extract.hooks import MOST_BYTES, Failure
from minicrawl.extract.selectors import Field, columns_of, gather, read_field, read_fields
from minicrawl.extract.structured import SYNTAXES, TOO_DEEP

URL = "http://a.test/"
PAGE = Document(b"<h1>One</h1><meta property=og:title content=T>")


@pytest.mark.parametrize(
    ("fields", "is_structured", "items"),
    [
        (("title=h1", "price=.price"), False, [{"title": "One", "price": None}]),
        (("price=.price",), False, []),
        ((), True, [{"opengraph": {"og:title": "T"}}]),
        (("title=h1",), True, [{"title": "One", "opengraph": {"og:title": "T"}}]),
        ((), False, []),
    ],
)
def test_fields_make_one_item(fields: tuple[str, ...], is_structured: bool, items: list[dict[str, object]]) -> None:
    found, failures = gather(fields, PAGE, URL, is_structured=is_structured)
    assert ([json.loads(item) for item in found], failures) == (items, [])


def test_what_is_nested_too_deeply_is_told_once() -> None:
    html = f"<script type=application/ld+json>{'[' * 9_999}{']' * 9_999}</script>" * 2
    found = gather((), Document(html.encode()), URL, is_structured=True)
    assert found == ([], [Failure("extract.structured", TOO_DEEP)])


def test_half_a_character_is_none() -> None:
    """JSON can say it, but no file in UTF-8 can hold it."""
    html = rb'<script type="application/ld+json">{"a": ["\ud800", "\ud83d\ude00"]}</script>'
    ((item,), _) = gather((), Document(html), URL, is_structured=True)
    assert json.loads(item.encode()) == {"jsonld": [{"a": ["\ufffd", "\N{GRINNING FACE}"]}]}


def test_control_characters_are_no_part_of_items() -> None:
    html = rb"""<script type="application/ld+json">{"a": "x\u0000\u001b[31m\b\u009by\n\tz\\u001b"}</script>"""
    ((item,), _) = gather((), Document(html), URL, is_structured=True)
    assert json.loads(item) == {"jsonld": [{"a": "x[31my\n\tz\\u001b"}]}


def test_items_beyond_reason_are_left_out() -> None:
    html = b"<p>" + b"x" * (MOST_BYTES + 1)
    items, failures = gather(("all=p",), Document(html), URL, is_structured=False)
    assert (items, [failure.hook for failure in failures]) == ([], ["items"])


def test_paths_that_fail_cost_no_page() -> None:
    items, (failure,) = gather(("bad=xpath://b[nosuch()]",), Document(b"<b></b>"), URL, is_structured=False)
    assert (items, failure.hook, failure.what.split(":")[0]) == ([], "extract", "//b[nosuch()]")


def test_columns_are_the_names_of_fields() -> None:
    columns = columns_of(("title=h1", "tags[]=.tag"), is_structured=True)
    assert tuple(columns) == ("title", "tags", *SYNTAXES)


SHOWN = Document(b"<h1>One</h1><img src=/a.png><img src=/b.png><p class=price>5 &euro;")


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("title=h1", Field("title", "h1", False, None, False), "One"),
        ("title=css:h1::text", Field("title", "h1", False, None, False), "One"),
        ("image=css:img::attr(src)", Field("image", "img", False, "src", False), "/a.png"),
        ("image[]=img::attr( src )", Field("image", "img", False, "src", True), ["/a.png", "/b.png"]),
        ("price=p[class='price']", Field("price", "p[class='price']", False, None, False), "5 €"),
        ("src=xpath://img[2]/@src", Field("src", "//img[2]/@src", True, None, False), "/b.png"),
        ("none[]=table", Field("none", "table", False, None, True), None),
    ],
)
def test_field_is_read_and_found(text: str, field: Field, value: object) -> None:
    assert read_field(text) == field
    assert field.value(SHOWN) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("h1", "--extract takes NAME=SELECTOR, such as title=h1, not 'h1'"),
        ("title=", "--extract takes NAME=SELECTOR, such as title=h1, not 'title='"),
        ("url=h1", "--extract 'url=h1': every item has a field url already; choose another name"),
        ("a=p[", "--extract 'a=p[': 'p[' is not a CSS selector; write xpath: before an XPath"),
        ("a=xpath://p[", "--extract 'a=xpath://p[': '//p[' is not an XPath"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        read_field(text)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_two_fields_of_one_name_are_refused() -> None:
    with pytest.raises(SettingError, match="gives the field a twice"):
        read_fields(("a=p", "b=p", "a=h1"))


def test_a_path_that_fails_in_a_page_only_says_so() -> None:
    with pytest.raises(SelectorError, match=r"//h1\[nosuch\(\.\)\]: Unregistered function"):
        read_field("a=xpath://h1[nosuch(.)]").value(SHOWN)
