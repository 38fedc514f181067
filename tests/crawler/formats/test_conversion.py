"""Documents that are no HTML: read as pages by a crawl that asks for their kind, left unread by any other."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import pdfs
from support.rendered import HOST, Reply, Site, crawled, to
from support.sites import faults_in, rows

import minicrawl
from minicrawl.crawler.http.httpx_transport import HttpxTransport
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.model import Fetched, PageRequest, ParsedPage, Wanted
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.texts.kept_text import unpack
from minicrawl.timing import STANDARD, Timing

URL = f"{HOST}/paper"
PAPER = pdfs.document(
    ["Sailing boats are slow boats,", "and so they arrive."],
    uris=[f"{HOST}/next"],
    catalog=b"/Lang (en)",
    about=b"/Title (On boats)",
)
WANTED = Wanted(anchors=True, text=True, kept=True, facts=True, extract=("line=p",))


async def read(
    body: bytes,
    fields: dict[str, str],
    timing: Timing = STANDARD,
    **settings: Any,
) -> tuple[Fetched, ParsedPage, str]:
    """The answer to a request, the page, and the reason code that comes of them."""
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=body, headers=fields))
    chosen = CrawlSettings(**settings)
    async with LocalSource(SourceSpec(chosen, timing, wanted=WANTED), HttpxTransport(transport)) as source:
        fetched, parsed = await source.page(PageRequest(URL))
    return fetched, parsed, judge(fetched, parsed, now=0.0).reason


TYPE = {"content-type": "application/pdf"}


@pytest.mark.parametrize(
    "fields",
    [TYPE, {"content-type": "Application/PDF; version=1.7", "content-disposition": "attachment; filename=a.pdf"}, {}],
)
async def test_a_pdf_file_is_a_page_by_its_type_or_else_by_its_first_bytes(fields: dict[str, str]) -> None:
    fetched, parsed, reason = await read(PAPER, fields, pdf=True)
    language = unpack(parsed.kept, URL).language
    assert (reason, parsed.title, language, parsed.outlinks) == ("ok", "On boats", "en", (f"{HOST}/next",))
    assert parsed.text == ("Sailing boats are slow boats, and so they arrive.",)
    assert b"slow boats" in (fetched.short_text or b"")
    assert json.loads(parsed.items[0])["line"].startswith("Sailing")
    assert (parsed.facts, fetched.content_type) == (None, fields.get("content-type", "application/pdf"))
    assert None not in (fetched.digest, fetched.payload)
    fetched, parsed, reason = await read(PAPER, fields)
    assert (reason, parsed, fetched.digest) == ("not-html", ParsedPage(), None)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/octet-stream", PAPER),
        ("text/plain", PAPER),
        ("image/png", b"\x89PNG"),
        (None, b"\x00 binary"),
        (None, b"words"),
    ],
)
async def test_what_is_declared_or_looks_otherwise_is_not_read(kind: str | None, body: bytes) -> None:
    fetched, parsed, reason = await read(body, {"content-type": kind} if kind else {}, pdf=True)
    assert (reason, parsed, fetched.body) == ("not-html", ParsedPage(), b"")


async def test_what_cannot_be_read_says_so(caplog: pytest.LogCaptureFixture) -> None:
    fetched, parsed, reason = await read(b"%PDF-1.7\nno more than that", TYPE, pdf=True)
    assert (reason, fetched.digest, parsed) == ("pdf-unread", None, ParsedPage(unread=True))
    assert caplog.messages == [f"{URL} cannot be read: PdfStreamError: Stream has ended unexpectedly"]


async def test_a_file_that_takes_too_long_is_cut() -> None:
    long = pdfs.document(*[["word " * 200] * 20] * 200)
    _, parsed, reason = await read(long, TYPE, Timing(parse=2.0), pdf=True)
    assert (reason, bool(parsed.text)) == ("truncated", True)


FRONT = "<p>home</p><a href=/paper.pdf>paper</a><a href=/moved>moved</a><a href=/bad>bad</a>"
SITE: dict[str, Reply] = {
    f"{HOST}/": FRONT,
    f"{HOST}/moved": to("/copy"),
    f"{HOST}/paper.pdf": pdfs.answered(PAPER, 'ETag: "one"'),
    f"{HOST}/copy": pdfs.answered(PAPER, "Content-Disposition: attachment", kind=None),
    f"{HOST}/bad": pdfs.answered(PAPER[:-200]),
    f"{HOST}/next": "<p>next</p>",
}
STATES = {
    f"{HOST}/": "ok",
    f"{HOST}/paper.pdf": "ok",
    f"{HOST}/moved": "redirect-302",
    f"{HOST}/copy": "ok",
    f"{HOST}/bad": "pdf-unread",
    f"{HOST}/next": "ok",
}


def states(store: Path) -> dict[str, str]:
    return dict(rows(store, "SELECT url, reason FROM pages"))


def test_a_crawl_with_pdf_files_to_its_end(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(SITE), store, pdf=True, search=True)
    assert states(store) == STATES
    with open_store(store) as reader:
        assert "slow boats" in str(reader.text(f"{HOST}/paper.pdf"))
        assert reader.text(f"{HOST}/bad") is None
    with minicrawl.open_store(store) as reader:
        assert {hit.url for hit in reader.search("sailing boats")} == {f"{HOST}/paper.pdf"}
    duplicates = "SELECT count(*) FROM fetches WHERE leader IS NOT NULL AND distance IS NULL"
    assert rows(store, duplicates) == [(1,)]
    assert faults_in(store) == []


def test_without_it_nothing_of_a_pdf_file_is_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(Site(SITE), store)
    is_file = {f"{HOST}/{name}" for name in ("paper.pdf", "copy", "bad")}
    expected = {url: "not-html" if url in is_file else reason for url, reason in STATES.items()}
    del expected[f"{HOST}/next"]
    assert states(store) == expected


def test_a_page_read_before_is_read_again_in_full_once_pdf_files_are_wanted(tmp_path: Path) -> None:
    """No condition is sent for what an earlier crawl has left unread."""
    store = tmp_path / "crawl.db"
    crawled(Site(SITE), store)
    site = crawled(Site(SITE), store, pdf=True, text=True, recrawl_after=1e-3, refresh_min=1e-3, pages=40)
    paper = [head for url, head in zip(site.asked, site.headers, strict=True) if url.endswith("/paper.pdf")]
    assert paper
    assert b"If-None-Match" not in paper[0]
    with open_store(store) as reader:
        assert "slow boats" in str(reader.text(f"{HOST}/paper.pdf"))
