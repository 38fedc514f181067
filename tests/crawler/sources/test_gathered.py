"""What is taken out of a page where it is parsed."""

import json
from pathlib import Path

import pytest

from minicrawl.crawler.sources.large_pages import read_page
from minicrawl.extract.hooks import load_hooks
from minicrawl.model import Wanted

URL = "http://a.test/"


def test_fields_are_found_in_any_encoding() -> None:
    body = '<meta charset="euc-kr"><h1>한국어</h1>'.encode("euc-kr")
    parsed, _ = read_page(body, URL, "text/html", Wanted(extract=("title=h1", "same=xpath://h1")))
    assert [json.loads(item) for item in parsed.items] == [{"title": "한국어", "same": "한국어"}]


def test_links_that_a_hook_leaves_out_are_refused(tmp_path: Path) -> None:
    (tmp_path / "h.py").write_text("def links(page, links): return [link for link in links if link.endswith('b')]")
    load_hooks.cache_clear()
    wanted = Wanted(anchors=True, places=True, hooks=(str(tmp_path / "h.py"),))
    parsed, _ = read_page(b"<a href=/a>A</a><p>words beside it: <a href=/b>B</a>", URL, None, wanted)
    whole, _ = read_page(b"<a href=/a>A</a><p>words beside it: <a href=/b>B</a>", URL, None, Wanted(True, True))
    assert (parsed.outlinks, parsed.anchors, parsed.refused) == ((f"{URL}b",), ("B",), 1)
    assert parsed.places == whole.places[1:]


def test_page_that_would_choke_a_parser_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    body = b"<h1>x</h1>" + b"<b>" * 30_001
    parsed, _ = read_page(body, URL, None, Wanted(extract=("title=h1",)))
    assert parsed.items == ()
    assert caplog.messages == [f"nothing is taken out of {URL}: its tags could make a tree of any size"]
