"""Links, anchors, title and robots directives out of the bytes of an HTML page.

The only module that knows lxml. Nothing here raises on bad input: what cannot be read has no links.
"""

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes
from lxml import etree

from minicrawl.crawl.urls import normalise
from minicrawl.model import ParsedPage

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})

_LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href"}
_COUNTED_RELATIONS = frozenset({"canonical", "next", "prev"})
_UNCOUNTED_RELATIONS = frozenset({"nofollow", "ugc", "sponsored"})
_ANCHOR_LENGTH = 200
_PRESCAN = 1024  # bytes a browser looks through for a <meta> charset (WHATWG HTML, 13.2.3.2)

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Labels that browsers read as a larger encoding (WHATWG Encoding, 4.2).
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
_META_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""", re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""", re.IGNORECASE)
_REFRESH = re.compile(r"""^\s*\d*\.?\d*\s*[;,]?\s*(?:url\s*=\s*)?["']?\s*([^"'\s]+)""", re.IGNORECASE)


def media_type(content_type: str | None) -> str:
    """"text/html" of "Text/HTML; charset=x"; a missing header counts as HTML, as it mostly is."""
    return content_type.partition(";")[0].strip().lower() if content_type else "text/html"


def parse_html(body: bytes, url: str, content_type: str | None = None) -> ParsedPage:
    """Read a page that came from the normalised `url` with the header `content_type`."""
    root = _tree(body, content_type)
    if root is None:
        return ParsedPage()
    base = _base(root, url)
    follow, index = _meta_robots(root)
    outlinks: dict[str, str] = {}
    uncounted: set[str] = set()
    resolved: dict[str, str | None] = {}
    canonical = None
    for element, reference, relations in _references(root):
        if reference in resolved:
            target = resolved[reference]
        else:
            target = resolved[reference] = normalise(reference, base)
        if target is None:
            continue
        if canonical is None and element.tag == "link" and "canonical" in relations:
            canonical = target
        if relations & _UNCOUNTED_RELATIONS:
            uncounted.add(target)
        elif target not in outlinks:
            outlinks[target] = _text(element) if element.tag == "a" else ""
    return ParsedPage(
        outlinks=tuple(outlinks),
        anchors=tuple(outlinks.values()),
        nofollow=len(uncounted - outlinks.keys()),
        title=_title(root),
        canonical=canonical,
        refresh=_refresh(root, base),
        follow=follow,
        index=index,
    )


def follows_directives(directives: str, robot: str = "minicrawl") -> tuple[bool, bool]:
    """(follow, index) of a robots directive list such as "noindex, nofollow" or "otherbot: none".

    A list behind another robot's name does not concern us.
    """
    follow = index = True
    addressed = True
    for part in directives.lower().split(","):
        agent, colon, directive = part.rpartition(":")
        if colon:
            addressed = agent.strip() in (robot, "*")
        word = directive.strip()
        if addressed and word in ("nofollow", "none"):
            follow = False
        if addressed and word in ("noindex", "none"):
            index = False
    return follow, index


def encoding_of(body: bytes, content_type: str | None) -> str:
    """Name of a Python codec: by byte order mark, then header, then <meta>, then a look at the bytes."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    declared = _HEADER_CHARSET.search(content_type or "")
    label = declared[1] if declared else None
    codec = _codec(label)
    if codec is None:
        meta = _META_CHARSET.search(body, 0, _PRESCAN)
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
    return _LARGER.get(name, name)


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
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True
    )
    try:
        return etree.fromstring(body.replace(b"\0", b""), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _base(root: etree._Element, url: str) -> str:
    """The document's base URL: the first <base href>, itself relative to the page."""
    for element in root.iter("base"):
        href = element.get("href")
        if href is not None:
            return normalise(href, url) or url
    return url


def _references(root: etree._Element) -> Iterator[tuple[etree._Element, str, frozenset[str]]]:
    for element in root.iter(*_LINKS):
        reference = element.get(_LINKS[element.tag])
        if reference is None:
            continue
        rel = element.get("rel")
        relations = frozenset(rel.lower().split()) if rel else frozenset()
        if element.tag == "link" and not relations & _COUNTED_RELATIONS:
            continue
        yield element, reference, relations


def _text(element: etree._Element) -> str:
    text = element.text or "" if not len(element) else "".join(element.itertext())
    return " ".join(text[: 2 * _ANCHOR_LENGTH].split())[:_ANCHOR_LENGTH]


def _title(root: etree._Element) -> str | None:
    for element in root.iter("title"):
        return " ".join("".join(element.itertext()).split())[:500] or None
    return None


def _meta_robots(root: etree._Element) -> tuple[bool, bool]:
    follow = index = True
    for element in root.iter("meta"):
        if (element.get("name") or "").strip().lower() in ("robots", "minicrawl"):
            follows, indexes = follows_directives(element.get("content") or "")
            follow, index = follow and follows, index and indexes
    return follow, index


def _refresh(root: etree._Element, base: str) -> str | None:
    for element in root.iter("meta"):
        if (element.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(element.get("content") or "")
            return normalise(match[1], base) if match else None
    return None
