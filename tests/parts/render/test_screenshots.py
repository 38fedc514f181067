"""Screenshots of rendered pages, and what these fetched, in the archive: by a real Chromium, on a real server."""

import io
from pathlib import Path
from typing import Any, cast  # Any: settings

import pytest
from PIL import Image
from support.archives import Seen, complaints, files, seen
from support.command_line import run
from support.rendered import HOST, Reply, Site, crawled, never, script, slow_with_chromium, to
from support.sites import rows

from minicrawl.errors import SettingError

APP, FRAMED = f"{HOST}/app", "http://other.test/framed"
GREEN, RED, BLUE = (0, 128, 0), (255, 0, 0), (0, 0, 255)


def picture(colour: tuple[int, int, int]) -> bytes:
    """An answer with a PNG of one colour."""
    out = io.BytesIO()
    Image.new("RGB", (10, 10), colour).save(out, "png")
    body = out.getvalue()
    return b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


PAGE = f"""<!doctype html><link rel=stylesheet href=/style.css><body><script src=/app.js></script>
<img class=a src=/red.png><img class=b loading=lazy src=/old.png><iframe src={FRAMED}></iframe>"""
PARTS: dict[str, Reply] = {
    f"{HOST}/style.css": ("text/css", "body {background: green; margin: 0; height: 3000px} iframe {display: none}"
    "img {position: absolute; left: 0; width: 100px; height: 100px} .a {top: 0} .b {top: 2900px}"),
    f"{HOST}/app.js": ("text/javascript", "fetch('/api')"),
    f"{HOST}/red.png": picture(RED),
    f"{HOST}/old.png": to("/blue.png"),
    f"{HOST}/blue.png": picture(BLUE),
    f"{HOST}/api": ("application/json", "{}"),
    FRAMED: "framed",
}  # fmt: skip
PAGES: dict[str, Reply] = {f"{HOST}/": "<a href=/app>app</a><a href=/app2>app</a>", APP: PAGE, f"{APP}2": PAGE}


def archived(folder: Path) -> dict[str, Seen]:
    """The records of responses and resources by URL, each URL once."""
    found: dict[str, Seen] = {}
    for file in files(folder):
        for one in seen(file):
            if one.kind in ("response", "resource") and not str(one.url).endswith("robots.txt"):
                assert one.url is not None
                assert one.url not in found
                found[one.url] = one
    return found


