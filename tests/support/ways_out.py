"""Ways by which a page may try to reach the network, and which of them send a packet.

Run as a script in a network of its own, where every packet to anywhere comes back: argument: a cage, or "free" for a
browser that nothing keeps back. Prints the ways that were seen, as JSON.
"""

import asyncio
import itertools
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from support.rendered import script

from minicrawl.errors import FetchError
from minicrawl.sandbox import cage

_RTC = (
    "{const p = new RTCPeerConnection({iceServers: [SERVER]}); p.createDataChannel('x');"
    "p.createOffer().then(o => p.setLocalDescription(o))}"
)
_TURN = "{urls: 'turn:AT?transport=KIND', username: 'u', credential: 'c'}"
_STUN = _RTC.replace("SERVER", "{urls: 'stun:AT'}")
_IN_FRAME = "{const f = document.createElement('iframe'); FIELDS; document.body.append(f); THEN}"
_WORKER = "new KIND(URL.createObjectURL(new Blob([`CODE`], {type: 'text/javascript'})))"


def _element(name: str, fields: str) -> str:
    return f"document.body.append(Object.assign(document.createElement('{name}'), {{{fields}}}))"


def _link(rel: str, more: str = "as: 'image'") -> str:
    return _element("link", f"rel: '{rel}', href: 'HTTP://AT/', {more}")


def _framed(fields: str, then: str = "") -> str:
    return _IN_FRAME.replace("FIELDS", fields).replace("THEN", then)


def _inside(code: str) -> str:
    """An HTML page that runs code, as a template of JavaScript."""
    return "`<body><script>" + code.replace("`", "\\`") + "</scr`+`ipt>`"


def _working(kind: str, code: str) -> str:
    return _WORKER.replace("KIND", kind).replace("CODE", code)


