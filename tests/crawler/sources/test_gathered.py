"""What is taken out of a page where it is parsed."""

import json

import pytest

from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import Wanted

URL = "http://a.test/"


def test_fields_are_found_in_any_encoding() -> None:
    body = '<meta charset="euc-kr"><h1>한국어</h1>'.encode("euc-kr")
    parsed, _ = read_page(body, URL, "text/html", Wanted(extract=("title=h1", "same=xpath://h1")))
    assert [json.loads(item) for item in parsed.items] == [{"title": "한국어", "same": "한국어"}]


def test_page_that_would_choke_a_parser_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    body = b"<h1>x</h1>" + b"<b>" * 30_001
    parsed, _ = read_page(body, URL, None, Wanted(extract=("title=h1",)))
    assert parsed.items == ()
    assert caplog.messages == [f"nothing is taken out of {URL}: its tags could make a tree of any size"]
