"""Crawl applications whose pages scripts make, beside their twin that is complete without them.

    python bench/apps/scripted.py [react vue ...] [--folder data/apps/scripted]

Each has 51 pages with words of their own. Counted are the pages whose words were read, the requests, those for data of
all pages, and the CPU time of all processes. Crawlee's adaptive crawler has the same Chromium.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from apps.application import names, prose, run

from minicrawl import open_store

_SOURCES = Path(__file__).with_name("made_by_scripts")
_PACKAGES = (
    "vite@8.3.8",
    "react",
    "react-dom",
    "react-router-dom",
    "vue",
    "vue-router@4",
    "svelte",
    "preact",
    "lit",
    "solid-js",
    "htmx.org",
)
_OLDER = ("alpinejs", "@alpinejs/intersect", "angular", "angular-route", "mithril", "jquery")
_MORE = ("@sveltejs/vite-plugin-svelte", "crawlee", "playwright")
_CONFIG = "export default {plugins: [(await import('@sveltejs/vite-plugin-svelte')).svelte()]}"
_HEAD = '<!doctype html><html lang=en><head><meta charset=utf-8><title>Plants</title></head><body><div id="app">'
_LISTS, _EACH = 5, 9
KINDS = ("react", "vue", "svelte", "preact", "lit", "solid", "alpine", "htmx", "angularjs", "mithril", "jquery")
Served = tuple[str, Counter[str]]


def data(seed: int = 7) -> dict[str, dict[str, object]]:
    """The pages by name: a title, words, and links with their texts."""
    rng = random.Random(seed)
    titles = names(rng, _LISTS * (_EACH + 1))
    pages: dict[str, dict[str, object]] = {}
    lists = [(f"/list/{at}", titles.pop()) for at in range(_LISTS)]
    pages["home"] = {"title": "Plants", "text": prose(rng), "links": lists}
    for at, (name, title) in enumerate(lists):
        plants = [(f"/plant/{at * _EACH + number}", titles.pop()) for number in range(_EACH)]
        pages[name[1:]] = {"title": title, "text": prose(rng), "links": plants}
        pages |= {to[1:]: {"title": of, "text": prose(rng), "links": [["/", "Plants"]]} for to, of in plants}
    return pages


def main_part(page: Mapping[str, object]) -> str:
    links = "".join(f'<li><a href="{to}">{title}</a></li>' for to, title in page["links"])  # type: ignore[attr-defined]
    return f"<main><h1>{page['title']}</h1><p>{page['text']}</p><ul>{links}</ul></main>"


def twin(page: Mapping[str, object]) -> str:
    banner = "<script>document.body.append('We and our partners set cookies on your device.')</script>"
    return f"{_HEAD}{main_part(page)}</div>{banner}"


def built(folder: Path) -> None:
    """Install and build the applications, unless they are there."""
    if (folder / "built").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(_SOURCES, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    (folder / "vite.config.js").write_text(_CONFIG)
    run("npm", "install", "--no-audit", "--no-fund", *_PACKAGES, *_OLDER, *_MORE, cwd=folder,
        env={"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"})  # fmt: skip
    for kind in KINDS:
        (folder / "index.html").write_text(f"{_HEAD}</div><script type=module src=/{kind}.js></script></body></html>")
        run("npx", "vite", "build", "--outDir", f"built/{kind}", cwd=folder)


@contextmanager
def served(folder: Path, pages: Mapping[str, Mapping[str, object]], *, is_twin: bool) -> Iterator[Served]:
    """The front page of an application, or its twin, and how often each path was asked for."""
    asked, document = Counter[str](), (folder / "index.html").read_bytes()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked[self.path] += 1
            name, file = self.path.strip("/") or "home", folder / self.path.strip("/")
            kind, body, status = "text/html", document, 200
            if name.startswith("data/") and name.endswith(".html"):
                body = main_part(pages[name[5:-5]]).encode()
            elif name.startswith("data/"):
                known = {"data/menu.json": {"links": pages["home"]["links"]}}
                found = known.get(name) or pages.get(name[5:-5])
                kind, body, status = "application/json", json.dumps(found).encode(), 200 if found else 404
            elif file.is_file():
                kind, body = "text/javascript", file.read_bytes()
            elif name not in pages:
                status = 404
            elif is_twin:
                body = twin(pages[name]).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()


def timed(*words: str | Path, cwd: Path, output: Path) -> tuple[float, float]:
    """Seconds of CPU, of all processes below a command as far as they were seen, and in all."""
    spent, began, tick = dict[str, float](), time.monotonic(), os.sysconf("SC_CLK_TCK")
    with output.open("w") as out, subprocess.Popen([*map(str, words)], cwd=cwd, stdout=out) as process:
        while process.poll() is None:
            stats: dict[str, tuple[str, float]] = {}
            for file in Path("/proc").glob("[0-9]*/stat"):
                try:
                    fields = file.read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                stats[file.parent.name] = fields[1], (int(fields[11]) + int(fields[12])) / tick
            ours = {str(process.pid)}
            while more := {pid for pid, (parent, _) in stats.items() if parent in ours} - ours:
                ours |= more
            spent |= {pid: stats[pid][1] for pid in ours if pid in stats}
            time.sleep(0.02)
    return sum(spent.values()), time.monotonic() - began


def crawled(by: str, front: str, folder: Path, scratch: Path) -> tuple[str, float, float, str]:
    """The texts of all pages that a crawler has read, CPU and other seconds, and how many it has rendered."""
    store, output = scratch / "crawl.db", scratch / "pages.jsonl"
    if by == "crawlee":
        chromium = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))))
        cpu, seconds = timed("node", "crawlee.mjs", front, chromium, cwd=folder, output=output)
        return output.read_text(), cpu, seconds, "-"
    minicrawl = (sys.executable, "-m", "minicrawl")
    words = (*minicrawl, "crawl", front, "--store", store, "--delay", "0", "--allow-private", "--text", "-q")
    cpu, seconds = timed(*words, *(("--render", "auto") if by == "auto" else ()), cwd=scratch, output=output)
    run(*minicrawl, "export", output, "--text", "--store", store)
    with open_store(store) as crawl:
        ((rendered,),) = crawl.rows("SELECT coalesce(sum(rendered), 0) FROM rendered")
    return output.read_text(), cpu, seconds, str(rendered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default="all", choices=("all", *KINDS))
    parser.add_argument("--folder", type=Path, default=Path("data/apps/scripted"))
    given = parser.parse_args()
    kinds = KINDS if "all" in given.kinds else given.kinds
    folder, pages = given.folder.absolute(), data()
    built(folder)
    heads = ("application", "by", "pages", "of", "rendered", "requests", "for data", "CPU", "seconds")
    print("  ".join(f"{head:>12}" for head in heads))
    sites = [*((kind, False) for kind in kinds), (kinds[0], True)]  # all have the same twin
    for (kind, is_twin), by in product(sites, ("plain", "auto", "crawlee")):
        with tempfile.TemporaryDirectory() as scratch, served(folder / "built" / kind, pages, is_twin=is_twin) as site:
            front, asked = site
            texts, cpu, seconds, rendered = crawled(by, front, folder, Path(scratch))
            read = sum(str(page["text"]) in texts for page in pages.values())
            of_data = sum(times for path, times in asked.items() if path.startswith("/data/"))
            row = (f"{kind}{' twin' * is_twin}", by, read, len(pages), rendered, asked.total(), of_data)
            print("  ".join(f"{cell!s:>12}" for cell in (*row, f"{cpu:.1f}", f"{seconds:.1f}")), flush=True)


if __name__ == "__main__":
    main()
