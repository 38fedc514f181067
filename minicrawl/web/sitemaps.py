"""Reading a sitemap (sitemaps.org protocol 0.9): bytes in, URLs out, a small step at a time.

The format is told from the bytes, not from Content-Type: XML with the root urlset or sitemapindex, an RSS or Atom feed,
or a URL per line; all of these also in gzip. No tree is built and no entity but XML's own five is known, so nothing can
grow. A fault in a sitemap is a reason (docs/sitemaps.md), never an exception; the URLs up to there count.

Much of the XML out there is malformed. The parser only tells tags from text: control characters, a lone "&", "]]>" in a
text, a doubled attribute, "--" in a comment, an unknown entity change nothing; text before the XML declaration is
skipped, and an element ends where one begins that cannot be inside it, or the one around it ends. It is malformed if
elements stay open at its end; and it is read no further where entities are declared, elements are 100 deep, or a tag, a
comment or CDATA does not end for 64 kB.

The bytes are read in steps of the same size, so the result does not depend on the pieces in which they come.
"""

import codecs
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from minicrawl.errors import FetchError
from minicrawl.web.html.decode import encoding_of_xml
from minicrawl.web.http.body import Decoder, decoder
from minicrawl.web.urls.normalise import MAX_URL_LENGTH, normalise

