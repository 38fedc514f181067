"""Documents in other formats than HTML: PDF files (ISO 32000-2), made into HTML in child processes limited in CPU time
and memory (docs/pdf.md).

pypdf limits what streams unpack to, and how many objects, pages and references it follows, and how deep. A file that
opens without a password is read, encrypted or not. What was read before a limit or a fault counts.
"""

import hashlib
import logging
import unicodedata
from collections.abc import Iterator
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from minicrawl.extract.hooks import within
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import Limits, Sandbox
from minicrawl.system import cores
from minicrawl.timing import Timing
from minicrawl.web.html.parse import MAX_LINKS, MAX_TEXT

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader


MOST_PAGES = 5_000
_FULL = 0.75
"""A line shorter than this part of the longest one of its page ends a paragraph."""
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def from_pdf(body: bytes, seconds: float) -> tuple[bytes, bool]:
    """A file as HTML in UTF-8, and True if it is cut or damaged. seconds: of CPU time, after which it is cut. Raises
    any exception for a file that cannot be opened."""
    from pypdf import PdfReader  # noqa: PLC0415 - the child alone loads pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # it would tell of every fault of a damaged file
    document = _Document()
    try:
        within(seconds, lambda: document.read(PdfReader(BytesIO(body))))
    except Exception:
        if not document.head:
            raise
        document.is_cut = True
    # Without it all files without text would be the same page.
    digest = hashlib.sha1(body, usedforsecurity=False).hexdigest()
    html = f"<!doctype html>{document.head}<!--{digest}--><main>{''.join(document.parts)}</main>"
    return html.encode("utf-8", "replace"), document.is_cut


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a page, each in one line, with hyphenated words joined."""
    lines = [" ".join(line.split()) for line in text.translate(_LIGATURES).splitlines()]
    longest = max(map(len, lines), default=0)
    gathered: list[str] = []
    for line in lines:
        if gathered and gathered[-1].endswith("-") and line[:1].islower():
            gathered[-1] = gathered[-1].removesuffix("-")
        elif gathered and line:
            gathered.append(" ")
        gathered += filter(None, [line])
        if gathered and len(line) < _FULL * longest:
            yield "".join(gathered)
            gathered = []
    if gathered:
        yield "".join(gathered)


class _Document:
    """What was read of a file so far. `head`: empty until the file is open."""

    def __init__(self) -> None:
        self.head = ""
        self.parts: list[str] = []
        self.is_cut = False
        self._uris: set[str] = set()
        self._room = MAX_TEXT

    def read(self, reader: "PdfReader") -> None:
        pages = len(reader.pages)
        self.head = _head(reader)
        for number in range(min(pages, MOST_PAGES)):
            if self._room <= 0:
                break
            for read in (self._read_text, self._read_links):
                try:
                    read(reader.pages[number])
                except TimeoutError:
                    raise
                except Exception:  # over a damaged page pypdf raises any
                    self.is_cut = True
        else:
            self.is_cut |= pages > MOST_PAGES
            return
        self.is_cut = True

    def _read_text(self, page: "PageObject") -> None:
        for paragraph in paragraphs(page.extract_text()):
            self.parts.append(f"<p>{escape(paragraph[: max(self._room, 0)], quote=False)}</p>")
            self._room -= len(paragraph)

    def _read_links(self, page: "PageObject") -> None:
        annotations = _entry(page, "/Annots")
        for annotation in annotations if isinstance(annotations, list) else ():
            uri = _text(annotation.get_object(), "/A", "/URI")
            if uri and uri not in self._uris and len(self._uris) <= MAX_LINKS:
                self._uris.add(uri)
                self.parts.append(f'<a href="{escape(uri)}"></a>')


def _head(reader: "PdfReader") -> str:
    about, catalog = reader.trailer.get("/Info"), reader.root_object
    information = about.get_object() if about is not None else None
    title, subject = _text(information, "/Title"), _text(information, "/Subject")
    return (
        f'<html lang="{escape(_text(catalog, "/Lang"))}"><title>{escape(title)}</title>'
        f'<base href="{escape(_text(catalog, "/URI", "/Base"))}"><meta name="description" content="{escape(subject)}">'
    )


def _entry(found: object, *keys: str) -> object:
    """The entry of nested dictionaries; None if there is none, or it is null."""
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found


def _text(found: object, *keys: str) -> str:
    value = _entry(found, *keys)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value).strip() if isinstance(value, str) else ""


_MEMORY = 10**9


def documents(timing: Timing, processes: int) -> Sandbox[bytes, float, tuple[bytes, bool]]:
    """`from_pdf` in child processes. processes: that fetch and parse for this crawl, and share its cores."""
    limits = Limits(timing.parse, timing.hang, Cage(_MEMORY))
    return Sandbox(from_pdf, limits, most=max(1, cores() // processes), idle=timing.spare)
