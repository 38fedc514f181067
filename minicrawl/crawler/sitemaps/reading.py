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
import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

from minicrawl.crawler.admission.scope import MAX_URL_LENGTH
from minicrawl.crawler.html.decode import encoding_of_xml
from minicrawl.crawler.urls.normalise import normalise

_HOPELESS = 64 * 1024  # characters of text without a URL
_MOST_ELEMENTS = 1_000_000  # or lines
_DEEPEST = 100
_LONGEST_TAG = 64 * 1024
_LONGEST_TEXT = 10 * (MAX_URL_LENGTH + 1)  # no reference is longer than 10 characters: longer texts are no URLs
_ABSOLUTE = re.compile(r"\s*https?://", re.IGNORECASE)
_LASTMOD = re.compile(r"<lastmod>([^<]*+)</lastmod>")
# By root: the element of an entry, and the one in it that has the URL.
_LISTED = {
    "urlset": ("url", "loc"),
    "sitemapindex": ("sitemap", "loc"),
    "rss": ("item", "link"),
    "RDF": ("item", "link"),
    "feed": ("entry", "link"),
}
_DECLARATION = re.compile(r"<\?xml\s")
_ROOT = re.compile(rf"<(?:\w+:)?(?:{'|'.join(_LISTED)})\b")
# Text, then a tag: the slash of an end tag, its name, its attributes. A ">" may stand in quotes, a "<" may not.
_TAG = re.compile(r"""([^<]*+)<(/?)([^\W\d][^\s<>/"']*+)((?:[^<>"']++|"[^<"]*+"|'[^<']*+')*+)>""")
# A plain entry in one match: elements with nothing but text in them, one of which is the URL.
_TEXT_ELEMENTS = r"(?:\s*+<((?:\w++:)?(?!(?:%s|%s)>)\w++)>[^<]*+</\%d>)*+"
_PLAIN_ENTRIES = {
    (entry, link): re.compile(
        rf"\s*+<{entry}>{_TEXT_ELEMENTS % (entry, link, 1)}\s*+<{link}>([^<]*+)</{link}>"
        rf"{_TEXT_ELEMENTS % (entry, link, 3)}\s*+</{entry}>"
    )
    for entry, link in _LISTED.values()
    if (entry, link) != _LISTED["feed"]
}
_BROKEN_TAG = re.compile(r"""<(/?)([^\W\d]?[^\s<>/"']*+)([^<>]*+)>?""")
_MAY_BEGIN_TAG = re.compile(r"[^\W\d]|[/!?]")
_ATTRIBUTE = re.compile(r"""([^\s<>/"'=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IS_NO_LINK = re.compile(r"""isPermaLink\s*=\s*["']?\s*false""", re.IGNORECASE)
_COMMENT_END, _CDATA_END = "-->", "]]>"
_ENDS = {"<!--": _COMMENT_END, "<![CDATA[": _CDATA_END}
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_MEANT = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def document_of(head: str, *, is_dated: bool = False) -> "tuple[Document, int]":
    """The parser for a text that begins like this, and where to start: XML may have something before it. is_dated:
    lastmod is read, too."""
    start = _DECLARATION.search(head) or (None if head.startswith("<") else _ROOT.search(head))
    if start is not None:
        return _Xml(is_dated), start.start()
    return _Xml(is_dated) if head.startswith("<") else _Lines(), 0


class _Xml:
    """The URLs that XML lists, parsed as it comes. `is_index`: they are of other sitemaps. `hopeless`: the reason for
    which reading on is of no use. `dated`: lastmod by URL, as written."""

    def __init__(self, is_dated: bool = False) -> None:
        self._is_dated = is_dated
        self.is_index = False
        self.hopeless: str | None = None
        self.dated: dict[str, str] = {}
        self._urls: list[str] = []
        self._last_url = self._lastmod = ""  # of the entry that is open
        self._listed: tuple[str, str] | None = None
        self._open: list[str] = []
        self._left = _MOST_ELEMENTS
        self._rest = ""  # a tag as far as it has come
        self._until = ""  # the end of the open comment or CDATA
        # The open URL: its settled texts, and the text behind these, whose last reference may go on.
        self._texts: list[str] | None = None
        self._raw = ""
        self._length = 0
        self._is_wrapped = False  # the URL is in an element within its own
        self._is_guid = False  # it is a guid, which counts for an item without a link (RSS 2.0)
        self._guid = ""

    def feed(self, text: str) -> list[str]:
        """Parse some more text, and return its URLs."""
        text, at, goes_on = self._rest + text, 0, True
        while goes_on and self.hopeless is None:
            if self._until:
                at, goes_on = self._inside(text, at)
                continue
            at = self._tags(text, at)
            if self.hopeless is None:
                at, goes_on = self._other(text, at)
        self._rest = text[at:] if self.hopeless is None else ""
        urls, self._urls = self._urls, []
        return urls

    def rest(self) -> list[str]:
        """The URLs that a last broken tag adds; half a URL is none."""
        return self.feed("<")

    def verdict(self) -> str:
        """The reason code of a document that has ended here."""
        if self._listed is None:
            return "not-a-sitemap"
        return "malformed" if self._open else "ok"

    def _tags(self, text: str, at: int) -> int:
        """Parse texts and tags up to the first other or incomplete item."""
        while self.hopeless is None:
            if match := self._plain_entry(text, at):
                self._spend()
                self._last_url = self._lastmod = ""
                self._list(_resolved(match[2]))
                if self._is_dated and (dates := _LASTMOD.search(match[0])):
                    self._date(dates[1])
                at = match.end()
                continue
            match = _TAG.match(text, at)
            if match is None:
                break
            before, slash, name, attributes = match.groups()
            if self._is_dated and slash and self._open[-1:] == ["lastmod"]:
                self._date(before)
            if self._texts is not None and before:
                self._write(before)
            self._tag(slash, name, attributes)
            at = match.end()
        return at

    def _plain_entry(self, text: str, at: int) -> re.Match[str] | None:
        """The plain entry that begins there, if no other one is open."""
        if self._listed not in _PLAIN_ENTRIES or self._listed[0] in self._open or not self._open:
            return None
        match = _PLAIN_ENTRIES[self._listed].match(text, at)
        return match if match and len(match[2]) <= _LONGEST_TEXT else None

    def _other(self, text: str, at: int) -> tuple[int, bool]:
        """Parse a text without a tag behind it, or an item that is no whole tag. Returns where to go on, and False if
        more text is needed first."""
        start = text.find("<", at)
        self._write(text[at:start] if start >= 0 else text[at:])
        if start < 0:
            return len(text), False
        for begin, end in _ENDS.items():
            if text.startswith(begin, start):
                self._until = end
                self._settle()
                self._spend()
                return start + len(begin), True
        if start + 1 < len(text) and not _MAY_BEGIN_TAG.match(text, start + 1):
            self._write("<")
            self._spend()
            return start + 1, True
        is_declaration = text.startswith(("<!", "<?"), start)
        if text.startswith("<!ENTITY", start):
            self.hopeless = "malformed"
        broken = _BROKEN_TAG.match(text, start)
        assert broken is not None
        # Only the next "<" tells that a tag is broken: quotes that are open may end before it.
        is_whole = text.find("<", start + 1) >= 0 or (is_declaration and broken[0].endswith(">"))
        if not is_whole:
            if len(text) - start > _LONGEST_TAG:
                self.hopeless = "malformed"
            return start, False
        if is_declaration:
            self._spend()
        else:
            self._tag(broken[1], broken[2], broken[3])
        return broken.end(), True

    def _inside(self, text: str, at: int) -> tuple[int, bool]:
        """`_other` within a comment or CDATA."""
        end = text.find(self._until, at)
        stop = end if end >= 0 else max(at, len(text) - len(self._until) + 1)
        if self._until == _CDATA_END and self._texts is not None:
            self._write(text[at:stop])
            self._settle(is_literal=True)
        if end < 0:
            return stop, False
        self._until = ""
        return end + len(_CDATA_END), True

    def _tag(self, slash: str, name: str, attributes: str) -> None:
        self._spend()
        name = name.rpartition(":")[2]
        if slash:
            self._close(name)
        elif self._open:
            self._begin(name, attributes)
        else:
            self._root(name, attributes)

    def _root(self, name: str, attributes: str) -> None:
        listed = _LISTED.get(name)
        if self._listed is None:
            self._listed, self.is_index = listed, name == "sitemapindex"
            if listed is None:
                self.hopeless = "not-a-sitemap"
        if listed == self._listed and not attributes.endswith("/"):  # behind the root there may be anything
            self._open.append(name)

    def _begin(self, name: str, attributes: str) -> None:
        """Begin an element. An open URL ends where an element begins behind it, an open entry where another entry
        begins."""
        assert self._listed is not None
        entry, link = self._listed
        if self._texts is not None:
            if not (self._texts or self._raw):  # <loc><url>http://...: the URL is in the first element
                self._is_wrapped = True
                self._enter(name, attributes)
                return
            self._close(self._open[-1])
        if name == entry:
            if entry in self._open:
                self._close(entry)
            self._last_url = self._lastmod = self._guid = ""
        is_link = name == link and self._open[-1] == entry
        self._is_guid = name == "guid" and self._open[-1] == entry == "item" and not _IS_NO_LINK.search(attributes)
        if is_link and self._listed == _LISTED["feed"]:
            self._reference(attributes)
        if (is_link or self._is_guid) and self._listed != _LISTED["feed"] and not attributes.endswith("/"):
            self._texts, self._raw, self._length, self._is_wrapped = [], "", 0, False
        self._enter(name, attributes)

    def _enter(self, name: str, attributes: str) -> None:
        if attributes.endswith("/"):
            return
        self._open.append(name)
        if len(self._open) > _DEEPEST:
            self.hopeless = "malformed"

    def _close(self, name: str) -> None:
        """End an element and all that are open in it; the end of an element that is not open is ignored."""
        if name not in self._open:
            return
        if self._texts is not None:
            self._settle()
            url = "".join(self._texts)
            if self._is_guid:
                self._guid = url
            elif not self._is_wrapped or _ABSOLUTE.match(
                url
            ):  # in another element a relative one is not a URL, but a date
                self._list(url)
            self._texts = None
        if name == "item" and not self._last_url and _ABSOLUTE.match(self._guid):
            self._list(self._guid)
        while self._open.pop() != name:
            pass

    def _reference(self, attributes: str) -> None:
        values_of: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(attributes):
            values_of.setdefault(name, _resolved("".join(values)))
        if values_of.get("rel", "alternate") == "alternate":
            self._list(values_of.get("href", ""))

    def _write(self, text: str) -> None:
        """Add to the open URL, if any, up to the longest useful text."""
        if self._texts is None:
            return
        if not (self._texts or self._raw):
            text = text.lstrip()
        text = text[: _LONGEST_TEXT - self._length]
        self._raw += text
        self._length += len(text)

    def _settle(self, *, is_literal: bool = False) -> None:
        """Settle the text so far: no reference goes on behind it."""
        if self._texts is not None and self._raw:
            self._texts.append(self._raw if is_literal else _resolved(self._raw))
            self._raw = ""

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.hopeless = self.hopeless or "too-large"

    def _list(self, url: str) -> None:
        url = url.strip()
        if url:
            self._urls.append(url)
            self._last_url = url
            self._date(self._lastmod)

    def _date(self, text: str) -> None:
        """Set the lastmod of the open entry, before its URL or behind it."""
        self._lastmod = text.strip()
        if self._last_url and self._lastmod:
            self.dated[self._last_url] = self._lastmod


def _resolved(text: str) -> str:
    """The text with its references resolved. A lone "&", a frequent mistake in URLs, stays."""
    return _REFERENCE.sub(_meant, text) if "&" in text else text


def _meant(reference: re.Match[str]) -> str:
    name, decimal, hexadecimal = reference.groups()
    if name:
        return _MEANT[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    is_character = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000  # XML 1.0 4.1: half a pair is none
    return chr(code) if is_character else "\ufffd"


class _Lines:
    """The URLs of a text, one a line; like `_Xml`."""

    def __init__(self) -> None:
        self.is_index = False
        self.hopeless: str | None = None
        self.dated: dict[str, str] = {}
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
        self._line = last.lstrip()[: 2 * MAX_URL_LENGTH]  # enough of a longer line to refuse it
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


Document = _Xml | _Lines


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
    """Unix seconds of a date in a sitemap (W3C-DTF: a day or more exact); None for anything else. A day counts from its
    beginning: a page that was fetched on that day may have been as it is now."""
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
