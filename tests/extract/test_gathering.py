"""All that is taken out of one page."""

import json

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.hooks import MOST_BYTES, Failure
from minicrawl.extract.selectors import columns_of, gather
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
