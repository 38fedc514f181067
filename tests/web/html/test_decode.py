"""The encoding of a page and its text, by the sections of the standards."""

import codecs
from encodings.aliases import aliases

import pytest
from support.effort import growth

from minicrawl.web.html.decode import as_utf8, encoding_of
from minicrawl.web.html.parse import parse_html

URL = "http://h.test/dir/page"
# An encoding that no test page would be guessed to have.
KOI8 = "koi8-r"

HEADERS = {
    "plain": ("text/html; charset=koi8-r", KOI8),
    "no space": ("text/html;charset=koi8-r", KOI8),
    "any case": ("text/html; CharSet=KOI8-R", KOI8),
    "quoted": ('text/html; charset="koi8-r"', KOI8),
    "white space around the label": ('text/html; charset=" koi8-r\t"', KOI8),
    "another parameter first": ("text/html; q=1; charset=koi8-r", KOI8),
    "the first of two": ("text/html; charset=koi8-r; charset=utf-8", KOI8),
    "single quotes are part of the label": ("text/html; charset='koi8-r'", "utf-8"),
    "space before the equals sign": ("text/html; charset =koi8-r", "utf-8"),
    "another name": ("text/html; x-charset=koi8-r", "utf-8"),
    "two types": ("text/html; charset=koi8-r, text/html", "utf-8"),
    "no label of the standard": ("text/html; charset=nonsense", "utf-8"),
    "empty": ("text/html; charset=", "utf-8"),
}


LABELS = {
    "unicode-1-1-utf-8": "utf-8",
    "latin1": "cp1252",
    "l1": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "iso-8859-11": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "logical": "iso8859-8",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "gb2312": "gb18030",
    "utf-16": "utf-16-le",
    "dos-874": "cp874",
    "macintosh": "mac-roman",
    "hz-gb-2312": "replacement",
}
HEADERS |= {label: (f"text/html; charset={label}", codec) for label, codec in LABELS.items()}


@pytest.mark.parametrize(("content_type", "codec"), HEADERS.values(), ids=HEADERS.keys())
def test_header_names_the_encoding(content_type: str, codec: str) -> None:
    """WHATWG MIME Sniffing, 4.4; labels mean what they mean to browsers (WHATWG Encoding, 4.2)."""
    assert encoding_of(b"<p>", content_type) == codec


