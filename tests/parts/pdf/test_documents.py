"""Documents that are no HTML, read as pages by a crawl that asks for their kind; and what a PDF file says."""

import io
import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfReader, PdfWriter
from support import pdfs
from support.effort import seconds
from support.rendered import HOST, Reply, Site, crawled, to
from support.sites import faults_in, rows

import minicrawl
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.model import Fetched, PageRequest, ParsedPage, Place, Wanted
from minicrawl.parts.pdf.documents import MOST_PAGES, from_pdf, paragraphs
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.html.parse import parse_html
from minicrawl.web.http.httpx_transport import HttpxTransport
from minicrawl.web.http.response_fields import UTF_8
from minicrawl.web.kept_text import unpack

URL = f"{HOST}/paper"
PAPER = pdfs.document(
    ["Sailing boats are slow boats,", "and so they arrive."],
    uris=[f"{HOST}/next"],
    catalog=b"/Lang (en)",
    about=b"/Title (On boats)",
)


def lines(parsed: ParsedPage) -> tuple[str, ...]:
    return tuple(filter(None, unpack(parsed.kept, "").text.split("\n"))) if parsed.kept else ()


WANTED = Wanted(anchors=True, kept=True, facts=True, extract=("line=p",))


async def read(
    body: bytes, fields: dict[str, str], timing: Timing = STANDARD, **settings: Any
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
    assert lines(parsed) == ("Sailing boats are slow boats, and so they arrive.",)
    assert b"slow boats" in (fetched.short_text or b"")
    assert json.loads(parsed.items[0])["line"].startswith("Sailing")
    assert (parsed.facts, fetched.content_type) == (None, fields.get("content-type", "application/pdf"))
    assert None not in (fetched.digest, fetched.payload)
    fetched, parsed, reason = await read(PAPER, fields)
    assert (reason, parsed, fetched.digest) == ("not-html", ParsedPage(), None)


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/octet-stream", PAPER), ("text/plain", PAPER), ("image/png", b"\x89PNG"), (None, b"\x00 binary")],
)
async def test_what_is_declared_or_looks_otherwise_is_not_read(kind: str | None, body: bytes) -> None:
    fetched, parsed, reason = await read(body, {"content-type": kind} if kind else {}, pdf=True)
    assert (reason, parsed, fetched.body) == ("not-html", ParsedPage(), b"")


async def test_what_cannot_be_read_says_so(caplog: pytest.LogCaptureFixture) -> None:
    fetched, parsed, reason = await read(b"%PDF-1.7\nno more than that", TYPE, pdf=True)
    assert (reason, fetched.digest, parsed) == ("pdf-unread", None, ParsedPage(unread=True))
    assert caplog.messages == [f"{URL} cannot be read: PdfStreamError: Stream has ended unexpectedly"]


async def test_a_file_that_takes_too_long_is_cut() -> None:
    """After a quarter of what it says, on a slow machine after less. It has not too many characters."""
    long = pdfs.document(*[["w"] * 1_000] * 400)
    _, parsed, reason = await read(long, TYPE, Timing(parse=2.0), pdf=True)
    assert (reason, 0 < sum(map(len, lines(parsed))) < 400 * len("w " * 999 + "w")) == ("truncated", True)


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
    pages = len(SITE) - 1  # /next is found in a PDF file
    crawled(Site(SITE), store, recrawl_after="1d", pages=pages)
    rows(store, "UPDATE refresh SET fetched_at = fetched_at - 3e6, due = due - 3e6")  # a month ago
    site = crawled(Site(SITE), store, pdf=True, text=True, recrawl_after="1d", pages=pages)
    paper = [head for url, head in zip(site.asked, site.headers, strict=True) if url.endswith("/paper.pdf")]
    assert paper
    assert b"If-None-Match" not in paper[0]
    with open_store(store) as reader:
        assert "slow boats" in str(reader.text(f"{HOST}/paper.pdf"))


PDF_URL = "http://h.test/papers/one.pdf"
OF_PDF = Wanted(anchors=True, places=True, kept=True)


def read_pdf(body: bytes, seconds: float = 15.0) -> ParsedPage:
    """A file as the crawl reads it."""
    html, is_cut = from_pdf(body, seconds)
    parsed = parse_html(html, PDF_URL, UTF_8, OF_PDF)
    return parsed._replace(truncated=parsed.truncated or is_cut)


def test_what_a_file_says_of_itself_is_read() -> None:
    body = pdfs.document(
        ["Boats that sail, and boats that", "do not."],
        ["The second page."],
        uris=["http://other.test/a", "two.pdf", "mailto:me@h.test", "http://other.test/a"],
        catalog=b"/Lang (de-CH)",
        about=b"/Title (Boats & <ships>) /Subject (What floats)",
    )
    parsed = read_pdf(body)
    kept = unpack(parsed.kept, PDF_URL)
    assert (kept.title, kept.description, kept.language) == ("Boats & <ships>", "What floats", "de-CH")
    assert lines(parsed) == ("Boats that sail, and boats that do not.", "The second page.")
    assert parsed.outlinks == ("http://other.test/a", "http://h.test/papers/two.pdf")
    assert set(parsed.anchors) == {""}
    assert set(parsed.places) == {Place.LIST}
    assert (parsed.truncated, parsed.follow, parsed.canonicals) == (False, True, ())


