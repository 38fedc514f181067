"""A crawl that reads an archive takes pages as they were parsed, with the same result as if it parsed them."""

import ast
import json
import os
import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.sites import Server, crawl, random_site, rows, wide_site

import minicrawl
from minicrawl.archive.collection import Collection, files
from minicrawl.archive.sidecar import SidecarWriter, beside
from minicrawl.crawler.archiving.parsed import SOURCES, ParsedAnswers, version
from minicrawl.model import PageRequest, Wanted
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store

ROOT = Path(minicrawl.__file__).parent
WORDS = ["some", "words", "of", "a", "page", "that", "nobody", "reads", "twice"]
HEADS = (
    '<title>Caf\u00e9 \udcff &amp; more</title><meta name=description content="about it">',
    '<link rel=canonical href="/canonical"><link rel=alternate hreflang=de href="/de">',
    "<meta name=robots content=nofollow>",
    '<meta http-equiv=refresh content="0; url=/elsewhere?sid=0123456789abcdef0123456789abcdef">',
    '<base href="/folder/"><h1>Heading</h1>',
    "",
)
TYPES = (
    "text/html",
    "text/html; charset=iso-8859-1",
    "application/xhtml+xml",
    "image/png",
    "",
    "Text/HTML;charset=utf-8",
)


class Varied(Server):
    """Answers with pages of many kinds, errors and types, always the same for a URL."""

    def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = super()._answer(request)
        if answer.status_code != 200 or request.url.path == "/robots.txt":
            return answer
        draw = random.Random(str(request.url))
        words = " ".join(draw.choices(WORDS, k=draw.randrange(200)))
        head = draw.choice(HEADS).encode("utf-8", "replace")
        kind = draw.choice(TYPES) if draw.random() < 0.4 else "text/html"
        fields = {"Content-Type": kind} if kind else {}
        fields |= {"Link": '</named>; rel="canonical"'} if draw.random() < 0.1 else {}
        fields |= {"ETag": '"x"', "X-Robots-Tag": "noindex"} if draw.random() < 0.2 else {}
        body = head + answer.content + f"<p>{words}<nav><a href='/q?b=2&a=1#x'>{words[:9]}</a></nav>".encode()
        return httpx.Response(200, content=body, headers=fields)


def archived(folder: Path, seed: int, **settings: Any) -> tuple[Path, list[str]]:
    """An archive of a random web, and the seeds of its crawl."""
    pages, seeds = wide_site(seed, pages=80, hosts=3)
    links, more = random_site(seed, pages=40)
    crawl(Varied(pages | links), folder / "live.db", [*seeds, *more], archive=folder / "kept", **settings)
    return folder / "kept", [*seeds, *more]


def again(kept: Path, seeds: list[str], **settings: Any) -> list[Any]:
    """All that a crawl which reads an archive finds."""
    store = kept.parent / "again.db"
    for old in store.parent.glob("again.db*"):
        old.unlink()
    options = {"concurrency": 1, "traps": False} | settings
    minicrawl.crawl(seeds, store, from_archive=kept, **options)
    facts = "status, bytes, title, validators, digest, payload, sketch, content_type, canonical, robots, hreflang"
    found = rows(
        store, f"SELECT url, state, reason, {facts} FROM pages LEFT JOIN fetches ON fetches.id = fetch ORDER BY url"
    )
    with open_store(store) as reader:
        urls = list(reader.page_table.urls())
        links = [sorted(urls[target] for target in reader.link_table.outlinks(page)) for page in range(len(urls))]
    texts = (
        rows(store, "SELECT url, size FROM texts JOIN pages ON id = page ORDER BY url") if settings.get("text") else []
    )
    return [found, dict(zip(urls, links, strict=True)), texts, dict(rows(store, "SELECT url, importance FROM ranks"))]


def assert_same(one: list[Any], other: list[Any]) -> None:
    assert one[:3] == other[:3]
    # Each is exact up to SETTLED_ERROR, whatever the order in which its answers came.
    assert sum(abs(one[3][url] - other[3][url]) for url in one[3].keys() | other[3].keys()) <= 2 * SETTLED_ERROR


def parsed_anew(kept: Path, seeds: list[str], **settings: Any) -> list[Any]:
    """The same without what parsing gave."""
    bare = kept.parent / "bare"
    shutil.copytree(kept, bare, ignore=shutil.ignore_patterns("parsed"))
    try:
        return again(bare, seeds, **settings)
    finally:
        shutil.rmtree(bare)


def test_a_crawl_without_parsing_finds_the_same_whatever_becomes_of_the_sidecar(tmp_path: Path) -> None:
    kept, seeds = archived(tmp_path, 1)
    expected = parsed_anew(kept, seeds)
    assert_same(again(kept, seeds), expected)
    (warc,) = files(kept)
    assert list(kept.rglob("*.warc*")) == [warc], "no program takes the sidecar for records"
    whole = beside(warc).read_bytes()
    draw = random.Random(1)
    beside(warc).write_bytes(whole[: draw.randrange(len(whole))])
    assert_same(again(kept, seeds), expected)
    broken = bytearray(whole)
    for at in draw.sample(range(len(whole)), 50):
        broken[at] ^= 1 << draw.randrange(8)
    beside(warc).write_bytes(broken)
    assert_same(again(kept, seeds), expected)