PRESCAN = {
    "charset": (b"<meta charset=koi8-r>", KOI8),
    "any case": (b"<META CharSet=KOI8-R>", KOI8),
    "quoted": (b"<meta charset = ' koi8-r '>", KOI8),
    "slash for a space": (b"<meta/charset=koi8-r>", KOI8),
    "other attributes first": (b"<meta a b=c charset=koi8-r>", KOI8),
    "first of two attributes": (b"<meta charset=koi8-r charset=utf-8>", KOI8),
    "first of two elements": (b"<meta charset=koi8-r><meta charset=utf-8>", KOI8),
    "unknown label, next element": (b"<meta charset=nonsense><meta charset=koi8-r>", KOI8),
    "pragma": (b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>", KOI8),
    "pragma last": (b"<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", KOI8),
    "pragma with quotes": (b"<meta http-equiv=content-type content=\"charset='koi8-r'\">", KOI8),
    "pragma, word without a value first": (b"<meta http-equiv=content-type content='charset; charset=koi8-r'>", KOI8),
    "content without pragma": (b"<meta name=description content='charset=koi8-r'>", "utf-8"),
    "another pragma": (b"<meta http-equiv=refresh content='charset=koi8-r'>", "utf-8"),
    "charset wins over content": (b"<meta http-equiv=content-type content='charset=utf-8' charset=koi8-r>", KOI8),
    "another element": (b"<metax charset=koi8-r>", "utf-8"),
    "in a title": (b"<title><meta charset=koi8-r></title>", KOI8),
    "in a script": (b"<script>'<meta charset=koi8-r>'</script>", KOI8),
    "in a value": (b"<p title='<meta charset=koi8-r>'>", "utf-8"),
    "in a value of an end tag": (b"</p title='<meta charset=koi8-r>'>", "utf-8"),
    "in a comment": (b"<!-- > <meta charset=koi8-r> -->", "utf-8"),
    "in a comment that never ends": (b"<!-- <meta charset=koi8-r>", "utf-8"),
    "behind the shortest comment": (b"<!--><meta charset=koi8-r>-->", KOI8),
    "in a declaration": (b"<!x <meta charset=koi8-r>", "utf-8"),
    "behind a declaration": (b"<!DOCTYPE html><meta charset=koi8-r>", KOI8),
    "not within 1024 bytes": (b"<p>" + b" " * 1010 + b"<meta charset=koi8-r>", "utf-8"),
    "just within 1024 bytes": (b" " * 1003 + b"<meta charset=koi8-r>", KOI8),
    "UTF-16 is UTF-8": (b"<meta charset=utf-16be>", "utf-8"),
    "x-user-defined is windows-1252": (b"<meta charset=x-user-defined>", "cp1252"),
    "XML declaration": (b"<?xml version='1.0' encoding='koi8-r'?><p>", KOI8),
    "meta wins over XML declaration": (b"<?xml version='1.0' encoding='utf-8'?><meta charset=koi8-r>", KOI8),
}


@pytest.mark.parametrize(("body", "codec"), PRESCAN.values(), ids=PRESCAN.keys())
def test_first_bytes_are_looked_through_as_by_browsers(body: bytes, codec: str) -> None:
    """WHATWG HTML, 13.2.3.2, prescan a byte stream to determine its encoding."""
    assert encoding_of(body, None) == codec


CSS = b"<style>" + b"p > a { color: red } " * 200 + b"</style>"
LATE = {
    "behind a style sheet": (CSS + b"<meta charset=koi8-r>", KOI8),
    "in a head": (b"<!DOCTYPE html><html lang=ru><head>" + CSS + b"<meta charset=koi8-r>", KOI8),
    "pragma": (CSS + b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>", KOI8),
    "behind blanks": (b" " * 2000 + b"<meta charset=koi8-r>", KOI8),
    "across the border": (b" " * 1010 + b"<meta charset=koi8-r>", KOI8),
    "UTF-16 is UTF-8": (CSS + b"<meta charset=utf-16le>", "utf-8"),
    "behind other things of a head": (
        CSS + b"<title><p></title><LINK rel=x><base href=/><noscript><p></noscript><meta name=x><meta charset=koi8-r>",
        KOI8,
    ),
    "behind a script with tags in it": (b"<script>'<body><p>'</script >" + CSS + b"<meta charset=koi8-r>", KOI8),
    "in a late script": (CSS + b"<script>'<meta charset=koi8-r>'</script>", "utf-8"),
    "in a late title": (CSS + b"<title><meta charset=koi8-r></title>", "utf-8"),
    "in a late comment": (CSS + b"<!-- <meta charset=koi8-r> -->", "utf-8"),
    "behind the head": (CSS + b"</head><meta charset=koi8-r>", "utf-8"),
    "in the body": (b"<body>" + CSS + b"<meta charset=koi8-r>", "utf-8"),
    "behind a tag of the body": (CSS + b"<div><meta charset=koi8-r>", "utf-8"),
    "behind a tag whose name begins like one of the head": (CSS + b"<header><meta charset=koi8-r>", "utf-8"),
    "an early one says more": (b"<meta charset=utf-8>" + CSS + b"<meta charset=koi8-r>", "utf-8"),
    "an XML declaration says more": (b"<?xml version='1' encoding='utf-8'?>" + CSS + b"<meta charset=koi8-r>", "utf-8"),
    "unknown label, next element": (CSS + b"<meta charset=x><meta charset=koi8-r>", KOI8),
    "in a script without end": (CSS + b"<script><meta charset=koi8-r>", "utf-8"),
    "in a tag without end": (CSS + b"<link href='<meta charset=koi8-r>", "utf-8"),
}


@pytest.mark.parametrize(("body", "codec"), LATE.values(), ids=LATE.keys())
def test_a_head_is_looked_through_to_its_end(body: bytes, codec: str) -> None:
    """As by Chromium; the standard would have the page read again from the start (WHATWG HTML, 13.2.3.4)."""
    assert len(body) > 1024
    assert encoding_of(body, None) == codec


def test_the_header_says_more_than_a_late_element() -> None:
    assert encoding_of(CSS + b"<meta charset=koi8-r>", "text/html; charset=utf-8") == "utf-8"


@pytest.mark.parametrize(
    "unit",
    [b"<script>", b"<!--", b"<meta ", b"<link a=", b"<link>", b"<meta charset=x>", b"</", b"<style></style ", b"<"],
)
def test_a_head_of_megabytes_takes_time_linear_in_its_length(unit: bytes) -> None:
    assert growth(lambda size: encoding_of((unit * (size // len(unit) + 1))[:size] + b"\xff", None), 10**5) < 1.5


@pytest.mark.parametrize("label", ["cp437", "8859", "utf-32", "hex", "utf-7"])
def test_other_labels_of_python_are_ignored(label: str) -> None:
    assert encoding_of(b"", f"text/html; charset={label}") == "utf-8"
    assert encoding_of(f"<meta charset={label}>".encode(), None) == "utf-8"


def test_every_encoding_that_can_be_declared_decodes_any_bytes() -> None:
    for label in aliases:
        codec = encoding_of(f"<meta charset={label}>".encode(), None)
        assert as_utf8(b"x\xff\xfe\xfd", codec).decode() or codec == "replacement", label


def test_only_one_byte_order_mark_is_taken_away() -> None:
    body = codecs.BOM_UTF8 * 2 + b"x"
    assert as_utf8(body, encoding_of(body, None)) == codecs.BOM_UTF8 + b"x"


def test_bytes_that_windows_encodings_leave_open_are_control_characters() -> None:
    """WHATWG Encoding, 9.1: index windows-1252 has 0x81 at U+0081."""
    assert as_utf8(b"\x80\x81", "cp1252").decode() == "€\x81"


def test_what_only_scripts_could_decode_says_nothing() -> None:
    """WHATWG Encoding, 14.1, replacement."""
    assert parse_html(b"<a href=/x>", URL, "text/html; charset=iso-2022-kr").outlinks == ()


RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний. " * 5
META = '<meta charset="{}"><title>{}</title>'
ENCODED = {
    "bom-utf-8": (codecs.BOM_UTF8 + "<title>ü</title>".encode(), None, "ü"),
    "bom-utf-16-le": (codecs.BOM_UTF16_LE + "<title>ü</title>".encode("utf-16-le"), None, "ü"),
    "bom-utf-16-be": (codecs.BOM_UTF16_BE + "<title>ü</title>".encode("utf-16-be"), None, "ü"),
    "bom-beats-header": (codecs.BOM_UTF8 + "<title>ü</title>".encode(), "text/html; charset=koi8-r", "ü"),
    "header": ("<title>ж</title>".encode("koi8-r"), "text/html; charset=koi8-r", "ж"),
    "meta": (META.format("koi8-r", "ж").encode("koi8-r"), "text/html", "ж"),
    "utf-8-undeclared": ("<title>ü</title>".encode(), None, "ü"),
    "latin-1-is-windows-1252": (b"<title>\x80\x93</title>", "text/html; charset=iso-8859-1", "€“"),
    "euc-kr-is-windows-949": (META.format("euc-kr", "똠").encode("cp949"), None, "똠"),
    "shift_jis-is-windows-31j": (META.format("Shift_JIS", "①").encode("cp932"), None, "①"),
    "euc-jp": (META.format("euc-jp", "日本語").encode("euc-jp"), None, "日本語"),
    "big5": (META.format("big5", "中文").encode("big5"), None, "中文"),
    "windows-1251": (META.format("windows-1251", "ж").encode("cp1251"), None, "ж"),
    "wrong-label": ("<title>a\xfcb</title>".encode("latin-1"), "text/html; charset=utf-8", "a\ufffdb"),
}


@pytest.mark.parametrize(("body", "content_type", "title"), ENCODED.values(), ids=ENCODED.keys())
def test_text_is_decoded_as_browsers_do(body: bytes, content_type: str | None, title: str) -> None:
    assert parse_html(body, URL, content_type).title == title


def test_undeclared_text_is_guessed_from_its_bytes() -> None:
    body = f"<title>{RUSSIAN[:40]}</title><p>{RUSSIAN}".encode("cp1251")
    assert parse_html(body, URL).title == RUSSIAN[:40].strip()


def test_an_xml_declaration_in_text_declared_otherwise_does_no_harm() -> None:
    body = '<?xml version="1.0" encoding="koi8-r"?><html xmlns="http://www.w3.org/1999/xhtml"><a href="/ü">ü</a>'
    page = parse_html(body.encode(), URL, "application/xhtml+xml; charset=utf-8")
    assert (page.outlinks, page.anchors) == (("http://h.test/%C3%BC",), ("ü",))


def test_pages_that_begin_alike_may_still_declare_different_encodings() -> None:
    """Behind the same beginning, a quote may make the declaration part of a value."""
    beginning = b'<meta title="<meta charset=koi8-r>'
    assert encoding_of(beginning + b"<p>x", None) == "koi8-r"
    assert encoding_of(beginning + b'"><meta charset=big5><p>x', None) == "big5hkscs"
    assert encoding_of(beginning + b"<p>y", None) == "koi8-r"


JAPANESE = "日本語のウェブページは長い間このように書かれてきました。文字コードの宣言がありません。"
NEWS = "Новости дня: правительство утвердило бюджет на следующий год."
GREEK = "Η κυβέρνηση ενέκρινε τον προϋπολογισμό για το επόμενο έτος. Οι πολίτες συζητούν στους δρόμους για τον καιρό."
CHINESE = "今天的新闻：政府批准了明年的预算，人们在街上谈论天气和价格。"
FURTHER = {
    "big5hkscs": "今天的新聞：政府批准了明年的預算，人們在街上談論天氣和價格。",
    "cp1250": "Vláda schválila rozpočet na příští rok. Lidé v ulicích mluví o počasí a o cenách chleba.",
    "cp1252": "Regeringen har godkänt nästa års budget. Folk på gatorna pratar om vädret och om priset på bröd.",
    "cp1253": GREEK,
    "cp1254": "Hükümet gelecek yılın bütçesini onayladı. İnsanlar sokaklarda havayı ve ekmeğin fiyatını konuşuyor.",
    "cp1255": "הממשלה אישרה את התקציב לשנה הבאה. האנשים ברחובות מדברים על מזג האוויר ועל מחיר הלחם.",
    "cp1256": "وافقت الحكومة على ميزانية العام المقبل. يتحدث الناس في الشوارع عن الطقس وعن سعر الخبز.",
    "cp874": "รัฐบาลอนุมัติงบประมาณปีหน้า ผู้คนบนถนนพูดคุยกันเรื่องอากาศและราคาขนมปัง",
    "cp949": "정부는 내년 예산을 승인했다. 거리의 사람들은 날씨와 빵값에 대해 이야기한다.",
    "iso8859-2": "Rząd zatwierdził budżet na przyszły rok. Ludzie na ulicach mówią o pogodzie i o cenie chleba.",
}


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        *((JAPANESE, codec) for codec in ("euc_jp", "iso2022_jp", "cp932")),
        *((NEWS, codec) for codec in ("cp1251", "koi8-r")),
        (GREEK, "iso8859-7"),
        (CHINESE, "gb18030"),
        *((text, codec) for codec, text in FURTHER.items()),
    ],
)
@pytest.mark.parametrize("head", [b"", b"<style>" + b".a{color:red}\n" * 2_000 + b"</style>"], ids=["plain", "styled"])
def test_no_style_sheet_hides_the_encoding_of_a_text(text: str, codec: str, head: bytes) -> None:
    body = b"<html><head>" + head + f"<title>{text}</title></head><body><p>{text * 5}</p>".encode(codec)
    assert text in as_utf8(body, encoding_of(body, "text/html")).decode()
