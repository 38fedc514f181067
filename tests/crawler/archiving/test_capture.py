"""What the archive gets of an exchange, and what it is not to get."""

from pathlib import Path

import pytest
from archives import answers, files, seen
from sites import crawl
from table import each

from minicrawl.archive_record import ArchiveRecord
from minicrawl.crawler.archiving.capture import MakeCapture
from minicrawl.crawler.http.exchange import Exchange, Truncated
from minicrawl.model import ParsedPage
from minicrawl.settings import CrawlSettings

BODY = b"<p>hello"
NOTHING = ParsedPage()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    crawl({"http://a.test/": []}, tmp_path / "crawl.db", ["http://a.test/"])
    return tmp_path / "crawl.db"


def exchange(*fields: bytes, status: int = 200, body: bytes = BODY, truncated=None, request=b"") -> Exchange:
    lines = b"".join(b"%b\r\n" % field for field in fields)
    head = b"HTTP/1.1 %d X\r\n%b\r\n" % (status, lines)
    parted = tuple(tuple(field.split(b": ", 1)) for field in fields)
    sent = request or b"GET / HTTP/1.1\r\nHost: h.test\r\n\r\n"
    return Exchange("http://h.test/", sent, head, status, parted, body, "127.0.0.1:80", 1000.0, 0.1, truncated)


def kept(store: Path, shown: Exchange, parsed: ParsedPage = NOTHING, **settings) -> ArchiveRecord | None:
    folder = store.parent / "kept"
    capture = MakeCapture(CrawlSettings(archive=folder, **settings), store, "me")()
    try:
        return capture.observe(shown, parsed)
    finally:
        capture.close()


FORBIDDEN = {
    "header": (exchange(b"X-Robots-Tag: noarchive"), ParsedPage()),
    "one header of two": (exchange(b"X-Robots-Tag: nofollow", b"x-robots-tag: noindex, NoArchive"), ParsedPage()),
    "meta": (exchange(), ParsedPage(archive=False)),
}


@each("case", FORBIDDEN)
def test_what_forbids_copies_is_kept_for_its_owner_only(case: str, store: Path) -> None:
    assert kept(store, *FORBIDDEN[case]) is None
    assert kept(store, *FORBIDDEN[case], archive_noarchive=True) is not None


def test_what_forbids_it_to_another_robot_is_kept(store: Path) -> None:
    assert kept(store, exchange(b"X-Robots-Tag: otherbot: noarchive")) is not None


def test_bodies_that_were_left_unread_are_not_kept_but_what_is_no_page_is(store: Path) -> None:
    unread = exchange(b"Content-Type: image/png", body=b"", truncated=Truncated.UNSPECIFIED)
    assert kept(store, unread, archive_types="text/*") is None
    assert kept(store, unread._replace(status=404), archive_types="text/*") is not None


@pytest.mark.parametrize(
    ("types", "kind", "is_read"),
    [((), "image/png", True), (("text/html",), "image/png", False), (("text/html,IMAGE/*",), "image/png", True)],
)
def test_types_may_be_chosen(types, kind: str, is_read: bool, store: Path) -> None:
    capture = MakeCapture(CrawlSettings(archive=store.parent / "x", archive_types=types), store, "me")()
    assert capture.reads(kind) is is_read
    capture.close()


def test_credentials_are_left_out_and_a_cut_body_says_so(store: Path) -> None:
    sent = (
        b"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\ncookie: b\r\nProxy-Authorization: c\r\nX-Api-Key: d\r\n\r\n"
    )
    cut = exchange(b"Content-Length: 900", truncated=Truncated.DISCONNECT, request=sent)
    kept(store, cut, header=("X-Api-Key: d", "X-Plain: e"), contact="me@example.org")
    info, response, request = seen(files(store.parent / "kept")[0])
    assert request.http == [("Host", "h")]
    assert response.headers["WARC-Truncated"] == "disconnect"
    assert response.http == [("X-Orig-Content-Length", "900"), ("Content-Length", "8")]
    assert response.body == BODY
    assert b"operator: me@example.org\r\n" in info.body
    assert b"robots: obey\r\n" in info.body


def test_what_a_transport_of_ones_own_answers_is_kept_too(tmp_path: Path) -> None:
    site = {"http://a.test/": ["/b"], "http://a.test/b": "http://a.test/"}
    crawl(site, tmp_path / "crawl.db", ["http://a.test/"], archive=tmp_path / "kept")
    assert [(one.url, one.status[:3]) for one in answers(tmp_path / "kept")] == [
        ("http://a.test/robots.txt", "404"),
        ("http://a.test/", "200"),
        ("http://a.test/b", "301"),
    ]
