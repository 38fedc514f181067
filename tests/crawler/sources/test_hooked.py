"""Hooks in their child: they see what was sent, keep what they like, and whatever they do costs them alone."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from msgspec.msgpack import encode
from support.sites import Site, crawl, faults_in, rows
from support.small_web import small_web

from minicrawl import acrawl
from minicrawl.crawler.sources.hooked import HookedPages
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import ParsedPage, Wanted
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

URL = "http://a.test/"
BODY = b"<title>T</title><a href=/a>A</a><p>words beside it: <a href=/b>B</a>"
WHOLE, _ = read_page(BODY, URL, None, Wanted(anchors=True, places=True))


async def hooked(folder: Path, code: str, run: Callable[[HookedPages], Awaitable[Any]], longest: float = 3600.0) -> Any:
    """Call a function with the hooks of this code, between their start and end."""
    (folder / "h.py").write_text(code)
    async with aclosing(HookedPages((str(folder / "h.py"),), longest)) as hooks:
        await hooks.started()
        return await run(hooks)


async def seen(hooks: HookedPages, body: bytes = BODY, parsed: ParsedPage = WHOLE) -> ParsedPage:
    return await hooks.page(parsed, body, URL, "text/html", ())


async def test_links_that_a_hook_leaves_out_are_refused(tmp_path: Path) -> None:
    code = "def links(page, links): return [link for link in links if link.endswith('b')]"
    parsed = await hooked(tmp_path, code, seen)
    assert (parsed.outlinks, parsed.anchors, parsed.refused) == ((f"{URL}b",), ("B",), 1)
    assert parsed.places == WHOLE.places[1:]


async def test_hooks_see_the_page_as_it_was_sent(tmp_path: Path) -> None:
    code = (
        "def on_page(page): return {'type': page.headers['content-type'], 'more': page.headers['x-more'],\n"
        "    'body': page.body[:4].hex(), 'html': page.html[:6].decode(), 'status': page.status, 'title': page.title}"
    )
    fields = (("content-type", "text/html; charset=euc-kr"), ("x-more", "1"), ("x-more", "\xfc"))
    body = "한국".encode("euc-kr")
    run = lambda hooks: hooks.page(WHOLE, body, URL, fields[0][1], fields)  # noqa: E731
    assert [json.loads(item) for item in (await hooked(tmp_path, code, run)).items] == [
        {"type": fields[0][1], "more": "1, \xfc", "body": "c7d1b1b9", "html": "한국", "status": 200, "title": "T"}
    ]


CONNECTING = """
import urllib.request
def on_page(page): urllib.request.urlopen(AT, timeout=60).close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="cages are for Linux")
@pytest.mark.parametrize("at", ["http://127.0.0.1:PORT", "http://localhost.test:PORT"])
async def test_hooks_have_no_network_and_are_told(tmp_path: Path, at: str) -> None:
    with small_web() as port:
        code = CONNECTING.replace("AT", repr(at.replace("PORT", str(port))))
        ((_, failed),) = (await hooked(tmp_path, code, seen)).hook_failures
        assert failed.startswith("URLError: ")
        assert failed.endswith(" (hooks have no network)")


COUNTING = """
import os
seen = []
def started(): seen.append("started")
def on_page(page):
    seen.append("page")
    if len(seen) == 4: os._exit(3)
    return {"seen": seen}
"""


async def test_hooks_keep_what_they_like_and_are_started_again_after_their_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def pages(hooks: HookedPages) -> list[ParsedPage]:
        return [await seen(hooks) for _ in range(4)]

    found = await hooked(tmp_path, COUNTING, pages)
    place = tmp_path / "h.py"
    assert [[json.loads(item)["seen"] for item in page.items] for page in found] == [
        [["started", "page"]],
        [["started", "page", "page"]],
        [],
        [["started", "page"]],
    ]
    assert found[2].hook_failures == ((f"{place}:on_page", "its process ended (exit code 3)"),)
    assert [message.splitlines()[0] for message in caplog.messages] == [
        f"hook {place}:on_page failed on {URL}: its process ended (exit code 3)"
    ]


