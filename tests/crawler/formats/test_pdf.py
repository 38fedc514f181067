"""PDF files as HTML: their text, links, title, description and language; files made to do harm end soon."""

import io
from contextlib import aclosing

import pytest
from pypdf import PdfReader, PdfWriter
from support import pdfs
from support.effort import seconds

from minicrawl.crawler.formats import MOST_PAGES, from_pdf, paragraphs
from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.http.response_fields import UTF_8
from minicrawl.model import ParsedPage, Place, Wanted
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox
from minicrawl.store.texts.kept_text import unpack

URL = "http://h.test/papers/one.pdf"
WANTED = Wanted(anchors=True, places=True, text=True, kept=True)


def read(body: bytes, seconds: float = 15.0) -> ParsedPage:
    """A file as the crawl reads it."""
    html, is_cut = from_pdf(body, seconds)
    parsed = parse_html(html, URL, UTF_8, WANTED)
    return parsed._replace(truncated=parsed.truncated or is_cut)


def test_what_a_file_says_of_itself_is_read() -> None:
    body = pdfs.document(
        ["Boats that sail, and boats that", "do not."],
        ["The second page."],
        uris=["http://other.test/a", "two.pdf", "mailto:me@h.test", "http://other.test/a"],
        catalog=b"/Lang (de-CH)",
        about=b"/Title (Boats & <ships>) /Subject (What floats)",
    )
    parsed = read(body)
    kept = unpack(parsed.kept, URL)
    assert (kept.title, kept.description, kept.language) == ("Boats & <ships>", "What floats", "de-CH")
    assert parsed.text == ("Boats that sail, and boats that do not.", "The second page.")
    assert parsed.outlinks == ("http://other.test/a", "http://h.test/papers/two.pdf")
    assert set(parsed.anchors) == {""}
    assert set(parsed.places) == {Place.LIST}
    assert (parsed.truncated, parsed.follow, parsed.canonicals) == (False, True, ())


def test_relative_uris_start_at_the_base_of_the_file() -> None:
    parsed = read(pdfs.document(["x"], uris=["two.pdf"], catalog=b"/URI << /Base (http://base.test/dir/) >>"))
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
    assert read(encrypted(algorithm, "")).text == ("Hidden words",)
    with pytest.raises(Exception, match="not been decrypted"):
        from_pdf(encrypted(algorithm, "secret"), 15.0)


def test_what_can_be_read_of_a_damaged_file_counts() -> None:
    body = pdfs.document(["First page"], ["Second page"], ["Third page"])
    second = body.index(b"stream\n", body.index(b"7 0 obj")) + 7
    assert read(body[:second] + b"\xff" * 20 + body[second + 20 :]).text == ("First page", "Third page")
    parsed = read(pdfs.circles()["annotation in itself"])
    assert (parsed.text, parsed.truncated) == (("Hello",), True)


def test_files_without_text_differ_by_their_bytes() -> None:
    one, other = (from_pdf(pdfs.one_page(pdfs.stream(b"% " + name)), 15.0)[0] for name in (b"one", b"two"))
    assert one != other
    assert len(one) == len(other)


@pytest.mark.slow
def test_no_more_pages_are_read_than_the_limit() -> None:
    parsed = read(pdfs.document(*[["x"]] * (MOST_PAGES + 1)), 60.0)
    assert (len(parsed.text), parsed.truncated) == (MOST_PAGES, True)


def test_no_more_is_read_than_the_limits_of_characters_and_time_allow() -> None:
    long = read(pdfs.document(["word " * 30_000] * 4, ["word " * 30_000] * 4, ["the last"]))
    assert (sum(map(len, long.text)), long.truncated) == (10**6, True)
    page = ["word " * 20] * 20
    enough = seconds(lambda: read(pdfs.document(*[page] * 10)))
    slow = read(pdfs.document(*[page] * 100), enough)
    assert 0 < len("".join(slow.text)) < 100 * 20 * 99
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