# AT is an address and port on loopback, NAMED a name; HTTP and WS are schemes. Each way has its own of all.
WAYS = {
    "fetch": "fetch('HTTP://AT/', {mode: 'no-cors'})",
    "keepalive": "fetch('HTTP://AT/', {method: 'POST', mode: 'no-cors', keepalive: true, body: 'x'})",
    "fetch later": "fetchLater('HTTP://AT/', {activateAfter: 0})",
    "XHR": "const x = new XMLHttpRequest(); x.open('GET', 'HTTP://AT/'); x.send()",
    "picture": "new Image().src = 'HTTP://AT/'",
    "script": _element("script", "src: 'HTTP://AT/'"),
    "module": "import('HTTP://AT/module.js').catch(() => 0)",
    "import map": _element("script", "type: 'importmap', text: JSON.stringify({imports: {x: 'HTTP://AT/'}})")
    + "; import('x').catch(() => 0)",
    "style sheet": _link("stylesheet"),
    "style": "document.body.style.background = 'url(HTTP://AT/)'",
    "import of a style": _element("style", "textContent: '@import url(HTTP://AT/)'"),
    "font": "new FontFace('f', 'url(HTTP://AT/)').load().catch(() => 0)",
    "video": _element("video", "src: 'HTTP://AT/', autoplay: true, muted: true"),
    "audio": "new Audio('HTTP://AT/').play().catch(() => 0)",
    "track": "document.body.innerHTML += '<video><track default src=HTTP://AT/></video>'",
    "frame": _framed("f.src = 'HTTP://AT/'"),
    "frame of srcdoc": _framed("f.srcdoc = " + _inside(_STUN)),
    "frame of data": _framed("f.src = 'data:text/html,' + encodeURIComponent(" + _inside(_STUN) + ")"),
    "frame of blob": _framed("f.src = URL.createObjectURL(new Blob([" + _inside(_STUN) + "], {type: 'text/html'}))"),
    "sandboxed frame": _framed("f.sandbox = 'allow-scripts'; f.srcdoc = " + _inside(_STUN)),
    "frame at once": _framed("", "{const RTCPeerConnection = f.contentWindow.RTCPeerConnection; " + _STUN + "}"),
    "frame of javascript": _framed("f.src = 'javascript:' + encodeURIComponent(" + json.dumps(_STUN) + ")"),
    "object": "document.body.innerHTML += '<object data=HTTP://AT/></object>'",
    "embed": "document.body.innerHTML += '<embed src=HTTP://AT/>'",
    "PDF": "document.body.innerHTML += '<embed type=application/pdf src=HTTP://AT/x.pdf>'",
    "form": "document.body.innerHTML += '<form action=HTTP://AT/>'; document.forms[0].submit()",
    "form to a frame": "document.body.innerHTML += '<iframe name=i></iframe><form target=i action=HTTP://AT/>';"
    "document.forms[0].submit()",
    "location": "location = 'HTTP://AT/'",
    "meta refresh": "document.head.innerHTML += '<meta http-equiv=refresh content=\"0;url=HTTP://AT/\">'",
    "base": "document.head.innerHTML += '<base href=HTTP://AT/>'; new Image().src = 'x.png'",
    "window": "open('HTTP://AT/')",
    "window without opener": "open('HTTP://AT/', '_blank', 'noopener')",
    "window that speaks": "{const {RTCPeerConnection} = open('about:blank'); " + _STUN + "}",
    "windows": "for (let i = 0; i < 50; i++) open('HTTP://AT/')",
    "download": "document.body.innerHTML += '<a download=x href=HTTP://AT/>x</a>'; document.querySelector('a').click()",
    "ping": "document.body.innerHTML += '<a href=#x ping=HTTP://AT/>x</a>'; document.querySelector('a').click()",
    "source of a page": "open('view-source:HTTP://AT/')",
    "beacon": "navigator.sendBeacon('HTTP://AT/', 'x')",
    "events": "new EventSource('HTTP://AT/')",
    "web socket": "new WebSocket('WS://AT/')",
    "web socket stream": "new WebSocketStream('WS://AT/')",
    "web transport": "new WebTransport('https://AT/').ready.catch(() => 0)",
    "web transport by hash": "new WebTransport('https://AT/', {serverCertificateHashes: [{algorithm: 'sha-256',"
    " value: new Uint8Array(32)}]}).ready.catch(() => 0)",
    "STUN": _STUN,
    "STUN by name": _STUN.replace("AT", "NAMED:3478"),
    "STUN over TCP": _STUN.replace("AT", "AT?transport=tcp"),
    **{
        f"TURN over {kind}": _RTC.replace("SERVER", _TURN.replace("KIND", kind).replace("turn:", f"{scheme}:"))
        for kind, scheme in (("udp", "turn"), ("tcp", "turn"), ("TCP", "turns"))
    },
    "WebRTC by another name": _STUN.replace("RTCPeerConnection", "webkitRTCPeerConnection"),
    "candidate": "{const p = new RTCPeerConnection(), q = new RTCPeerConnection(); p.createDataChannel('x');"
    "p.createOffer().then(async o => {await p.setLocalDescription(o); await q.setRemoteDescription(o);"
    "const a = await q.createAnswer(); await p.setRemoteDescription(a); const [h, n] = 'AT'.split(':');"
    "await p.addIceCandidate({candidate: `candidate:1 1 udp 2122260223 ${h} ${n} typ host`, sdpMid: '0'})})}",
    "worker": _working("Worker", "fetch('HTTP://AT/', {mode: 'no-cors'})"),
    "worker from there": "new Worker('HTTP://AT/')",
    "imports of a worker": _working("Worker", "importScripts('HTTP://AT/')"),
    "web socket of a worker": _working("Worker", "new WebSocket('WS://AT/')"),
    "events of a worker": _working("Worker", "new EventSource('HTTP://AT/')"),
    "web transport of a worker": _working("Worker", "new WebTransport('https://AT/')"),
    "worker of a worker": _working("Worker", "new Worker(URL.createObjectURL(new Blob(['fetch(\"HTTP://AT/\")'])))"),
    "shared worker": _working("SharedWorker", "fetch('HTTP://AT/', {mode: 'no-cors'}); new WebSocket('WS://AT/')"),
    "web transport of a shared worker": _working("SharedWorker", "new WebTransport('https://AT/')"),
    "service worker": "navigator.serviceWorker.register('/own.js?HTTP://AT/').catch(() => 0)",
    "worklet": "CSS.paintWorklet.addModule('HTTP://AT/').catch(() => 0)",
    "audio worklet": "new AudioContext().audioWorklet.addModule('HTTP://AT/').catch(() => 0)",
    "shared storage": "sharedStorage.worklet.addModule('HTTP://AT/').catch(() => 0)",
    "background fetch": "navigator.serviceWorker.ready.then(s => s.backgroundFetch.fetch('x', ['HTTP://AT/']))",
    **{rel: _link(rel) for rel in ("prefetch", "preload", "modulepreload", "prerender", "icon", "manifest")},
    "preload by name": _link("preload").replace("AT", "NAMED"),
    "preconnect": _link("preconnect"),
    "preconnect by name": _link("preconnect").replace("AT", "NAMED"),
    "dns-prefetch": _link("dns-prefetch").replace("AT", "NAMED"),
    "picture by name": "new Image().src = 'HTTP://NAMED/'",
    "frame by name": _framed("f.src = 'HTTP://NAMED/'"),
    **{
        f"speculation: {kind}": _element(
            "script",
            "type: 'speculationrules', text: JSON.stringify({KIND: [{urls: ['HTTP://AT/']}]})".replace("KIND", kind),
        )
        for kind in ("prefetch", "prerender")
    },
    "policy": "document.head.innerHTML += '<meta http-equiv=Content-Security-Policy content=\"img-src none; report-uri"
    " HTTP://AT/\">'; new Image().src = '/x.png'",
    "headers": "fetch('/headers?HTTP://AT/').then(() => fetch('/none')).catch(() => 0)",
    "style with headers": _element("link", "rel: 'stylesheet', href: '/headers?HTTP://AT/'"),
    "redirect": "fetch('/moved?HTTP://AT/', {mode: 'no-cors'}).catch(() => 0)",
    "picture in SVG": "document.body.innerHTML += '<svg><image href=HTTP://AT/ /></svg>'",
    "external entity": "new DOMParser().parseFromString('<!DOCTYPE x SYSTEM \"HTTP://AT/\"><x/>', 'text/xml')",
    "payment": "new PaymentRequest([{supportedMethods: 'https://AT/'}], {total: {label: 'x', amount: {currency: 'EUR',"
    " value: '1'}}}).canMakePayment().catch(() => 0)",
    "credentials": "navigator.credentials.get({identity: {providers: [{configURL: 'https://AT/', clientId: 'x'}]}})"
    ".catch(() => 0)",
    "cast": "new PresentationRequest('HTTP://AT/').getAvailability().catch(() => 0)",
    "file": "fetch('file:///etc/passwd').catch(() => 0); open('file:///etc/passwd')",
}  # fmt: skip
ALONE = {
    "import map",
    "form",
    "form to a frame",
    "location",
    "meta refresh",
    "base",
    "download",
    "ping",
    "policy",
    "file",
}
"""Ways by which a page may go, or keep others from what they try."""
_FIRST, _ROUNDS = 20_000, 6
ENOUGH = 40
"""Ways that a browser which nothing keeps back is seen to take; after these, it need not try them again."""


