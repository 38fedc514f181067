"""The cost of the dashboard to a crawl.

    python bench/dashboard.py figures STORE [PAIRS]
    python bench/dashboard.py running KNOWN [PAIRS] [PARTITIONS]
    python bench/dashboard.py readings STORE

The first needs Chromium and playwright. The figures are of a crawl that runs: it is paused for them, so that its CPU
is what is spent on looks alone, and resumed. Printed are, in ms: from the address given to the browser to the first
figures shown; from a slider moved to its value shown, and to that of the crawl shown, as it says it has; and the CPU of
the crawl with three pages open, and with none, in alternating spells of ten seconds.

'running' begins a crawl of a web that is made up (made_up.py), as fast as it goes, and when it knows so many URLs
prints its CPU for a page fetched with three pages open and with none, in alternating spells, and how fast it was. The
pages are clients that ask over HTTP what the page asks in three of its views, as often as it does. Then it prints the
CPU of the crawl for a look. Visible pages take two of these a second together; every third or fourth has hosts.

'readings' prints what each path of a dashboard takes that has just been started: seconds until the answer, and CPU of
the dashboard with the processes it has waited for; and the same again when the value is outdated.
"""

import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from made_up import MadeUpWeb

from minicrawl.control.asking import ask
from minicrawl.errors import MinicrawlError
from minicrawl.system import cpu_seconds

_SPELL, _TURN = 10.0, 4.0
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
def served(store: Path) -> Iterator[tuple[str, int]]:
    """The address of a dashboard in a process of its own, and that."""
    command = [sys.executable, "-u", "-m", "minicrawl", "dashboard", "--store", str(store), "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


def opened(browser: Any, address: str, **settings: Any) -> Any:
    """A page that shows figures."""
    page = browser.new_context(**settings).new_page()
    page.goto(address)
    page.locator(".figure dd", has_text=re.compile(r"\d")).first.wait_for()
    return page


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
            before, began = cpu_of(now(store)), time.perf_counter()
            watch(browser, address, number)
            spent.append((cpu_of(now(store)) - before) / (time.perf_counter() - began))
    ask(store, [{"do": "resume"}])
    without, with_three = (median(spells[number]) for number in (0, 3))
    print(f"CPU of the crawl, paused: {without:.2%} of a core without a page, {with_three:.2%} with three")


def watch(browser: Any, address: str, number: int) -> None:
    """Have so many pages open for a spell."""
    pages = [opened(browser, address) for _ in range(number)]
    time.sleep(_SPELL)
    for one in pages:
        one.context.close()


# What the page asks in some of its views: of the look every half a second, of readings every five.
_VIEWS: dict[str, tuple[str, Sequence[str]]] = {
    "coordinator": ("/api/now?hosts=0", ["/api/course"]),
    "hosts": ("/api/now?hosts=1", ["/api/hosts"]),
    "statistics": ("/api/now?hosts=0", ["/api/course", "/api/answers?host="]),
}
_LOOKS, _READINGS = 0.5, 5.0


class Client:
    """Asks one dashboard."""

    def __init__(self, address: str) -> None:
        url = urlsplit(address)
        self._connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=600)
        self._headers = {"Authorization": f"Bearer {url.fragment.removeprefix('token=')}"}

    def get(self, path: str) -> dict[str, Any]:
        self._connection.request("GET", path, headers=self._headers)
        found: dict[str, Any] = json.loads(self._connection.getresponse().read())
        return found

    def poll(self, view: str, is_over: threading.Event) -> None:
        look, readings = _VIEWS[view]
        due = after = 0.0
        while not is_over.wait(_LOOKS):
            events = self.get(f"{look}&after={after:.0f}")["events"]
            after = events[-1]["number"] if events else after
            if time.monotonic() >= due:
                for path in readings:
                    self.get(path)
                due = time.monotonic() + _READINGS


