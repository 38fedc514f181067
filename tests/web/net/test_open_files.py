"""A crawl has no more open than it may, and what it could not open is asked for again."""

import asyncio
import contextlib
import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from support.raw_server import SiteServer
from support.sites import Server, Site, crawl, rows

from minicrawl.system import is_out_of_files
from minicrawl.timing import Timing
from minicrawl.web.net.addresses import DnsCache
from minicrawl.web.net.open_files import LEAST, RESERVED, room

HURRY = Timing(full=0.0, retry=0.001, robots_retry=0.001)
HOSTS = [f"http://h{number}.test/" for number in range(60)]
SITE: Site = {
    f"{home}{page}": [f"/{page + 1}", f"{other}{page}"]
    for home, other in zip(HOSTS, HOSTS[1:] + HOSTS[:1], strict=True)
    for page in range(3)
}


@pytest.mark.parametrize("limit", [LEAST, 256, 4096, None])
@pytest.mark.parametrize("concurrency", [1, 64, 1000])
def test_all_together_keep_within_the_limit(limit: int | None, concurrency: int) -> None:
    files = room(limit, concurrency)
    assert files.requests <= concurrency
    assert min(files.requests, files.attempts, files.idle) >= 1
    if limit is not None:
        # Requests may each have two addresses tried at a time, on a quarter of all files in all.
        assert files.requests + files.attempts + files.idle <= 3 * (limit - RESERVED) // 4 + 3


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
async def test_a_name_that_could_not_be_asked_for_is_not_one_whose_name_server_fails() -> None:
    """Nor is that remembered: once there is room, the name is asked for."""
    resource = pytest.importorskip("resource")

    pytest.importorskip("aiodns")  # its own files are read while there is room
    dns, taken = DnsCache(), []
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST + len(os.listdir("/dev/fd")), limits[1]))
    try:
        for number in range(9):
            with contextlib.suppress(OSError):
                while True:
                    taken.append(os.dup(0))
            with pytest.raises(OSError, match=r"^\[Errno") as caught:
                await dns.addresses(f"h{number}.test")
            if is_out_of_files(1):  # nothing else in this process has closed a file meanwhile
                break
        assert "too many files" in str(caught.value)
        assert caught.value.errno == errno.EMFILE
        assert not isinstance(caught.value, socket.gaierror)
    finally:
        for file in taken:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert not is_out_of_files(1)
    assert await dns.addresses("localhost")
    await dns.close()


class Full(Server):
    """Every third request finds that too many files are open."""

    def __init__(self) -> None:
        super().__init__(SITE)
        self.number = 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.number += 1
        if self.number % 3 == 0:
            error = OSError(errno.EMFILE, "Too many open files")
            raise httpx.ConnectError(str(error), request=request) from error
        return super()._answer(request)


@pytest.mark.parametrize("ignore_robots", [False, True])
def test_requests_that_found_no_room_are_made_again_and_count_as_none(tmp_path: Path, ignore_robots: bool) -> None:
    store, server = tmp_path / "crawl.db", Full()
    hurry = {"timing": HURRY, "traps": False, "ignore_robots": ignore_robots, "concurrency": 4}
    report, _ = crawl(server, store, [f"{home}0" for home in HOSTS], **hurry)
    assert (report.reason, report.failures) == ("nothing-left", {"http-404": len(HOSTS)})
    assert rows(store, "SELECT DISTINCT state, reason, attempts FROM pages ORDER BY 1") == [
        ("error", "http-404", 0),
        ("fetched", "ok", 0),
    ]
    assert rows(store, "SELECT count(*) FROM health") == [(0,)], "no host was in doubt"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
async def test_a_crawl_of_more_hosts_than_open_files_loses_no_page(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"{home}0\n" for home in HOSTS))
    async with SiteServer(SITE) as server:
        command = f"{sys.executable} -m minicrawl crawl {seeds} --connect-to ::127.0.0.1:{server.port} --allow-private"
        command += f" -q --delay 0 --no-traps --store {tmp_path}/crawl.db --workers 1"
        crawl = await asyncio.create_subprocess_shell(f"ulimit -n 64; {command}", stdout=subprocess.DEVNULL)
        assert await crawl.wait() == 0
    found = rows(tmp_path / "crawl.db", "SELECT state, reason, count(*) FROM pages GROUP BY 1, 2 ORDER BY 1")
    assert found == [("error", "http-404", len(HOSTS)), ("fetched", "ok", len(SITE))]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_limit_that_is_too_low_is_named(tmp_path: Path) -> None:
    command = f"ulimit -n {LEAST - 1}; {sys.executable} -m minicrawl crawl http://h.test/ --store {tmp_path}/crawl.db"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: only {LEAST - 1} files may be open, and a crawl needs {LEAST}; run 'ulimit -n 1024' before it\n"
    )
