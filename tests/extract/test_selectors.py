"""Fields as --extract names them.

Items of the pages whose URL matches, and of parts of them.
"""

import json
from typing import Any

import pytest

from minicrawl.errors import SettingError
from minicrawl.extract.document import Document, SelectorError
from minicrawl.extract.selectors import Field, read_field, read_fields, read_rule

PAGE = Document(b"<h1>One</h1><img src=/a.png><img src=/b.png><p class=price>5 &euro;")


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
    assert field.value(PAGE) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("h1", "--extract takes NAME=SELECTOR, such as title=h1, not 'h1'"),
        ("title=", "--extract takes NAME=SELECTOR, such as title=h1, not 'title='"),
        ("url=h1", "--extract 'url=h1': every item has a field url already; choose another name"),
        ("a=p[", "--extract 'a=p[': 'p[' is no CSS selector; an XPath has xpath: before it"),
        ("a=xpath://p[", "--extract 'a=xpath://p[': '//p[' is no XPath"),
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


URL = "http://shop.test/p/1"
SHOP = """
<h1>Shop</h1>
<div class=product id=a><h2>Pen</h2><a href=/pen>more</a><i class=price>1.50</i>
<div class=product><h2>Ink</h2></div></div>
<div class=product><p>nothing of it</div>
<table><tr><th>x<th>y<tr><td>1<td>2<tr><td>3</table>
"""


def items(most: int = 10, url: str = URL, html: str = SHOP, **keys: Any) -> list[dict[str, object]]:
    return read_rule(json.dumps({"name": "r", **keys})).items(Document(html.encode()), url, most)


def test_a_whole_page_is_an_item_where_its_url_matches() -> None:
    assert items(match="/p/", fields={"title": "h1", "none": "h6"}) == [{"rule": "r", "title": "Shop", "none": None}]
    assert items(match="/q/", fields={"title": "h1"}) == []
    assert items(fields={"title": "h1"}) == [{"rule": "r", "title": "Shop"}]
    assert items(fields={"none": "h6"}) == []


def test_each_part_is_an_item_of_what_stands_in_it() -> None:
    fields = {"name": "h2", "price": "css:.price::text", "link": "a::attr(href)", "id": "::attr(id)"}
    assert items(each=".product", fields=fields) == [
        {"rule": "r", "name": "Pen", "price": "1.50", "link": "/pen", "id": "a"},
        {"rule": "r", "name": "Ink", "price": None, "link": None, "id": None},
    ]


def test_a_part_is_not_in_itself() -> None:
    (outer, inner, _) = items(each=".product", fields={"inner": ".product h2", "all[]": ".product", "text": "::text"})
    assert (outer["inner"], outer["all"], outer["text"]) == ("Pen", ["Ink"], "Penmore1.50 Ink")
    assert (inner["inner"], inner["all"], inner["text"]) == ("Ink", None, "Ink")


def test_rows_of_a_table_are_parts() -> None:
    assert items(each="css: tr", fields={"cells[]": "td"}) == [
        {"rule": "r", "cells": ["1", "2"]},
        {"rule": "r", "cells": ["3"]},
    ]


def test_paths_begin_at_the_part() -> None:
    fields = {"name": "xpath:.//h2", "id": "xpath:@id", "count": "xpath:count(h2)", "page": "xpath://h1"}
    found = items(each="xpath://div[h2]", fields=fields)
    assert found == [
        {"rule": "r", "name": "Pen", "id": "a", "count": "1", "page": "Shop"},
        {"rule": "r", "name": "Ink", "id": None, "count": "1", "page": "Shop"},
    ]
    assert items(each="xpath://div/@id", fields={"name": "xpath:."}) == [], "attributes have no parts"
    assert items(each="xpath:count(//div)", fields={"name": "xpath:."}) == []
    assert items(each="xpath://p", fields={"name": "xpath:."}, html="") == []


def test_there_is_one_item_too_many_at_most() -> None:
    html = "<p>x" * 20
    assert len(items(most=5, each="p", fields={"text": "::text"}, html=html)) == 6


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"each": ">>", "fields": {"a": "h1"}}, r"--extract-rule r each: '>>' cannot be read \(no CSS selector\)"),
        ({"each": "xpath://[", "fields": {"a": "xpath:."}}, r"--extract-rule r each: '//\[' cannot be read"),
        ({"fields": {"rule": "h1"}}, r"every item has a field rule already"),
        ({"fields": {"a": "h1", "a[]": "h2"}}, r"--extract-rule r gives the field a twice"),
        ({"each": "p", "fields": {"a": "xpath:."}}, r"--extract-rule r a: where each is by CSS, all fields are by CSS"),
        ({"each": "xpath://p", "fields": {"a": "b"}}, r"a: where each is by XPath, all fields are by XPath"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_one_sentence(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError, match=sentence):
        items(**keys)


def test_a_path_that_fails_in_a_page_only_says_so() -> None:
    with pytest.raises(SelectorError, match=r"//h1\[nosuch\(\.\)\]: Unregistered function"):
        items(fields={"a": "xpath://h1[nosuch(.)]"})
