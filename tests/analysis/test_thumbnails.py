"""Thumbnails of pages that have one, wherever pages are shown; nothing of the others."""

from contextlib import closing
from pathlib import Path

import pytest
from support.command_line import HOME, SITE, answer, run
from support.sites import crawl

from minicrawl.analysis.thumbnails import has_thumbnail, name_of, thumbnail
from minicrawl.crawler.archiving.capture import MakeCapture
from minicrawl.dashboard import readings
from minicrawl.dashboard.readings import Readings
from minicrawl.settings import CrawlSettings
from minicrawl.store.archived import RecordRow
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

WEBP = b"RIFF\x04\x00\x00\x00WEBPVP8 <script>"
SHOWN = "data:image/webp;base64,UklGRgQAAABXRUJQVlA4IDxzY3JpcHQ+"


def with_thumbnail(folder: Path, body: bytes) -> Path:
    """A crawl's store whose archive has one for the first page."""
    store, kept = folder / "crawl.db", folder / "kept"
    crawl(SITE, store, [HOME], archive=kept, search=True)
    capture = MakeCapture(CrawlSettings(archive=kept), store, "me")()
    record = capture.keep(name_of(HOME), "image/webp", body)
    capture.close()
    assert record is not None
    facts = record.at, record.file, record.start, record.length, record.digest, record.kind, 200, record.media_type
    with closing(Writer(store)) as writer, writer.transaction():
        writer.add_records([RecordRow(None, record.url, *facts)])
    return store


def test_pages_with_a_thumbnail_are_shown_with_it_and_others_are_as_ever(tmp_path: Path) -> None:
    store = with_thumbnail(tmp_path, WEBP)
    with open_store(store) as reader:
        assert (thumbnail(reader, HOME), thumbnail(reader, HOME + "a")) == (SHOWN, None)
        assert (has_thumbnail(reader, HOME), has_thumbnail(reader, HOME + "a")) == (True, False)
    pages = {page["url"]: page for page in answer("search", "a", "--store", store)}
    assert {url for url, page in pages.items() if "thumbnail" in page} == {HOME} & pages.keys()
    assert readings.why(Readings(store), HOME)["thumbnail"] == SHOWN
    assert "thumbnail" not in readings.why(Readings(store), HOME + "a")
    run("report", tmp_path / "report.html", "--store", store)
    report = (tmp_path / "report.html").read_text()
    assert (report.count("<img "), report.count(SHOWN), report.count("img-src data:")) == (1, 1, 1)


@pytest.mark.parametrize("body", [b"<script>", WEBP + bytes(100_000)], ids=["none", "too large"])
def test_a_record_that_is_no_thumbnail_is_not_shown(tmp_path: Path, body: bytes) -> None:
    store = with_thumbnail(tmp_path, body)
    with open_store(store) as reader:
        assert thumbnail(reader, HOME) is None
    run("report", tmp_path / "report.html", "--store", store)
    report = (tmp_path / "report.html").read_text()
    assert "<img" not in report
    assert "img-src" not in report