@contextmanager
def polled(address: str, views: Sequence[str]) -> Iterator[None]:
    """Have some views open."""
    is_over = threading.Event()
    threads = [threading.Thread(target=Client(address).poll, args=(view, is_over)) for view in views]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def running(known: int, pairs: int, partitions: int) -> None:
    web = MadeUpWeb(hosts=400, children=5)
    with tempfile.TemporaryDirectory() as folder:
        store, seeds = Path(folder) / "crawl.db", Path(folder) / "seeds.txt"
        seeds.write_text("\n".join(web.seeds))
        command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--store", str(store), "-q", "--delay", "0"]
        command += ["--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "--no-traps"]
        crawl = subprocess.Popen([*command, *(["--partitions", str(partitions)] if partitions else [])])
        try:
            while not store.exists() or now(store)["known"] < known:
                time.sleep(1.0)
            with served(store) as (address, process):
                compare(store, address, process, pairs)
        finally:
            crawl.terminate()
            crawl.wait()
            web.end()


def now(store: Path) -> Any:
    """The state of a running crawl, as soon as it answers."""
    while True:
        try:
            return ask(store, [{"do": "look"}])[0]
        except MinicrawlError:
            time.sleep(0.2)


def compare(store: Path, address: str, process: int, pairs: int) -> None:
    """The CPU for a page of a crawl that goes on, with three views open and with none."""
    costs: dict[int, list[float]] = {0: [], 3: []}
    speeds, own = [], []
    for _ in range(pairs):
        for number, spent in costs.items():
            before, began, used = now(store), time.perf_counter(), cpu_seconds(process) or 0.0
            with polled(address, list(_VIEWS)[:number]):
                time.sleep(_TURN)
            after, seconds = now(store), time.perf_counter() - began
            fetched = after["fetched"] - before["fetched"]
            spent.append((cpu_of(after) - cpu_of(before)) / fetched)
            speeds.append(fetched / seconds)
            if number:
                own.append(((cpu_seconds(process) or 0.0) - used) / seconds)
    without, with_three = (median(costs[number]) for number in (0, 3))
    more = median(three / none - 1 for none, three in zip(costs[0], costs[3], strict=True))
    print(
        f"known: {after['known']:,}; {median(speeds):,.0f} pages/s; the dashboard itself: {median(own):.1%} of a core"
    )
    figures = f"{without * 1e6:,.0f} us without a page open, {with_three * 1e6:,.0f} with three"
    print(f"CPU of the crawl for a page: {figures}; {more:+.1%}, the median of pairs")
    for hosts in (0, 300):
        print(f"CPU of the crawl for a look with {hosts} hosts: {1000 * look_cost(store, hosts):.1f} ms")


def look_cost(store: Path, hosts: int, looks: int = 20) -> float:
    """CPU seconds of a crawl for a look with all its latest events; the crawl is paused for it."""
    ask(store, [{"do": "pause"}])
    while now(store)["in_flight"]:
        time.sleep(0.1)
    before = cpu_of(now(store))
    for _ in range(looks):
        ask(store, [{"do": "look", "after": 0, "hosts": hosts}])
    spent = cpu_of(now(store)) - before
    ask(store, [{"do": "resume"}])
    return spent / looks


def cpu_of(look: Any) -> float:
    """CPU seconds of all processes of a crawl."""
    return float(look["cpu"] + sum(one["cpu"] for one in look.get("processes", ())))


_PATHS = (
    "/api/now?hosts=1", "/api/course", "/api/answers?host=", "/api/hosts", "/api/partitions", "/api/top?by=&n=100",
    "/api/top?by=importance&n=100", "/api/importance", "/api/rising", "/api/changes", "/api/pages?n=50",
    "/api/pages?status=404&n=50", "/api/pages?state=waiting&n=50", "/api/picture?of=pages", "/api/picture?of=hosts",
    "/api/picture?of=sites", "/api/search?q=history&n=20", "/metrics", "/api/shape",
)  # fmt: skip


def readings(store: Path) -> None:
    for path in _PATHS:
        with served(store) as (address, process):
            took = []
            for _ in range(2):
                before, began = cpu_seconds(process) or 0.0, time.perf_counter()
                client = Client(address)
                try:
                    said = client.get(path)
                except ValueError:  # metrics are no JSON
                    said = {}
                wall = time.perf_counter() - began
                time.sleep(0.1)
                took.append((wall, (cpu_seconds(process) or 0.0) - before))
                time.sleep(2.2)  # beyond the least time for which a reading holds
            (first, cpu), (again, cpu_again) = took
            failed = f"  {said['failed']}" if "failed" in said else ""
            print(f"{path:34} {first:7.2f} s, CPU {cpu:5.2f} s; again {again:5.2f} s, {cpu_again:5.2f} s{failed}")


def main(what: str, given: str, *rest: str) -> None:
    if what == "running":
        running(int(given), *(int(one) for one in ([*rest, "3", "0"] if not rest else [*rest, "0"])[:2]))
    elif what == "readings":
        readings(Path(given))
    else:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the others need none

        with sync_playwright() as started, served(Path(given)) as (address, _):
            browser = started.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            figures(browser, address, Path(given), int(rest[0]) if rest else 3)
            browser.close()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("figures", "running", "readings"):
        sys.exit(__doc__)
    main(sys.argv[1], *sys.argv[2:])
