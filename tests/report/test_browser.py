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


SITES = 60
OPERATORS = ("In flight", "Pages a second", "in a row", "What hosts are doing", "Does", "Until")
ROWS = """(caption) => {
  const table = [...document.querySelectorAll("table")].find((each) => each.caption.textContent === caption);
  return [...table.tBodies[0].rows].map((row) => row.getBoundingClientRect().height);
}"""


@pytest.fixture(scope="module")
def many_sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a web of sites that each link to the next."""
    sites = [f"http://site-{number}.test/" for number in range(SITES)]
    web: Site = {url: [f"<title>{url}</title>", after] for url, after in zip(sites, [*sites[1:], HOME], strict=True)}
    return reported(Server({HOME: sites, **web}), tmp_path_factory.mktemp("sites"), scope="any")


def test_a_table_on_a_phone_has_few_lines_a_row(browser: Any, many_sites: Path) -> None:
    """The name in a line, all that is known of it in as many as it needs, and not a line each."""
    with opened(browser, many_sites, 390) as page:
        lines = page.evaluate("parseFloat(getComputedStyle(document.body).lineHeight)")
        for caption, most in (("Sites", 4), ("Hosts", 3)):
            heights = page.evaluate(ROWS, caption)
            assert len(heights) == 50  # the others on request
            assert max(heights) < (most + 1) * lines
        assert page.evaluate("document.documentElement.scrollHeight") < 20_000


def test_a_report_prints_all_sites_and_has_no_words_of_operators(browser: Any, many_sites: Path) -> None:
    with opened(browser, many_sites) as page:
        shown = page.locator("main").inner_text()
        assert [words for words in OPERATORS if words in shown] == []
        assert "The crawl has ended" in shown
        page.pdf()  # which tells the page that it is printed
        assert len(page.evaluate(ROWS, "Sites")) == len(page.evaluate(ROWS, "Hosts")) == SITES + 1


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
