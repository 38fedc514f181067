"""Pictures of the dashboard and the report, light and dark, from a real crawl: those in docs/pictures are made by it.

    python bench/pictures.py FOLDER [SEEDS and options of 'minicrawl crawl']

Needs Chromium and playwright. Without seeds the web of 'minicrawl demo' is crawled. Those in docs/pictures are of a
crawl of 39 sites of documentation behind a server on this machine, at .4 s between two requests to a host.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from minicrawl.demo.server import serving
from minicrawl.demo.web import DemoWeb

_CRAWLS = 75.0
"""Seconds from the start of the crawl to the first picture."""
_WIDE, _MIDDLE, _NARROW = (
    {"width": width, "height": height} for width, height in ((1440, 660), (960, 660), (390, 844))
)
_PICTURES = (
    ("coordinator", _WIDE, "#view-coordinator canvas"),
    ("statistics", _WIDE, "#view-statistics .facts dt"),
    ("graph", _MIDDLE, "#view-graph circle"),
    ("pages", _NARROW, "#view-pages td"),
)
"""Views with their sizes, and what they show when they are ready."""
_SCHEMES = ("light", "dark")


def crawled(folder: Path, words: list[str], pictures: Path) -> None:
    """Crawl in a process of its own, and take the pictures meanwhile."""
    command = [sys.executable, "-m", "minicrawl", "crawl", *words, "--store", "crawl.db", "-q"]
    with subprocess.Popen([*command, "--allow-private", "--delay", "0.4", "--audit"], cwd=folder) as crawl:
        try:
            time.sleep(_CRAWLS)
            with sync_playwright() as started:
                browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
                of_dashboard(browser, folder, pictures)
                crawl.terminate()
                crawl.wait()
                of_report(browser, folder, pictures)
                browser.close()
        finally:
            crawl.kill()


def of_dashboard(browser: Any, folder: Path, pictures: Path) -> None:
    command = [sys.executable, "-u", "-m", "minicrawl", "dashboard", "crawl.db", "-q"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            for view, size, ready in _PICTURES:
                page = browser.new_context(viewport=size).new_page()
                page.goto(address)
                page.evaluate("(hash) => { location.hash = hash; }", view)
                page.locator(ready).first.wait_for(state="attached", timeout=300_000)
                page.wait_for_timeout(8000)  # until all figures are there
                taken(page, pictures / f"dashboard-{view}")
        finally:
            process.terminate()


def of_report(browser: Any, folder: Path, pictures: Path) -> None:
    file = folder / "report.html"
    subprocess.run(
        [sys.executable, "-m", "minicrawl", "report", str(file), "--store", "crawl.db"], cwd=folder, check=True
    )
    page = browser.new_context(viewport=_WIDE).new_page()
    page.goto(file.as_uri())
    taken(page, pictures / "report")


def taken(page: Any, name: Path) -> None:
    """One picture light and one dark."""
    for scheme in _SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(500)  # for what the page draws itself
        file = name.with_name(f"{name.name}-{scheme}.png")
        page.screenshot(path=file)
        print(f"{file}: {file.stat().st_size / 1000:.0f} kB")
    page.context.close()


async def of_demo(folder: Path, pictures: Path) -> None:
    web = DemoWeb.generate()
    async with serving(web) as port:
        words = [*web.seeds, "--connect-to", f"::127.0.0.1:{port}"]
        await asyncio.to_thread(crawled, folder, words, pictures)


def main() -> None:
    pictures, *words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if words:
            crawled(Path(folder), words, Path(pictures))
        else:
            asyncio.run(of_demo(Path(folder), Path(pictures)))


if __name__ == "__main__":
    main()
