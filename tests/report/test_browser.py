"""Reports in a real browser: read and printed. Skipped only where there is no Chromium.

MINICRAWL_AXE names axe.min.js of axe-core, where it is there.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import chromium
from support.axe import grave_findings
from support.command_line import run
from support.hostile import HOME, HostileServer
from support.needs import needs
from support.sites import Server, Site, crawl

pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install -e '.[dev]'")
pytestmark = [pytest.mark.slow, needs("chromium")]
LOOKS = [(1440, "light"), (390, "dark")]
LONG = "a-name-without-a-space-" * 8
PARTS = ("docs", "shop", LONG)
SITE: Site = {
    f"{HOME}{part}/{page}": [f"<title>{page} of {part}</title>", HOME, f"/{part}/{(page + 1) % 12}", f"/gone/{page}"]
    for part in PARTS
    for page in range(12)
}
SITE[HOME] = [f"<title>{'Home ' * 30}</title>", *(url.removeprefix(HOME[:-1]) for url in SITE), "/old"]
SITE |= {f"{HOME}old": f"{HOME}older", f"{HOME}older": f"{HOME}docs/1"}


class DyingServer(HostileServer):
    """Some of its pages are not there, and links to them are broken."""

    def _answer(self, request: httpx.Request) -> httpx.Response:
        return super()._answer(request) if sum(request.url.raw_path) % 5 else httpx.Response(404)


def reported(site: Any, folder: Path, **settings: Any) -> Path:
    """The report of a crawl, made in another thread: in this one the browser has its loop."""
    file = folder / "report.html"

    def made() -> int:
        crawl(site, folder / "crawl.db", [HOME], **settings)
        return run("report", file, "--store", folder / "crawl.db").exit_code

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(made).result() == 0
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return reported(Server(SITE), tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a site whose every title and URL is hostile, of pages that are there and that are not."""
    return reported(DyingServer(200), tmp_path_factory.mktemp("hostile"), traps=False)


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of one page."""
    return reported(Server({HOME: []}), tmp_path_factory.mktemp("little"))


@contextmanager
def opened(browser: Any, file: Path, width: int = 1440, scheme: str = "light", **options: Any) -> Iterator[Any]:
    """A page that shows a report; nothing may go wrong in it, and it may load nothing."""
    settings = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, **options}
    with chromium.opened(browser, file.as_uri(), alone=True, **settings) as page:
        yield page


def open_all(page: Any) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


CUT = """() => [...document.querySelectorAll('td, th, dt, dd, p, h1, h2, h3, summary, figcaption')].filter((each) => {
  const box = each.getBoundingClientRect(), table = each.closest("table");
  if (table && table.scrollWidth > table.clientWidth) return false; // it is scrolled sideways
  return each.scrollWidth > each.clientWidth + 1 && each.clientWidth || box.left < 0 || box.right > innerWidth + 1;
}).map((each) => each.outerHTML.slice(0, 200))"""
EMPTY = """() => [...document.querySelectorAll('.issue table')].flatMap((table) => {
  const says = (at) => [...table.tBodies[0].rows].some((row) => row.cells[at].textContent.trim());
  return [...table.tHead.rows[0].cells].filter((head, at) => head.checkVisibility() && !says(at));
}).map((head) => head.outerHTML)"""


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_nothing_is_cut(  # noqa: PLR0913 - three reports
    browser: Any, report: Path, hostile: Path, little: Path, width: int, scheme: str
) -> None:
    for file in (report, hostile, little):
        with opened(browser, file, width, scheme) as page:
            open_all(page)
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate(CUT) == []
            assert page.evaluate(EMPTY) == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_serious(browser: Any, report: Path, width: int, scheme: str) -> None:
    with opened(browser, report, width, scheme, bypass_csp=True) as page:
        open_all(page)
        assert grave_findings(page) == []


def test_print_is_dark_on_light(browser: Any, report: Path) -> None:
    with opened(browser, report, scheme="dark") as page:
        assert page.locator("details:not([open])").count() > 3
        assert page.pdf().startswith(b"%PDF")
        page.emulate_media(media="print")
        assert all(table.is_visible() for table in page.locator(".issue table").all())
        assert page.locator("button:visible, form:visible").count() == 0
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_what_the_web_writes_is_text(browser: Any, hostile: Path) -> None:
    with opened(browser, hostile) as page:
        open_all(page)
        assert page.evaluate("document.body.dataset.ran") is None
        assert page.locator("main :is(iframe, style, base, meta, img, script), script[src]").count() == 0
        shown = "[...document.querySelectorAll('a')].filter((each) => each.checkVisibility())"
        hrefs = page.evaluate(f"{shown}.map((each) => each.getAttribute('href'))")
        assert len(hrefs) > 150
        assert all(href is None or href.startswith("http://a.test/") for href in hrefs)
        assert not set(page.locator("main").text_content()) & set("\u202e\u2066\u200b\x1b\x07\x00")
        assert "<script>" in page.locator("main").text_content()
