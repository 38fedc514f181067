"""A browser lets nothing out but through the crawl, and does not outlive it."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest
from support import ways_out
from support.needs import ROOT_OF_ITS_OWN, needs
from support.patience import PATIENCE
from support.rendered import descendants, is_alive, slow_with_chromium, with_chromium
from support.ways_out import WAYS

from minicrawl.sandbox.cage import FILTER, NAMESPACE

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="cages are for Linux")
needs_own_network = needs("namespaces")

CRAWL = """
import sys
from support.rendered import shown
from minicrawl.settings import CrawlSettings
settings = CrawlSettings(render="x", delay=0.0, ignore_robots=True, allow_private=True, connect_to=sys.argv[1])
shown(settings, ("http://h.test/x", sys.argv[2]))
"""
PAGE = (
    "<script>for (const way of WAYS) try { eval(way) } catch {}"
    "setTimeout(() => { fetch('/'); setTimeout(() => { while (true) {} }, 0) }, 500)</script>"
)


@only_linux
@with_chromium
def test_a_crawl_that_is_killed_leaves_no_browser_and_no_file_and_no_page_has_sent_udp(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """When the page has had the time to send UDP, it asks for something by the crawl, which is killed; and hangs."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.create_server(("127.0.0.1", 0)) as tcp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        at = f"127.0.0.1:{udp.getsockname()[1]}"
        ways = [WAYS[way].replace("AT", at) for way in ("STUN", "TURN over udp", "web transport")]
        to, page = f"::127.0.0.1:{tcp.getsockname()[1]}", PAGE.replace("WAYS", json.dumps(ways))
        with subprocess.Popen([sys.executable, "-c", CRAWL, to, page]) as crawl:
            try:
                tcp.settimeout(PATIENCE)
                asked, _ = tcp.accept()
                started = descendants(crawl.pid)
                assert list(tmp_path.iterdir())
            finally:
                crawl.kill()
        asked.close()
        with pytest.raises(BlockingIOError):
            udp.recv(1)
    assert sum("chrom" in name for name in started.values()) > 2
    end = time.monotonic() + PATIENCE
    while any(map(is_alive, started)) or list(tmp_path.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.01)


def tried(kind: str) -> dict[str, list[str]]:
    """See ways_out."""
    command = [*ROOT_OF_ITS_OWN, sys.executable, ways_out.__file__, kind]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    return cast("dict[str, list[str]]", json.loads(found))


@slow_with_chromium
@needs_own_network
@pytest.mark.parametrize("kind", [NAMESPACE, FILTER])
def test_no_page_sends_a_packet_whatever_it_tries(kind: str) -> None:
    assert tried(kind) == {"seen": [], "failed": []}


@slow_with_chromium
@needs_own_network
def test_most_ways_out_send_packets_where_nothing_keeps_them_back() -> None:
    assert len(WAYS.keys() & tried("free")["seen"]) >= ways_out.ENOUGH
