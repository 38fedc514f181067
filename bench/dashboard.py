"""Pictures of the dashboard, and its cost to a crawl.

    python bench/dashboard.py pictures STORE FOLDER
    python bench/dashboard.py figures STORE [PAIRS]
    python bench/dashboard.py running KNOWN [PAIRS]

Needs Chromium and playwright. The pictures in docs/pictures are of a crawl of 39 sites of documentation behind a server
on this machine, while it runs. The figures are of a crawl that runs: it is paused for them, so that its CPU is what is
spent on looks alone, and resumed. Printed are, in ms: from the address given to the browser to the first figures shown;
from a slider moved to its value shown, and to that of the crawl shown, as it says it has; and the CPU of the crawl with
three pages open, and with none, in alternating spells of ten seconds.

'running' begins a crawl of a web that is made up (made_up.py), as fast as it goes, and when it knows so many URLs
prints its CPU for a page fetched with three pages open and with none, in alternating spells, and how fast it was.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from made_up import MadeUpWeb
from playwright.sync_api import sync_playwright

from minicrawl.control.asking import ask
from minicrawl.control.socket_files import connected

_SPELL = 10.0
_SLIDE = """async () => {
  const taken = [], find = (what) => document.querySelector(`[data-setting=concurrency] ${what}`);
  const slider = find("input"), output = find("output"), whole = slider.closest(".slider");
  for (let turn = 0; turn < 40; turn++) {
    const [step, text] = turn % 2 ? ["5", "32"] : ["6", "64"];
    const began = performance.now();
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
    const until = async (isSo) => {
      while (!isSo()) await new Promise(requestAnimationFrame);
      return performance.now() - began;
    };
    const shown = await until(() => output.textContent === text);
    taken.push([shown, await until(() => !whole.classList.contains("pending"))]);
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
    for what, times in zip(("shown", "what the crawl says"), zip(*taken, strict=True), strict=True):
        print(f"slider to {what}: {median(times):.0f} ms, at most {max(times):.0f}")
    ask(store, [{"do": "pause"}])
    spells: dict[int, list[float]] = {0: [], 3: []}
    for _ in range(pairs):
        for number, spent in spells.items():
            before, began = cpu(store), time.perf_counter()
            watch(browser, address, number)
            spent.append((cpu(store) - before) / (time.perf_counter() - began))
    ask(store, [{"do": "resume"}])
    without, with_three = (median(spells[number]) for number in (0, 3))
    print(f"CPU of the crawl, paused: {without:.2%} of a core without a page, {with_three:.2%} with three")


def watch(browser: Any, address: str, number: int) -> None:
    """Have so many pages open for a spell."""
    pages = [opened(browser, address) for _ in range(number)]
    time.sleep(_SPELL)
    for one in pages:
        one.context.close()


def running(browser: Any, known: int, pairs: int) -> None:
    web = MadeUpWeb(hosts=400, children=40)
    with tempfile.TemporaryDirectory() as folder:
        store, seeds = Path(folder) / "crawl.db", Path(folder) / "seeds.txt"
        seeds.write_text("\n".join(web.seeds))
        command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--store", str(store), "-q", "--delay", "0"]
        crawl = subprocess.Popen([*command, "--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "--no-traps"])
        try:
            while (line := connected(store, 1.0)) is None:
                time.sleep(0.1)
            line.close()
            while ask(store, [{"do": "status"}])[0]["known"] < known:
                time.sleep(1.0)
            with served(store) as address:
                compare(browser, address, store, pairs)
        finally:
            crawl.kill()
            crawl.wait()
            web.end()


def compare(browser: Any, address: str, store: Path, pairs: int) -> None:
    """The CPU for a page of a crawl that goes on, with three pages open and with none."""
    spent: dict[int, list[float]] = {0: [], 3: []}
    speeds = []
    for _ in range(pairs):
        for number, costs in spent.items():
            before, began = ask(store, [{"do": "status"}])[0], time.perf_counter()
            watch(browser, address, number)
            after = ask(store, [{"do": "status"}])[0]
            fetched = after["fetched"] - before["fetched"]
            costs.append((after["cpu"] - before["cpu"]) / fetched)
            speeds.append(fetched / (time.perf_counter() - began))
    without, with_three = (median(spent[number]) for number in (0, 3))
    more = median((three - none) * speed for none, three, speed in zip(spent[0], spent[3], speeds[1::2], strict=True))
    print(f"known: {after['known']:,}; {median(speeds):,.0f} pages/s")
    figures = f"{without * 1e6:,.0f} us without a page open, {with_three * 1e6:,.0f} with three"
    print(f"CPU for a page: {figures}; at this speed {more:+.1%} of a core, the median of pairs")


def cpu(store: Path) -> float:
    """Seconds that the main process of the crawl has used."""
    return float(ask(store, [{"do": "status"}])[0]["cpu"])


def main(what: str, given: str, *rest: str) -> None:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        pairs = int(rest[0]) if rest and what != "pictures" else 3
        if what == "running":
            running(browser, int(given), pairs)
        else:
            with served(Path(given)) as address:
                if what == "pictures":
                    pictures(browser, address, Path(rest[0]))
                else:
                    figures(browser, address, Path(given), pairs)
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("pictures", "figures", "running"):
        sys.exit(__doc__)
    main(sys.argv[1], *sys.argv[2:])
