"""The type of a body by its header or first bytes. In requests: test_replies.py."""

import pytest

from minicrawl.crawler.http.response_fields import SNIFFED, media_type, type_inside, type_sniffed


def test_header_without_type_is_html() -> None:
    assert media_type(None) == media_type("Text/HTML ; charset=x") == "text/html"


def test_no_byte_further_on_is_looked_at() -> None:
    assert type_sniffed(b"x" * (SNIFFED - 1) + b"\0") == "application/octet-stream"
    assert type_sniffed(b"x" * SNIFFED + b"\0") == "text/plain"
    assert type_sniffed(b"\n<TITLE>") == "text/html"
    assert type_sniffed(b"<titles>") == "text/plain"
    assert type_sniffed(b"%PDF-1.4\n\0") == "application/pdf"
    assert type_sniffed(b" %PDF-1.4") == "text/plain"


XHTML = b'<html lang="en" xmlns="http://www.w3.org/1999/xhtml">'
DOCTYPE = (
    b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)


@pytest.mark.parametrize(
    "before", [b"", b"\xef\xbb\xbf", b"<?xml version='1.0'?>\n", b"<?xml version='1.0'?><!-- <rss> -->" + DOCTYPE]
)
@pytest.mark.parametrize("kind", ["text/xml", "application/xml", "Application/XML; charset=koi8-r"])
def test_xml_with_a_root_of_xhtml_is_xhtml(before: bytes, kind: str) -> None:
    _, semicolon, parameters = kind.partition(";")
    assert type_inside(kind, before + XHTML) == f"application/xhtml+xml{semicolon}{parameters}"


@pytest.mark.parametrize("body", [b"<rss>", b"<html>", b"<!--" + XHTML + b"--><rss>", b" " * SNIFFED + XHTML])
def test_other_xml_stays_what_it_is(body: bytes) -> None:
    assert type_inside("text/xml", body) == "text/xml"


def test_xml_that_is_not_declared_is_sniffed() -> None:
    assert type_inside(None, b"<?xml version='1.0'?>" + XHTML) == "application/xhtml+xml"
    assert type_inside(None, b"<?xml version='1.0'?><rss>") == "text/xml"
