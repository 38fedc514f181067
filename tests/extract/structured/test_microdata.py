"""Microdata as JSON: the examples of the HTML standard (WHATWG HTML, 5.1, 5.2 and 5.4.1), and pages that mean harm."""

import json
import random

import pytest

from minicrawl.extract.document import Document
from minicrawl.extract.structured import MOST_ELEMENTS, MOST_VALUES, BoundedPage, microdata

URL = "http://blog.example.com/progress-report"


# HTML, and the properties of its one item, or its items
STANDARD: dict[str, tuple[str, object]] = {
    "text across elements": (
        "<div itemscope><p>My <em>name</em> is <span itemprop=name>E<strong>liz</strong>abeth</span>.</div>",
        {"name": ["Elizabeth"]},
    ),
    "elements without microdata": (
        "<section><div itemscope><aside><p>My name is <span itemprop=name><a href='/?user=daniel'>Daniel</a></span>.",
        {"name": ["Daniel"]},
    ),
    "image": ("<div itemscope><img itemprop=image src='google-logo.png' alt=Google></div>",
              {"image": ["http://blog.example.com/google-logo.png"]}),
    "data": ("<h1 itemscope><data itemprop='product-id' value='9678AOU879'>The Instigator 2000</data></h1>",
             {"product-id": ["9678AOU879"]}),
    "meter": ("<div itemscope><meter itemprop=ratingValue min=0 value=3.5 max=5>Rated 3.5/5</meter></div>",
              {"ratingValue": ["3.5"]}),
    "time": ("<div itemscope>I was born on <time itemprop=birthday datetime='2009-05-10'>May 10th 2009</time>.</div>",
             {"birthday": ["2009-05-10"]}),
    "meta, and one without content": ("<div itemscope><meta itemprop=a content=x><meta itemprop=a></div>",
                                      {"a": ["x", ""]}),
    "object, and a link that says nothing": ("<p itemscope><object itemprop=o data=/o></object><a itemprop=o>x</a>",
                                             {"o": ["http://blog.example.com/o", ""]}),
    "item in an item": (
        "<div itemscope><p>Name: <span itemprop=name>Amanda</span></p><p>Band: <span itemprop=band itemscope>"
        "<span itemprop=name>Jazz Band</span> (<span itemprop=size>12</span> players)</span></p></div>",
        {"name": ["Amanda"], "band": [{"properties": {"name": ["Jazz Band"], "size": ["12"]}}]},
    ),
    "by itemref": (
        "<div itemscope id=amanda itemref='a b'></div><p id=a>Name: <span itemprop=name>Amanda</span></p>"
        "<div id=b itemprop=band itemscope itemref=c></div><div id=c><p>Band: <span itemprop=name>Jazz Band</span></p>"
        "<p>Size: <span itemprop=size>12</span> players</p></div>",
        {"name": ["Amanda"], "band": [{"properties": {"name": ["Jazz Band"], "size": ["12"]}}]},
    ),
    "two names of one value": ("<div itemscope><span itemprop='favorite-color favorite-fruit'>orange</span></div>",
                               {"favorite-color": ["orange"], "favorite-fruit": ["orange"]}),
    "types and id": (
        "<dl itemscope itemtype='https://vocab.example.net/book' itemid='urn:isbn:0-330-34032-8'>"
        "<dt>Title<dd itemprop=title>The Reality Dysfunction<dt>Author<dd itemprop=author>Peter F. Hamilton"
        "<dt>Publication date<dd><time itemprop=pubdate datetime='1996-01-26'>26 January 1996</time></dl>",
        [
            {
                "type": ["https://vocab.example.net/book"],
                "id": "urn:isbn:0-330-34032-8",
                "properties": {
                    "title": ["The Reality Dysfunction"],
                    "author": ["Peter F. Hamilton"],
                    "pubdate": ["1996-01-26"],
                },
            }
        ],
    ),
    "figures with one licence": (
        "<figure itemscope itemref=licenses><img itemprop=work src=/house.jpeg>"
        "<figcaption itemprop=title>The house I found.</figcaption></figure>"
        "<figure itemscope itemref=licenses><img itemprop=work src=/mailbox.jpeg>"
        "<figcaption itemprop=title>The mailbox.</figcaption></figure>"
        "<p id=licenses>All images licensed under the "
        "<a itemprop=license href='http://www.opensource.org/licenses/mit-license.php'>MIT license</a>.</p>",
        [
            {
                "properties": {
                    "work": [f"http://blog.example.com/{work}.jpeg"],
                    "title": [title],
                    "license": ["http://www.opensource.org/licenses/mit-license.php"],
                }
            }
            for work, title in (("house", "The house I found."), ("mailbox", "The mailbox."))
        ],
    ),
    "part of itself": (
        "<div itemscope itemref=a></div><p id=a itemprop=part itemscope itemref=b></p>"
        "<p id=b itemprop=part itemscope itemref=a></p>",
        {"part": [{"properties": {"part": [{"properties": {"part": ["ERROR"]}}]}}]},
    ),
    "an itemref to an item above": ("<div itemscope id=x><p itemprop=part itemscope itemref=x></p></div>",
                                    {"part": [{"properties": {}}]}),
    "relative to the base": ("<base href='//cdn.test/b/'><p itemscope><img itemprop=i src=x.png></p>",
                             {"i": ["http://cdn.test/b/x.png"]}),
    "no URL": ("<p itemscope><a itemprop=a href='http://[x'></a></p>", {"a": [""]}),
    "a property of nobody": ("<p itemprop=a>x</p><p itemscope itemprop=b><i itemprop=c>y</i></p>", []),
    "no names": ("<p itemscope><i itemprop>x</i><i itemprop='  '>y</i></p>", {}),
    "an itemref to nothing, and the first of two ids": (
        "<p itemscope itemref='none a'></p><i id=a itemprop=n>1</i><i id=a itemprop=n>2</i>", {"n": ["1"]},
    ),
}  # fmt: skip