def _tries() -> list[tuple[str, str, str]]:
    """Way, scheme and code of each try: from an origin in the clear, and from one that browsers call secure."""
    tries: list[tuple[str, str, str]] = []
    for way, scheme in itertools.product(WAYS, ("http", "https")):
        code, port = WAYS[way], _FIRST + len(tries)
        for token, text in (
            ("HTTP", scheme), ("WS", scheme.replace("http", "ws")), ("AT", f"127.0.0.1:{port}"),
            ("NAMED", f"w{port}.example"),
        ):  # fmt: skip
            code = code.replace(token, text)
        tries.append((way, scheme, f"try {{ {code} }} catch {{}};"))
    return tries


def _pages() -> Iterator[tuple[str, str]]:
    """URL and HTML of pages that try all ways."""
    for scheme in ("http", "https"):
        tries = [(way, code) for way, by, code in _tries() if by == scheme]
        together = [code for way, code in tries if way not in ALONE]
        alone = [code for way, code in tries if way in ALONE]
        for codes in (*(together[at : at + 12] for at in range(0, len(together), 12)), *([code] for code in alone)):
            yield f"{scheme}://h.test/", script("".join(codes) + "document.body.append('made')")


async def _shown_caged() -> list[str]:
    """Pages that could not be read, and why."""
    from minicrawl.installed import find_chromium
    from minicrawl.parts.render.chromium import Caps, Chromium
    from minicrawl.parts.render.page_requests import Resource
    from minicrawl.parts.render.tab import TabRequests

    async def answer(by: str, kind: str, method: str, url: str, headers: dict[str, str]) -> Resource | None:
        """What the page's own host says; nobody else answers."""
        if not url.partition("://")[2].startswith("h.test/"):
            return None
        there = url.partition("?")[2]
        fields = {
            "content-type": "text/css",
            "link": f"<{there}>; rel=preload; as=image, <{there}>; rel=preconnect",
            "reporting-endpoints": f'default="{there}"',
            "report-to": json.dumps({"group": "default", "max_age": 99, "endpoints": [{"url": there}]}),
            "nel": '{"report_to": "default", "max_age": 99, "success_fraction": 1}',
            "alt-svc": f'h3="{there.partition("://")[2].strip("/")}"',
        }
        if "/moved" in url:
            return Resource(url, 302, {"location": there}, b"")
        return Resource(url, 200, fields if "/headers" in url else {"content-type": "text/javascript"}, b"")

    failed = []
    browser, room = Chromium(find_chromium(None), "minicrawl", Caps()), asyncio.Semaphore(4)  # as in a crawl

    async def one(url: str, html: str) -> None:
        """A page is tried again, as in a crawl: what crashes may be another one."""
        async with room:
            for is_last in (False, False, True):
                try:
                    page = Resource(url, 200, {"content-type": "text/html"}, html.encode())
                    shown = await browser.shown(TabRequests(page, answer), 60.0, 1_000_000)
                except FetchError as error:
                    if is_last or error.reason != "render-crashed":
                        failed.append(f"{error.reason}: {error}: {html}")
                        return
                else:
                    if "made" not in shown.html:
                        failed.append(html)
                    return

    try:
        await asyncio.gather(*(one(*page) for page in _pages()))
    finally:
        await browser.aclose()
    return failed


