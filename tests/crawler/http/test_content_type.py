"""The type of a body by its header or first bytes. In requests: test_replies.py."""

import pytest

from minicrawl.crawler.http.content_type import (
    SNIFFED,
    declared_type,
    is_not_to_be_sniffed,
    media_type,
    type_sniffed,
)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, None),
        ("text/html", "text/html"),
        ("text/plain, text/html", "text/html"),
        ("text/html; charset=x, text/html", "text/html;charset=x"),
        ("text/plain; charset=x, text/html", "text/html"),
        ('text/html; x="a, text/plain"', 'text/html; x="a, text/plain"'),
        ("text/html, */*", "text/html"),
        ("application/unknown", None),
        ("nonsense", None),
    ],
)
def test_last_type_of_a_header_counts(header: str | None, expected: str | None) -> None:
    said = declared_type(header)
    assert (said and said.replace("; charset", ";charset")) == expected


def test_header_without_type_is_html() -> None:
    assert media_type(None) == media_type("Text/HTML ; charset=x") == "text/html"


def test_only_nosniff_itself_forbids_sniffing() -> None:
    assert is_not_to_be_sniffed(" NoSniff, x")
    assert not is_not_to_be_sniffed("x, nosniff")
    assert not is_not_to_be_sniffed(None)


def test_no_byte_further_on_is_looked_at() -> None:
    assert type_sniffed(b"x" * (SNIFFED - 1) + b"\0") == "application/octet-stream"
    assert type_sniffed(b"x" * SNIFFED + b"\0") == "text/plain"
    assert type_sniffed(b"\n<TITLE>") == "text/html"
    assert type_sniffed(b"<titles>") == "text/plain"
    assert type_sniffed(b"%PDF-1.4\n\0") == "application/pdf"
    assert type_sniffed(b" %PDF-1.4") == "text/plain"
