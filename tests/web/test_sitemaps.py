"""What a sitemap lists, and what is said of one that is none or not whole."""

import gzip
import random
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import growth

from minicrawl.web.sitemaps import MAX_BYTES, MAX_URLS, STEP, SitemapReader, _Xml, read_lastmod

AT = "http://a.test/maps/map.xml"
ONE, TWO = "http://a.test/1", "http://a.test/2"
URLSET = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{ONE}</loc></url></urlset>"


def read(*chunks: bytes, truncated: bool = False, step: int = STEP, most: int = MAX_BYTES) -> tuple[str, list[str]]:
    """Reason and URLs of a document that comes in these chunks."""
    reader, urls = SitemapReader(AT, step, most), []
    for chunk in chunks:
        for some in reader.feed(chunk):
            urls += some
        if reader.is_over:
            break
    for some in reader.close(truncated=truncated):
        urls += some
    return reader.reason, urls


def urlset(*locs: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc><priority>.5</priority></url>' for loc in locs)}</urlset>"


RSS = """<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//x" "http://x.test/rss.dtd"><rss version="2.0"><channel>
<link>http://a.test/channel</link><item><title>One</title><link> http://a.test/1 </link><guid>http://a.test/no</guid></item>
<item xmlns:atom="http://www.w3.org/2005/Atom"><atom:link href="http://a.test/no"/><link>http://a.test/2</link></item>
</channel></rss>"""
GUIDS = f"""<rss><channel><item><title>One</title><guid>{ONE}</guid></item><item><guid isPermaLink="true">{TWO}</guid>
<link/></item><item><guid isPermaLink='false'>http://a.test/no</guid></item><item><guid>tag:a.test</guid></item>
<item><guid>http://a.test/no</guid><link>http://a.test/3</link></item></channel></rss>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><link>http://a.test/channel</link></channel><item><link>http://a.test/1</link></item></rdf:RDF>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/feed"/>
<entry><link href="http://a.test/1"/><link rel="edit" href="http://a.test/no"/></entry>
<entry><link rel="alternate" href="../2"/></entry><entry><link/></entry></feed>"""
IMAGES = f"""<urlset xmlns:image="http://x.test/image"><url><loc>{ONE}</loc><image:image><image:loc>http://a.test/i.png
</image:loc></image:image></url></urlset>"""
LAUGHS = f"""<!DOCTYPE urlset [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>
<urlset><url><loc>{ONE}?&c;</loc></url></urlset>"""
OUTSIDE = (
    f"""<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>{ONE}?&a;</loc></url></urlset>"""
)

QUERY = "http://a.test/?a=3&b=2"


def behind(markup: str) -> str:
    """A sitemap that has some markup before a URL with a reference in it."""
    return f"<urlset><url>{markup}<loc>{QUERY.replace('&', '&amp;')}</loc></url></urlset>"


DOCUMENTS = {
    "urlset": (URLSET, "ok", [ONE]),
    "with declaration": (f'<?xml version="1.0" encoding="UTF-8"?>\n{URLSET}', "ok", [ONE]),
    "index": (f"<sitemapindex><sitemap><loc>{ONE}</loc></sitemap></sitemapindex>", "ok", [ONE]),
    "empty urlset": ("<urlset/>", "ok", []),
    "white space, comments, CDATA": (
        f"\n <!-- <loc>x</loc> --> <urlset><url><loc>\n{ONE}\t</loc></url>"
        f"<url><loc><![CDATA[{TWO}?a&b<c]]></loc></url></urlset>",
        "ok",
        [ONE, f"{TWO}?a&b%3Cc"],
    ),
    "guids of items without a link": (GUIDS, "ok", [ONE, TWO, "http://a.test/3"]),
    "images are no pages": (IMAGES, "ok", [ONE]),
    "references": (urlset(f"{ONE}?a&amp;b&#38;c&#x26;d"), "ok", [f"{ONE}?a&b&c&d"]),
    "lone ampersands": (urlset(f"{ONE}?a=1&b=2&nbsp;&&copy"), "ok", [f"{ONE}?a=1&b=2&nbsp;&&copy"]),
    "what is not a URL": (urlset("", "mailto:a@b.test", "http://", "javascript:1", TWO), "ok", [TWO]),
    "relative": (urlset("../1", "//a.test/2"), "ok", [ONE, TWO]),
    "long": (urlset(f"{ONE}?{'x' * 2048}", TWO), "ok", [f"{ONE}?{'x' * 2048}", TWO]),
    "rss": (RSS, "ok", [ONE, TWO]),
    "rss 1.0": (RDF, "ok", [ONE]),
    "atom": (ATOM, "ok", [ONE, TWO]),
    "text": (f"{ONE}\r\n\r\n  {TWO}  \nno URL\n/relative\nhttps://b.test", "ok", [ONE, TWO, "https://b.test/"]),
    "junk behind": (f"{URLSET}<p>junk", "ok", [ONE]),
    "not closed": (f"<urlset><url><loc>{ONE}</loc></url><url><loc>http://a.test/ha", "malformed", [ONE]),
    "closed wrongly": (f"<urlset><url><loc>{ONE}</url></loc><url><loc>{TWO}</loc></url></urlset>", "ok", [ONE, TWO]),
    "control characters": (f"<urlset><url><loc>{ONE}\0\1</loc></url></urlset>", "ok", [ONE]),
    "entities": (LAUGHS, "malformed", []),
    "entities from outside": (OUTSIDE, "malformed", []),
    "too deep": ("<urlset>" + "<a>" * 10_000, "malformed", []),
    "html": (f"<!doctype html><html><p>Not found<br><a href='{ONE}'>", "not-a-sitemap", []),
    "json": ('{"urls": []}', "not-a-sitemap", []),
    "nothing": ("", "not-a-sitemap", []),
    "blanks": (" \n ", "not-a-sitemap", []),
    "prose": ("word " * 50_000, "not-a-sitemap", []),
    "atom has its URLs in attributes": (
        f"<feed><entry><link>{ONE}</link><link href='{TWO}'/></entry></feed>",
        "ok",
        [TWO],
    ),
    "surrogates": (urlset(f"{ONE}?&#xD83D;&#xDE00;", TWO), "ok", [f"{ONE}?%EF%BF%BD%EF%BF%BD", TWO]),
    "surrogates in a title": (RSS.replace("One", "&#xD83D;&#xDE00;"), "ok", [ONE, TWO]),
    "characters out of range": (urlset(f"{ONE}?&#x110000;&#9999999;&#0;"), "ok", [f"{ONE}?{3 * '%EF%BF%BD'}"]),
    "control characters before": (behind("<t>\x01</t>"), "ok", [QUERY]),
    "half a CDATA": (behind("<t>]]></t>"), "ok", [QUERY]),
    "doubled attribute": (behind("<t a='1' a='2'/>"), "ok", [QUERY]),
    "dashes in a comment": (behind("<!-- -- --- -->"), "ok", [QUERY]),
    "unknown entity": (behind("<t>&nbsp;&foo;</t>"), "ok", [QUERY]),
    "unknown prefix": (behind("<x:t y:z='1'>1</x:t>"), "ok", [QUERY]),
    "attributes without quotes or value": (behind("<t a=1 b>1</t>"), "ok", [QUERY]),
    "quote that is not closed": (behind("<t a='1>1</t>"), "ok", [QUERY]),
    "tag that is not closed": (behind("<t a='1'<u>1</u></t>"), "ok", [QUERY]),
    "less than": (behind("<t>1 < 2 <3</t>"), "ok", [QUERY]),
    "markup in an attribute": (behind("<t a='a>b'/><t a='&lt;url>'/>"), "ok", [QUERY]),
    "instructions": (behind("<?php echo 1 ?><?x>"), "ok", [QUERY]),
    "element that is not closed": (
        behind("<br>").replace("</urlset>", f"<url><loc>{TWO}</loc></url></urlset>"),
        "ok",
        [TWO],
    ),
    "entries that are not closed": (f"<urlset><url><loc>{ONE}<url><loc>{TWO}<url></urlset>", "ok", [ONE, TWO]),
    "URLs that are not closed": (
        f"<urlset><url><loc>{ONE}<lastmod>1</lastmod></url><url><loc>{TWO}</url></urlset>",
        "ok",
        [ONE, TWO],
    ),
    "many entries that are not closed": ("<urlset>" + f"<url><loc>{ONE}</loc>" * 500 + "</urlset>", "ok", [ONE] * 500),
    "ends of nothing": (behind("</t></urlsett>"), "ok", [QUERY]),
    "words before": (f"Warning: bad <b>line</b>\n<?xml version='1.0'?>{URLSET}", "ok", [ONE]),
    "markup before": (f"<br/><b>Notice</b>\n<?xml version='1.0'?>{URLSET}", "ok", [ONE]),
    "words before the root": (f"ok\n{URLSET}", "ok", [ONE]),
    "two in one": (f"<?xml version='1.0'?>{URLSET}\n<?xml version='1.0'?>{urlset(TWO)}", "ok", [ONE, TWO]),
    "CDATA in pieces": (
        urlset("http://<![CDATA[a.test]]><![CDATA[/1?a&amp;]]>&amp;]] ><!-- > -->b"),
        "ok",
        [f"{ONE}?a&amp;&]]%20%3Eb"],
    ),
    "CDATA that is not closed": (f"{URLSET[:-9]}<![CDATA[</urlset>", "malformed", [ONE]),
    "much white space": (urlset(f"\n{' ' * 9000}{ONE}{' ' * 9000}"), "ok", [ONE]),
    "long by its references": (urlset(f"{ONE}?{'&#x00061;' * 2000}"), "ok", [f"{ONE}?{'a' * 2000}"]),
    "URLs in elements of their own": (
        urlset(f"\n<url>{ONE}</url>\n", f"<a href='x'><b>{TWO}</b></a>"),
        "ok",
        [ONE, TWO],
    ),
    "a URL in CDATA in an element": (urlset(f"<url><![CDATA[{ONE}]]></url>", TWO), "ok", [ONE, TWO]),
    "a URL behind an empty element": (urlset(f"<br/>{ONE}", TWO), "ok", [ONE, TWO]),
    "no URL but other elements": (urlset("<lastmod>2026-01-01</lastmod>", TWO), "ok", [TWO]),
    "an empty URL that is not closed": (
        f"<urlset><url><loc></url><url><loc><url><loc>{ONE}</loc></urlset>",
        "ok",
        [ONE],
    ),
    "other xml": ("<loc>http://a.test/</loc>", "not-a-sitemap", []),
}


@pytest.mark.parametrize("size", [1, 10**6])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_give_their_urls_whatever_pieces_they_come_in(name: str, size: int) -> None:
    text, reason, urls = DOCUMENTS[name]
    for body in (text.encode(), gzip.compress(text.encode())):
        assert read(*(body[at : at + size] for at in range(0, len(body), size))) == (reason, urls)


WILD = [text.encode() for text, _, _ in DOCUMENTS.values()]
WILD += [gzip.compress(body) for body in WILD[::5]]
WILD += [gzip.compress(WILD[0]) + gzip.compress(b" ") + b"\x1f\x8bjunk", WILD[1].decode().encode("utf-16")]
WILD += [gzip.compress(bytes(random.Random(0).randrange(256) for _ in range(3000)) + WILD[0])[:-40] + bytes(99)]


@given(st.sampled_from(WILD), st.lists(st.integers(0, 3000), max_size=12))
def test_cuts_change_nothing(body: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(body)]
    assert read(*(body[start:end] for start, end in pairwise(places))) == read(body)


NAMES = st.sampled_from(["url", "loc", "lastmod", "x:loc", "x:image", "urlset"])
TEXT = [*"/a \n?>'\"]ü", "http://a.test/", "&amp;", "&#38;", "&#x26;", "&lt;", "<!-- <url> - -->"]
TEXT += ["<![CDATA[a&amp;<loc>]]>", "<![CDATA[]]]]>", "<?x loc?>", "<!-- & ' -->", "<!---->"]
TEXTS = st.lists(st.sampled_from(TEXT), max_size=5).map("".join).filter(lambda text: "]]>" not in sub_cdata(text))
ATTRIBUTES = st.sampled_from(["", "", " ", " a='>'", ' a = "\'&lt;"', " xmlns='http://x.test/'"])


def sub_cdata(text: str) -> str:
    return re.sub(r"<!\[CDATA\[.*?\]\]>", "", text, flags=re.DOTALL)


def element(parts: tuple[str, str, list[str]]) -> str:
    name, attributes, inside = parts
    return f"<{name}{attributes}>{''.join(inside)}</{name}\n>"


ELEMENTS: st.SearchStrategy[str] = st.recursive(
    st.tuples(NAMES, ATTRIBUTES, st.lists(TEXTS, max_size=2)).map(element) | st.just(f"<url><loc>{ONE}</loc></url>"),
    lambda inner: st.tuples(NAMES, ATTRIBUTES, st.lists(TEXTS | inner, max_size=4)).map(element),
    max_leaves=12,
)


def is_nested(root: ElementTree.Element, inside: str = "") -> bool:
    """Whether an entry is within an entry, or an element within a URL."""
    name = root.tag.rpartition("}")[2]
    if (name == "url" and "url" in inside.split()) or (inside.endswith("url loc")):
        return True
    return any(is_nested(child, f"{inside} {name}") for child in root)


def slowly(text: str) -> list[str]:
    """What a parser of XML finds."""

    def local(tag: str) -> str:
        return tag.rpartition("}")[2]

    root = ElementTree.fromstring(text)
    links = (
        link.text or ""
        for entry in root.iter()
        if local(entry.tag) == "url"
        for link in entry
        if local(link.tag) == "loc" and not len(link)
    )
    return [link.strip() for link in links if link.strip()]


@given(st.lists(ELEMENTS, max_size=4), st.integers(1, 60))
def test_of_sound_xml_all_is_found_that_a_parser_finds(elements: list[str], step: int) -> None:
    """Where no entry is in another one and no element in a URL, which sitemaps do not have."""
    text = f"<?xml version='1.0'?><urlset xmlns:x='http://x.test/'>{''.join(elements)}</urlset>"
    if is_nested(ElementTree.fromstring(text)):
        return
    document, found = _Xml(), []
    for at in range(0, len(text), step):
        found += document.feed(text[at : at + step])
    assert (found + document.rest(), document.verdict()) == (slowly(text), "ok")


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + urlset("http://a.test/ü").encode(),
        urlset("http://a.test/ü").encode("utf-16"),
        urlset("http://a.test/ü").encode("utf-16-be"),
        b'<?xml version="1.0" encoding="ISO-8859-1"?>' + urlset("http://a.test/ü").encode("latin-1"),
        b'<?xml version="1.0" encoding="no-such"?>' + urlset("http://a.test/ü").encode(),
        b'<?xml version="1.0" encoding="utf-16"?>' + urlset("http://a.test/ü").encode(),
        "\ufeffhttp://a.test/ü\n".encode("utf-16"),
        "http://a.test/ü".encode(),
    ],
    ids=["bom", "utf-16", "utf-16 unmarked", "latin-1", "unknown", "utf-16 claimed", "utf-16 text", "utf-8 text"],
)
def test_encodings(body: bytes) -> None:
    assert read(body) == ("ok", ["http://a.test/%C3%BC"])


