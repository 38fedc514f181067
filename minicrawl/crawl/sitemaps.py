"""Which URLs a sitemap lists (sitemaps.org protocol 0.9): bytes in, URLs out, a small step at a time.

A sitemap is what it looks like, whatever its Content-Type says: XML with the root urlset or sitemapindex, an RSS or
Atom feed, or a URL per line; all of it also in gzip. No tree is built and no entity but XML's own five is known, so
there is nothing that could grow. What is wrong with a sitemap is a reason, never an exception; the URLs up to there
count. lastmod, changefreq and priority are not read: sites set them as they like, and cash decides on the order.

reason           what was read
ok               all of it
truncated        up to where the connection broke, or the gzip did
malformed        all of it, but elements stay open; or up to where it is no sane XML: entities are declared,
                 elements are 100 deep, a tag or comment does not end for a megabyte
too-many         the first 50,000 URLs
too-large        the first 50 MB, or a million elements or lines
undecodable      up to where it is no gzip any more
not-a-sitemap    nothing, or as much as it took to see that there are no URLs
"""

import codecs
import contextlib
import re
import zlib
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from minicrawl.crawl.decode import encoding_of_xml
from minicrawl.crawl.scope import MAX_URL_LENGTH
from minicrawl.crawl.urls import normalise

# Limits of the protocol, for indexes too.
MAX_URLS = 50_000
MAX_BYTES = 50 * 2**20

_STEP = 16 * 1024  # bytes, unpacked, of one step: some milliseconds
_HEAD = 1024  # bytes that tell the encoding, and XML from text
_HOPELESS = 64 * 1024  # characters of text without a URL
_MOST_ELEMENTS = 1_000_000  # or lines
_DEEPEST = 100
_LONGEST_SILENCE = 2**20
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
# What begins here may be a reference or a mark that goes on in the next step: none is longer.
_BEGINNING = re.compile(r"[&<\]]")
_LONGEST = 11
_ABSOLUTE = re.compile(r"\s*https?://", re.IGNORECASE)
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 16 + zlib.MAX_WBITS
# Per root what lists a URL: the element, and the one around it.
_LISTED = {
    "urlset": ("url", "loc"),
    "sitemapindex": ("sitemap", "loc"),
    "rss": ("item", "link"),
    "RDF": ("item", "link"),
    "feed": ("entry", "link"),
}


class SitemapReader:
    """Reads one sitemap. `is_index`: its URLs are those of other sitemaps. `found`: number of its URLs, good or bad."""

    def __init__(self, url: str) -> None:
        self.reason = "ok"
        self.is_index = False
        self.found = 0
        self.is_over = False
        self._url = url
        self._head = b""
        self._size = 0
        self._is_packed: bool | None = None
        self._member = zlib.decompressobj(_GZIP)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._document: _Xml | _Lines | None = None

    def feed(self, chunk: bytes) -> Iterator[list[str]]:
        """Read on; yields the normalised URLs of each step, often none. Nothing more is read once it `is_over`."""
        try:
            for piece in self._unpacked(chunk):
                if self.is_over:
                    return
                self._size += len(piece)
                if self._size > MAX_BYTES:
                    self._end("too-large")
                yield self._read(piece)
        except zlib.error:
            self._end("undecodable")

    def close(self, *, truncated: bool = False) -> Iterator[list[str]]:
        """The rest, when all has been fed, or the connection broke (`truncated`)."""
        if not self.is_over:
            yield self._read(self._member.flush() if self._is_packed else b"", is_last=True)
        if not self.is_over:
            is_cut = truncated or (bool(self._is_packed) and not self._member.eof)
            reason = self._document.verdict() if self._document is not None else "not-a-sitemap"
            self._end("truncated" if is_cut and reason != "not-a-sitemap" else reason)

    def _end(self, reason: str) -> None:
        self.reason, self.is_over = reason, True

    def _unpacked(self, chunk: bytes) -> Iterator[bytes]:
        if self._is_packed is None:
            chunk = self._head + chunk
            if len(chunk) < len(_GZIP_MAGIC):
                self._head = chunk
                return
            self._head, self._is_packed = b"", chunk.startswith(_GZIP_MAGIC)
        if not self._is_packed:
            for start in range(0, len(chunk), _STEP):
                yield chunk[start : start + _STEP]
            return
        while chunk:
            yield self._member.decompress(chunk, _STEP)
            chunk = self._member.unconsumed_tail
            if self._member.eof and self._member.unused_data.startswith(_GZIP_MAGIC):
                chunk = self._member.unused_data  # gzip may have several members (RFC 1952 2.2)
                self._member = zlib.decompressobj(_GZIP)

    def _read(self, piece: bytes, *, is_last: bool = False) -> list[str]:
        if self._decoder is None:
            self._head += piece
            if len(self._head) < _HEAD and not is_last:
                return []
            piece = self._head
            self._decoder = codecs.getincrementaldecoder(encoding_of_xml(piece))("replace")
        text = self._decoder.decode(piece, is_last)
        if self._document is None:
            text = text.lstrip("\ufeff \t\r\n")
            self._document = _Xml() if text.startswith("<") else _Lines()
        listed = self._document.feed(text)
        if is_last:
            listed += self._document.rest()
        self.is_index = self._document.is_index
        if self._document.hopeless is not None:
            self._end(self._document.hopeless)
        room = MAX_URLS - self.found
        if len(listed) > room:
            self._end("too-many")
        self.found += min(len(listed), room)
        urls = (normalise(url, self._url) for url in listed[:room])
        return [url for url in urls if url is not None and len(url) <= MAX_URL_LENGTH]


