"""Texts that a crawl keeps: of which pages, what becomes of them, in this process and in workers, through kills."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.intakes import DAYS_LATER
from support.killing_web import killing_web
from support.sites import Site, canonical, crawl, page, rows, texts_in

from minicrawl.store.texts.text_file import text_path

HOME = "http://a.test/"


def words(name: str) -> str:
    return f"<p>words of {name}, which nobody else says but {name}</p>"


def test_texts_are_kept_of_pages_that_are_html_and_allow_it(tmp_path: Path) -> None:
    site: Site = {
        HOME: [words("home"), "/moved", "/missing", "/copy", "/meta", "/header", "/noindex"],
        f"{HOME}moved": f"{HOME}target",
        f"{HOME}target": [words("target")],
        f"{HOME}copy": [canonical(HOME), words("copy")],
        f"{HOME}meta": ["<meta name=robots content=noarchive>", words("meta")],
        f"{HOME}header": page(words("header"), headers={"X-Robots-Tag": "otherbot: noindex\nminicrawl: noarchive"}),
        f"{HOME}noindex": ["<meta name=robots content=noindex>", words("noindex")],
    }
    crawl(site, tmp_path / "crawl.db", [HOME], text=True)
    kept = texts_in(tmp_path / "crawl.db")
    assert {url.removeprefix(HOME) for url in kept} == {"", "target", "copy", "noindex"}
    assert kept[f"{HOME}target"] == "words of target, which nobody else says but target"


def test_without_the_option_nothing_is_kept(tmp_path: Path) -> None:
    crawl({HOME: [words("home")]}, tmp_path / "crawl.db", [HOME])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.db", "crawl.db.lock"]
    assert texts_in(tmp_path / "crawl.db") == {}


def test_a_page_read_again_says_what_it_says_now_and_one_that_is_gone_nothing(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    pages = {f"{HOME}{name}": [words(name)] for name in ("stays", "changes", "goes", "moves")}
    crawl({HOME: ["/stays", "/changes", "/goes", "/moves"], **pages}, store, [HOME], text=True)
    before = texts_in(store)
    assert len(before) == 5
    pages |= {f"{HOME}changes": [words("others")], f"{HOME}goes": 410, f"{HOME}moves": HOME}  # type: ignore[dict-item]
    crawl({HOME: ["/stays", "/changes", "/goes", "/moves"], **pages}, store, [], **DAYS_LATER)
    after = texts_in(store)
    assert rows(store, "SELECT state FROM pages WHERE url LIKE '%goes'") == [("gone",)]
    assert after.keys() == {HOME, f"{HOME}stays", f"{HOME}changes"}
    assert after[f"{HOME}stays"] == before[f"{HOME}stays"]
    assert after[f"{HOME}changes"] == "words of others, which nobody else says but others"


def command(store: Path, port: int, workers: int) -> list[str]:
    return [
        *(sys.executable, "-m", "minicrawl", "crawl", *(f"http://h{host}.test/" for host in range(20))),
        *("--text", "--delay", "0", "--allow-private", "--connect-to", f"::127.0.0.1:{port}", "--quiet"),
        *("--workers", str(workers), "--store", str(store)),
    ]


@pytest.mark.slow
def test_texts_are_the_same_with_workers_and_through_kills(tmp_path: Path) -> None:
    kept = list[dict[str, str]]()
    with killing_web() as web:
        for workers in (0, 2):
            store = tmp_path / f"{workers}.db"
            asked = command(store, web.server_port, workers)
            for requests in (20, 45, 70):
                assert web.kill(asked, requests)
                texts_in(store)
            subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
            kept.append(texts_in(store))
            records = rows(store, "SELECT sum(size) FROM texts")[0][0]
            assert text_path(store).stat().st_size >= records
    assert kept[0]
    assert kept[0] == kept[1]
