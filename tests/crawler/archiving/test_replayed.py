"""A crawl whose network is an archive finds what the live one found, and asks nobody."""

from pathlib import Path
from typing import Any

import pytest
from support.archives import a_record, an_http_record
from support.sites import HOME, Reply, Server, crawl, page, ranks, rows, wide_site

import minicrawl
from minicrawl.archive.collection import indexed
from minicrawl.crawler.archiving import ArchiveTransport
from minicrawl.errors import SettingError
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.web.http.fetch import Fetcher, FetchOptions

ROBOTS = "User-agent: *\nDisallow: /private\nCrawl-delay: 3600\n"
SORRY = "<title>Sorry</title><p>Sorry, nothing was found at this address, dear reader of our pages"


def a_web() -> tuple[dict[str, Reply], list[str]]:
    """Pages, a redirect, an error, what robots.txt forbids, and pages that are not there though nobody says so."""
    pages, seeds = wide_site(5, pages=60, hosts=3)
    site: dict[str, Reply] = {url: [*links, f"<p>{' '.join(links)}"] for url, links in pages.items()}
    home = site[seeds[0]]
    assert isinstance(home, list)
    home += ["/moved", "/failing", "/private/page", "/no-such-thing", "/nor-this-one", "/not-even-that"]
    origin = seeds[0][: seeds[0].index("/", 8)]
    return site | {
        f"{origin}/moved": f"{origin}/target",
        f"{origin}/target": ["<p>here"],
        f"{origin}/failing": 503,
    }, seeds


def found(store: Path) -> tuple[list[tuple[Any, ...]], dict[str, list[str]]]:
    """URLs, states and reasons; and where each URL leads."""
    with open_store(store) as reader:
        urls = list(reader.page_table.urls())
        links = {
            url: sorted(urls[target] for target in reader.link_table.outlinks(page)) for page, url in enumerate(urls)
        }
    return rows(store, "SELECT url, state, reason FROM pages ORDER BY url"), links


def test_an_archived_crawl_is_found_again_with_the_same_ranks(tmp_path: Path) -> None:
    site, seeds = a_web()
    live, again = tmp_path / "live.db", tmp_path / "again.db"
    _, server = crawl(
        Server(site, ROBOTS, absent=page(SORRY, headers={"Retry-After": "3600"})),
        live,
        seeds,
        archive=tmp_path / "kept",
    )
    asked = len(server.asked)
    report = minicrawl.crawl(seeds, again, from_archive=tmp_path / "kept", workers=1)
    assert report.reason == "nothing-left"
    assert len(server.asked) == asked
    assert "soft-404" in {reason for _, _, reason in found(live)[0]}
    assert found(again) == found(live)
    before, after = ranks(live), ranks(again)
    assert sum(abs(before[url] - after[url]) for url in before) <= 1e-6