async def _shown_free(seconds: float) -> None:
    """seconds: for what a page sends."""
    from playwright.async_api import Browser, Error, Route, async_playwright

    from minicrawl.installed import find_chromium

    room = asyncio.Semaphore(12)

    async def one(browser: Browser, url: str, html: str) -> None:
        async def give(route: Route) -> None:
            if route.request.url.startswith(url):
                await route.fulfill(body=html, content_type="text/html")
            else:
                await route.continue_()

        async with room:
            page = await browser.new_page()
            await page.route("**/*", give)
            with suppress(Error):
                await page.goto(url, wait_until="commit")
                await page.wait_for_timeout(1000 * seconds)
            await page.close()

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(None))
        await asyncio.gather(*(one(browser, *page) for page in _pages()))
        await browser.close()


def _way_of(packet: bytes, ways: list[str]) -> str | None:
    """The way that a packet was sent by; as text one of no way; None for an answer to one."""
    at = (packet[0] & 15) * 4 if packet[0] >> 4 == 4 else 40
    source, target = (int.from_bytes(packet[at + by : at + by + 2]) - _FIRST for by in (0, 2))
    for number, way in enumerate(ways):
        if target == number or b"w%d" % (_FIRST + number) in packet:
            return way
    return None if 0 <= source < len(ways) else f"packet to port {target + _FIRST}: {packet[:80].hex()}"


async def _tried(kind: str) -> dict[str, list[str]]:
    """The ways that packets belong to, and those whose page could not be read."""
    ways = [way for way, _, _ in _tries()]
    found: set[str | None] = set()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003)) as packets:
        packets.bind(("lo", 0))
        loop = asyncio.get_running_loop()
        loop.add_reader(packets, lambda: found.add(_way_of(packets.recv(65536)[14:], ways)))
        failed = [] if kind == "free" else await _shown_caged()
        for tried in range(_ROUNDS if kind == "free" else 0):  # a busy machine sends late, and what is late is cut
            if len(WAYS.keys() & found) < ENOUGH:
                await _shown_free(2**tried)
        loop.remove_reader(packets)
    return {"seen": sorted(filter(None, found)), "failed": failed}


def _main(kind: str) -> None:
    for command in ("link set lo up", "route add default dev lo", "-6 route add default dev lo"):
        subprocess.run(["ip", *command.split()], check=True)
    if kind == "filter":
        Path("/proc/sys/user/max_user_namespaces").write_text("0")
    if kind == "open":
        cage.has_cages = lambda: False
    sys.stdout.write(json.dumps(asyncio.run(_tried(kind))))


if __name__ == "__main__":
    _main(sys.argv[1])
