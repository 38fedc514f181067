"""The text of a sitemap as it comes, in whatever pieces. What is listed: see test_reading."""

import pytest

from minicrawl.crawler.sitemaps.documents import document_of

URLS = ["http://a.test/1", "http://a.test/?a=1&b=2"]
XML = "<urlset>" + "".join(f"<url><loc>{url.replace('&', '&amp;')}</loc></url>" for url in URLS) + "</urlset>"
LINES = "\n".join(URLS) + "\n"


def read(text: str, at_once: int) -> list[str]:
    document, start = document_of(text)
    found: list[str] = []
    for place in range(start, len(text), at_once):
        found += document.feed(text[place : place + at_once])
    return found + document.rest()


@pytest.mark.parametrize("text", [XML, LINES, f"<?xml version='1.0'?>{XML}", f"junk before <?xml version='1.0'?>{XML}"])
@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_urls_are_the_same_in_any_pieces(text: str, at_once: int) -> None:
    assert read(text, at_once) == URLS


def test_index_is_told_from_a_sitemap() -> None:
    document, _ = document_of("<sitemapindex>")
    assert document.feed(f"<sitemapindex><sitemap><loc>{URLS[0]}</loc></sitemap>") == URLS[:1]
    assert document.is_index
    assert not document_of(XML)[0].is_index


def test_text_without_a_url_is_given_up() -> None:
    document, _ = document_of("hello")
    for _ in range(100):
        document.feed("hello world\n" * 100)
        if document.hopeless:
            break
    assert document.hopeless