_HOPELESS = 64 * 1024  # characters of text without a URL, or of one tag
_MOST_ELEMENTS = 1_000_000  # or lines
_DEEPEST = 100
_LONGEST_TEXT = 2 * MAX_URL_LENGTH  # enough of a longer one to refuse it
_ABSOLUTE = re.compile(r"\s*https?://", re.IGNORECASE)
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
# Text, then a comment, CDATA, a declaration or an instruction, or a tag: the slash of an end tag, its name, its
# attributes. A ">" may stand in quotes, a "<" may not.
_MARKUP = re.compile(
    r"""([^<]*+)<(?:!--.*?--|!\[CDATA\[(.*?)\]\]|[!?](?!--|\[CDATA\[)[^<>]*+"""
    r"""|(/?)([^\W\d][^\s<>/"']*+)((?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+))>""",
    re.DOTALL,
)
_BROKEN_TAG = re.compile(r"""<(/?)([^\W\d]?[^\s<>/"']*+)([^<>]*+)>?""")
_MAY_BEGIN_TAG = re.compile(r"[^\W\d]|[/!?]")
_ATTRIBUTE = re.compile(r"""([^\s<>/"'=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_IS_NO_LINK = re.compile(r"""isPermaLink\s*=\s*["']?\s*false""", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_MEANT = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class _Xml:
    """The URLs that XML lists, parsed as it comes. `is_index`: they are of other sitemaps. `hopeless`: the reason for
    which reading on is of no use. `dated`: lastmod by URL, as written, if is_dated."""

    def __init__(self, *, is_dated: bool = False) -> None:
        self._is_dated = is_dated
        self.is_index = False
        self.hopeless: str | None = None
        self.dated: dict[str, str] = {}
        self._urls: list[str] = []
        self._listed: tuple[str, str] | None = None
        self._open: list[str] = []
        self._left = _MOST_ELEMENTS
        self._rest = ""  # text and a tag as far as they have come
        self._text: str | None = None  # of the element with a URL that is open
        self._is_guid = False  # it is a guid, which counts for an item without a link (RSS 2.0)
        self._url = self._lastmod = self._guid = ""  # of the entry that is open

    def feed(self, text: str) -> list[str]:
        """Parse some more text, and return its URLs."""
        text, at = self._rest + text, 0
        while self.hopeless is None:
            if found := _MARKUP.match(text, at):
                before, literal, slash, name, attributes = found.groups()
                if self._text is not None:
                    self._write(_resolved(before) + (literal or ""))
                if name:
                    if self._is_dated and slash and self._open[-1:] == ["lastmod"]:
                        self._date(before)
                    self._tag(slash, name, attributes)
                elif text.startswith("<!ENTITY", at + len(before)):
                    self.hopeless = "malformed"
                self._spend()
                at = found.end()
            elif (end := self._broken(text, at)) is not None:
                at = end
            else:
                break
        self._rest = text[at:]
        if len(self._rest) > _HOPELESS:
            is_text = "<" not in self._rest
            self._rest, self._text = "", None  # no URL is as long
            self.hopeless = self.hopeless or (None if is_text else "malformed")
        urls, self._urls = self._urls, []
        return urls

    def rest(self) -> list[str]:
        """The URLs that a last broken tag adds; half a URL is none."""
        return self.feed("<")

    def verdict(self) -> str:
        """The reason code of a document that has ended here."""
        if self._listed is None:
            return "not-a-sitemap"
        return "malformed" if self._open or self._rest.startswith("<!") else "ok"

    def _broken(self, text: str, at: int) -> int | None:
        """Parse text up to a "<" that begins no whole markup, with a tag up to the next "<", which tells that it is
        broken. Returns where that ends; None if more text is needed first."""
        start = text.find("<", at)
        if start < 0 or len(text) == start + 1 or text.startswith(("<!--", "<![CDATA["), start):
            return None
        if not _MAY_BEGIN_TAG.match(text, start + 1):
            self._write(_resolved(text[at : start + 1]))
            self._spend()
            return start + 1
        if text.find("<", start + 1) < 0:
            return None
        broken = _BROKEN_TAG.match(text, start)
        assert broken is not None
        self._write(_resolved(text[at:start]))
        self._spend()
        if text[start + 1] not in "!?":
            self._tag(*broken.groups())
        return broken.end()

    def _tag(self, slash: str, name: str, attributes: str) -> None:
        name = name.rpartition(":")[2]
        if slash:
            self._close(name)
        elif self._open:
            self._begin(name, attributes)
            if len(self._open) > _DEEPEST:
                self.hopeless = "malformed"
        else:
            listed = _LISTED.get(name)
            if self._listed is None:
                self._listed, self.is_index = listed, name == "sitemapindex"
                if listed is None:
                    self.hopeless = "not-a-sitemap"
            if listed == self._listed and not attributes.endswith("/"):  # behind the root there may be anything
                self._open.append(name)

    def _begin(self, name: str, attributes: str) -> None:
        """Begin an element. An open URL ends where one begins behind it, an open entry where another entry does."""
        assert self._listed is not None
        entry, link = self._listed
        if self._text == "":  # <loc><url>http://...: the URL is in the first element
            self._open += [name] * (not attributes.endswith("/"))
            return
        if self._text is not None:
            self._close(self._open[-1])
        if name == entry:
            if entry in self._open:
                self._close(entry)
            self._url = self._lastmod = self._guid = ""
        is_in_entry = self._open[-1] == entry
        self._is_guid = name == "guid" and is_in_entry and entry == "item" and not _IS_NO_LINK.search(attributes)
        if name == link and is_in_entry and entry == "entry":  # Atom has URLs in attributes
            named: dict[str, str] = {}
            for key, *values in _ATTRIBUTE.findall(attributes):
                named.setdefault(key, _resolved("".join(values)))
            if named.get("rel", "alternate") == "alternate":
                self._list(named.get("href", ""))
        elif (name == link and is_in_entry) or self._is_guid:
            self._text = ""
        self._open.append(name)
        if attributes.endswith("/"):
            self._close(name)

    def _close(self, name: str) -> None:
        """End an element and all that are open in it; the end of an element that is not open is ignored."""
        if name not in self._open:
            return
        if self._text is not None:
            if self._is_guid:
                self._guid = self._text
            elif self._open[-1] in ("loc", "link") or _ABSOLUTE.match(self._text):  # else it may be a date
                self._list(self._text)
            self._text = None
        if name == "item" and not self._url and _ABSOLUTE.match(self._guid):
            self._list(self._guid)
        while self._open.pop() != name:
            pass

    def _write(self, text: str) -> None:
        """Add to the open URL, if any."""
        if self._text is not None:
            self._text = (self._text + text).lstrip()[:_LONGEST_TEXT]

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.hopeless = self.hopeless or "too-large"

    def _list(self, url: str) -> None:
        if url := url.strip():
            self._urls.append(url)
            self._url = url
            self._date(self._lastmod)

    def _date(self, text: str) -> None:
        """Set the lastmod of the open entry, before its URL or behind it."""
        self._lastmod = text.strip()
        if self._url and self._lastmod:
            self.dated[self._url] = self._lastmod


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
    """The URLs of a text, one per line; like `_Xml`."""

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
        lines = (self._line + text).splitlines(keepends=True)
        is_cut = lines and not lines[-1].endswith(("\n", "\r"))
        self._line = lines.pop().lstrip()[:_LONGEST_TEXT] if is_cut else ""
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


# Limits of the protocol, for indexes too.
MAX_URLS = 50_000
MAX_BYTES = 50 * 2**20
STEP = 16 * 1024
"""Bytes, unpacked, of one step: a few milliseconds."""

_HEAD = 1024  # bytes that tell the encoding, and characters that tell XML from text
_GZIP_MAGIC = b"\x1f\x8b"


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
        self._unpacks: Decoder | None = None
        self._block = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._document: _Xml | _Lines | None = None

    def feed(self, chunk: bytes) -> Iterator[list[str]]:
        """Read on; yields the normalised URLs of each step, often none. Nothing is read once it `is_over`."""
        if self._unpacks is None:
            self._head += chunk
            if len(self._head) < len(_GZIP_MAGIC):
                return
            self._unpacks = decoder("gzip" if self._head.startswith(_GZIP_MAGIC) else None)
            chunk, self._head = self._head, b""
        try:
            for piece in self._unpacks.pieces(chunk):
                self._block += piece
                while len(self._block) >= self._wanted and not self.is_over:
                    block, self._block = self._block[: self._wanted], self._block[self._wanted :]
                    self._wanted = self._step
                    yield self._read(block)
                if self.is_over:
                    return
        except FetchError:
            yield self._read(self._block)
            self._end("undecodable")

    def close(self, *, truncated: bool = False) -> Iterator[list[str]]:
        """The rest, after all bytes, or after the connection broke (`truncated`)."""
        if self.is_over:
            return
        is_cut = truncated or not (self._unpacks is None or self._unpacks.is_complete)
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

    def _begun(self, text: str) -> str:
        """Choose the parser for a text by its beginning. Returns what it is to read: XML may have something before."""
        head = text[:_HEAD]
        start = _DECLARATION.search(head) or (None if head.startswith("<") else _ROOT.search(head))
        is_xml = start is not None or head.startswith("<")
        self._document = _Xml(is_dated=self._is_dated) if is_xml else _Lines()
        return text[start.start() :] if start is not None else text

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
            text = self._begun(text)
        assert self._document is not None
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
        return [url for url in urls if url is not None]


def read_lastmod(text: str) -> float | None:
    """Unix seconds of a date in a sitemap (W3C-DTF: a day or more exact); None for anything else. A day counts from its
    beginning: a page that was fetched on that day may have been as it is now."""
    try:
        date = datetime.fromisoformat(text.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
