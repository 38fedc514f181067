"""Detect the encoding of a page and decode it, as browsers do (WHATWG HTML 13.2.3, Encoding).

The only difference: browsers read undeclared pages as windows-1252; the encoding is guessed from their bytes here, as
the standard allows.
"""

import codecs
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

# The labels that browsers know (WHATWG Encoding, 4.2), by Python's name of the encoding. Other labels are ignored. A
# page with the encoding "replacement" is not decoded: it has no text.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": (
        "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i "
        "iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
    ),
    "iso8859-7": (
        "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
        "iso_8859-7:1987 sun_eu_greek"
    ),
    "iso8859-8": (
        "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 iso8859-8 "
        "iso88598 iso_8859-8 iso_8859-8:1988 logical visual"
    ),
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp866": "866 cp866 csibm866 ibm866",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": (
        "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"
    ),
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement",
    "cp1252": (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 "
        "iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252 x-user-defined"
    ),
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
        "windows-1254 x-cp1254"
    ),
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
_UNICODE = frozenset({"utf-8", "utf-16-le", "utf-16-be", "replacement"})
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PRESCAN = 1024  # bytes that a browser searches for a <meta> charset
_LONGEST_HEAD = 10**6  # bytes of a long head that are searched

# A parameter of a media type (WHATWG MIME Sniffing, 4.4).
_HEADER_CHARSET = re.compile(r""";[\t\n\r ]*charset=(?:"((?:[^"\\]|\\.)*)|([^;]*))""", re.IGNORECASE)
# The parts of "prescan a byte stream to determine its encoding" (WHATWG HTML, 13.2.3.2).
_EQUALS = rb"[\t\n\f\r ]*+=[\t\n\f\r ]*+"
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rb"""(?:%b(?:"([^"]*+)"|'([^']*+)'|([^\t\n\f\r >"'][^\t\n\f\r >]*+|)))?""" % _EQUALS
)
_ATTRIBUTES = re.sub(rb"\((?!\?)", rb"(?:", _ATTRIBUTE)
_PIECE = re.compile(
    rb"<!--(?:-?>|.*?-->|.*)"
    rb"|<(?:meta(?=[\t\n\f\r /])(?P<meta>(?:%b)*+)|/?[a-z][^\t\n\f\r >]*+(?:%b)*+)[\t\n\f\r /]*+>"
    rb"|</?[a-z].*"
    rb"|<[!/?][^>]*+" % (_ATTRIBUTES, _ATTRIBUTES),
    re.IGNORECASE | re.DOTALL,
)
# The contents of a head, in which Chromium keeps looking for a <meta>. Any other tag ends it.
_END_OF_NAME = rb"(?=[\t\n\f\r />])"
_HEAD_PIECE = re.compile(
    rb"<!--(?:-?>|.*?-->|.*)"
    rb"|<meta%b(?P<meta>(?:%b)*+)[\t\n\f\r /]*+>"
    rb"|<(?P<raw>script|style|title|noscript)%b(?:%b)*+[\t\n\f\r /]*+>(?:.*?</(?P=raw)%b|.*)"
    rb"|<(?:html|head|/?(?:link|object|base))%b(?:%b)*+[\t\n\f\r /]*+>"
    rb"|(?P<end></?[a-z])"
    rb"|<[!/?][^>]*+" % (_END_OF_NAME, _ATTRIBUTES, _END_OF_NAME, _ATTRIBUTES, _END_OF_NAME, _END_OF_NAME, _ATTRIBUTES),
    re.IGNORECASE | re.DOTALL,
)
_META_ATTRIBUTE = re.compile(_ATTRIBUTE)
_CONTENT_CHARSET = re.compile(
    rb"""charset%b(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))""" % _EQUALS, re.IGNORECASE
)
# A change to Japanese characters; no text in UTF-8 has one.
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_NO_TEXT = re.compile(
    rb"<!--(?:.*?-->|.*)|<(script|style)%b[^>]*+>(?:.*?</\1%b|.*)|<[a-z/!?][^>]*+>?" % (_END_OF_NAME, _END_OF_NAME),
    re.IGNORECASE | re.DOTALL,
)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_SAMPLE, _BEFORE = 20_000, 100  # bytes
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)["']""")


def encoding_of(body: bytes, content_type: str | None) -> str:
    """Python's name of the encoding: by byte order mark, header, <meta>, XML declaration, or a guess."""
    for bom, codec in _BOMS:
        if body.startswith(bom):
            return codec
    found = _HEADER_CHARSET.search(content_type or "")
    declared = _codec(found[1] if found[1] is not None else found[2]) if found else None
    return declared or _prescanned(body[:_PRESCAN]) or _late_meta_codec(body) or _detected(body)


