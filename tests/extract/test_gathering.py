"""All that is taken out of one page."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from minicrawl.extract.gathering import MOST_BYTES, Asked, columns_of, gather
from minicrawl.extract.hooks import MOST_ITEMS, Failure, load_hooks
from minicrawl.extract.page import Page

PAGE = Page("http://a.test/", 200, None, b"<h1>One</h1><meta property=og:title content=T>", "t", ("http://a.test/x",))


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
    found = gather(asked, PAGE)
    assert ([json.loads(item) for item in found.items], found.kept, found.failures) == (items, None, ())


def test_hooks_add_to_it(tmp_path: Path) -> None:
    (tmp_path / "h.py").write_text(
        "def on_page(page): return [{'a': 1}, {'b': 2}]\ndef links(page, links): return [link for link in links if 0]"
    )
    load_hooks.cache_clear()
    found = gather(Asked(("title=h1",), (str(tmp_path / "h.py"),)), PAGE)
    assert [json.loads(item) for item in found.items] == [{"title": "One"}, {"a": 1}, {"b": 2}]
    assert found.kept == frozenset()


def test_half_a_character_is_none(tmp_path: Path) -> None:
    """JSON can say it, but no file in UTF-8 can hold it."""
    (tmp_path / "h.py").write_text(r"def on_page(page): return {'\ud800': 'x\udfff'}")
    load_hooks.cache_clear()
    html = rb'<script type="application/ld+json">["\ud800", "\ud83d\ude00"]</script>'
    found = gather(Asked(hooks=(str(tmp_path / "h.py"),), structured=True), replace(PAGE, html=html))
    assert [json.loads(item.encode()) for item in found.items] == [
        {"jsonld": ["\ufffd", "\N{GRINNING FACE}"]},
        {"\ufffd": "x\ufffd"},
    ]


def test_rules_make_items_beside_it() -> None:
    rules = (
        '{"name": "a", "match": "a.test", "each": "h1", "fields": {"t": "::text"}}',
        '{"name": "b", "match": "b.test", "fields": {"t": "h1"}}',
    )
    found = gather(Asked(("title=h1",), rules=rules), PAGE)
    assert [json.loads(item) for item in found.items] == [{"title": "One"}, {"rule": "a", "t": "One"}]


def test_items_of_parts_are_cut_and_paths_that_fail_cost_no_page() -> None:
    page = Page("http://a.test/", 200, None, b"<b></b>" + b"<p>x" * (MOST_ITEMS + 5), None, ("http://a.test/x",))
    found = gather(Asked(rules=('{"name": "a", "each": "p", "fields": {"t": "::text"}}',)), page)
    assert len(found.items) == MOST_ITEMS
    assert found.failures == (Failure("extract.a", "more than 10,000 items of one page; the rest is left out"),)
    (failure,) = gather(Asked(("bad=xpath://b[nosuch()]",)), page).failures
    assert (failure.hook, failure.what.split(":")[0]) == ("extract", "//b[nosuch()]")


def test_a_pattern_that_comes_to_no_end_costs_its_rule_alone() -> None:
    """(a+)+b tries two ways for each a; that there is no b would be known after the age of the universe."""
    page = replace(PAGE, url=f"http://a.test/{'a' * 100}")
    rules = (
        '{"name": "endless", "match": "(a+)+b", "fields": {"t": "h1"}}',
        '{"name": "sound", "match": "a+$", "fields": {"t": "h1"}}',
    )
    found = gather(Asked(rules=rules), page)
    assert [json.loads(item) for item in found.items] == [{"rule": "sound", "t": "One"}]
    assert found.failures == (Failure("extract.endless", "match = '(a+)+b' over a URL: it took more than 1 s"),)


def test_items_beyond_reason_are_left_out() -> None:
    html = b"<p>" + b"x" * (MOST_BYTES + 1)
    found = gather(Asked(("all=p",)), Page("http://a.test/", 200, None, html, None, ()))
    assert found.items == ()
    assert [failure.hook for failure in found.failures] == ["items"]


def test_columns_are_the_names_of_fields() -> None:
    rule = '{"name": "a", "fields": {"title": "h1", "price": ".price"}}'
    columns = columns_of(("title=h1", "tags[]=.tag"), (rule,), is_structured=True)
    assert columns == ("title", "tags", "rule", "price", "jsonld", "opengraph", "microdata")
