"""All that is taken out of one page."""

import json

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.gathering import Asked, columns_of, gather
from minicrawl.extract.hooks import MOST_BYTES, MOST_ITEMS
from minicrawl.extract.structured.json_ld import TOO_DEEP
from minicrawl.extract.structured.syntaxes import SYNTAXES

URL = "http://a.test/"
PAGE = Document(b"<h1>One</h1><meta property=og:title content=T>")


@pytest.mark.parametrize(
    ("asked", "items"),
    [
        (Asked(fields=("title=h1", "price=.price")), [{"title": "One", "price": None}]),
        (Asked(fields=("price=.price",)), []),
        (Asked(structured=True), [{"opengraph": {"og:title": "T"}}]),
        (Asked(fields=("title=h1",), structured=True), [{"title": "One", "opengraph": {"og:title": "T"}}]),
        (Asked(), []),
    ],
)
def test_fields_make_one_item(asked: Asked, items: list[dict[str, object]]) -> None:
    found = gather(asked, PAGE, URL)
    assert ([json.loads(item) for item in found.items], found.failures) == (items, ())


def test_what_is_nested_too_deeply_is_told_once() -> None:
    html = f"<script type=application/ld+json>{'[' * 9_999}{']' * 9_999}</script>" * 2
    found = gather(Asked(structured=True), Document(html.encode()), URL)
    assert found == ((), (("extract.structured", TOO_DEEP),))


def test_half_a_character_is_none() -> None:
    """JSON can say it, but no file in UTF-8 can hold it."""
    html = rb'<script type="application/ld+json">{"a": ["\ud800", "\ud83d\ude00"]}</script>'
    (item,) = gather(Asked(structured=True), Document(html), URL).items
    assert json.loads(item.encode()) == {"jsonld": [{"a": ["\ufffd", "\N{GRINNING FACE}"]}]}


def test_control_characters_are_no_part_of_items() -> None:
    html = rb"""<script type="application/ld+json">{"a": "x\u0000\u001b[31m\b\u009by\n\tz\\u001b"}</script>"""
    (item,) = gather(Asked(structured=True), Document(html), URL).items
    assert json.loads(item) == {"jsonld": [{"a": "x[31my\n\tz\\u001b"}]}


def test_rules_make_items_beside_it() -> None:
    rules = (
        '{"name": "a", "match": "a.test", "each": "h1", "fields": {"t": "::text"}}',
        '{"name": "b", "match": "b.test", "fields": {"t": "h1"}}',
    )
    found = gather(Asked(("title=h1",), rules=rules), PAGE, URL)
    assert [json.loads(item) for item in found.items] == [{"title": "One"}, {"rule": "a", "t": "One"}]


def test_items_of_parts_are_cut_and_paths_that_fail_cost_no_page() -> None:
    page = Document(b"<b></b>" + b"<p>x" * (MOST_ITEMS + 5))
    found = gather(Asked(rules=('{"name": "a", "each": "p", "fields": {"t": "::text"}}',)), page, URL)
    assert len(found.items) == MOST_ITEMS
    assert found.failures == (("extract.a", "more than 10,000 items of one page; the rest is left out"),)
    ((hook, what),) = gather(Asked(("bad=xpath://b[nosuch()]",)), page, URL).failures
    assert (hook, what.split(":")[0]) == ("extract", "//b[nosuch()]")


def test_a_pattern_that_comes_to_no_end_costs_its_rule_alone() -> None:
    """(a+)+b tries two ways for each a; that there is no b would be known after the age of the universe."""
    rules = (
        '{"name": "endless", "match": "(a+)+b", "fields": {"t": "h1"}}',
        '{"name": "sound", "match": "a+$", "fields": {"t": "h1"}}',
    )
    found = gather(Asked(rules=rules), PAGE, f"{URL}{'a' * 100}")
    assert [json.loads(item) for item in found.items] == [{"rule": "sound", "t": "One"}]
    assert found.failures == (("extract.endless", "match = '(a+)+b' over a URL: it took more than 1 s"),)


def test_items_beyond_reason_are_left_out() -> None:
    html = b"<p>" + b"x" * (MOST_BYTES + 1)
    found = gather(Asked(("all=p",)), Document(html), URL)
    assert found.items == ()
    assert [hook for hook, _ in found.failures] == ["items"]


def test_columns_are_the_names_of_fields() -> None:
    rule = '{"name": "a", "fields": {"title": "h1", "price": ".price"}}'
    columns = columns_of(("title=h1", "tags[]=.tag"), (rule,), is_structured=True)
    assert tuple(columns) == ("title", "tags", "rule", "price", *SYNTAXES)