def encoding_of_xml(head: bytes) -> str:
    """Python's name of the encoding of XML or plain text: by byte order mark, XML declaration, or UTF-8."""
    marks = (*_BOMS, (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
    for mark, codec in marks:
        if head.startswith(mark):
            return codec
    codec = _declared_in_xml(head.lstrip()) or "utf-8"
    return "utf-8" if codec == "replacement" else codec


def is_unicode(codec: str) -> bool:
    """True if the queries of links on a page in this encoding are in UTF-8 (WHATWG Encoding, 4.3)."""
    return codec in _UNICODE


def as_utf8(body: bytes, codec: str) -> bytes:
    """The text of the body as well-formed UTF-8, without byte order mark."""
    if codec == "replacement":
        return b""
    for bom, _ in _BOMS:
        if body.startswith(bom):
            body = body[len(bom) :]
            break
    if codec == "utf-8" and (body.isascii() or _is_utf8(body)):
        return body
    return body.decode(codec, "minicrawl.replace").encode("utf-8", "replace")


def _codec(label: str) -> str | None:
    return _CODECS.get(label.strip("\t\n\f\r ").lower())


def _prescanned(head: bytes) -> str | None:
    # The pages of a site begin alike, up to the tag that declares their encoding. The quotes end a value that the cut
    # leaves open, so that all in front of them reads as in the whole head.
    beginning = head[: head.find(b">", head.find(b"charset")) + 1]
    meta = _remembered_meta(beginning + b"\"'") or _first_meta(_PIECE.finditer(head))
    return meta or _declared_in_xml(head)


def _first_meta(pieces: Iterable[re.Match[bytes]]) -> str | None:
    for piece in pieces:
        codec = _meta_codec(piece["meta"]) if piece["meta"] else None
        if codec is not None:
            return _readable_as_ascii(codec)
    return None


_remembered_meta = lru_cache(maxsize=1_000)(lambda head: _first_meta(_PIECE.finditer(head)))


def _declared_in_xml(head: bytes) -> str | None:
    found = _XML_ENCODING.match(head)
    codec = _codec(found[1].decode("latin-1")) if found else None
    return _readable_as_ascii(codec) if codec else None


def _late_meta_codec(body: bytes) -> str | None:
    """The encoding of a <meta> in the rest of the head, where Chromium keeps looking (HTMLMetaCharsetParser)."""
    return _first_meta(takewhile(lambda piece: not piece["end"], _HEAD_PIECE.finditer(body, 0, _LONGEST_HEAD)))


def _readable_as_ascii(codec: str) -> str:
    """The encoding of a page whose declaration is ASCII, so that it is not UTF-16."""
    return "utf-8" if codec.startswith("utf-16") else codec


def _meta_codec(attributes: bytes) -> str | None:
    values_of: dict[bytes, bytes] = {}
    for name, *values in _META_ATTRIBUTE.findall(attributes):
        values_of.setdefault(name.lower(), b"".join(values))
    if b"charset" in values_of:
        return _codec(values_of[b"charset"].decode("latin-1"))
    found = _CONTENT_CHARSET.search(values_of.get(b"content", b""))
    if found is None or values_of.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    return _codec(b"".join(found.groups(b"")).decode("latin-1"))


def _detected(body: bytes) -> str:
    if _ISO_2022_JP.search(body):
        return "iso2022_jp"
    if _is_utf8(body):
        return "utf-8"
    from chardetng_py import EncodingDetector  # noqa: PLC0415 - most pages declare their encoding, or are UTF-8

    # Without tags, whose angle brackets are no part of a character in any encoding, scripts and style sheets.
    text = _NO_TEXT.sub(b" ", body[:_LONGEST_HEAD])
    first = _NOT_ASCII.search(text)
    start = max(first.start() - _BEFORE, 0) if first else 0
    detector = EncodingDetector()
    detector.feed(text[start : start + _SAMPLE], last=True)
    name = detector.guess(tld=None, allow_utf8=False)
    return name if name in _LABELS else _codec(name) or "cp1252"


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _replace(error: UnicodeError) -> tuple[str, int]:
    """U+FFFD for an invalid sequence; the C1 control for a byte 80 to 9F that windows-125x leaves undefined."""
    assert isinstance(error, UnicodeDecodeError)
    byte = error.object[error.start]
    if error.encoding == "charmap" and byte < 0xA0:
        return chr(byte), error.start + 1
    return "\ufffd", error.end


codecs.register_error("minicrawl.replace", _replace)
