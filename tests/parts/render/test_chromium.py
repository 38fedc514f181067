"""A Chromium: found or not, and kept off the network whatever a page tries.

Processes that take too much memory or CPU are killed, and no others: on real processes.
"""

import asyncio
import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from support.rendered import HOST, Site, script, slow_with_chromium
from support.ways_out import ALONE, WAYS

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import SettingError
from minicrawl.installed import adding, find_chromium
from minicrawl.model import Fetched
from minicrawl.parts.render.chromium import Caps, Process, watch
from minicrawl.parts.render.renderer import Renderer
from minicrawl.settings import CrawlSettings
from minicrawl.web.http.fetch import Fetcher


def program(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_first_on_the_path_is_taken_unless_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    chrome = program(tmp_path, "google-chrome")
    assert find_chromium(None) == chrome
    browser = program(tmp_path, "chromium-browser")
    assert find_chromium(None) == browser
    without_windows = program(tmp_path, "chromium-headless-shell")
    assert find_chromium(None) == without_windows
    assert find_chromium(chrome) == chrome


def test_a_missing_one_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SettingError,
        match=r"there is no chromium-headless-shell, chromium, .* on the PATH; .*, or name it: --chromium FILE",
    ):
        find_chromium(None)
    (tmp_path / "text").write_text("no program")
    for wrong in ("nowhere", "text", "."):
        with pytest.raises(SettingError, match="is not a program; name the file of a Chromium"):
            find_chromium(tmp_path / wrong)


SYSTEMS = {
    "Debian": ("ID=debian\n", "run: apt-get install chromium-headless-shell, or"),
    "Ubuntu": ("ID=ubuntu\nID_LIKE=debian\n", "&& apt-get install ./google-chrome-stable_current_amd64.deb, or"),
    "Mint": ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', "&& apt-get install ./google-chrome-stable"),
    "Fedora": ("ID=fedora\n", "run: dnf install chromium, or"),
    "Alma": ('ID="almalinux"\nID_LIKE="rhel centos fedora"\n', "run: dnf install chromium, or"),
    "another": ("ID=nixos\n", "; install one, or"),
    "nameless": ("\n", "; install one, or"),
}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.skipif(sys.platform != "linux", reason="it is told by a file of Linux")
def test_the_line_that_installs_one_is_that_of_the_system(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, line = SYSTEMS[system]
    read = dict(each.replace('"', "").split("=") for each in release.split("\n") if "=" in each)
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "linux"} | read)  # as it says of none
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingError, match=re.escape(line)):
        find_chromium(None)


def test_a_missing_extra_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(SettingError, match=re.escape(adding("render"))):
        find_chromium(program(tmp_path, "chromium"))


async def tried(code: str) -> Site:
    """A page that runs a script, where private addresses are allowed; which requests came to a server on loopback."""
    site = Site({})
    async with site:
        settings = CrawlSettings.of({"render": "x", "delay": 0.0, "ignore_robots": True, "allow_private": True})
        async with Fetcher(fetch_options(settings)) as fetcher, aclosing(Renderer(settings, fetcher)) as renderer:
            page = script(f"{code.replace('THERE', f'127.0.0.1:{site.port}')}; document.body.append('made')")
            found, *_ = await renderer.rendered(Fetched(f"{HOST}/x", 200, page.encode(), "text/html"))
    assert b"made" in found.body
    return site


@slow_with_chromium
async def test_where_private_addresses_are_allowed_requests_go_by_our_fetcher_alone() -> None:
    stay = (code.replace("HTTP", "http").replace("WS", "ws") for way, code in WAYS.items() if way not in ALONE)
    site = await tried(";".join(f"try {{ {code.replace('AT', 'THERE')} }} catch {{}}" for code in stay))
    paths = [url.split("/", 3)[3] for url in site.asked]
    assert {"", "module.js"} <= set(paths)
    assert all(head.startswith(b"GET ") and b"minicrawl" in head for head in site.headers)


CAPS = Caps(memory=100 * 2**20, cpu=5.0, every=0.01)
SMALL, LARGE = 1, 200


@contextlib.contextmanager
def process(megabytes: int) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has that much in memory."""
    code = f"kept = b'x' * ({megabytes} << 20); print('ready', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline() == b"ready\n"
            yield started
        finally:
            started.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process has in memory")
@pytest.mark.parametrize(
    ("megabytes", "kind", "seconds", "is_killed"),
    [(SMALL, "renderer", 4.0, False), (SMALL, "browser", 99.0, False), (SMALL, "renderer", 6.0, True),
     (LARGE, "renderer", 0.0, True), (LARGE, "GPU", 0.0, True)],
)  # fmt: skip
def test_what_exceeds_its_bounds_is_killed(megabytes: int, kind: str, seconds: float, is_killed: bool) -> None:
    with process(megabytes) as one, process(LARGE) as last:

        async def processes() -> list[Process]:
            return [Process(one.pid, kind, seconds), Process(last.pid, "renderer", 0.0)]

        async def run() -> None:
            watching = asyncio.create_task(watch(processes, CAPS))
            await asyncio.to_thread(last.wait)
            watching.cancel()

        asyncio.run(run())
        assert (one.wait() if is_killed else one.poll()) == (-signal.SIGKILL if is_killed else None)
