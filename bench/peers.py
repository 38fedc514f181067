"""Beside other crawlers: CPU per page and pages a second, the same pages, one after the other.

    python bench/peers.py PYTHON_WITH_SCRAPY SEEDS CONNECT_TO [any option of 'minicrawl crawl' but --store ...]

SEEDS: a seed file; all pages of its hosts are crawled. CONNECT_TO: a file of HOST:PORT:ADDRESS:PORT, with every host.
minicrawl runs with one process, with a process more, and with two; Scrapy as it is, and tuned by hand (scrapy_peer.py).
CPU is user and system time of the whole process tree; the server's is not in it.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

_HERE = os.path.dirname(__file__)


def run(python: str, seeds: str, connect_to: str, options: list[str]) -> None:
    ours = [sys.executable, "-m", "minicrawl", "crawl", seeds, "--connect-to", f"@{connect_to}", "--allow-private"]
    ours += ["--delay", "0", "--per-host", "16", "--scope", "host", "--json", "--quiet", *options, "--store"]
    scrapy = [python, os.path.join(_HERE, "scrapy_peer.py"), seeds, connect_to]
    print(f"{'':<34}{'pages':>8}{'CPU ms/page':>13}{'pages/s':>9}{'peak MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        _measure("minicrawl", [*ours, f"{folder}/0.db"], _ours)
        for workers in ("1", "2"):
            command = [*ours, f"{folder}/{workers}.db", "--workers", workers, "--concurrency", "256"]
            _measure(f"minicrawl --workers {workers}", command, _ours)
        for kind in ("plain", "tuned"):
            _measure(f"Scrapy with JOBDIR, {kind}", [*scrapy, f"{folder}/{kind}", kind], int)


def _ours(output: str) -> int:
    return int(json.loads(output)["fetched"])


def _measure(name: str, command: Sequence[str], pages_of: Callable[[str], int]) -> None:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(["/usr/bin/env", "time", "-f", "%M", *command], capture_output=True, text=True, check=True)
    seconds, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    pages, peak = pages_of(done.stdout), int(done.stderr.split()[-1])
    print(f"{name:<34}{pages:>8,}{1e3 * cpu / pages:>13.2f}{pages / seconds:>9.0f}{peak / 1024:>9.0f}", flush=True)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