# HTML, and the properties of its items, read as pages mean it and not as the standard says
PUBLISHED: dict[str, tuple[str, list[dict[str, object]]]] = {
    "content of any element": (
        "<p itemscope><span itemprop=price content='9.50'>9,50 €</span><a itemprop=sku content=A1>x</a>"
        "<span itemprop=name content>N</span></p>",
        [{"price": ["9.50"], "sku": ["A1"], "name": ["N"]}],
    ),
    "scripts in texts": (
        "<p itemscope><span itemprop=n>a<script>1</script><style>p {}</style>b</span></p>", [{"n": ["ab"]}],
    ),
}  # fmt: skip


def found(html: str) -> list[dict[str, object]]:
    return microdata(BoundedPage(Document(html.encode()).tree, URL, []))


@pytest.mark.parametrize("case", STANDARD)
def test_items_are_those_of_the_standard(case: str) -> None:
    html, expected = STANDARD[case]
    assert found(html) == ([{"properties": expected}] if isinstance(expected, dict) else expected)


@pytest.mark.parametrize("case", PUBLISHED)
def test_items_are_read_as_published(case: str) -> None:
    html, expected = PUBLISHED[case]
    assert [item["properties"] for item in found(html)] == expected


def test_items_that_name_one_another_are_bounded() -> None:
    """Each names the next one by two ways, so there were 2^40 of them."""
    items = [
        f"<div id=x{n} itemprop=p itemscope itemref='a{n} b{n}'></div>"
        f"<p id=a{n}><i itemprop=p itemscope itemref=x{n + 1}></i></p>"
        f"<p id=b{n}><i itemprop=q itemscope itemref=x{n + 1}></i></p>"
        for n in range(40)
    ]
    text = json.dumps(found("<div itemscope itemref=x0></div>" + "".join(items)))
    assert text.count('"properties"') <= MOST_VALUES + 2


@pytest.mark.parametrize(
    "html",
    [
        "<div itemscope>" + "<div itemprop=a itemscope>" * 20_000,
        "<div itemscope>" + "<div itemprop=a>xxxxxxxxxx" * 5_000,
        "<div itemscope></div>" * 20_000,
        "<div itemscope>" + "<div itemprop='a b' itemscope>" * 45,
        "<div itemscope itemref=x></div>" * 2_000 + "<p id=x>" + "<b></b>" * 2_000,
        f"<base href='/{'x' * 50_000}/'>" + "<p itemscope itemtype=t itemid=a></p>" * 2_000,
        f"<p itemscope><i itemprop='{' '.join(map(str, range(5_000)))}'>" + "<b></b>" * 20_000,
        "<p itemscope itemref=x></p>" * 2_000 + f"<p id=x itemscope itemprop=a itemref='{'y ' * 200_000}'></p>",
    ],
    ids=["deep", "text in text", "many", "names", "elements", "ids", "texts of nothing", "references"],
)
def test_large_pages_end(html: str) -> None:
    assert len(json.dumps(found(html))) < 10_000_000


def test_no_element_is_looked_at_without_end() -> None:
    """A part of a page that so many items name that only the first ones get all of it."""
    rest = "<b></b>" * 10_000 + "<i itemprop=n>x</i>"
    items = found("<div itemscope itemref=x></div>" * 120 + f"<div id=x>{rest}</div>")
    assert items[0] == {"properties": {"n": ["x"]}}
    assert len(items) <= MOST_ELEMENTS // 10_000 + 1


def test_whatever_the_page_the_answer_is_json() -> None:
    rng = random.Random(5)
    openings = "p itemscope|svg itemprop=a|template|table itemprop=b|i itemprop=c itemscope|a itemprop=u href='x y'|li"
    more = "p id=a itemref=b itemscope|p id=b itemprop='d c' itemref=a itemscope|select|option itemprop=o|mi itemprop=m"
    parts = [f"<{one}>" for one in f"{openings}|{more}|/div|/template|/select|tr|math".split("|")] + ["text"]
    for _ in range(500):
        json.dumps(found("".join(rng.choices(parts, k=rng.randrange(1, 30)))))