def test_relative_uris_start_at_the_base_of_the_file() -> None:
    parsed = read_pdf(pdfs.document(["x"], uris=["two.pdf"], catalog=b"/URI << /Base (http://base.test/dir/) >>"))
    assert parsed.outlinks == ("http://base.test/dir/two.pdf",)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("a long line of text\nand one more line\nend\nThe", ["a long line of text and one more line end", "The"]),
        ("a word is di-\nvided here", ["a word is divided here"]),
        ("the well-\nKnown stays", ["the well- Known stays"]),
        ("a first paragraph\n\n a  second \t one", ["a first paragraph", "a second one"]),
        ("ﬁnd the ﬂow", ["find the flow"]),
        ("", []),
        (" \n\x0c\n", []),
    ],
)  # fmt: skip
def test_lines_make_paragraphs(lines: str, found: list[str]) -> None:
    assert list(paragraphs(lines)) == found


def encrypted(algorithm: str, password: str) -> bytes:
    writer, out = PdfWriter(clone_from=PdfReader(io.BytesIO(pdfs.document(["Hidden words"])))), io.BytesIO()
    writer.encrypt(password, "owner", algorithm=algorithm)
    writer.write(out)
    return out.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-128", "AES-256"])
def test_a_file_that_asks_for_no_password_is_read(algorithm: str) -> None:
    assert lines(read_pdf(encrypted(algorithm, ""))) == ("Hidden words",)
    with pytest.raises(Exception, match="not been decrypted"):
        from_pdf(encrypted(algorithm, "secret"), 15.0)


def test_what_can_be_read_of_a_damaged_file_counts() -> None:
    body = pdfs.document(["First page"], ["Second page"], ["Third page"])
    second = body.index(b"stream\n", body.index(b"7 0 obj")) + 7
    assert lines(read_pdf(body[:second] + b"\xff" * 20 + body[second + 20 :])) == ("First page", "Third page")
    parsed = read_pdf(pdfs.circles()["annotation in itself"])
    assert (lines(parsed), parsed.truncated) == (("Hello",), True)


def test_files_without_text_differ_by_their_bytes() -> None:
    one, other = (from_pdf(pdfs.one_page(pdfs.stream(b"% " + name)), 15.0)[0] for name in (b"one", b"two"))
    assert one != other
    assert len(one) == len(other)


@pytest.mark.slow
def test_no_more_pages_are_read_than_the_limit() -> None:
    parsed = read_pdf(pdfs.document(*[["x"]] * (MOST_PAGES + 1)), 60.0)
    assert (len(lines(parsed)), parsed.truncated) == (MOST_PAGES, True)


def test_no_more_is_read_than_the_limits_of_characters_and_time_allow() -> None:
    long = read_pdf(pdfs.document(["word " * 30_000] * 4, ["word " * 30_000] * 4, ["the last"]))
    assert (sum(map(len, lines(long))), long.truncated) == (10**6, True)
    page = ["word " * 20] * 200  # a page takes longer than to open the file
    enough = seconds(lambda: read_pdf(pdfs.document(*[page] * 10)))
    slow = read_pdf(pdfs.document(*[page] * 100), enough)
    assert 0 < len("".join(lines(slow))) < 10**6
    assert slow.truncated


async def in_child(body: bytes) -> str:
    """What comes of a file in a child, as in a crawl: "whole", "cut", or "unread"."""
    limits = Limits(12.0, 60.0, Cage(10**9))
    async with aclosing(Sandbox(from_pdf, limits)) as sandbox:
        try:
            found = await sandbox.call(body, 4.0)
        except ChildError:
            return "unread"
        assert found is not None
        return "cut" if found[1] else "whole"


@pytest.mark.slow
@pytest.mark.parametrize("name", pdfs.hostile())
async def test_a_file_that_is_made_to_do_harm_ends_within_the_limits(name: str) -> None:
    """A MemoryError or TimeoutError is one within the child: the system would have killed it."""
    assert await in_child(pdfs.hostile()[name]()) in ("whole", "cut", "unread")


@pytest.mark.slow
def test_circles_end_by_themselves() -> None:
    """Not by the limit of CPU time, which would make these "cut" or "unread"."""
    bodies = pdfs.circles()
    assert {name: outcome(body) for name, body in bodies.items()} == {
        "form in itself": "whole",
        "contents in itself": "whole",
        "page tree in a circle": "unread",
        "annotation in itself": "cut",
        "cross references in a circle": "whole",
        "doubling forms": "whole",
        "deep page tree": "unread",
    }


def outcome(body: bytes) -> str:
    try:
        return "cut" if from_pdf(body, 15.0)[1] else "whole"
    except Exception:
        return "unread"
