"""The dashboard in a real browser, on crawls in processes of their own. Skipped only where there is no Chromium."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.cluster_runs import SEEDS, folder_at
from support.command_line import answer, run
from support.counted_web import CountedWeb, counted_web
from support.hostile import HostileServer
from support.sites import Server, Site, crawl, rows

from minicrawl.analysis.audit import audit_all
from minicrawl.cluster.folder import found
from minicrawl.crawler.books.audit import audit
from minicrawl.store.reader import open_store

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install -e '.[dev]'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"),
]
HOME = "http://a.test/"
WAIT = 120_000  # ms: a machine may be busy


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=WAIT
        )
        yield chromium
        chromium.close()


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


@contextmanager
def dashboard(store: Path, *words: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The address of a dashboard in a process of its own, and that."""
    command = [sys.executable, "-m", "minicrawl", "dashboard", "--store", str(store), "-q", *words]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


@contextmanager
def opened(browser: Any, address: str) -> Iterator[Any]:
    """A page that shows a dashboard; nothing may go wrong in it, and it may ask nobody else."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    ours = address.partition("#")[0]
    page.on("request", lambda request: None if request.url.startswith(ours) else wrong.append(request.url))
    try:
        page.goto(address)
        yield page
        assert wrong == []
    finally:
        context.close()


def says(page: Any, selector: str, text: str) -> None:
    """Wait until an element says something, among other things."""
    page.locator(selector, has_text=text).first.wait_for(timeout=WAIT)


def is_just(page: Any, selector: str, text: str) -> None:
    """Wait until an element says something and nothing else: "Not running" is not "Running"."""
    page.locator(selector, has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")).first.wait_for(timeout=WAIT)


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
    says(page, "#tab-setup[aria-selected=true]", "Setup")
    page.get_by_label("Seeds:").fill(f"http://127.0.0.1:{web.port}/")
    page.get_by_label("Stop after pages").fill("2500")
    page.get_by_label("Reach this machine").check()
    page.get_by_role("button", name="Start", exact=True).click()
    is_just(page, "#state", "Running")
    says(page, "#tab-coordinator[aria-selected=true]", "Coordinator")
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


def quiet_port() -> int:
    """A port that is free, and that the system gives to nobody who does not ask for just that one."""
    while True:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", random.randrange(20_000, 32_000)))
            return int(tried.getsockname()[1])


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
        page.click("#tab-crawlers")
        is_just(page, "#view-crawlers td", "0")
        page.click("#tab-hosts")
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
    with open_store(store) as reader:
        assert list(audit(reader)) == []
        assert reader.meta("stopped") == "interrupted"


def test_partitions_have_a_row_each_and_are_steered_together(browser: Any, web: CountedWeb, tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2).path
    with crawling_in_parts(folder, web), dashboard(folder) as (address, _), opened(browser, address) as page:
        is_just(page, "#state", "Running")
        page.click("#tab-crawlers")
        table = page.get_by_role("region", name="Partitions")
        for part in answer("control", "status", "--store", folder)["partitions"]:
            row = table.locator("tbody tr", has=page.get_by_role("cell", name=str(part["pid"]), exact=True))
            row.get_by_role("cell", name="running", exact=True).wait_for()
        says(page, "#view-crawlers tbody td", " UTC")  # the last commit of one, which its store says
        assert table.locator("tbody tr").count() == 2
        assert page.get_by_role("region", name="Crawlers").count() == 0
        page.click("#pause")
        is_just(page, "#state", "Paused")
        table.locator("tbody tr:nth-child(2)").get_by_role("cell", name="paused", exact=True).wait_for()
        assert answer("control", "status", "--store", folder)["state"] == "paused"
        page.click("#tab-coordinator")
        is_just(page, "[data-setting=workers] output", "one for each partition")
        slide(page, "delay", -1, "0.5 s")
        assert answer("crawl", "--show-settings", "--store", folder / "000.db")["delay"]["value"] == 0.5
        page.click("#resume")
        is_just(page, "#state", "Running")
        page.click("#stop")
        is_just(page, "#state", "Not running")
        says(page, "#view-coordinator .sentence", "it was stopped")
        page.click("#tab-importance")
        says(page, "#view-importance td", "h0.test")
        page.click("#tab-statistics")
        says(page, "#view-statistics .facts", "Bow tie")
        page.click("#tab-why")
        ask(page, SEEDS[0])
        says(page, "#view-why dt", "Partition")
        page.click("#tab-setup")
        says(page, "#view-setup .sentence", "minicrawl crawl")
    with found(folder).opened() as stores:
        assert list(audit_all(stores)) == []


@contextmanager
def crawling_in_parts(folder: Path, web: CountedWeb) -> Iterator[None]:
    """A slow crawl in the partitions of a folder, in processes of its own, that has fetched something in each."""
    words = [*SEEDS, "--store", str(folder), "--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "-q"]
    command = [sys.executable, "-m", "minicrawl", "crawl", *words, "--scope", "host", "--no-probe"]
    with subprocess.Popen(command) as process:
        try:
            while not has_begun(folder) and process.poll() is None:
                pass
            yield
        finally:
            process.terminate()


def has_begun(folder: Path) -> bool:
    return all(rows(store, "SELECT id FROM fetches LIMIT 1") for store in found(folder).stores)


def test_two_pages_see_the_same(browser: Any, web: CountedWeb, store: Path) -> None:
    with dashboard(store) as (address, _), opened(browser, address) as one, opened(browser, address) as other:
        begun(one, web)
        is_just(other, "#state", "Running")
        other.click("#tab-coordinator")
        slide(other, "delay", 2, "3 s")
        is_just(one, "[data-setting=delay] output", "3 s")
        one.click("#pause")
        is_just(other, "#state", "Paused")


def test_a_look_from_before_takes_no_slider_back(browser: Any, web: CountedWeb, store: Path) -> None:
    """How the crawl stood before a command may be told after what the command has led to."""
    with dashboard(store) as (address, _), opened(browser, address) as page:
        begun(page, web)
        slide(page, "delay", 1, "2 s")
        held: list[Any] = []

        def hold(route: Any) -> None:
            route.continue_() if held else held.append((route, route.fetch()))

        page.route("**/api/now?*", hold)
        while not held:  # until it is answered, as what it says is of before then
            page.wait_for_timeout(10)
        page.evaluate("""() => {
            const output = document.querySelector("[data-setting=delay] output");
            window.shown = [];
            new MutationObserver(() => window.shown.push(output.textContent)).observe(output, {childList: true});
        }""")
        slide(page, "delay", 1, "3 s")
        route, response = held[0]
        assert response.json()["settings"]["delay"] == 2
        with page.expect_request("**/api/now?*", timeout=WAIT):  # the next look, when this one was taken in
            route.fulfill(response=response)
        slide(page, "delay", 1, "5 s")
        assert page.evaluate("window.shown") == ["3 s", "5 s"]


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
            says(page, "#view-coordinator .sentence", "it was killed")


def test_a_finished_crawl_is_shown_and_pages_can_be_asked_about(browser: Any, store: Path) -> None:
    links = [f"{HOME}{name}" for name in "abcdefgh"]
    site: Site = {HOME: ["<title>The home page</title>", *links], **{url: [HOME] for url in links}}
    crawled(site, store, jump="sites")
    with dashboard(store) as (address, _), opened(browser, address) as page:
        is_just(page, "#state", "Not running")
        page.click("#tab-importance")
        page.get_by_role("link", name="The home page").click()
        says(page, "#view-why .sentence", "Read")
        says(page, "#view-why .facts", "1 of 9")
        says(page, "#view-why .facts", "a.test has 1 of all trust; it is a seed's")
        says(page, "#view-why .facts", "of its importance; the rest comes by links")
        page.click("#tab-statistics")
        says(page, "#view-statistics .facts", "Bow tie")
        assert page.locator("#view-statistics svg").count() >= 3
        growth = page.locator("#view-statistics svg[aria-label^='Distances while crawling']")
        assert growth.locator("path, polyline").count() >= 2
        page.click("#tab-graph")
        says(page, "#view-graph [role=status]", "9 pages, 16 links between them")
        page.locator("#view-graph a").first.focus()
        page.keyboard.press("Enter")
        says(page, "#tab-why[aria-selected=true]", "Why")
        page.click("#tab-search")
        page.get_by_label("Words").fill("home")
        page.keyboard.press("Enter")
        says(page, "#view-search [role=status]", "--search")
        page.focus("#tab-search")
        page.keyboard.press("ArrowRight")
        says(page, "#tab-log[aria-selected=true]", "Log")


def test_a_change_opens_to_the_blocks_that_differ(browser: Any, store: Path) -> None:
    class Edited(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            answered, count = super()._answer(request), self.asked.count(str(request.url))
            text = f"<p>It costs {5 + count // 9} euros.<p><b>&lt;b&gt; stays"
            return answered if answered.status_code == 404 else httpx.Response(200, html=f"<title>Prices</title>{text}")

    crawled(Edited({HOME: []}), store, refresh=True, text=True, pages=15, probe=False)
    with dashboard(store) as (address, _), opened(browser, address) as page:
        page.click("#tab-importance")
        says(page, "#view-importance td", "+1 -1")
        page.locator("#view-importance tr", has_text="changed").get_by_role("link", name="Prices").click()
        page.locator("#view-why summary", has_text="changed, 1 block came, 1 went").click()
        is_just(page, "#view-why .diff .went", "- It costs 5 euros.")
        is_just(page, "#view-why .diff .came", "+ It costs 6 euros.")
        is_just(page, "#view-why .diff .came mark", "6")
        assert page.locator("#view-why .diff li").count() == 2


def test_without_the_token_there_is_nothing(browser: Any, store: Path) -> None:
    crawled({HOME: []}, store)
    with dashboard(store) as (address, _), opened(browser, address.split("#")[0]) as page:
        has_noted(page, "the token is missing or wrong")
        assert page.locator("#store").inner_text() == ""


def test_an_answer_that_comes_late_is_not_shown(browser: Any, store: Path) -> None:
    """Whoever asks for another page sees that page, though the answer for the first one was the slower one."""
    crawled({HOME: ["http://a.test/b"], "http://a.test/b": []}, store)
    with dashboard(store) as (address, _), opened(browser, address) as page:
        held: list[Any] = []
        page.route("**/api/why?*", lambda route: route.continue_() if held else held.append(route))
        page.click("#tab-why")
        with page.expect_request("**/api/why?*", timeout=WAIT):
            ask(page, HOME)
        with page.expect_event("requestfailed", lambda request: request == held[0].request, timeout=WAIT):
            ask(page, "http://a.test/b")
        is_just(page, "#view-why h3 + p", "http://a.test/b")
        with page.expect_request("**/api/why?*", timeout=WAIT):
            ask(page, "http://a.test/b")  # it may stand otherwise by now


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
        for view in ("importance", "statistics", "graph", "hosts", "log"):
            page.click(f"#tab-{view}")
            if view in ("importance", "graph"):
                page.locator(f"#view-{view} a").nth(90).wait_for(state="attached")
        page.click("#tab-importance")
        says(page, "#view-importance td", "<script>")
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
