"""A site of which every title, URL and header is hostile: markup, scripts, what steers terminals, what is no text."""

from html import escape
from urllib.parse import quote

import httpx
from support.sites import Server

HOME = "http://a.test/"
RUN = "document.body.dataset.ran=1"
PIECES = [
    f"<img src=x onerror={RUN}>",
    f"<script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"<svg/onload={RUN}>",
    f"javascript:{RUN}",
    f"'\"><iframe srcdoc='<script>{RUN}</script>'>",
    "${" + RUN + "}{{" + RUN + "}}",
    f"<a href=javascript:{RUN}>click</a>",
    "<style>*{display:none}</style>",
    "\u202egnp.exe\u202c \u2066\u200b",
    "\x1b]0;owned\x07\x1b[2J",
    "<meta http-equiv=refresh content=0;url=http://evil.test/>",
    "<base href=http://evil.test/><link rel=stylesheet href=http://evil.test/x.css>",
    "__proto__",
    "constructor",
    "\u0000\ufffe\U0001f4a9",
    "&lt;img src=x onerror=" + RUN + "&gt;",
    "%3Cscript%3E" + RUN + "%3C/script%3E",
    "--><!-- ]]>",
    "A" * 3000,
]


class HostileServer(Server):
    """Serves a page with links to `pages` others, the odd ones with hostile queries, the even ones with paths.

    Whatever a header may say of them is hostile, too.
    """

    def __init__(self, pages: int) -> None:
        self.urls = [hostile_url(number) for number in range(pages)]
        self._numbers = iter(range(10**6))
        super().__init__({HOME: [f'<a href="{escape(url)}">x</a>' for url in self.urls]})

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url == HOME or request.url.path == "/robots.txt":
            return super()._answer(request)
        number = next(self._numbers)
        piece = PIECES[number % len(PIECES)]
        text = piece.encode("utf-8", "replace").replace(b"\n", b" ")
        names = (b"etag", b"last-modified", b"server", b"set-cookie", b"x-robots-tag", b"link", b"content-language")
        headers = [(b"content-type", b"text/html; charset=utf-8; x=" + text), *((name, text) for name in names)]
        if number % 10 == 9:
            return httpx.Response(301, headers=[*headers, (b"location", HOME.encode() + b"to/" + text)])
        body = f"<title>{escape(piece)} {number}</title><a href='{HOME}'>home</a>"
        return httpx.Response(200, headers=headers, content=body.encode("utf-8", "replace"))


def hostile_url(number: int) -> str:
    piece = PIECES[number % len(PIECES)]
    if number % 2:
        return f"{HOME}{number}?{quote(piece[:200], safe='<>(){}:;$')}"
    return f"{HOME}{number}/{quote(piece[:100], safe='')}"
