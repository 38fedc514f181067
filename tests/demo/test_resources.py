"""Pages of the demo web and their links."""

from minicrawl.demo.resources import Page, relative, root_of


def test_first_link_to_a_page_stays_and_only_counted_ones_to_others_are_outlinks() -> None:
    page = Page("http://a.test/x", "X")
    page.link("http://a.test/y", "Y")
    page.link("http://a.test/y", "again")
    page.link("http://a.test/x", "itself")
    page.link("http://b.test/", "paid", is_counted=False)
    assert page.links["http://a.test/y"].text == "Y"
    assert page.outlinks() == ["http://a.test/y"]


def test_urls_of_the_same_host_are_written_without_it() -> None:
    assert root_of("http://a.test/x/y") == "http://a.test/"
    assert relative("http://a.test/y?z", "http://a.test/x") == "/y?z"
    assert relative("http://b.test/y", "http://a.test/x") == "http://b.test/y"
