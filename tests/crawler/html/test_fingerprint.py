"""What a page can be told by: its bytes, and what it says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.prose import prose

from minicrawl.crawler.html.fingerprint import identity_of

URL = "http://a.test/p"


def test_bytes_link_targets_and_site_are_told_apart_as_they_should_be() -> None:
    page = prose(1).replace("<p>", "<p><a href='/x'>more</a>").encode()
    other_links = page.replace(b"/x", b"/y")
    one, two, elsewhere = (
        identity_of(page, URL),
        identity_of(other_links, URL),
        identity_of(page, "http://b.test/other"),
    )
    assert one.digest == two.digest != elsewhere.digest
    assert one.payload == elsewhere.payload != two.payload
    assert one.sketch == two.sketch == elsewhere.sketch


@pytest.mark.parametrize("body", [b"", b"<", b">", b"<p>", b"<html><body></body></html>", b"no markup at all " * 500])
def test_page_that_says_nothing_is_like_nothing(body: bytes) -> None:
    assert identity_of(body, URL)[1:3] == (None, None)


def test_page_that_says_little_has_no_sketch() -> None:
    found = identity_of(b"<title>Sorry</title><h1>Sorry</h1><p>There is no such page here</p>", URL)
    assert found.payload is not None
    assert found.sketch is None


def test_words_are_told_if_they_are_wanted() -> None:
    page = prose(1).encode()
    told = identity_of(page, URL)
    assert told.words
    assert identity_of(page, URL, wants_words=False) == told._replace(words=b"")


@settings(max_examples=40)
@given(st.binary(max_size=300), st.integers(1, 300))
def test_any_bytes_will_do(body: bytes, times: int) -> None:
    identity_of(body * times, URL)
    assert identity_of(body * times, URL) == identity_of(bytes(bytearray(body * times)), URL)
