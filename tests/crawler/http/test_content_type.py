"""The type of a body by its header or first bytes. In requests: test_replies.py."""

from minicrawl.crawler.http.content_type import SNIFFED, media_type, type_sniffed


def test_header_without_type_is_html() -> None:
    assert media_type(None) == media_type("Text/HTML ; charset=x") == "text/html"


def test_no_byte_further_on_is_looked_at() -> None:
    assert type_sniffed(b"x" * (SNIFFED - 1) + b"\0") == "application/octet-stream"
    assert type_sniffed(b"x" * SNIFFED + b"\0") == "text/plain"
    assert type_sniffed(b"\n<TITLE>") == "text/html"
    assert type_sniffed(b"<titles>") == "text/plain"
    assert type_sniffed(b"%PDF-1.4\n\0") == "application/pdf"
    assert type_sniffed(b" %PDF-1.4") == "text/plain"
