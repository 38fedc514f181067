"""A dashboard in Chromium: in a process of its own, with pages in which nothing may go wrong."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.needs import CHROMIUM, needs
from support.patience import PATIENCE

NEEDS_CHROMIUM = needs("chromium")
WAIT = 1000 * PATIENCE  # ms


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright import sync_api  # only where it is there

    with sync_api.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"], timeout=WAIT
        )
        yield browser
        browser.close()


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
def opened(browser: Any, address: str, *, alone: bool = False, **settings: Any) -> Iterator[Any]:
    """A page that shows a dashboard; nothing may go wrong in it, and it may ask nobody else; alone: nor say anything
    on its console, nor load anything."""
    context = browser.new_context(**settings)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    ours = address.partition("#")[0]
    page.on("request", lambda request: None if request.url.startswith(ours) else wrong.append(request.url))
    if alone:
        page.on("console", lambda message: wrong.append(message.text))
        page.on("request", lambda request: None if request.url == address else wrong.append(request.url))
        page.add_init_script("addEventListener('securitypolicyviolation', (e) => console.log(e.violatedDirective))")
    try:
        page.goto(address)
        assert wrong == []  # at once: all that a test waits for would not come
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


def wait_until(page: Any, condition: str, arg: object = None) -> None:
    """Wait until a function of JavaScript is true of `arg`. Playwright's own way evaluates strings in the page, which
    the page's policy forbids."""
    page.evaluate(
        f"""async (arg) => {{
            const end = performance.now() + {WAIT};
            while (!({condition})(arg)) {{
                if (performance.now() > end) throw new Error("not within {WAIT} ms");
                await new Promise(requestAnimationFrame);
            }}
        }}""",
        arg,
    )
