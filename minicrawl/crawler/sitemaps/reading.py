"""Reading a sitemap (sitemaps.org protocol 0.9): bytes in, URLs out, a small step at a time.

The format is told from the bytes, not from Content-Type: XML with the root urlset or sitemapindex, an RSS or Atom feed,
or a URL per line; all of these also in gzip. No tree is built and no entity but XML's own five is known, so nothing can
grow. A fault in a sitemap is a reason, never an exception; the URLs up to there count. changefreq and priority are
ignored: sites set them as they like, and cash decides on the order. lastmod is for pages that are fetched again, see
minicrawl.crawler.frontier.schedules.

Much of the XML out there is malformed. The parser only tells tags from text: control characters, a lone "&", "]]>" in a
text, a doubled attribute, "--" in a comment, an unknown entity change nothing; text before the XML declaration is
skipped, and an element ends where one begins that cannot be inside it, or the one around it ends.

The bytes are read in steps of the same size, so the result does not depend on the pieces in which they come.

reason           extent that was read
ok               all of it
truncated        up to where the connection broke, or the gzip did
malformed        all of it, but elements stay open; or up to where it is no sane XML: entities are declared,
                 elements are 100 deep, a tag does not end for 64 kB
too-many         the first 50,000 URLs
too-large        the first 50 MB, or a million tags or lines
undecodable      up to where it is no gzip any more
not-a-sitemap    nothing, or as much as it took to see that there are no URLs
parser-failed    up to where a part of ours failed over it, see minicrawl.crawler.http.transport
"""

import codecs
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

from minicrawl.crawler.admission.scope import MAX_URL_LENGTH
from minicrawl.crawler.html.decode import encoding_of_xml
from minicrawl.crawler.sitemaps.documents import Document, document_of
from minicrawl.crawler.urls.normalise import normalise

# Limits of the protocol, for indexes too.
MAX_URLS = 50_000
MAX_BYTES = 50 * 2**20
STEP = 16 * 1024
"""Bytes, unpacked, of one step: a few milliseconds."""

_HEAD = 1024  # bytes that tell the encoding, and characters that tell XML from text
_SIP = 4096  # bytes that are unpacked at a time
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP = 16 + zlib.MAX_WBITS


class SitemapReader:
    """Reader of one sitemap. `is_index`: its URLs are other sitemaps. `found`: number of its URLs, good or bad.

    step: bytes read at a time, but for the first 1,024. most: bytes, unpacked, read in all. dated: lastmod is read,
    too.
    """

    def __init__(self, url: str, step: int = STEP, most: int = MAX_BYTES, *, dated: bool = False) -> None:
        self.reason = "ok"
        self.is_index = False
        self.found = 0
        self.is_over = False
        self._url = url
        self._step = step
        self._most = most
        self._is_dated = dated
        self._wanted = max(step, _HEAD)  # bytes of the next step
        self._size = 0
        self._head = b""
        self._has_begun = False
        self._packing: _Gzip | None = None
        self._block = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._document: Document | None = None

    def feed(self, chunk: bytes) -> Iterator[list[str]]:
        """Read on; yields the normalised URLs of each step, often none. Nothing is read once it `is_over`."""
        try:
            for piece in self._unpacked(chunk):
                self._block += piece
                while len(self._block) >= self._wanted and not self.is_over:
                    block, self._block = self._block[: self._wanted], self._block[self._wanted :]
                    self._wanted = self._step
                    yield self._read(block)
                if self.is_over:
                    return
        except zlib.error:
            yield self._read(self._block)
            self._end("undecodable")

    def close(self, *, truncated: bool = False) -> Iterator[list[str]]:
        """The rest, after all bytes, or after the connection broke (`truncated`)."""
        if self.is_over:
            return
        is_cut = truncated or not (self._packing is None or self._packing.is_whole)
        yield self._read(self._head + self._block, is_last=True, is_cut=is_cut)
        reason = self._document.verdict() if self._document is not None else "not-a-sitemap"
        self._end("truncated" if is_cut and reason != "not-a-sitemap" else reason)

    def take_lastmods(self) -> dict[str, float]:
        """Unix seconds of lastmod by normalised URL, as read since the last call."""
        if self._document is None:
            return {}
        read = {raw: read_lastmod(text) for raw, text in self._document.dated.items()}
        self._document.dated.clear()
        urls = {normalise(raw, self._url): at for raw, at in read.items() if at is not None}
        return {url: at for url, at in urls.items() if url is not None}

    def _end(self, reason: str) -> None:
        if not self.is_over:
            self.reason, self.is_over = reason, True

    def _unpacked(self, chunk: bytes) -> Iterator[bytes]:
        if not self._has_begun:
            chunk, self._head = self._head + chunk, b""
            if len(chunk) < len(_GZIP_MAGIC):
                self._head = chunk
                return
            self._has_begun = True
            self._packing = _Gzip() if chunk.startswith(_GZIP_MAGIC) else None
        if self._packing is None:
            yield chunk
            return
        for start in range(0, len(chunk), _SIP):
            yield from self._packing.unpacked(chunk[start : start + _SIP])

    def _read(self, block: bytes, *, is_last: bool = False, is_cut: bool = False) -> list[str]:
        left = self._most - self._size
        if len(block) > left:
            self._end("too-large")
        block = block[:left]
        self._size += len(block)
        if self._decoder is None:
            self._decoder = codecs.getincrementaldecoder(encoding_of_xml(block[:_HEAD]))("replace")
        text = self._decoder.decode(block, is_last)
        if self._document is None:
            text = text.lstrip("\ufeff \t\r\n")
            if not (text or is_last):
                return []
            self._document, start = document_of(text[:_HEAD], is_dated=self._is_dated)
            text = text[start:]
        listed = self._document.feed(text)
        if is_last and not is_cut:
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


def read_lastmod(text: str) -> float | None:
    """Unix seconds of a date in a sitemap (W3C-DTF: a day or more exact); None for anything else.

    A day counts from its beginning: a page that was fetched on that day may have been as it is now.
    """
    try:
        date = datetime.fromisoformat(text.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


class _Gzip:
    """The bytes of a gzipped sitemap. `is_whole`: the last member is complete."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._behind: bytes | None = b""  # bytes behind a member that may begin the next; None if they do not

    @property
    def is_whole(self) -> bool:
        return self._member.eof

    def unpacked(self, sip: bytes) -> Iterator[bytes]:
        """Unpack some bytes, at most a step at a time: all that is sound, then zlib.error."""
        while sip:
            if self._member.eof:
                sip = self._next_member(sip)
                continue
            before = self._member.copy()
            try:
                piece = self._member.decompress(sip, STEP)
            except zlib.error:
                # zlib withheld the output of the sound bytes before the error.
                yield from (before.decompress(sip[at : at + 1]) for at in range(len(sip)))
                raise
            yield piece
            sip = self._member.unconsumed_tail or self._member.unused_data
            while len(piece) == STEP and not (sip or self._member.eof):
                piece = self._member.decompress(b"", STEP)
                yield piece

    def _next_member(self, sip: bytes) -> bytes:
        """The bytes of the next member: gzip may have several (RFC 1952 2.2); anything else is ignored."""
        if self._behind is None:
            return b""
        sip = self._behind + sip
        self._behind = sip if _GZIP_MAGIC.startswith(sip) and sip != _GZIP_MAGIC else None
        if sip.startswith(_GZIP_MAGIC):
            self._member, self._behind = zlib.decompressobj(_GZIP), b""
            return sip
        return b""