def without_bodies(kept: Path) -> None:
    """Make the records unreadable."""
    (warc,) = files(kept)
    before = warc.stat()
    warc.write_bytes(bytes(before.st_size))
    os.utime(warc, (before.st_atime, before.st_mtime))  # so that the index still counts


def titles(kept: Path, **settings: Any) -> set[str]:
    """The titles that are found without the records."""
    found = again(kept, ["http://a.test/"], ignore_robots=True, traps=False, **settings)[0]
    return {row[5] for row in found if row[5] is not None}


def a_page(folder: Path, **settings: Any) -> Path:
    page = ["<title>One</title><p>Hello, this is the text", "/b"]
    site = {"http://a.test/": page, "http://a.test/b": ["<title>Two</title>"]}
    crawl(site, folder / "live.db", ["http://a.test/"], archive=folder / "kept", traps=False, **settings)
    return folder / "kept"


def test_pages_are_taken_from_the_sidecar_alone_unless_it_is_of_another_version(tmp_path: Path) -> None:
    kept = a_page(tmp_path)
    without_bodies(kept)
    assert titles(kept) == {"One", "Two"}
    assert titles(kept, max_size=5_000) == set()
    assert titles(kept, extract=["t=title"], items=str(kept.parent / "items.jsonl")) == set()
    (warc,) = files(kept)
    note = beside(warc).read_bytes()
    beside(warc).write_bytes(note.replace(version(CrawlSettings()).encode(), b"0" * 32))
    assert titles(kept) == set()


@pytest.mark.parametrize("is_kept", [False, True])
def test_more_than_was_kept_is_parsed_and_less_is_not(is_kept: bool, tmp_path: Path) -> None:
    kept = a_page(tmp_path, text=is_kept)
    for text in (False, True):
        expected = parsed_anew(kept, ["http://a.test/"], text=text)
        assert_same(again(kept, ["http://a.test/"], text=text), expected)
        assert bool(expected[2]) is text
    without_bodies(kept)
    assert titles(kept, text=False) == {"One", "Two"}
    assert titles(kept, text=True) == ({"One", "Two"} if is_kept else set())


def test_another_body_or_url_or_a_forged_page_is_parsed(tmp_path: Path) -> None:
    kept = a_page(tmp_path)
    (warc,) = files(kept)
    settings, wanted = CrawlSettings(), Wanted(places=True, short_text=False)
    with closing(Collection(kept)) as archive:
        (captured,) = archive.of("http://a.test/b")
    asked = PageRequest(captured.url)

    def answer(captured: Any = captured, asked: PageRequest = asked) -> Any:
        with closing(ParsedAnswers(settings)) as answers, closing(Collection(kept)) as archive:
            return answers.of(archive, captured, asked, wanted)

    found = answer()
    assert found[1].title == "Two"
    assert answer(captured._replace(digest="sha1:" + "A" * 32)) is None
    assert answer(captured._replace(status=404)) is None
    assert answer(captured, PageRequest("http://a.test/c")) is None
    for forged in forgeries(captured.digest):
        beside(warc).unlink()
        writer = SidecarWriter(kept, version(settings))
        writer.add(warc.name, captured.start, forged)
        writer.close()
        assert answer() is None, forged


def forgeries(digest: str) -> Iterator[bytes]:
    """Notes that no page of ours can have."""
    flags, good = ["places"], {"status": 200, "outlinks": ["http://a.test/"], "places": {"": "a"}}
    bad: list[dict[str, Any]] = [
        {"outlinks": [1]},
        {"outlinks": ["javascript:alert(1)"]},
        {"outlinks": ["http://a.test/ b"]},
        {"outlinks": ["http://A.test/"]},
        {"outlinks": ["http://a.test/"] * 2, "places": {"": "aa"}},
        {"places": {"": ""}},
        {"places": "a"},
        {"title": 5},
        {"digest": "5"},
        {"refresh": "file:///etc/passwd"},
        {"hreflang": [["de"]]},
        {"record": 1},
        {"status": "200"},
        {"digest": 1 << 63},
        {"places": {"": "\x03"}},
        {"sketch": {"": "short"}},
        {"title": "\ud800"},
    ]
    yield b"no json"
    yield b"[" * 100_000
    yield json.dumps([digest, 7, good]).encode()
    yield json.dumps([digest, [], good]).encode()
    for fields in bad:
        yield json.dumps([digest, flags, good | fields]).encode()


def test_every_module_that_parsing_imports_is_part_of_the_version() -> None:
    """But for those that only say how, and with what limits, it is run."""
    beside_parsing = {"errors", "log", "settings", "system", "timing", "sandbox", "extract", "garbage", "words"}
    reached, new = set[str](), ["minicrawl.crawler.sources.page_reading", "minicrawl.crawler.urls.parameters"]
    new.append("minicrawl.crawler.formats.conversion")
    while new:
        module = new.pop()
        path = ROOT.parent / Path(*module.split("."))
        file = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
        name = file.relative_to(ROOT).as_posix()
        if module in reached or name.split("/")[0].removesuffix(".py") in beside_parsing:
            continue
        reached.add(module)
        assert any(name == source or name.startswith(f"{source}/") for source in SOURCES), name
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minicrawl."):
                new.append(node.module or "")
    assert len(reached) > 10
