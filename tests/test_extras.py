"""A plain installation crawls; what needs more says which extra brings it."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NEEDS_SCIPY = "Error: this needs scipy; run: pip install 'minicrawl[analysis]'\n"


def plain(*words: object) -> subprocess.CompletedProcess[str]:
    """Run minicrawl as if no extra were installed."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['aiohttp', 'scipy', 'numba', 'matplotlib', 'pyarrow'])); "
        "from minicrawl.__main__ import run; run()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False, timeout=120
    )


class _Pages(BaseHTTPRequestHandler):
    """Two pages that link to each other."""

    def do_GET(self) -> None:
        links = {"/": "/b", "/b": "/"}
        body = f'<a href="{links[self.path]}">x</a>'.encode() if self.path in links else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_plain_installation_crawls_and_reads(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with _served() as seed:
        done = plain("crawl", seed, "--delay", "0", "--allow-private", "--store", store)
    assert (done.returncode, done.stderr) == (0, done.stderr)
    for words in (["top"], ["status"], ["why", seed], ["check"], ["export", tmp_path / "ranks.csv"]):
        done = plain(*words, "--store", store)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "ranks.csv").read_text().count("\n") == 3
    for words in (["rank"], ["verify"], ["graph", "stats"], ["top", "--sites"], ["compare", "importance", "inlinks"]):
        done = plain(*words, "--store", store)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDS_SCIPY)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("demo", "Error: the demo needs aiohttp; run: pip install 'minicrawl[demo]'\n"),
        ("lab figure 2", "Error: the lab needs numba and matplotlib; run: pip install 'minicrawl[lab]'\n"),
    ],
)
def test_extra_that_is_missing_is_named(words: str, sentence: str) -> None:
    done = plain(*words.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
