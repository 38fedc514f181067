"""A Chromium: found or not, and kept off the network whatever a page tries."""

import asyncio
import sys
from pathlib import Path

import pytest
from rendered import HOST, Site, script, slow_with_chromium

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.crawler.rendering.chromium import find_chromium
from minicrawl.crawler.rendering.renderer import Renderer
from minicrawl.errors import SettingError
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings


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
    assert find_chromium(chrome) == chrome


def test_a_missing_one_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        SettingError, match=r"there is no chromium, .* on the PATH; install one, or name it: --chromium"
    ):
        find_chromium(None)
    (tmp_path / "text").write_text("no program")
    for wrong in ("nowhere", "text", "."):
        with pytest.raises(SettingError, match="is no program; name the file of a Chromium"):
            find_chromium(tmp_path / wrong)


def test_a_missing_extra_is_one_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(SettingError, match=r"pip install 'minicrawl\[render\]'"):
        find_chromium(program(tmp_path, "chromium"))


_ELEMENT = "document.head.append(Object.assign(document.createElement('NAME'), {FIELDS}))"


def element(name: str, fields: str) -> str:
    return _ELEMENT.replace("NAME", name).replace("FIELDS", fields)


# Each tries to reach THERE, a server on loopback, but for the last one.
WAYS = {
    "fetch": "fetch('http://THERE/')",
    "XHR": "const x = new XMLHttpRequest(); x.open('GET', 'http://THERE/'); x.send()",
    "script": element("script", "src: 'http://THERE/script'"),
    "module": "import('http://THERE/module.js').catch(() => 0)",
    "post": "fetch('http://THERE/', {method: 'POST', mode: 'no-cors', body: 'x'})",
    "picture": "new Image().src = 'http://THERE/'",
    "style": "document.body.style.background = 'url(http://THERE/)'",
    "frame": "document.body.innerHTML += '<iframe src=http://THERE/></iframe>'",
    "object": "document.body.innerHTML += '<object data=http://THERE/></object>'",
    "window": "window.open('http://THERE/')",
    "location": "location = 'http://THERE/'",
    "form": "document.body.innerHTML += '<form action=http://THERE/>'; document.forms[0].submit()",
    "beacon": "navigator.sendBeacon('http://THERE/', 'x')",
    "events": "new EventSource('http://THERE/')",
    "web socket": "new WebSocket('ws://THERE/')",
    "web socket of a worker": "new Worker(URL.createObjectURL(new Blob(['new WebSocket(\"ws://THERE/\")'])))",
    "fetch of a worker": "new Worker(URL.createObjectURL(new Blob(['fetch(\"http://THERE/\")'])))",
    "WebRTC": "const p = new RTCPeerConnection({iceServers: [{urls: 'turn:THERE?transport=tcp', username: 'u',"
    " credential: 'c'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))",
    **{
        rel: element("link", f"rel: '{rel}', href: 'http://THERE/', as: 'image'")
        for rel in (
            "preconnect",
            "dns-prefetch",
            "prefetch",
            "preload",
            "prerender",
            "modulepreload",
            "manifest",
            "icon",
        )
    },
    "speculation": element(
        "script", "type: 'speculationrules', text: JSON.stringify({prerender: [{urls: ['http://THERE/']}]})"
    ),
    "metadata": "fetch('http://169.254.169.254/latest/meta-data/')",
}


def tried(code: str, *, allow_private: bool) -> Site:
    """A page that runs a script; which requests came to a server on loopback."""
    site = Site({})

    async def run() -> Fetched:
        async with site:
            settings = CrawlSettings(
                render="x", delay=0.0, ignore_robots=True, allow_private=allow_private, render_timeout=30.0
            )
            async with Fetcher(settings) as fetcher:
                renderer = Renderer(settings, fetcher)
                page = script(f"{code.replace('THERE', f'127.0.0.1:{site.port}')}; document.body.append('made')")
                try:
                    return await renderer.rendered(Fetched(f"{HOST}/x", 200, page.encode(), "text/html"))
                finally:
                    await renderer.aclose()

    assert b"made" in asyncio.run(run()).body
    return site


@slow_with_chromium
@pytest.mark.parametrize("code", WAYS.values(), ids=WAYS.keys())
def test_no_page_reaches_a_private_address(code: str) -> None:
    assert tried(code, allow_private=False).connections == 0


@slow_with_chromium
def test_where_private_addresses_are_allowed_requests_go_by_our_fetcher_alone() -> None:
    stay = [code for name, code in WAYS.items() if name not in ("location", "form", "metadata")]
    site = tried(";".join(f"try {{ {code} }} catch {{}}" for code in stay), allow_private=True)
    paths = [url.split("/", 3)[3] for url in site.asked]
    assert {"", "script", "module.js"} <= set(paths)
    assert all(head.startswith(b"GET ") and b"minicrawl" in head for head in site.headers)
