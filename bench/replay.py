"""Compare pages as they looked live with their replay by viewers of archives: screenshots by one Chromium.

python bench/replay.py STORE --connect-to FILE --wayback PROGRAM [--viewer FOLDER] [--pages N] [--keep FOLDER]

STORE      of a crawl with --archive, whose web is still there; --connect-to FILE: as for the crawl
--wayback  pywb: once by rewritten links, once as a proxy
--viewer   the package replaywebpage of npm, with ui.js and sw.js: reads a WACZ
"""

import argparse
import contextlib
import functools
import html
import http.server
import io
import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from PIL import Image
from playwright.sync_api import BrowserContext, Error, Page, Response, sync_playwright

from minicrawl.analysis.archives import folder_of
from minicrawl.cli.archive import export
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

_SIZE = {"width": 1280, "height": 720}
_QUIET_MS, _MOST_MS = 500, 15_000
_REPLAYED = re.compile(r"/(?:\d*)(?:[a-z]{2}_)?/(https?:/.*)")


@dataclass
class Looks:
    """The screenshots of pages, and the URLs that got an answer or none."""

    pictures: dict[str, np.ndarray] = field(default_factory=dict)
    had: set[str] = field(default_factory=set)
    missed: dict[str, set[str]] = field(default_factory=dict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--connect-to", type=Path)
    parser.add_argument("--wayback", type=Path)
    parser.add_argument("--viewer", type=Path)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="write the screenshots here")
    given = parser.parse_args()
    with open_store(given.store) as store:
        archive = folder_of(store).absolute()
        urls = [page.url for page in store.ranks.pages() if page.state == "fetched"][: given.pages]
    shown: dict[str, Looks] = {}
    with tempfile.TemporaryDirectory() as temporary:
        shown["live"] = looks(given.chromium, urls, _resolved(given.connect_to), lambda url: url)
        if given.wayback is not None:
            with pywb(given.wayback, archive, Path(temporary)) as port:
                shown["pywb"] = looks(given.chromium, urls, [], lambda url: f"http://127.0.0.1:{port}/kept/mp_/{url}")
            with pywb(given.wayback, archive, Path(temporary), "--proxy", "kept") as port:
                proxied = [f"--proxy-server=http://127.0.0.1:{port}"]
                shown["pywb --proxy"] = looks(given.chromium, urls, proxied, lambda url: url)
        if given.viewer is not None:
            with wabac(given.viewer, given.store, Path(temporary)) as home:
                shown["replayweb.page"] = looks(given.chromium, urls, [], None, home)
    report(urls, shown, given.keep)


def looks(
    chromium: str, urls: list[str], switches: list[str], place: Callable[[str], str] | None, home: str = ""
) -> Looks:
    """Show pages in a browser. place: the URL of a page's replay; None: as the viewer at `home` says."""
    found = Looks()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", *switches])
        context = browser.new_context(viewport=_SIZE, ignore_https_errors=True)  # type: ignore[arg-type]
        if place is None:
            place = _viewer_places(context, home, urls[0])
        for url in urls:
            page = context.new_page()
            page.on("response", functools.partial(_note, found, url))
            with contextlib.suppress(Error):
                _open(page, place(url), home)
            with contextlib.suppress(Error):
                page.wait_for_load_state("networkidle", timeout=_MOST_MS)
            with contextlib.suppress(Error):
                page.wait_for_timeout(_QUIET_MS)
                picture = page.screenshot(animations="disabled", timeout=_MOST_MS)
                found.pictures[url] = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), dtype=np.uint8)
            page.close()
        browser.close()
    return found


def _open(page: Page, place: str, home: str) -> None:
    """Show a page, that of a viewer in a frame: alone it would get the viewer's bar, or lead there. home: of the
    viewer's pages; "" where there are none."""
    if "mp_/" not in place:
        page.goto(place, timeout=_MOST_MS)
        return
    if home:
        page.goto(f"{home}blank", timeout=_MOST_MS)
    page.set_content(
        f"<body style=margin:0><iframe style='border:0;width:100vw;height:100vh' src='{html.escape(place)}'></iframe>"
    )


def _note(found: Looks, url: str, response: Response) -> None:
    replayed = _REPLAYED.search(urlsplit(response.url).path) if "127.0.0.1" in response.url else None
    asked = response.url[response.url.index(replayed[1]) :] if replayed else response.url
    if response.status < 400:
        found.had.add(asked)
    else:
        found.missed.setdefault(asked, set()).add(url)


