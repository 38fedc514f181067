"""Pictures of the dashboard, and what it costs a crawl.

    python bench/dashboard.py pictures STORE FOLDER
    python bench/dashboard.py figures STORE [PAIRS]

Needs Chromium and playwright. The pictures in docs/pictures are of a crawl of 39 sites of documentation behind a server
on this machine, while it runs. The figures are of a crawl that runs: it is paused for them, so that its CPU is what is
spent on looks alone, and resumed. Printed are, in ms: from the address given to the browser to the first figures shown;
from a slider moved to the value shown that the crawl says it has; and the CPU of the crawl with three pages open, less
that with none, in alternating spells of ten seconds.
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from minicrawl.control.asking import ask

_SPELL = 10.0
_SLIDE = """async () => {
  const taken = [], find = (what) => document.querySelector(`[data-setting=concurrency] ${what}`);
  const slider = find("input"), output = find("output");
  for (let turn = 0; turn < 40; turn++) {
    const [step, text] = turn % 2 ? ["5", "32"] : ["6", "64"];
    const began = performance.now();
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
    while (output.textContent !== text) await new Promise(requestAnimationFrame);
    taken.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, 100));
  }
  return taken;
}"""


@contextmanager
def served(store: Path) -> Iterator[str]:
    """The address of a dashboard in a process of its own."""
    command = [sys.executable, "-u", "-m", "minicrawl", "dashboard", "--store", str(store), "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def opened(browser: Any, address: str, **settings: Any) -> Any:
    """A page that shows figures."""
    page = browser.new_context(**settings).new_page()
    page.goto(address)
    page.locator(".figure dd", has_text=re.compile(r"\d")).first.wait_for()
    return page


def pictures(browser: Any, address: str, folder: Path) -> None:
    for scheme, view, ready in (
        ("light", "coordinator", ".picture path"),
        ("dark", "graph", ".graph svg"),
    ):
        size = {"width": 1200, "height": 800}
        page = opened(browser, address, viewport=size, color_scheme=scheme)
        page.evaluate("document.getElementById('store').style.visibility = 'hidden'")
        page.click(f"#tab-{view}")
        page.locator(f"#view-{view} {ready}").first.wait_for(state="attached", timeout=300_000)
        page.wait_for_timeout(8000)
        page.screenshot(path=folder / f"dashboard-{view}-{scheme}.png")


def figures(browser: Any, address: str, store: Path, pairs: int) -> None:
    first = []
    for _ in range(5):
        began = time.perf_counter()
        page = opened(browser, address)
        first.append(1000 * (time.perf_counter() - began))
        page.context.close()
    print(f"first figures: {median(first):.0f} ms, at most {max(first):.0f}")
    page = opened(browser, address)
    taken = page.evaluate(_SLIDE)
    page.context.close()
    print(f"slider to shown: {median(taken):.0f} ms, at most {max(taken):.0f}")
    ask(store, [{"do": "pause"}])
    spells: dict[int, list[float]] = {0: [], 3: []}
    for _ in range(pairs):
        for number, spent in spells.items():
            pages = [opened(browser, address) for _ in range(number)]
            before, began = cpu(store), time.perf_counter()
            time.sleep(_SPELL)
            spent.append((cpu(store) - before) / (time.perf_counter() - began))
            for one in pages:
                one.context.close()
    ask(store, [{"do": "resume"}])
    without, with_three = (median(spells[number]) for number in (0, 3))
    print(f"CPU of the crawl, paused: {without:.2%} of a core without a page, {with_three:.2%} with three")


def cpu(store: Path) -> float:
    """Seconds that the main process of the crawl has used."""
    return float(ask(store, [{"do": "status"}])[0]["cpu"])


def main(what: str, store: Path, *rest: str) -> None:
    with served(store) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        if what == "pictures":
            pictures(browser, address, Path(rest[0]))
        else:
            figures(browser, address, store, int(rest[0]) if rest else 3)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("pictures", "figures"):
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
