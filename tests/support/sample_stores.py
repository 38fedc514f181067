"""Sample stores of earlier schemas, in tests/store/samples, and the web that they are of.

A store is SQL, packed by xz. It is made with the Python of a checkout that has its schema:

    cd CHECKOUT && PYTHONPATH=. python -P HERE/tests/support/sample_stores.py HERE/tests/store/samples/35.sql.xz

That reads half of the web, and refreshes some of it.
"""

import lzma
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "store" / "samples"
HOSTS = ("a.test", "b.test", "c.test")
PATHS = ("/", *(f"/{number}" for number in range(1, 9)), "/0", "/moved", "/missing", "/robots.txt", "/sitemap.xml")
_PAGES = 9
_HTML = {"Content-Type": "text/html; charset=utf-8"}


def answer(host: str, path: str) -> tuple[int, dict[str, str], str]:
    """Status, header fields and body of a page of the web."""
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n"
    if path == "/sitemap.xml":
        urls = "".join(f"<url><loc>http://{host}/{number}</loc></url>" for number in range(0, _PAGES, 5))
        return 200, {"Content-Type": "application/xml"}, f"<urlset>{urls}</urlset>"
    if path == "/moved":
        return 301, {"Location": "/3"}, ""
    name = path.strip("/") or "0"
    if not name.isdecimal() or int(name) >= _PAGES:
        return 404, _HTML, "<title>Not found</title>No such page."
    number = 4 if name == "5" else int(name)
    numbers = [(number * 7 + 3) % _PAGES, (number * 5 + 1) % _PAGES, (number + 1) % _PAGES, 0]
    links = [f"<a href='/{each}'>Page {each}</a>" for each in numbers]
    other = HOSTS[(HOSTS.index(host) + number) % len(HOSTS)]
    links.append(f"<a href='http://{other}/{number * 3 % _PAGES}'>Other</a>")
    links += ["<a href='/moved'>Moved</a>", "<a href='/missing'>Missing</a>"] if number == 2 else []
    canonical = "<link rel='canonical' href='/4'>" if name == "5" else ""
    words = " ".join(f"word{number}{at}" for at in range(12))
    head = f"<head><title>Page {number} of {host}</title>{canonical}</head>"
    prose = f"<h1>Page {number}</h1><p>This page of {host} tells of the number {number}. {words}</p>"
    body = f"<html lang='en'>{head}<body><main>{prose}</main>{' '.join(links)}</body></html>"
    return 200, {**_HTML, "Set-Cookie": "seen=1"}, body


def unpack(sample: str, store: Path) -> int:
    """Make the store of a sample. Returns its schema."""
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        db.executescript(lzma.decompress((SAMPLES / f"{sample}.sql.xz").read_bytes()).decode())
        db.execute("PRAGMA journal_mode = WAL")
        (schema,) = db.execute("PRAGMA user_version").fetchone()
    return int(schema)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, fields, body = answer(self.headers["Host"].partition(":")[0], self.path)
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())


def main(file: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "crawl.db")
        minicrawl, at = [sys.executable, "-P", "-m", "minicrawl"], ["--store", str(store), "--quiet"]
        sent = [option for host in HOSTS for option in ("--connect-to", f"{host}:80:127.0.0.1:{server.server_port}")]
        crawl = [
            "crawl",
            "http://a.test/",
            "--text",
            "--cookies",
            "--pages",
            "14",
            "--delay",
            "0.01",
            "--allow-private",
        ]
        subprocess.run([*minicrawl, *crawl, *sent, *at], check=True)
        subprocess.run([*minicrawl, "refresh", "--pages", "4", *at], check=True)
        with closing(sqlite3.connect(store)) as db:
            pragmas = ("page_size", "application_id", "user_version")
            lines = [f"PRAGMA {name} = {db.execute(f'PRAGMA {name}').fetchone()[0]};" for name in pragmas]
            file.write_bytes(lzma.compress("\n".join([*lines, *db.iterdump()]).encode(), preset=9))
    server.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
