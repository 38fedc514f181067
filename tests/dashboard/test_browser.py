"""The dashboard in a real browser, on crawls in processes of their own. Skipped only where there is no Chromium."""

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.axe import axe_source, grave_findings
from support.chromium import NEEDS_CHROMIUM, WAIT, dashboard, is_just, opened, says
from support.command_line import answer, run
from support.counted_web import CountedWeb, counted_web
from support.hostile import HostileServer
from support.loopback import quiet_port
from support.sites import HOME, Site, crawl, faults_in, rows

from minicrawl.store.reader import open_store

pytestmark = [pytest.mark.slow, NEEDS_CHROMIUM]


@pytest.fixture(scope="module")
def web() -> Iterator[CountedWeb]:
    with counted_web(pages=3000) as web:  # at a page a second for longer than any test waits
        yield web


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """Where a crawl may be; if one still runs in the end, it is killed."""
    path = tmp_path / "crawl.db"
    yield path
    end(path)


def has_noted(page: Any, text: str) -> None:
    """Wait until the notice says something; by then it may be hidden again."""
    page.locator("#notice", has_text=text).wait_for(state="attached", timeout=WAIT)


def slide(page: Any, setting: str, steps: int, text: str) -> None:
    """Move a slider as the keyboard does, and wait until the crawl has done what it says then."""
    slider = page.locator(f"[data-setting={setting}] input:enabled")
    slider.wait_for()  # what is hidden or disabled takes no keys, and says nothing of it
    step = 1 if steps > 0 else -1
    begin = int(slider.input_value())
    for place in range(begin + step, begin + steps + step, step):
        while int(slider.input_value()) != place:  # it is disabled while the crawl is too busy to answer
            slider.press("ArrowRight" if step > 0 else "ArrowLeft")
    is_just(page, f"[data-setting={setting}]:not(.pending) output", text)


def begun(page: Any, web: CountedWeb) -> str:
    """Start a crawl of the web in the page; its host."""
    says(page, "#tab-setup[aria-selected=true]", "Set up")
    page.get_by_label("Seeds:").fill(f"http://127.0.0.1:{web.port}/")
    page.get_by_label("Stop after pages").fill("2500")
    page.get_by_label("Allow this machine").check()
    page.get_by_role("button", name="Start", exact=True).click()
    is_just(page, "#state", "Running")
    says(page, "#tab-overview[aria-selected=true]", "Overview")
    return f"127.0.0.1:{web.port}"