def report(urls: list[str], shown: dict[str, Looks], folder: Path | None) -> None:
    live, ways = shown["live"], [name for name in shown if name != "live"]
    differences = {name: [_difference(live, shown[name], url) for url in urls] for name in ways}
    print(f"| page | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for number, url in enumerate(urls):
        print(f"| {url} | {' | '.join(f'{differences[name][number]:.2%}' for name in ways)} |")
    for name in ways:
        all_ = np.array(differences[name])
        sites = len({urlsplit(url).hostname for url in urls})
        print(f"\n{name}: {len(urls)} pages of {sites} hosts, mean difference {all_.mean():.2%}, median "
              f"{np.median(all_):.2%}, largest {all_.max():.2%}, above 3 %: {(all_ > 0.03).sum()}")  # fmt: skip
        missed = {url: by for url, by in shown[name].missed.items() if url in live.had}
        print(f"the live web has and the replay lacks {len(missed)}:")
        for url, by in sorted(missed.items()):
            print(f"  {url}  ({len(by)} pages, such as {min(by)})")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for number, url in enumerate(urls):
            for name, looked in shown.items():
                if url in looked.pictures:
                    picture = Image.fromarray(looked.pictures[url])
                    picture.save(folder / f"{number:03}-{name.split('.')[0].replace(' ', '')}.png")


def _difference(live: Looks, replay: Looks, url: str) -> float:
    """The mean absolute difference of all pixels, from 0 to 1; 1 if one is missing."""
    one, other = live.pictures.get(url), replay.pictures.get(url)
    return 1.0 if one is None or other is None else float(np.abs(one.astype(np.int16) - other).mean()) / 255.0


def _resolved(connect_to: Path | None) -> list[str]:
    """The switch by which Chromium connects as the crawl does."""
    if connect_to is None:
        return []
    rules = (ConnectTo.parse(line) for line in connect_to.read_text().split())
    maps = [f"MAP {rule.host}:{rule.port} {rule.address}:{rule.to_port}" for rule in rules]
    return [f"--host-resolver-rules={','.join([*maps, 'MAP * ~NOTFOUND'])}"]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def pywb(wayback: Path, archive: Path, folder: Path, *options: str) -> Iterator[int]:
    """pywb with one collection, kept. Gives its port."""
    (folder / "collections").mkdir(exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder / "collections" / "kept").symlink_to(archive)
    port = _free_port()
    command = [str(wayback.absolute()), "-b", "127.0.0.1", "-p", str(port), *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(300):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
                    break
                time.sleep(0.1)
            yield port
        finally:
            process.terminate()


@contextlib.contextmanager
def wabac(viewer: Path, store: Path, folder: Path) -> Iterator[str]:
    """A server of the viewer's files and of the archive as a WACZ. Gives the address of a page that shows it."""
    export([str(folder / "kept.wacz"), "--store", str(store)], standalone_mode=False)
    (folder / "replay").mkdir()
    (folder / "ui.js").symlink_to((viewer / "ui.js").absolute())
    (folder / "replay" / "sw.js").symlink_to((viewer / "sw.js").absolute())
    handler = functools.partial(_Ranges, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


class _Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves files, also parts of them, and the page of the viewer."""

    def log_message(self, *_: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def do_GET(self) -> None:
        path, _, url = self.path.partition("?")
        if path == "/blank":
            self._send(200, "text/html", b"<!doctype html>", "")
        elif path == "/replay/":  # the viewer's own frame; its service worker would make it, too
            self._send(200, "text/html", b"<!doctype html><script src=/ui.js></script><replay-app-main>", "")
        elif path == "/":
            page = (
                "<!doctype html><script src=/ui.js></script><replay-web-page style='display:block;height:100vh' "
                f"source=/kept.wacz embed=replayonly loading=eager replayBase=/replay/ url='{url}'></replay-web-page>"
            ).encode()
            self._send(200, "text/html", page, "")
        elif self.headers.get("Range"):
            body = Path(self.translate_path(path)).read_bytes()
            first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
            start = int(first) if first else len(body) - int(last)
            end = min(int(last) + 1, len(body)) if first and last else len(body)
            self._send(206, "application/octet-stream", body[start:end], f"bytes {start}-{end - 1}/{len(body)}")
        else:
            super().do_GET()

    def _send(self, status: int, kind: str, body: bytes, part: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        self.wfile.write(body)


def _viewer_places(context: BrowserContext, home: str, url: str) -> Callable[[str], str]:
    """The places of replayed pages in the viewer, once it has opened the archive."""
    page: Page = context.new_page()
    page.goto(f"{home}?{url}")
    for _ in range(300):
        for frame in page.frames:
            begin = re.match(r"(.*/replay/w/[^/]+/)\d*mp_/", frame.url)
            if begin is not None:
                return lambda wanted: f"{begin[1]}mp_/{wanted}"
        page.wait_for_timeout(100)
    raise SystemExit(f"the viewer shows nothing: {[frame.url for frame in page.frames]}")


if __name__ == "__main__":
    main()
