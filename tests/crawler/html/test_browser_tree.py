"""The text of a page in Lexbor's tree. Its links and places: test_parse.py, test_tree.py."""

from minicrawl.crawler.html.browser_tree import BrowserTree


def test_text_is_in_blocks_without_what_is_hidden() -> None:
    page = """<html lang=de><title>not this</title><h1>Head <b>line</b></h1><p>One <a href=1>li</a>nk<br>two
        <script>no()</script><style>no</style><ul><li>x<li>y</ul><h2></h2><div>a<div>b</div>c</div>"""
    tree = BrowserTree(page.encode(), [])
    assert tree.language() == "de"
    assert [" ".join(block.split()) for block in tree.text() if block.strip()] == [
        *("Head line", "One link", "two", "x", "y", "a", "b", "c"),
    ]
