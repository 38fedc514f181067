"""A Chromium: found or not, and kept off the network whatever a page tries."""

import asyncio
import sys
from pathlib import Path

import pytest
from support.rendered import HOST, Site, script, slow_with_chromium
from support.ways_out import ALONE, WAYS

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.rendering.chromium import find_chromium
from minicrawl.crawler.rendering.renderer import Renderer
from minicrawl.errors import SettingError
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_first_on_the_path_is_taken_unless_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    chrome = program(tmp_path, "google-chrome")
    assert find_chromium(None) == chrome
    browser = program(tmp_path, "chromium-browser")
    assert find_chromium(None) == browser
    assert find_chromium(chrome) == chrome


def test_a_missing_one_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SettingError, match=r"there is no chromium, .* on the PATH; install one, or name it: --chromium"
    ):
        find_chromium(None)
    (tmp_path / "text").write_text("no program")
    for wrong in ("nowhere", "text", "."):
        with pytest.raises(SettingError, match="is no program; name the file of a Chromium"):
            find_chromium(tmp_path / wrong)


def test_a_missing_extra_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(SettingError, match=r"pip install 'minicrawl\[render\]'"):
        find_chromium(program(tmp_path, "chromium"))


def tried(code: str) -> Site:
    """A page that runs a script, where private addresses are allowed; which requests came to a server on loopback."""
    site = Site({})

    async def run() -> Fetched:
        async with site:
            settings = CrawlSettings(render="x", delay=0.0, ignore_robots=True, allow_private=True, render_timeout=30.0)
            async with Fetcher(settings) as fetcher:
                renderer = Renderer(settings, fetcher)
                page = script(f"{code.replace('THERE', f'127.0.0.1:{site.port}')}; document.body.append('made')")
                try:
                    return await renderer.rendered(Fetched(f"{HOST}/x", 200, page.encode(), "text/html"))
                finally:
                    await renderer.aclose()

    assert b"made" in asyncio.run(run()).body
    return site


@slow_with_chromium
def test_where_private_addresses_are_allowed_requests_go_by_our_fetcher_alone() -> None:
    stay = (code.replace("HTTP", "http").replace("WS", "ws") for way, code in WAYS.items() if way not in ALONE)
    site = tried(";".join(f"try {{ {code.replace('AT', 'THERE')} }} catch {{}}" for code in stay))
    paths = [url.split("/", 3)[3] for url in site.asked]
    assert {"", "module.js"} <= set(paths)
    assert all(head.startswith(b"GET ") and b"minicrawl" in head for head in site.headers)
