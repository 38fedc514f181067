"""What a sitemap lists, and what is said of one that is none or not whole."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawl.sitemaps import MAX_BYTES, MAX_URLS, SitemapReader

AT = "http://a.test/maps/map.xml"
ONE, TWO = "http://a.test/1", "http://a.test/2"
URLSET = f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{ONE}</loc></url></urlset>"


def read(*chunks: bytes, truncated: bool = False) -> tuple[str, list[str]]:
    """Reason and URLs of a document that comes in these chunks."""
    reader, urls = SitemapReader(AT), []
    for chunk in chunks:
        for step in reader.feed(chunk):
            urls += step
        if reader.is_over:
            break
    for step in reader.close(truncated=truncated):
        urls += step
    return reader.reason, urls


def urlset(*locs: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc><priority>.5</priority></url>' for loc in locs)}</urlset>"


RSS = """<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//x" "http://x.test/rss.dtd"><rss version="2.0"><channel>
<link>http://a.test/channel</link><item><title>One</title><link> http://a.test/1 </link><guid>http://a.test/no</guid></item>
<item xmlns:atom="http://www.w3.org/2005/Atom"><atom:link href="http://a.test/no"/><link>http://a.test/2</link></item>
</channel></rss>"""
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
    "images are no pages": (IMAGES, "ok", [ONE]),
    "references": (urlset(f"{ONE}?a&amp;b&#38;c&#x26;d"), "ok", [f"{ONE}?a&b&c&d"]),
    "lone ampersands": (urlset(f"{ONE}?a=1&b=2&nbsp;&&copy"), "ok", [f"{ONE}?a=1&b=2&nbsp;&&copy"]),
    "what is no URL": (urlset("", "mailto:a@b.test", "http://", "javascript:1", TWO), "ok", [TWO]),
    "relative": (urlset("../1", "//a.test/2"), "ok", [ONE, TWO]),
    "too long": (urlset(f"{ONE}?{'x' * 2048}", TWO), "ok", [TWO]),
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
    "too deep": ("<urlset>" + "<url>" * 10_000, "malformed", []),
    "html": (f"<!doctype html><html><p>Not found<br><a href='{ONE}'>", "not-a-sitemap", []),
    "json": ('{"urls": []}', "not-a-sitemap", []),
    "nothing": ("", "not-a-sitemap", []),
    "blanks": (" \n ", "not-a-sitemap", []),
    "prose": ("word " * 50_000, "not-a-sitemap", []),
    "other xml": ("<loc>http://a.test/</loc>", "not-a-sitemap", []),
}


@pytest.mark.parametrize("size", [1, 7, 10**6])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_give_their_urls_whatever_pieces_they_come_in(name: str, size: int) -> None:
    text, reason, urls = DOCUMENTS[name]
    for body in (text.encode(), gzip.compress(text.encode())):
        assert read(*(body[at : at + size] for at in range(0, len(body), size))) == (reason, urls)


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


def test_gzip_in_gzip_is_no_sitemap() -> None:
    assert read(gzip.compress(gzip.compress(URLSET.encode() * 2))) == ("not-a-sitemap", [])


@pytest.mark.parametrize(
    ("root", "entry"), [("urlset", "url"), ("sitemapindex", "sitemap"), ("text", "")], ids=["urls", "index", "text"]
)
def test_no_more_urls_than_the_protocol_allows(root: str, entry: str) -> None:
    block = b"http://a.test/\n" if root == "text" else f"<{entry}><loc>http://a.test/</loc></{entry}>".encode()
    head = b"" if root == "text" else f"<{root}>".encode()
    reason, urls = read(head, *[block * 10_000] * 100)
    assert (reason, len(urls)) == ("too-many", MAX_URLS)


def test_every_step_is_small() -> None:
    """However much a chunk unpacks to, other work can go on in between."""
    reader, entry = SitemapReader(AT), b"<url><loc>http://a.test/</loc></url>"
    steps = list(reader.feed(gzip.compress(b"<urlset>" + entry * 20_000)))
    assert sum(map(len, steps)) == 20_000
    assert max(map(len, steps)) < 1_000


@pytest.mark.parametrize(
    ("head", "block", "reason"),
    [
        ("<urlset>", " ", "too-large"),
        ("<urlset>", "<a/>", "too-large"),
        ("<urlset>", "&", "too-large"),
        ("<urlset><url><loc>", "x", "too-large"),
        ("<urlset>", "<!-- -->", "too-large"),
        ("<urlset>", "<", "malformed"),
        ("<urlset><!--", "x", "malformed"),
        ("<urlset><a b='", "x", "malformed"),
        ("<urlset><a ", "b ", "malformed"),
        ("<urlset>", "<url>", "malformed"),
        ("http://a.test/\n", "\n", "too-large"),
        ("http://a.test/", "x", "not-a-sitemap"),
        ("", "x", "not-a-sitemap"),
    ],
)
def test_there_is_an_end_to_everything(head: str, block: str, reason: str) -> None:
    piece = (block * 2**20)[: 2**20].encode()
    assert read(head.encode(), *[piece] * (MAX_BYTES // 2**20 + 1))[0] == reason


PARTS = ["<urlset>", "<url>", "<loc>", "</loc>", "http://a.test/", "&", "<![CDATA[", "]]>", "\ufeff"]


@given(st.lists(st.binary(max_size=200) | st.sampled_from(PARTS)))
def test_garbage_ends_in_a_reason(parts: list[bytes | str]) -> None:
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    for whole in (body, b"<urlset>" + body, b"\x1f\x8b" + body, gzip.compress(b"<rss>" + body)):
        reason, urls = read(whole)
        assert reason in ("ok", "truncated", "malformed", "undecodable", "not-a-sitemap")
        assert all(url.startswith(("http://", "https://")) for url in urls)
