"""Pages as HTML: links as people write them, in the page's own encoding."""

from minicrawl.demo.rendering import rendered
from minicrawl.demo.resources import Page


def page(**more: str) -> Page:
    made = Page("http://a.test/x", "A & B", **more)  # type: ignore[arg-type]
    made.link("http://a.test/", "Home")
    made.link("http://a.test/caf%C3%A9", "caf\u00e9")
    made.link("http://b.test/?a=1&b=2", "<away>", is_counted=False)
    return made


def test_links_are_relative_and_escaped_and_say_what_is_not_counted() -> None:
    html = rendered(page())
    assert "<title>A &amp; B</title>" in html
    assert '<a href="/caf%C3%A9">caf\u00e9</a>' in html
    assert '<a href="http://b.test/?a=1&amp;b=2" rel="nofollow">&lt;away&gt;</a>' in html
    assert '<a href="#content">' in html


def test_base_moves_links_and_has_no_anchor_to_itself() -> None:
    html = rendered(page(base="http://a.test/archive/2024/"))
    assert '<base href="http://a.test/archive/2024/">' in html
    assert '<a href="../../caf%C3%A9">' in html
    assert "#content" not in html


def test_other_encoding_spells_paths_out() -> None:
    assert '<a href="/caf\u00e9">' in rendered(page(charset="iso-8859-1"))


def test_page_without_links_has_no_list() -> None:
    assert "<a " not in rendered(Page("http://a.test/", "Alone"))
