"""The site of docs/: it is built strictly, minicrawl's own audit finds nothing in it, and it works in a browser.

MINICRAWL_AXE names axe.min.js of axe-core, where that is there.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from support.axe import grave_findings
from support.chromium import NEEDS_CHROMIUM, opened, says
from support.documents import ROOT
from support.patience import PATIENCE

import minicrawl
from minicrawl.settings import PROFILES

pytest.importorskip("mkdocs", reason="MkDocs is missing: pip install -e '.[docs]'")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is missing: pip install -e '.[docs]'")
pytestmark = pytest.mark.slow

LOOKS = [(1440, "light"), (390, "dark")]


class Site(NamedTuple):
    """The folder of the site, and where it is served."""

    folder: Path
    address: str


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
        environment = {**os.environ, "SITE_URL": address, "NO_MKDOCS_2_WARNING": "1"}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=PATIENCE)
        Thread(target=server.serve_forever).start()
        try:
            yield Site(folder, address)
        finally:
            server.shutdown()


def test_audit_finds_nothing(site: Site, tmp_path: Path, store: Path) -> None:
    """Pages of other sites are not asked for, as by other profiles: the tests have no network."""
    settings = {**PROFILES["audit"], "scope": "host", "delay": 0, "allow_private": True}
    rest: dict[str, Any] = {"archive": tmp_path / "archive"}  # which some rules need
    minicrawl.crawl(site.address, store, **settings, **rest)
    with minicrawl.open_store(store) as reader:
        audit = reader.audit()
        assert [(found.rule, found.target) for found in audit.findings] == []
        assert audit.not_checked == {}
        pages = {page.url.removeprefix(site.address) for page in reader.pages() if page.state == "fetched"}
        assert {sitemap.reason for sitemap in reader.sitemaps.all()} == {"ok"}
    written = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.html")}
    assert written - {"404.html"} <= pages


def test_site_asks_nobody_else_for_anything(site: Site) -> None:
    loads = re.compile(
        r"""<(?:script|img|source|iframe)[^>]*\bsrc(?:set)?="(?:https?:)?//[^"]*|"""
        r"""<link[^>]*rel="(?:stylesheet|icon|preconnect|preload)"[^>]*href="(?:https?:)?//[^"]*|"""
        r"""url\(["']?(?:https?:)?//[^)]*|@import ["'](?:https?:)?//[^"']*"""
    )
    files = [*site.folder.rglob("*.html"), *site.folder.rglob("*.css"), *site.folder.rglob("*.svg")]
    assert len(files) > 60
    assert {(path.name, found) for path in files for found in loads.findall(path.read_text("utf-8"))} == set()


def test_descriptions_and_links_between_docs_and_the_tree(site: Site) -> None:
    """Made by docs/theme/pages.py, also of a package that has a function of a module's name."""
    store = (site.folder / "store.html").read_text("utf-8")
    assert '<meta name="description" content="Store: the SQLite file. A crawl is one SQLite file' in store
    assert 'href="tree/minicrawl/store/views.sql.html"' in store
    assert "sum(pages.cash)" in (site.folder / "tree/minicrawl/store/views.sql.html").read_text("utf-8")
    assert 'id="minicrawl.rank.pagerank.pagerank"' in (site.folder / "api/minicrawl.rank.html").read_text("utf-8")
    assert "--scope [any|site|host" in (site.folder / "settings.html").read_text("utf-8")
    dashboard = (site.folder / "dashboard.html").read_text("utf-8")
    assert {"overview-light.png#only-light", "overview-dark.png#only-dark"} <= set(
        re.findall(r"dashboard-(\S+?)\"", dashboard)
    )


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_fit_any_screen(browser: Any, site: Site, width: int, scheme: str) -> None:
    with opened(browser, site.address, viewport={"width": width, "height": 844}, color_scheme=scheme) as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        for name in ("index.html", "settings.html", "dashboard.html", "api/minicrawl.html"):
            page.goto(site.address + name)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        assert said == []


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_grave(browser: Any, site: Site, width: int, scheme: str) -> None:
    with opened(browser, site.address, viewport={"width": width, "height": 844}, color_scheme=scheme) as page:
        for name in ("index.html", "settings.html", "dashboard.html", "api/minicrawl.web.urls.html"):
            page.goto(site.address + name)
            assert grave_findings(page) == [], name


@NEEDS_CHROMIUM
def test_search_finds_a_page(browser: Any, site: Site) -> None:
    with opened(browser, site.address) as page:
        page.locator(".md-search__input").press_sequentially("politeness")  # the theme searches when a key comes up
        says(page, ".md-search-result__item:first-child h1", "Politeness")
