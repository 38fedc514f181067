"""Beside other crawlers: the same pages, one crawler after the other, in one table.

    python bench/peers.py FOLDER... [--scrapy PYTHON] [--modules NODE_MODULES]

FOLDERs hold HTML with an index.html, as /usr/share/doc/python3/html does; nginx serves them on loopback. Its log says
what each crawler has asked for, so none is taken at its word:

    pages       HTML pages that were answered with 200, each counted once
    left out    HTML pages that another crawler was given and this one was not
    other       answers beside these: errors, redirects, pages again, pictures
    CPU, peak   of the crawler's processes, user and system time, and of the largest of them; the server's is not in it

Every crawler has up to 16 requests in flight, where that can be told, and no delay. Those that save the pages do so in
a temporary folder. HTTrack, wget2 and node are taken from PATH; --scrapy is a Python with Scrapy, --modules the folder
made by `npm install @crawlee/cheerio @spider-rs/spider-rs @spider-rs/spider-rs-linux-x64-gnu`. What is not installed is
left out, and named.
"""

import argparse
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
_AT_ONCE = "16"
_TIME_LIMIT = 300.0
_WGET2_SAW_ERRORS = 8  # a link is dead somewhere
_NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types; access_log off; sendfile on; keepalive_requests 100000; absolute_redirect off;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  log_format plain "$status\\t$sent_http_content_type\\t$uri";
  server {{
    listen 127.0.0.1:{port}; root {folder}/root; charset off; access_log {folder}/access.log plain;
  }}
}}
"""


class Run(NamedTuple):
    """A crawler's result. pages: paths of HTML pages that it was given; other: answers beside the first of each."""

    pages: frozenset[str]
    other: int
    seconds: float
    cpu: float
    peak_kb: int


class Server:
    """Serves folders on loopback, and says what it was asked for."""

    def __init__(self, folders: Sequence[Path], place: Path) -> None:
        self._log = place / "access.log"
        (place / "root").mkdir()
        names = [folder.resolve().parent.name for folder in folders]
        for name, folder in zip(names, folders, strict=True):
            (place / "root" / name).symlink_to(folder.resolve())
        links = "".join(f'<p><a href="/{name}/index.html">{name}</a></p>' for name in names)
        (place / "root" / "index.html").write_text(f"<!DOCTYPE html><title>Folders</title>{links}")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        (place / "nginx.conf").write_text(_NGINX.format(folder=place, port=self.port))
        place.chmod(0o755)  # nginx started by root serves as another user
        self._process = subprocess.Popen(["nginx", "-c", place / "nginx.conf", "-e", place / "error.log"])
        self._wait()

    def answers(self) -> tuple[frozenset[str], int]:
        """The HTML pages that were asked for since the last call, and how many answers there were beside."""
        pages: Counter[str] = Counter()
        other = 0
        for line in self._log.read_text().splitlines():
            status, content_type, path = line.split("\t")
            if status == "200" and content_type.startswith("text/html"):
                pages[path.removesuffix("index.html")] += 1
            else:
                other += 1
        os.truncate(self._log, 0)
        return frozenset(pages), other + pages.total() - len(pages)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _wait(self) -> None:
        while self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise SystemExit("nginx does not start")


def run(folders: Sequence[Path], scrapy: str | None, modules: Path | None) -> None:
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as stack:
        server = Server(folders, Path(place))
        stack.callback(server.stop)
        runs, absent = {}, []
        for name, command in _commands(f"http://127.0.0.1:{server.port}/", Path(place), scrapy, modules):
            if command is None:
                absent.append(name)
                continue
            runs[name] = _measured(command, server)
    _print(runs)
    if absent:
        print(f"not installed: {', '.join(absent)}")