HOSTILE = """
import os, signal, sys, threading, time
from pathlib import Path

class Sly(dict):
    def items(self): sys.exit(1)

def stop_signals():
    for number in range(1, 64):
        try: signal.signal(number, lambda *_: None)
        except (OSError, ValueError): pass

def endless():
    while True: pass

def deaf():
    signal.setitimer(signal.ITIMER_PROF, 0)
    endless()

def raises(error): raise error

DEEDS = {
    "exit": lambda: sys.exit(3),
    "exit-at-once": lambda: os._exit(0),
    "interrupt": lambda: raises(KeyboardInterrupt()),
    "generator-exit": lambda: raises(GeneratorExit()),
    "abort": os.abort,
    "sly": Sly,
    "huge": lambda: {"a": "x" * 5_000_000},
    "4-gb": lambda: {"a": len(bytearray(4 * 2**30))},
    "close": lambda: os.closerange(3, 1000),
    "endless": endless,
    "deaf": deaf,
    "sleep": lambda: time.sleep(3600),
    # These harm nobody.
    "fork": lambda: {"a": os.fork() and 1},
    "print": lambda: {"a": print("printed") or os.write(1, b"written")},
    "chdir": lambda: {"a": os.chdir("/")},
    "signals": lambda: {"a": stop_signals()},
    "thread": lambda: {"a": threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()},
    "close-standard": lambda: {"a": [os.close(number) for number in range(3)]},
}

def on_page(page):
    deed = DEEDS.get(page.url.rpartition("/")[2])
    return {"calm": 1} if deed is None else deed()
"""
HARMLESS = {"fork", "print", "chdir", "signals", "thread", "close-standard"}
FAILING = {
    *("exit", "exit-at-once", "interrupt", "generator-exit", "abort", "sly", "huge", "4-gb", "close", "endless"),
    *("deaf", "sleep"),
}


SPOKEN = """
import os, struct

def on_page(page):
    name = page.url.rpartition("/")[2]
    said = ANSWERS.get(name)
    for end in (3, 4) if said is not None else ():
        try:
            os.write(end, struct.pack(">Q", len(said)) + said)
        except OSError:
            pass
    return {"calm": name}
"""
NEAR_ANSWERS = {
    "nothing": encode((None, None)),
    "both": encode(([[], [], [], [], None], ("x", "y"))),
    "number": encode((5, None)),
    "text": encode(("x", None)),
    "deep": encode(([[], [], [], ['{"a":' * 100_000], None], None)),
    "no-object": encode(([[], [], [], ["5"], None], None)),
}


def test_a_hook_that_answers_in_the_place_of_its_child_costs_its_items_and_no_page(tmp_path: Path) -> None:
    hook, store, items = tmp_path / "speaks.py", tmp_path / "crawl.db", tmp_path / "items.jsonl"
    hook.write_text(SPOKEN.replace("ANSWERS", repr(NEAR_ANSWERS)))
    site: Site = {"http://a.test/": [f"/{name}" for name in NEAR_ANSWERS]}
    site |= {f"http://a.test/{name}": ["/last"] for name in NEAR_ANSWERS} | {"http://a.test/last": ["/"]}
    crawl(site, store, ["http://a.test/"], hook=(str(hook),), items=str(items), traps=False)
    reasons = dict(rows(store, "SELECT url, reason FROM pages"))
    failed = {f"http://a.test/{name}" for name in NEAR_ANSWERS}
    assert {url for url, reason in reasons.items() if reason == "item-failed"} == failed
    assert {reasons[url] for url in reasons.keys() - failed} == {"ok"}
    assert reasons.keys() == site.keys()
    assert {json.loads(line)["url"] for line in items.read_text().splitlines()} == reasons.keys() - failed


def refused(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@pytest.mark.slow
def test_a_hostile_hook_costs_its_items_and_the_crawl_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    hook, store, items = tmp_path / "hostile.py", tmp_path / "crawl.db", tmp_path / "items.jsonl"
    hook.write_text(HOSTILE)
    seeds = [f"{URL}{name}" for name in sorted(FAILING | HARMLESS)]
    options: dict[str, Any] = {
        "scope": "host",
        "traps": False,
        "delay": 0.0,
        "allow_private": True,
        "timing": Timing(hook=5.0),
    }
    with small_web() as port:
        report = asyncio.run(
            acrawl(seeds, store, connect_to=f"::127.0.0.1:{port}", hook=str(hook), items=str(items), **options)
        )
    assert report.reason == "nothing-left"
    reasons = {url.removeprefix(URL): reason for url, reason in rows(store, "SELECT url, reason FROM pages")}
    assert {name for name, reason in reasons.items() if reason == "item-failed"} == FAILING
    assert {reason for name, reason in reasons.items() if name not in FAILING} == {"ok"}
    found = [json.loads(line, parse_constant=refused) for line in items.read_text().splitlines()]
    calm = reasons.keys() - FAILING - HARMLESS
    assert sorted(item["url"] for item in found) == sorted(f"{URL}{name}" for name in HARMLESS | calm)
    assert faults_in(store) == []
    with open_store(store) as run:
        counted = run.meta_json("hook_errors")
    assert sum(counted.values()) == len(FAILING)
    assert f"hook {hook}:on_page failed on {URL}exit: SystemExit: 3" in caplog.text