def test_what_is_not_in_the_archive_has_a_reason_of_its_own_and_a_limit_is_one(tmp_path: Path) -> None:
    crawl(
        {HOME: ["/a", "/b"], f"{HOME}a": [], f"{HOME}b": []},
        tmp_path / "live.db",
        [HOME],
        pages=2,
        archive=tmp_path / "kept",
    )
    report = minicrawl.crawl([HOME], tmp_path / "again.db", from_archive=tmp_path / "kept")
    assert report.failures == {"not-archived": 1}
    assert [
        state
        for state, reason in rows(tmp_path / "again.db", "SELECT state, reason FROM pages")
        if reason == "not-archived"
    ] == ["error"]
    with pytest.raises(SettingError, match="cannot write one"):
        minicrawl.crawl([HOME], tmp_path / "third.db", from_archive=tmp_path / "kept", archive=tmp_path / "copy")
    with pytest.raises(SettingError, match=r"there is no archive at .*nowhere"):
        minicrawl.crawl([HOME], tmp_path / "third.db", from_archive=tmp_path / "nowhere")
    assert not (tmp_path / "third.db").exists()


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
# What others write, and what is read.
FOREIGN = {
    "plain": ("http://h.test/", an_http_record(OK + b"\r\nhello"), b"hello"),
    "chunks kept": ("http://h.test/", an_http_record(CHUNKED + b"2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"), b"hello"),
    "chunks taken off, and the field kept": ("http://h.test/", an_http_record(CHUNKED + b"hello"), b"hello"),
    "of HTTP/2": ("http://h.test/", an_http_record(OK.replace(b"1.1", b"2") + b"\r\nhello"), b"hello"),
    "spelt otherwise": ("http://h.test/~a", an_http_record(OK + b"\r\nhello", "HTTP://H.test:80/~a"), b"hello"),
    "between brackets": ("http://h.test/", an_http_record(OK + b"\r\nhello", "<http://h.test/>"), b"hello"),
    "a length that is not so": ("http://h.test/", an_http_record(OK + b"Content-Length: 99\r\n\r\nhello"), b"hello"),
    "another scheme": ("https://h.test/", an_http_record(OK + b"\r\nhello"), b"hello"),
    "no chunks at all": ("http://h.test/", an_http_record(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), b""),
    "a redirect of another scheme": (
        "https://h.test/",
        an_http_record(b"HTTP/1.1 301 Moved\r\nLocation: https://h.test/\r\n\r\n"),
        "not-archived",
    ),
    "gzip in the head alone": ("http://h.test/", an_http_record(OK + b"Content-Encoding: gzip\r\n\r\nhello"), b"hello"),
    "br in the head alone": (
        "http://h.test/",
        an_http_record(OK + b"Content-Encoding: br\r\n\r\n<!doctype html>hello"),
        b"<!doctype html>hello",
    ),
    "a 304 alone": ("http://h.test/", an_http_record(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "not-archived"),
    "no answer": ("http://h.test/", an_http_record(b"<html>"), "bad-response"),
    "a request": ("http://h.test/", an_http_record(b"GET / HTTP/1.1\r\n\r\n", kind="request"), "not-archived"),
    "a resource": (
        "http://h.test/",
        a_record("resource", {"WARC-Target-URI": "http://h.test/", "Content-Type": "text/html"}, b"hello"),
        b"hello",
    ),
}


async def fetched(folder: Path, url: str) -> Fetched:
    """What a URL is answered out of the WARC files in a folder."""
    with indexed([str(folder)]) as folders:
        async with Fetcher(FetchOptions("me"), ArchiveTransport(folders, CrawlSettings())) as fetcher:
            return await fetcher.fetch(PageRequest(url))


@pytest.mark.parametrize(("url", "record", "expected"), FOREIGN.values(), ids=FOREIGN.keys())
async def test_records_of_others_are_read(url: str, record: bytes, expected: bytes | str, tmp_path: Path) -> None:
    (tmp_path / "some.warc").write_bytes(record)
    answer = await fetched(tmp_path, url)
    assert (answer.reason or answer.body) == expected


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("a|b", "a%7Cb", True),
        ("~a", "%7Ea", True),
        ("~a", "%7ea", True),
        ("a?b[]=1", "a?b%5B%5D=1", True),
        ("%c3%a9", "%C3%A9", True),
        ("a?q={x}", "a?q=%7Bx%7D", True),
        ("a%2Db", "a-b", True),
        ("a%2fb", "a%2Fb", True),
        ("a%2Fb", "a/b", False),
        ("a?b=%26c", "a?b=&c", False),
        ("a%3Fb", "a?b", False),
        ("a%3Db", "a=b", False),
        ("a%2Bb", "a+b", False),
        ("a%23b", "a", False),
        ("a%257Cb", "a%7Cb", False),
        ("a%20b", "a+b", False),
        ("a", "A", False),
    ],
)
async def test_urls_that_others_spell_otherwise_are_the_same(
    one: str, other: str, is_same: bool, tmp_path: Path
) -> None:
    for archived, asked in ((one, other), (other, one)):
        (tmp_path / "some.warc").write_bytes(an_http_record(OK + b"\r\nhello", f"http://h.test/{archived}"))
        assert (await fetched(tmp_path, f"http://h.test/{asked}")).body == (b"hello" if is_same else b"")


async def test_of_two_spellings_each_has_its_own_answer(tmp_path: Path) -> None:
    records = [an_http_record(OK + b"\r\n" + name.encode(), f"http://h.test/{name}") for name in ("a|b", "a%7Cb")]
    (tmp_path / "some.warc").write_bytes(b"".join(records))
    for name in ("a|b", "a%7Cb"):
        assert (await fetched(tmp_path, f"http://h.test/{name}")).body == name.encode()


async def test_a_cut_body_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    fields = {"WARC-Truncated": "length"}
    (tmp_path / "some.warc").write_bytes(an_http_record(OK + b"\r\nhel", fields=fields))
    answer = await fetched(tmp_path, "http://h.test/")
    assert (answer.body, answer.truncated) == (b"hel", True)


async def test_a_revisit_has_the_body_it_refers_to(tmp_path: Path) -> None:
    fields = {"WARC-Refers-To-Target-URI": "http://h.test/", "WARC-Payload-Digest": "sha1:X"}
    (tmp_path / "some.warc").write_bytes(
        an_http_record(OK + b"\r\nhello", fields={"WARC-Payload-Digest": "sha1:X"})
        + an_http_record(OK + b"\r\n", "http://h.test/b", kind="revisit", fields=fields)
        + an_http_record(
            OK + b"\r\n",
            "http://h.test/c",
            kind="revisit",
            fields=fields | {"WARC-Refers-To-Target-URI": "http://gone.test/"},
        )
    )
    assert (await fetched(tmp_path, "http://h.test/b")).body == b"hello"
    assert (await fetched(tmp_path, "http://h.test/c")).reason == "not-archived"