def _commands(
    url: str, place: Path, scrapy: str | None, modules: Path | None
) -> Iterator[tuple[str, list[str] | None]]:
    """Each crawler with its command; None where it is not installed."""
    ours = [sys.executable, "-m", "minicrawl", "--config", "none", "crawl", url, "--quiet"]
    ours += ["--allow-private", "--delay", "0", "--per-host", _AT_ONCE, "--scope", "host", "--json"]
    for workers in ("0", "1", "2"):
        name = "minicrawl" if workers == "0" else f"minicrawl --workers {workers}"
        yield name, [*ours, "--workers", workers, "--store", f"{place}/{workers}.db"]
    for kind in ("plain", "tuned"):
        command = [scrapy or "", f"{_HERE}/scrapy_peer.py", url, f"{place}/{kind}", kind]
        yield f"Scrapy with JOBDIR, {kind}", command if scrapy else None
    wget2 = ["wget2", "--recursive", "--level=0", "--quiet", f"--max-threads={_AT_ONCE}", "--directory-prefix"]
    wget2 += [f"{place}/wget2", "--follow-tags=a/href,area/href,frame/src,iframe/src", url]
    yield "wget2", wget2 if shutil.which("wget2") else None
    # It takes little of a server and of a site unless it is asked for more. Priority 1: HTML alone.
    httrack = ["httrack", url, "--disable-security-limits", "--max-rate=0", "--depth=999999", f"--sockets={_AT_ONCE}"]
    httrack += ["--connection-per-second=0", "--priority=1", "--quiet", "--path", f"{place}/httrack"]
    yield "HTTrack", httrack if shutil.which("httrack") else None
    for name, package, script in (
        ("Crawlee, Cheerio", "@crawlee/cheerio", "crawlee_peer.mjs"),
        ("spider-rs", "@spider-rs/spider-rs", "spider_peer.mjs"),
    ):
        is_there = modules is not None and (modules / package).is_dir() and shutil.which("node")
        yield name, ["node", f"{_HERE}/{script}", str(modules), url, _AT_ONCE] if is_there else None


def _measured(command: Sequence[str], server: Server) -> Run:
    """Run a crawler. It is ended after _TIME_LIMIT seconds, and has done what it had done by then."""
    started = time.monotonic()
    limited = ["timeout", str(_TIME_LIMIT), *command]
    process = subprocess.Popen(limited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tempfile.gettempdir())
    assert process.stderr is not None
    with process.stderr:
        complaints = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    pages, other = server.answers()
    if process.returncode and not (command[0] == "wget2" and process.returncode == _WGET2_SAW_ERRORS):
        print(f"{command[0]} ended with {process.returncode}: {complaints[-300:].decode(errors='replace')}")
    return Run(pages, other, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def _print(runs: dict[str, Run]) -> None:
    every = frozenset[str]().union(*(run.pages for run in runs.values()))
    heads = ("   pages", "left out", " other", "     s", "pages/s", "CPU ms/page", "peak MB")
    print(f"{'':<26}" + "".join(f"{head:>{len(head) + 3}}" for head in heads))
    for name, run in runs.items():
        count = max(1, len(run.pages))
        cells = (
            f"{len(run.pages):,}",
            f"{len(every - run.pages):,}",
            f"{run.other:,}",
            f"{run.seconds:.1f}",
            f"{count / run.seconds:,.0f}",
            f"{1e3 * run.cpu / count:.2f}",
            f"{run.peak_kb / 1024:.0f}",
        )
        print(f"{name:<26}" + "".join(f"{cell:>{len(head) + 3}}" for head, cell in zip(heads, cells, strict=True)))
    for name, run in runs.items():
        if missed := sorted(every - run.pages):
            print(f"{name} left out {', '.join(missed[:5])}{' ...' if len(missed) > 5 else ''}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--scrapy", metavar="PYTHON", help="a Python in which Scrapy is installed")
    parser.add_argument("--modules", type=Path, metavar="NODE_MODULES")
    given = parser.parse_args()
    run(given.folders, given.scrapy, given.modules and given.modules.resolve())


if __name__ == "__main__":
    main()