def test_gzip_of_several_members_is_one_document() -> None:
    body = URLSET.encode()
    assert read(gzip.compress(body[:60]) + gzip.compress(body[60:]) + b"junk") == ("ok", [ONE])


def test_what_came_before_a_break_counts() -> None:
    lines = "".join(f"http://a.test/{number}?{number**9}\n" for number in range(1000)).encode()
    packed = gzip.compress(lines)
    reason, urls = read(packed[: len(packed) // 2])
    assert reason == "truncated"
    assert 100 < len(urls) < 900
    reason, urls = read(packed[:1000], b"\0" * 100)
    assert reason == "undecodable"
    reason, urls = read(lines[:5000], truncated=True)
    assert (reason, urls[0]) == ("truncated", "http://a.test/0?0")


@pytest.mark.parametrize(
    ("root", "entry"), [("urlset", "url"), ("sitemapindex", "sitemap"), ("text", "")], ids=["urls", "index", "text"]
)
def test_no_more_urls_than_the_protocol_allows(root: str, entry: str) -> None:
    block = b"http://a.test/\n" if root == "text" else f"<{entry}><loc>http://a.test/</loc></{entry}>".encode()
    head = b"" if root == "text" else f"<{root}>".encode()
    reason, urls = read(head, *[block * 10_000] * 100)
    assert (reason, len(urls)) == ("too-many", MAX_URLS)


@pytest.mark.parametrize(
    ("head", "block", "reason"),
    [
        ("<urlset>", " ", "too-large"),
        ("<urlset>", "<a/>", "too-large"),
        ("<urlset>", "&", "too-large"),
        ("<urlset><url><loc>", "x", "too-large"),
        ("<urlset>", "<!-- -->", "too-large"),
        ("<urlset>", "<", "too-large"),
        ("<urlset>", "<!x>", "too-large"),
        ("<urlset>", "<![CDATA[]]>", "too-large"),
        ("<urlset><!--", "x", "malformed"),
        ("<urlset><url><loc><![CDATA[", "x", "malformed"),
        ("<urlset><a b='", "x", "malformed"),
        ("<urlset><a ", "b ", "malformed"),
        ("<urlset>", "<url>", "too-large"),
        ("<urlset>", "<a>", "malformed"),
        ("<urlset>", "</a>", "too-large"),
        ("http://a.test/\n", "\n", "too-large"),
        ("http://a.test/", "x", "not-a-sitemap"),
        ("", "x", "not-a-sitemap"),
    ],
)
def test_there_is_an_end_to_everything(head: str, block: str, reason: str) -> None:
    piece = (block * 2**20)[: 2**20].encode()
    assert read(head.encode(), piece, most=2**18)[0] == reason


@pytest.mark.parametrize(("head", "block"), [("<urlset>", "<a/>"), ("http://a.test/\n", "\n")])
def test_no_more_than_a_million_tags_or_lines_are_read(head: str, block: str) -> None:
    assert read(head.encode(), (block * 1_000_001).encode())[0] == "too-large"


def test_no_more_bytes_are_read_than_the_protocol_allows() -> None:
    blanks = [b" " * 2**20] * (MAX_BYTES // 2**20 - 1)
    assert read(b"<urlset>", *blanks, b"</urlset>") == ("ok", [])
    assert read(b"<urlset>", *blanks, b" " * 2**20)[0] == "too-large"


PARTS = ["<urlset>", "<url>", "<loc>", "</loc>", "http://a.test/", "&", "<![CDATA[", "]]>", "\ufeff"]


@given(st.lists(st.binary(max_size=200) | st.sampled_from(PARTS)))
def test_garbage_ends_in_a_reason(parts: list[bytes | str]) -> None:
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    for whole in (body, b"<urlset>" + body, b"\x1f\x8b" + body, gzip.compress(b"<rss>" + body)):
        reason, urls = read(whole)
        assert reason in ("ok", "truncated", "malformed", "undecodable", "not-a-sitemap")
        assert all(url.startswith(("http://", "https://")) for url in urls)


@pytest.mark.parametrize("unit", [b"<", b"</", b"<?", b"<!--", b"<url>", b"&", b"<a ", b'"', b"<url><loc>x</loc>"])
def test_no_step_takes_long(unit: bytes) -> None:
    """A step is of 16 kB: its time follows what it reads, not the square of it."""

    def steps(size: int) -> None:
        list(SitemapReader(AT, step=size).feed(b"<urlset>" + unit * (size // len(unit))))

    assert growth(steps, 5_000) < 1.5


DATED = f"""<urlset xmlns:i="http://x.test/">
<url><loc>{ONE}</loc><lastmod>2026-11-20</lastmod></url>
<url><lastmod>2026-11-20T12:00:00Z</lastmod><loc>{TWO}</loc></url>
<url><i:image><i:loc>http://a.test/no</i:loc></i:image><loc>http://a.test/3</loc><lastmod
 >2026-11-21</lastmod></url>
<url><loc>http://a.test/4</loc></url>
<url><lastmod>2026-11-22</lastmod><i:image/><loc> http://a.test/5?a&amp;b </loc></url>
<url><loc>http://a.test/6</loc><lastmod>soon</lastmod></url>
<url><i:image/><loc>http://a.test/7</loc></url>
<url><loc>http://a.test/8</loc><priority>1</priority></url></urlset>"""


@pytest.mark.parametrize("step", [7, 64, STEP])
def test_lastmod_is_that_of_the_url_in_its_entry(step: int) -> None:
    """In whatever steps the text is read."""
    reader = SitemapReader(AT, step, dated=True)
    dates: dict[str, float] = {}
    for _ in (*reader.feed(DATED.encode()), *reader.close()):
        dates |= reader.take_lastmods()
    dates |= reader.take_lastmods()
    day = 86_400.0
    first = 1_795_132_800.0  # 2026-11-20 in Unix seconds
    assert dates == {
        ONE: first,
        TWO: first + day / 2,
        "http://a.test/3": first + day,
        "http://a.test/5?a&b": first + 2 * day,
    }


NOON = 1_795_176_000.0
"""2026-11-20 12:00 UTC, in Unix seconds."""

LASTMODS = {
    "2026-11-20T12:00:00Z": NOON,
    "2026-11-20T13:00:00+01:00": NOON,
    "2026-11-20T12:00Z": NOON,
    "2026-11-20T12:00:00.25Z": NOON + 0.25,
    "2026-11-20T12:00:00": NOON,
    "2026-11-20": NOON - 43_200.0,
    " 2026-11-20 ": NOON - 43_200.0,
    "2026": None,
    "2026-11-31": None,
    "Fri, 20 Nov 2026 12:00:00 GMT": None,
    "0001-01-01T00:00:00+23:00": -62_135_679_600.0,
    "20261120T12": NOON,
    "": None,
}


@pytest.mark.parametrize(("text", "seconds"), LASTMODS.items(), ids=LASTMODS.keys())
def test_lastmod_is_read(text: str, seconds: float | None) -> None:
    assert read_lastmod(text) == seconds


@given(st.text())
def test_anything_may_stand_where_a_lastmod_should(text: str) -> None:
    found = read_lastmod(text)
    assert found is None or isinstance(found, float)