def crawled(site: Any, store: Path, **settings: Any) -> None:
    """Crawl in another thread: in this one the browser has its loop."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: crawl(site, store, [HOME], **settings)).result()


def end(store: Path) -> None:
    """Kill the crawl, if one runs or is about to, and wait for its end."""
    until = time.monotonic() + WAIT / 1000
    while store.exists() and time.monotonic() < until:
        with open_store(store) as reader:
            if not reader.is_in_use():
                return
        status = run("control", "status", "--store", store, "--json")
        if status.exit_code == 0:
            with suppress(ProcessLookupError):
                os.kill(json.loads(status.stdout)["pid"], signal.SIGKILL)


def test_from_start_to_stop(browser: Any, web: CountedWeb, store: Path) -> None:
    """All that can be done there, and that the crawl has done it."""
    with dashboard(store) as (address, _), opened(browser, address) as page:
        host = begun(page, web)
        assert "token" not in page.url
        slide(page, "concurrency", -1, "32")
        slide(page, "delay", -1, "0.5 s")
        slide(page, "workers", 1, "1")
        says(page, ".aim", "of 2,500")
        page.click("#pause")
        is_just(page, "#state", "Paused")
        settings = answer("crawl", "--show-settings", "--store", store)
        assert [settings[name]["value"] for name in ("concurrency", "delay", "workers")] == [32, 0.5, 1]
        assert answer("control", "status", "--store", store)["state"] == "paused"
        page.click("#resume")
        is_just(page, "#state", "Running")
        page.get_by_label("Add seeds").fill(f"http://localhost:{web.port}/")
        page.get_by_role("button", name="Add", exact=True).click()
        has_noted(page, "1 new seed")
        page.click("#tab-sites")
        page.get_by_role("button", name=f"Ban {host}", exact=True).click()
        page.get_by_role("button", name=f"Unban {host}", exact=True).wait_for()
        assert answer("control", "status", "--store", store)["banned"] == [host]
        page.get_by_role("button", name=f"Unban {host}", exact=True).click()
        page.get_by_role("button", name=f"Ban {host}", exact=True).wait_for()
        assert answer("control", "status", "--store", store)["banned"] == []
        page.click("#tab-log")
        says(page, "#view-log li", "is banned")
        page.click("#stop")
        is_just(page, "#state", "Not running")
        page.click("#tab-overview")
        waiting = rows(store, "SELECT count(*) FROM pages WHERE state = 'waiting'")[0][0]
        says(page, "#view-overview .rest", f"reads the {waiting:,} pages that wait, the most important first")
        page.get_by_role("button", name="Continue").click()
        is_just(page, "#state", "Running")
        page.locator(".rest").wait_for(state="hidden")
        page.click("#stop")
        is_just(page, "#state", "Not running")
    assert faults_in(store) == []
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]


def test_either_side_may_be_killed(browser: Any, web: CountedWeb, store: Path, tmp_path: Path) -> None:
    """The crawl goes on without the dashboard; the page is there again with the next one, and sees the crawl die."""
    again = ("--token-file", str(tmp_path / "token"), "--port", str(quiet_port()))
    with dashboard(store, *again) as (address, process), opened(browser, address) as page:
        begun(page, web)
        process.kill()
        process.wait()
        is_just(page, "#state", "No connection")
        assert answer("control", "status", "--store", store)["state"] == "running"
        with dashboard(store, *again):
            is_just(page, "#state", "Running")
            os.kill(int(answer("control", "status", "--store", store)["pid"]), signal.SIGKILL)
            is_just(page, "#state", "Not running")
            says(page, "#view-overview .sentence", "it was killed")


def test_a_finished_crawl_is_shown_and_pages_can_be_asked_about(browser: Any, store: Path) -> None:
    links = [f"{HOME}{name}" for name in "abcdefgh"]
    site: Site = {HOME: ["<title>The home page</title>", *links, "/gone"], **{url: [HOME] for url in links}}
    crawled(site, store, jump="sites", search=True)
    with dashboard(store) as (address, _), opened(browser, address) as page:
        is_just(page, "#state", "Not running")
        says(page, "#view-overview .figure", "Known")
        page.locator("#view-overview canvas").first.wait_for()
        says(page, "#view-overview .tally a", "http-404")
        assert page.get_by_role("button", name="Continue").count() == 0
        says(page, "#view-overview .rest", "No page waits.")
        assert page.locator("#view-overview td .quiet .url").first.inner_text() == HOME
        page.get_by_role("link", name="The home page").click()
        says(page, "#view-why .sentence", "Read")
        says(page, "#view-why .facts", "1 of 10")
        says(page, "#view-why .facts", "a.test has 100 % of all trust; it is a seed's")
        says(page, "#view-why .facts", "of its importance; the rest comes by links")
        page.click("#tab-sites")
        says(page, "#view-sites td", "a.test")
        page.focus("#tab-why")
        page.keyboard.press("ArrowRight")
        says(page, "#tab-log[aria-selected=true]", "Log")


def test_pages_behind_a_number_lead_to_their_view(browser: Any, store: Path) -> None:
    links = [f"{HOME}{name}" for name in "abcdefgh"]
    crawled({HOME: [*links, f"{HOME}gone/one", f"{HOME}gone/two"], **{url: [HOME] for url in links}}, store)
    with dashboard(store) as (address, _), opened(browser, address) as page:
        says(page, "#store", "crawl.db")
        page.evaluate("location.hash = 'pages=' + encodeURIComponent('where=status+%3D+404')")
        is_just(page, "#view-pages [role=status]", "2 pages.")
        urls = page.locator("#view-pages td .url").all_inner_texts()
        assert sorted(urls) == [f"{HOME}gone/one", f"{HOME}gone/two"]
        page.get_by_label("Where").fill("status = 404 AND url LIKE '%two'")
        page.keyboard.press("Enter")
        is_just(page, "#view-pages [role=status]", "1 page.")
        page.evaluate(
            "location.hash = 'pages=' + encodeURIComponent('constructor&n=-5&words=%00&where=status+%3D+404')"
        )
        is_just(page, "#view-pages [role=status]", "2 pages.")
        page.go_back()
        is_just(page, "#view-pages [role=status]", "1 page.")
        page.get_by_label("Where").fill("hots = 'red'")
        page.keyboard.press("Enter")
        says(page, "#view-pages [role=status]", "no such column: hots, did you mean 'host'?")
        page.go_back()
        is_just(page, "#view-pages [role=status]", "1 page.")
        page.get_by_role("link", name="who links there").click()
        says(page, "#view-why .sentence", "Given up at once: ")
        assert page.locator("#view-why ul.plain").first.inner_text() == HOME
        page.locator("#view-why dd a", has_text="404").first.click()
        is_just(page, "#view-pages [role=status]", "2 pages.")


def test_an_audit_leads_from_a_finding_to_its_page(browser: Any, store: Path) -> None:
    links = [f"{HOME}{name}" for name in "abcdefgh"]
    crawled({HOME: ["<title>Home</title>", *links, f"{HOME}gone"], **{url: [HOME] for url in links}}, store)
    with dashboard(store) as (address, _), opened(browser, address) as page:
        page.click("#tab-audit")
        says(page, "#view-audit .sentence", "1 page links to 1 that is missing")
        page.locator("#view-audit summary", has_text="1 page links to 1 that is missing").click()
        page.locator("#view-audit details[open] td", has_text="gone").first.wait_for()
        page.locator("#view-audit details[open] td .url").first.click()
        says(page, "#view-why .sentence", "Given up at once: ")


def test_a_log_is_searched_filtered_and_held(browser: Any, web: CountedWeb, store: Path) -> None:
    with dashboard(store) as (address, _), opened(browser, address) as page:
        host = begun(page, web)
        page.click("#tab-log")
        lines = page.locator("#view-log li")
        lines.nth(1).wait_for()
        page.get_by_role("button", name="Hold").click()
        says(page, "#view-log .quiet", ", held")
        page.get_by_label("Level").select_option(label="info and above")
        lines.first.wait_for(state="detached")
        page.click("#pause")
        is_just(page, "#state", "Paused")
        assert lines.count() == 0  # it is held
        page.get_by_role("button", name="Hold").click()
        is_just(page, "#view-log li .level", "info")
        page.get_by_label("Event").select_option("PageFetched")
        page.get_by_label("Level").select_option(label="all")
        page.keyboard.press("/")
        page.focus("#tab-log")
        page.keyboard.press("/")
        page.keyboard.type(f"{host}/")
        lines.first.get_by_role("link", name="200").click()
        says(page, "#view-pages [role=status]", "page")


def test_all_can_be_used_by_keyboard_and_read_aloud(browser: Any, store: Path) -> None:
    """Nothing serious for axe-core in any view, in light and dark, wide and narrow, nor does the page scroll aside."""
    axe_source()
    site: Site = {HOME: ["<title>Home</title>", f"{HOME}{'long-' * 60}", f"{HOME}gone", "http://b.test/"]}
    crawled(site | {f"{HOME}{'long-' * 60}": [HOME], "http://b.test/": [HOME]}, store, search=True, text=True)
    views = ("overview", "pages", "sites", "audit", "log", "setup")
    said = {view: f"#view-{view} td" for view in ("overview", "pages", "sites")} | {"audit": "#view-audit summary"}
    with dashboard(store) as (address, _):
        for scheme, width in (("light", 1440), ("dark", 390)):
            size = {"width": width, "height": 800}
            with opened(browser, address, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
                is_just(page, "#state", "Not running")
                for view in (*views, f"why={HOME}"):
                    page.evaluate("(hash) => { location.hash = hash; }", view)
                    says(page, f"#tab-{view.partition('=')[0]}[aria-selected=true]", "")
                    if view in said:
                        page.locator(said[view]).first.wait_for()
                    assert grave_findings(page) == [], (view, scheme, width)
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (view, width)
                    if width == 390:  # a row is two lines
                        lines = page.locator("tbody tr:visible")
                        heights = lines.evaluate_all("(all) => all.map((tr) => tr.offsetHeight)")
                        assert all(height < 3 * 24 for height in heights), (view, heights)
                page.locator("#tab-log").focus()
                page.keyboard.press("?")
                page.get_by_role("dialog", name="Keys").wait_for()
                assert grave_findings(page) == []
                page.keyboard.press("Escape")
                page.keyboard.press("Home")
                says(page, "#tab-overview[aria-selected=true]", "")


def test_without_the_token_there_is_nothing(browser: Any, store: Path) -> None:
    crawled({HOME: []}, store)
    with dashboard(store) as (address, _), opened(browser, address.split("#")[0]) as page:
        has_noted(page, "the token is missing or wrong")
        assert page.locator("#store").inner_text() == ""


def ask(page: Any, url: str) -> None:
    """Ask why a page is as it is."""
    page.get_by_label("URL", exact=True).fill(url)
    page.keyboard.press("Enter")


def test_what_the_web_writes_is_text(browser: Any, store: Path) -> None:
    """Two hundred hostile titles, URLs and headers, in every view that shows any."""
    crawled(HostileServer(200), store, traps=False)
    assert rows(store, "SELECT count(*) FROM fetches WHERE title LIKE '%<script>%'")[0][0] >= 20
    with dashboard(store) as (address, _), opened(browser, address) as page:
        is_just(page, "#state", "Not running")
        for view in ("overview", "pages", "sites", "log"):
            page.click(f"#tab-{view}")
        page.click("#tab-pages")
        page.locator("#view-pages a").nth(90).wait_for(state="attached")
        says(page, "#view-pages td", "<script>")
        facts = []
        for url in [url for (url,) in rows(store, "SELECT url FROM pages WHERE id > 0 ORDER BY id LIMIT 20")]:
            page.click("#tab-why")
            ask(page, url)
            is_just(page, "#view-why h3 + p", url)
            facts.append(page.locator("#view-why .facts").inner_text())
        assert any("text/html; charset=utf-8; x=<script>" in said for said in facts)
        assert page.evaluate("document.body.dataset.ran") is None
        assert page.locator("main script, main iframe, main style, main base, main meta, main img").count() == 0
        hrefs = page.evaluate("[...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))")
        assert all(href.startswith(("#", "http://a.test/")) for href in hrefs)
        text = page.locator("main").text_content()
        assert not set(text) & set("\u202e\u2066\u200b\x1b\x07\x00")
