"""What is taken out of a page where it is parsed."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from minicrawl.crawler.http.httpx_transport import HttpxTransport
from minicrawl.crawler.sources.large_pages import read_page
from minicrawl.crawler.sources.local import LocalSource
from minicrawl.extract.hooks import load_hooks
from minicrawl.model import PageRequest, ParsedPage, Wanted
from minicrawl.settings import CrawlSettings

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


@pytest.mark.parametrize("bytes_of_page", [100, 300_000], ids=["here", "in the process of large pages"])
def test_hooks_see_the_page_as_it_was_sent(tmp_path: Path, bytes_of_page: int) -> None:
    (tmp_path / "h.py").write_text(
        "def on_page(page): return {'type': page.headers['content-type'], 'more': page.headers['x-more'],\n"
        "    'body': page.body[:4].hex(), 'html': page.html[:6].decode(), 'status': page.status}"
    )
    load_hooks.cache_clear()
    body = "한국".encode("euc-kr") + b" " * bytes_of_page

    def answer(request: httpx.Request) -> httpx.Response:
        fields = [(b"Content-Type", b"text/html; charset=euc-kr"), (b"X-More", b"1"), (b"x-more", b"\xfc")]
        return httpx.Response(200, headers=fields, content=body)

    async def asked() -> ParsedPage:
        transport = HttpxTransport(httpx.MockTransport(answer))
        async with LocalSource(CrawlSettings(), transport, wanted=Wanted(hooks=(str(tmp_path / "h.py"),))) as source:
            return (await source.page(PageRequest(URL)))[1]

    assert [json.loads(item) for item in asyncio.run(asked()).items] == [
        {"type": "text/html; charset=euc-kr", "more": "1, \xfc", "body": "c7d1b1b9", "html": "한국", "status": 200}
    ]


def test_what_hooks_do_to_a_page_is_lost(tmp_path: Path) -> None:
    (tmp_path / "h.py").write_text(
        "def on_page(page):\n"
        "    for node in page.tree.css('*'): node.attrs['href'] = '/evil'\n"
        "    page.tree.css_first('title').decompose()\n"
        "    page.xml_tree.clear()\n"
        "    page.links = ()\n"
    )
    load_hooks.cache_clear()
    body = b"<title>T</title><a href=/a>A</a>"
    parsed, identity = read_page(body, URL, None, Wanted(True, True, hooks=(str(tmp_path / "h.py"),)))
    whole, unchanged = read_page(body, URL, None, Wanted(True, True))
    assert [what for _, what in parsed.hook_failures] == ["FrozenInstanceError: cannot assign to field 'links'"]
    assert replace(parsed, hook_failures=()) == whole
    assert identity == unchanged