class _Xml:
    """The URLs that XML lists; what lxml calls while it reads. `hopeless`: why there is no use in reading on."""

    def __init__(self) -> None:
        self.is_index = False
        self.hopeless: str | None = None
        self._urls: list[str] = []
        self._listed: tuple[str, str] | None = None
        self._open: list[str] = []
        self._text: list[str] | None = None
        self._length = 0
        self._left = _MOST_ELEMENTS
        self._silence = 0
        self._tail = ""
        self._in_cdata = False
        self._parser = etree.XMLParser(
            target=self, encoding="utf-8", recover=True, resolve_entities=False, no_network=True, huge_tree=False
        )

    def feed(self, text: str) -> list[str]:
        text = self._tail + text
        beginning = _BEGINNING.search(text, max(0, len(text) - _LONGEST))
        text, self._tail = (text[: beginning.start()], text[beginning.start() :]) if beginning else (text, "")
        # libxml2 keeps all of what may be a tag, a comment or a text until it ends.
        self._silence += len(text)
        if self._silence > _LONGEST_SILENCE:
            self.hopeless = "malformed"
        with contextlib.suppress(etree.XMLSyntaxError):  # what it could read counts, see `verdict`
            self._parser.feed(self._defused(text).encode())
        urls, self._urls = self._urls, []
        return urls

    def _defused(self, text: str) -> str:
        """The same without entities but XML's own: a lone "&", a frequent mistake in URLs, stands for itself."""
        if "<!ENTITY" in text:
            self.hopeless = "malformed"
            return ""
        parts: list[str] = []
        while text:
            if self._in_cdata:
                inside, end, text = text.partition("]]>")
                parts.append(escape(inside))
                self._in_cdata = not end
            else:
                outside, begin, text = text.partition("<![CDATA[")
                part, mended = _LONE_AMPERSAND.subn("&amp;", outside)
                parts.append(part)
                self._spend(mended)
                self._in_cdata = bool(begin)
        return "".join(parts)

    def rest(self) -> list[str]:
        """What the parser has kept to itself so far; half a URL is none."""
        with contextlib.suppress(etree.XMLSyntaxError):
            self._parser.feed(self._defused(self._tail).encode())
            self._parser.close()
        return self._urls

    def verdict(self) -> str:
        """What can be said of a document that has ended here."""
        if self._listed is None:
            return "not-a-sitemap"
        return "malformed" if self._open else "ok"

    def start(self, tag: Any, attributes: Any) -> None:
        self._silence = 0
        name = tag.rpartition("}")[2]
        if self._listed is None:
            self._listed = _LISTED.get(name)
            self.is_index = name == "sitemapindex"
            if self._listed is None:
                self.hopeless = "not-a-sitemap"
        elif self._open and (self._open[-1], name) == self._listed:
            if self._listed != _LISTED["feed"]:
                self._text, self._length = [], 0
            elif attributes.get("rel", "alternate") == "alternate":
                self._add(attributes.get("href", ""))
        self._open.append(name)
        if len(self._open) > _DEEPEST:
            self.hopeless = self.hopeless or "malformed"
        self._spend(1)

    def data(self, text: Any) -> None:
        self._silence = 0
        if self._text is not None and self._length <= MAX_URL_LENGTH:  # a longer one is no URL of ours
            self._text.append(text if self._text else text.lstrip())
            self._length += len(self._text[-1])

    def end(self, tag: Any) -> None:
        self._silence = 0
        name = tag.rpartition("}")[2]
        if self._open:
            self._open.pop()
        if self._text is not None and self._listed is not None and name == self._listed[1]:
            self._add("".join(self._text))
            self._text = None

    def comment(self, text: Any) -> None:
        self._silence = 0

    def close(self) -> None:
        pass

    def _spend(self, things: int) -> None:
        self._left -= things
        if self._left < 0:
            self.hopeless = self.hopeless or "too-large"

    def _add(self, url: str) -> None:
        url = url.strip()
        if url:
            self._urls.append(url)


class _Lines:
    """The URLs of a text, one a line."""

    is_index = False

    def __init__(self) -> None:
        self.hopeless: str | None = None
        self._line = ""
        self._read = 0
        self._left = _MOST_ELEMENTS
        self._has_url = False

    def feed(self, text: str) -> list[str]:
        self._read += len(text)
        *lines, last = (self._line + text).splitlines(keepends=True) or [""]
        if last.endswith(("\n", "\r")):
            lines.append(last)
            last = ""
        self._line = last.lstrip()[: 2 * MAX_URL_LENGTH]  # of what is longer so much is enough to refuse it
        urls = self._urls(lines)
        self._left -= len(lines)
        if self._left < 0:
            self.hopeless = "too-large"
        if not self._has_url and self._read > _HOPELESS:
            self.hopeless = "not-a-sitemap"
        return urls

    def rest(self) -> list[str]:
        """The last line, if it has no end."""
        return self._urls([self._line])

    def verdict(self) -> str:
        return "ok" if self._has_url else "not-a-sitemap"

    def _urls(self, lines: list[str]) -> list[str]:
        urls = [line.strip() for line in lines if _ABSOLUTE.match(line)]
        self._has_url = self._has_url or bool(urls)
        return urls