@slow_with_chromium
def test_an_archive_has_all_that_a_page_fetched_once_and_how_it_looked(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    crawled(Site(PAGES | PARTS), store, render="/app", archive=folder, screenshots=True, workers=1, scope="host")
    found = archived(folder)
    pictures = {f"urn:{kind}:{APP}{n}" for kind in ("view", "fullPage", "thumbnail") for n in ("", "2")}
    assert found.keys() >= {*PAGES, *PARTS, *pictures}
    assert found[APP].body == PAGE.encode()  # as sent, not as rendered
    sizes = {"view": (1280, 720), "fullPage": (1280, 3000), "thumbnail": (320, 180)}
    for kind, size in sizes.items():
        one = found[f"urn:{kind}:{APP}"]
        image = Image.open(io.BytesIO(one.body)).convert("RGB")
        assert (one.headers["Content-Type"], image.format or "WEBP", image.size) == ("image/webp", "WEBP", size)
        places = {(size[0] // 2, size[1] // 2): GREEN, (10, 10): RED}
        if kind == "fullPage":
            places[50, 2950] = BLUE
        for place, colour in places.items():
            assert all(
                abs(a - b) < 16 for a, b in zip(cast("tuple[int, ...]", image.getpixel(place)), colour, strict=True)
            ), (kind, place)
    assert complaints(store) == []
    kept = run("archive", "get", f"urn:view:{APP}", "--store", store)
    assert kept.exit_code == 0
    assert kept.stdout_bytes == found[f"urn:view:{APP}"].body
    again = Site({})
    crawled(again, tmp_path / "again.db", render="/app", from_archive=folder, scope="host")
    assert again.asked == []
    assert set(rows(store, "SELECT url, state FROM pages")) == set(
        rows(tmp_path / "again.db", "SELECT url, state FROM pages")
    )


@slow_with_chromium
def test_without_screenshots_scripts_and_what_they_fetch_are_kept_and_nothing_else_is_asked_for(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    site = crawled(Site(PAGES | PARTS), store, render="/app", archive=folder, scope="host")
    assert archived(folder).keys() >= {*PAGES, f"{HOST}/app.js", f"{HOST}/api"}
    assert not [url for url in site.asked if url.endswith((".css", ".png"))]
    assert complaints(store) == []


@slow_with_chromium
def test_of_a_rendered_page_nothing_is_asked_for_as_a_requisite(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    more: dict[str, Reply] = {APP: f"{PAGE}<img srcset='/red.png 1x, /large.png 2x'>"}
    site = crawled(Site(PAGES | PARTS | more), store, render="/app", archive=folder, requisites=True, scope="host")
    parts = [url for url in site.asked if not url.endswith(("robots.txt", "/api"))]
    assert sorted(parts) == sorted(set(parts))
    assert archived(folder).keys() >= {*PARTS}
    assert not [url for url in archived(folder) if url.startswith("urn:")]
    assert rows(store, "SELECT count(*) FROM requisites") == [(0,)]
    assert complaints(store) == []


@slow_with_chromium
def test_of_a_page_that_forbids_copies_there_is_nothing(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    site = Site(PARTS | {APP: PAGE.replace("<body>", "<meta name=robots content=noarchive><body>")})
    crawled(site, store, APP, render="/app", archive=folder, screenshots=True, scope="host")
    assert f"{HOST}/red.png" in site.asked
    assert not [url for url in archived(folder) if "app" in url or "png" in url or "urn:" in url]
    assert complaints(store) == []


HOSTILE = {
    "high": "<body style='margin:0'><div style='height:30000px;width:60000px;background:green'>",
    "never ends": "<img src=/never>" + script("setInterval(() => fetch('/api?' + Math.random()), 50)"),
    "dialogs": script("setInterval(() => alert(1), 1); onbeforeunload = () => 'x'; window.open('/x')"),
    "downloads": script("const a = document.createElement('a'); a.href = '/api'; a.download = 'x'; a.click()"),
    "draws for ever": script("(function f() {document.body.style.background = '#' + (Math.random() * 1e6 | 0);"
    "requestAnimationFrame(f)})()"),
    "large layers": "".join("<div style='will-change:transform;width:9000px;height:9000px;position:absolute'>x</div>"
    for _ in range(200)),
    "almost empty": " ",
}  # fmt: skip


@slow_with_chromium
def test_whatever_a_page_does_it_has_an_outcome_and_the_crawl_goes_on(tmp_path: Path) -> None:
    store, folder = tmp_path / "crawl.db", tmp_path / "kept"
    urls = {f"{HOST}/{number}": html for number, html in enumerate(HOSTILE.values())}
    replies: dict[str, Reply] = {**urls, **PARTS, f"{HOST}/never": never, f"{HOST}/text": ("text/plain", "x")}
    replies |= {
        f"{HOST}/moved": to("/0"),
        f"{HOST}/": "".join(f"<a href={url}>x</a>" for url in [*urls, "/text", "/moved"]),
    }
    crawled(Site(replies), store, render=".", archive=folder, screenshots=True)
    reasons = dict(rows(store, "SELECT url, reason FROM pages"))
    assert {url: reasons[url] for url in urls} == dict.fromkeys(urls, "ok")
    found = archived(folder)
    assert {url for url in urls if f"urn:view:{url}" not in found} == set()
    image = Image.open(io.BytesIO(found[f"urn:fullPage:{HOST}/0"].body))
    assert image.size == (1280, 10_000)
    assert not [url for url in found if url.startswith("urn:") and url.endswith(("text", "moved"))]
    assert complaints(store) == []


@pytest.mark.parametrize("given", [{"render": "x"}, {"archive": "kept"}, {}])
def test_screenshots_need_pages_to_show_and_a_place(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="--screenshots needs --render REGEX"):
        crawled(Site({}), tmp_path / "crawl.db", screenshots=True, **given)
