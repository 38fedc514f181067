"""Files that archived pages need: each asked for once, kept, and no page."""

import json
import zipfile
from collections import Counter
from pathlib import Path

from support.archives import answers
from support.requisites import crawl_whole
from support.sites import faults_in, rows

from minicrawl.analysis.archives import opened
from minicrawl.analysis.explain import explain
from minicrawl.analysis.status import Requisites, status
from minicrawl.analysis.why_words import explanation_lines
from minicrawl.archive.export import export
from minicrawl.store.reader import open_store

A, B = "http://a.test/", "http://b.test/"
SITE = {
    A: f'<link rel=stylesheet href=s.css><img src=logo.png srcset="wide.png 2x"><a href=two>2</a><iframe src={B}in>',
    A + "two": f"<link rel=stylesheet href=/s.css><img src=/logo.png><img src=/gone.png><img src={B}secret.png>",
    A + "s.css": f"@import 'deep.css'; body {{ background: url({B}back.png) }}",
    A + "deep.css": "@import 's.css'; @font-face { src: url(/font) }",
    A + "font": "-> /font.woff2",
    A + "font.woff2": b"font",
    A + "logo.png": b"logo" * 400,
    A + "wide.png": b"wide",
    B + "in": "<img src=framed.png><iframe src=in></iframe>",
    B + "framed.png": b"logo" * 400,
    B + "back.png": b"back",
    B + "secret.png": b"secret",
    B + "robots.txt": "User-agent: *\nDisallow: /secret",
}
FILES = [url for url in SITE if url not in (A, A + "two", B + "secret.png", B + "robots.txt")]
FAILED = {A + "gone.png": ("failed", "http-404"), B + "secret.png": ("failed", "robots")}
STATES = dict.fromkeys(FILES, ("kept", "ok")) | {A + "font": ("kept", "redirect-302")} | FAILED


def states(folder: Path) -> dict[str, tuple[str, str]]:
    """By URL, the state of each requisite and its reason."""
    found = rows(folder / "crawl.db", "SELECT url, state, reason FROM requisites")
    return {url: (state, reason) for url, state, reason in found}


def test_a_crawl_with_all_defaults_keeps_what_its_pages_need(tmp_path: Path) -> None:
    """To its natural end, politely; each is asked for once, and what robots.txt forbids not at all."""
    report, server = crawl_whole(SITE, tmp_path, A, scope="host")
    assert (report.reason, report.fetched, report.read) == ("nothing-left", 2, 2)
    assert Counter(server.asked) == Counter([*FILES, A, A + "two", A + "gone.png"])
    assert min(server.gaps) >= 1.0
    kept = {one.url: one.kind for one in answers(tmp_path / "kept")}
    assert set(FILES) <= kept.keys()
    assert {kept[A + "logo.png"], kept[B + "framed.png"]} == {"response", "revisit"}, "equal bodies are kept once"
    assert states(tmp_path) == STATES
    assert faults_in(tmp_path / "crawl.db") == []


def test_status_and_why_tell_of_them(tmp_path: Path) -> None:
    crawl_whole(SITE, tmp_path, A, scope="host")
    with open_store(tmp_path / "crawl.db") as store:
        found = status(store)
        assert found.requisites is not None
        assert found.requisites == Requisites(len(FILES), 0, {"http-404": 1, "robots": 1}, found.requisites.bytes)
        deep = explain(store, A + "deep.css")
        assert (deep.page, deep.requisite and deep.requisite[1]) == (None, A)
        words = "\n".join(explanation_lines(deep))
        assert f"A style sheet that {A} needs through 1 other, the first page to need it: in the archive" in words
        assert "robots.txt forbids it" in "\n".join(explanation_lines(explain(store, B + "secret.png")))
        assert "requisites  needed by it first: 8 kept (ok), 1 kept (redirect-302)" in explain(store, A).notes


def test_without_an_archive_each_is_asked_for_all_the_same(tmp_path: Path) -> None:
    _, server = crawl_whole(SITE, tmp_path, A, scope="host", archive=None)
    assert Counter(server.asked) == Counter([*FILES, A, A + "two", A + "gone.png"])
    assert states(tmp_path) == STATES


def test_an_exported_archive_lists_pages_and_no_files(tmp_path: Path) -> None:
    """With titles, texts and importance, the most important first; a frame that is not a page is not listed."""
    crawl_whole(
        SITE | {A + "two": f"<title>Two</title><a href={A}>one</a><p>Words"}, tmp_path, A, scope="host", text=True
    )
    with opened(tmp_path / "crawl.db", None) as archive:
        export(archive.collection, tmp_path / "x.wacz", {}, "minicrawl/0", 0.0, archive.pages)
    with zipfile.ZipFile(tmp_path / "x.wacz") as wacz:
        header, *lines = map(json.loads, wacz.read("pages/pages.jsonl").splitlines())
    assert header["hasText"] is True
    assert {line["url"]: (line.get("title"), line.get("text")) for line in lines} == {
        A: (None, "2"),
        A + "two": ("Two", "one\nWords"),
    }
    assert [line["importance"] for line in lines] == sorted((line["importance"] for line in lines), reverse=True)


def test_long_films_are_not_read(tmp_path: Path) -> None:
    site = {A: "<video src=film.mp4></video>", A + "film.mp4": b"f" * 70_000}
    crawl_whole(site, tmp_path, A, max_size="50kB")
    assert states(tmp_path) == {A + "film.mp4": ("failed", "too-large")}
    assert A + "film.mp4" not in {one.url for one in answers(tmp_path / "kept")}
