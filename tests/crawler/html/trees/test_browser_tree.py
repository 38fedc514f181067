"""What Lexbor's tree says of a page, against a plain reading of small pages whose meaning is known."""

import pytest

from minicrawl.crawler.html.trees.browser_tree import RARE_SELECTORS, BrowserTree
from minicrawl.model import Place

ALL = list(RARE_SELECTORS)


def elements(page: str, *, rare: list[str] = ALL) -> list[tuple[str, dict[str, str | None], str, bool]]:
    tree = BrowserTree(page.encode(), rare)
    return [(tag, dict(attributes), text(), in_head) for tag, attributes, text, in_head, _ in tree.elements()]


@pytest.mark.parametrize(
    ("page", "hrefs"),
    [
        ("<a href=1>a<a href=2>b", ["1", "2"]),  # an open a is closed by the next
        ("<table><a href=1></table><a href=2>", ["1", "2"]),  # foster parenting
        ("<template><a href=1></a></template><a href=2>", ["2"]),
        ("<!-- <a href=1> --><a href=2>", ["2"]),
        ("<script>'<a href=1>'</script><a href=2>", ["2"]),
        ("<noscript><a href=1></noscript>", ["1"]),
        ("<svg><a xlink:href=1></a><a href=2></svg><a href=3>", ["1", "2", "3"]),
        ("<svg><foreignObject><a href=1></a></foreignObject></svg>", ["1"]),
        ("<math><a href=1></a><mi><a href=2></a></mi></math>", ["2"]),
        ("<a href='1'", []),  # the end of the file within a tag: no tag
        ("<A HREF=1 href=2>", ["1"]),  # the first of two
    ],
)
def test_links_are_those_of_the_standard(page: str, hrefs: list[str]) -> None:
    assert [attributes.get("href") for tag, attributes, _, _ in elements(page) if tag == "a"] == hrefs


def test_link_elements_count_in_the_head_alone() -> None:
    page = "<head><link rel=canonical href=1><title> A  title </title></head><body><link rel=canonical href=2>"
    assert [(tag, attributes.get("href"), in_head) for tag, attributes, _, in_head in elements(page)] == [
        ("link", "1", True),
        ("title", None, False),
        ("link", "2", False),
    ]
    assert [text for tag, _, text, _ in elements(page) if tag == "title"] == [" A  title "]


def test_frames_are_found_where_they_are_looked_for() -> None:
    page = "<iframe src=1></iframe><a href=2>"
    assert [tag for tag, *_ in elements(page)] == ["iframe", "a"]
    assert [tag for tag, *_ in elements(page, rare=[])] == ["a"]


def test_text_is_in_blocks_without_what_is_hidden() -> None:
    page = """<html lang=de><title>not this</title><h1>Head <b>line</b></h1><p>One <a href=1>li</a>nk<br>two
        <script>no()</script><style>no</style><ul><li>x<li>y</ul><h2></h2><div>a<div>b</div>c</div>"""
    tree = BrowserTree(page.encode(), [])
    assert (tree.language(), tree.h1()) == ("de", "Head line")
    text = tree.text()
    assert [" ".join(block.split()) for block in text.blocks if block.strip()] == [
        *("Head line", "One link", "two", "x", "y", "a", "b", "c"),
    ]
    assert text.headings == [("h1", "Head line"), ("h2", "")]


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("<p>a sentence that has <a href=1>this</a>", Place.TEXT),
        ("<p><a href=1>this</a> begins a sentence", Place.TEXT),
        ("<ul><li><a href=1>this</a></ul>", Place.LIST),
        ("<nav><ul><li>x <a href=1>this</a></ul></nav>", Place.NAVIGATION),
        ("<header><p>x <a href=1>this</a></header>", Place.NAVIGATION),
        ("<footer><div><div>x <a href=1>this</a></div></div></footer>", Place.NAVIGATION),
        ("<aside>x <a href=1>this</a></aside>", Place.NAVIGATION),
    ],
)
def test_where_a_link_stands(page: str, place: Place) -> None:
    tree = BrowserTree(page.encode(), [])
    assert [at for tag, _, _, _, at in tree.elements({}) if tag == "a"] == [place]
