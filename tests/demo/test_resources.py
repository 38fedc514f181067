"""Resources of the demo web, and pages as HTML."""

from minicrawl.demo.resources import Page, relative, rendered, root_of


def test_first_link_to_a_page_stays_and_only_counted_ones_to_others_are_outlinks() -> None:
    page = Page("http://a.test/x", "X")
    page.link("http://a.test/y", "Y")
    page.link("http://a.test/y", "again")
    page.link("http://a.test/x", "itself")
    page.link("http://b.test/", "paid", is_counted=False)
    assert page.links["http://a.test/y"] == ("Y", True)
    assert page.outlinks() == ["http://a.test/y"]


def test_urls_of_the_same_host_are_written_without_it() -> None:
    assert root_of("http://a.test/x/y") == "http://a.test/"
    assert relative("http://a.test/y?z", "http://a.test/x") == "/y?z"
    assert relative("http://b.test/y", "http://a.test/x") == "http://b.test/y"


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
