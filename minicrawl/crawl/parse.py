"""Links, anchors, title and robots directives out of the bytes of an HTML page.

The only module that knows lxml. Nothing here raises on bad input: what cannot be read has no links.
"""

import codecs
import re
from collections.abc import Collection

from charset_normalizer import from_bytes
from lxml import etree

from minicrawl.crawl.urls import normalise
from minicrawl.model import ParsedPage

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href"}
_COUNTED_RELATIONS = frozenset({"canonical", "next", "prev"})
_UNCOUNTED_RELATIONS = frozenset({"nofollow", "ugc", "sponsored"})
_ANCHOR_LENGTH = 200
_TITLE_LENGTH = 500
_PRESCAN = 1024  # bytes a browser looks through for a <meta> charset (WHATWG HTML, 13.2.3.2)

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# The encodings browsers know (WHATWG Encoding, 4.2), by Python's names; any other label is no encoding at all.
_ENCODINGS = frozenset(
    [
        "utf-8",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "cp866",
        "cp874",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "mac-cyrillic",
        "gb18030",
        "big5hkscs",
        "euc_jp",
        "iso2022_jp",
        "cp932",
        "cp949",
    ]
    + [f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)]
    + [f"cp125{page}" for page in range(9)]
)
# Labels that browsers read as a larger encoding.
_LARGER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
}
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""", re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""", re.IGNORECASE)
# Shared declarative refresh steps (WHATWG HTML, 4.2.5.3): a time, a divider, and the rest is the URL.
_REFRESH = re.compile(r"""\s*(?:\d|(?=\.))[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)""", re.IGNORECASE | re.DOTALL)
# libxml2 drops what follows the end of the document; browsers do not, so the end is left out.
_DOCUMENT_END = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_VALUED_DIRECTIVES = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


def media_type(content_type: str | None) -> str:
    """ "text/html" of "Text/HTML; charset=x"; a missing header counts as HTML, as it mostly is."""
    return content_type.partition(";")[0].strip().lower() if content_type else "text/html"


def parse_html(body: bytes, url: str, content_type: str | None = None) -> ParsedPage:
    """Read a page that came from the normalised `url` with the header `content_type`."""
    root = _tree(body, content_type)
    if root is None:
        return ParsedPage()
    said = _Said(root)
    base = (normalise(said.base, url) or url) if said.base is not None else url
    outlinks: dict[str, str] = {}
    uncounted: set[str] = set()
    resolved: dict[str, str | None] = {}
    canonical = None
    for element, reference, relations in said.references:
        if reference not in resolved:
            resolved[reference] = normalise(reference, base)
        target = resolved[reference]
        if target is None:
            continue
        if canonical is None and "canonical" in relations and element.tag == "link":
            canonical = target
        if relations and not _UNCOUNTED_RELATIONS.isdisjoint(relations):
            uncounted.add(target)
        elif target not in outlinks:
            outlinks[target] = _text(element) if element.tag == "a" else ""
    return ParsedPage(
        outlinks=tuple(outlinks),
        anchors=tuple(outlinks.values()),
        nofollow=len(uncounted - outlinks.keys()),
        title=said.title,
        canonical=canonical,
        refresh=normalise(said.refresh, base) if said.refresh is not None else None,
        follow=said.follow,
        index=said.index,
    )


class _Said:
    """One pass over a document: what its elements say, as they say it.

    `references`: (element, reference without fragment, its rel words) in document order.
    """

    def __init__(self, root: etree._Element) -> None:
        self.references: list[tuple[etree._Element, str, Collection[str]]] = []
        self.base: str | None = None
        self.title: str | None = None
        self.refresh: str | None = None
        self.follow = self.index = True
        for element in root.iter(*_LINKS, "base", "meta", "title"):
            tag = element.tag
            if tag in _LINKS:
                self._link(element, tag)
            elif tag == "meta":
                self._meta(element)
            elif tag == "title":
                if self.title is None:
                    self.title = " ".join("".join(map(str, element.itertext())).split())[:_TITLE_LENGTH] or None
            elif self.base is None:
                self.base = element.get("href")

    def _link(self, element: etree._Element, tag: str) -> None:
        reference = element.get(_LINKS[tag])
        if reference is None:
            return
        rel = element.get("rel")
        relations: Collection[str] = rel.lower().split() if rel else ()
        if tag == "link" and _COUNTED_RELATIONS.isdisjoint(relations):
            return
        # A page's links to parts of one other page differ by fragment only: resolve them once.
        self.references.append((element, reference.partition("#")[0], relations))

    def _meta(self, element: etree._Element) -> None:
        content = element.get("content")
        if content is None:
            return
        name = element.get("name")
        if name is not None and name.strip().lower() in ("robots", "minicrawl"):
            follows, indexes = follows_directives(content)
            self.follow, self.index = self.follow and follows, self.index and indexes
        elif self.refresh is None and (element.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(content)
            self.refresh = _unquoted(match[1]) if match else None


def follows_directives(directives: str, robot: str = "minicrawl") -> tuple[bool, bool]:
    """(follow, index) of a robots directive list such as "noindex, nofollow" or "otherbot: none".

    One list per line. A list behind another robot's name does not concern us.
    """
    said: set[str] = set()
    for line in directives.lower().splitlines():
        addressed = True
        for part in line.split(","):
            name, colon, value = part.partition(":")
            if colon and name.strip() not in _VALUED_DIRECTIVES:
                addressed = name.strip() in (robot, "*")
                name = value
            if addressed:
                said.add(name.strip())
    return said.isdisjoint(("nofollow", "none")), said.isdisjoint(("noindex", "none"))


def encoding_of(body: bytes, content_type: str | None) -> str:
    """Name of a Python codec: by byte order mark, then header, then <meta>, then a look at the bytes."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    declared = _HEADER_CHARSET.search(content_type or "")
    label = declared[1] if declared else None
    codec = _codec(label)
    if codec is None:
        meta = _META_CHARSET.search(_COMMENT.sub(b"", body[:_PRESCAN]))
        codec = _codec(meta[1].decode("ascii")) if meta else None
        if codec is not None and codec.startswith("utf-16"):
            codec = "utf-8"  # the <meta> was readable as ASCII, so it cannot be UTF-16
    return codec or _detected(body)


def _codec(label: str | None) -> str | None:
    if label is None:
        return None
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return None
    name = _LARGER.get(name, name)
    return name if name in _ENCODINGS else None


def _detected(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(body[:20_000]).best()
        return (best and _codec(best.encoding)) or "cp1252"
    return "utf-8"


def _tree(body: bytes, content_type: str | None) -> etree._Element | None:
    encoding = encoding_of(body, content_type)
    for bom, _ in _BOMS:
        body = body.removeprefix(bom)
    if encoding != "utf-8" or not _is_utf8(body):
        body = body.decode(encoding, "replace").encode("utf-8", "replace")
    parser = etree.HTMLParser(
        encoding="utf-8",
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        huge_tree=True,
    )
    try:
        return etree.fromstring(_DOCUMENT_END.sub(b"", body.replace(b"\0", b"")), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _unquoted(text: str) -> str:
    """What stands between quotes if the text starts with one, else all of it."""
    return text[1:].partition(text[0])[0] if text.startswith(("'", '"')) else text


def _text(element: etree._Element) -> str:
    text = element.text or "" if not len(element) else "".join(map(str, element.itertext()))
    return " ".join(text[: 2 * _ANCHOR_LENGTH].split())[:_ANCHOR_LENGTH]
