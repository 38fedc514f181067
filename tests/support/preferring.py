"""A site whose robots.txt, tdmrep.json and pages say what they may be used for."""

from collections.abc import Mapping

import httpx
from support.sites import Reply, Server, html

HOME = "http://a.test/"
TDMREP = f"{HOME}.well-known/tdmrep.json"
RESERVED = '[{"location": "/", "tdm-reservation": 1}]'
META, HEADER, SIGNAL, FREE = (HOME + name for name in ("meta", "header", "signal", "free"))
SITE: dict[str, list[str]] = {
    HOME: ["<title>home</title><p>words of home</p>", META, HEADER, SIGNAL, FREE],
    META: ['<meta name="robots" content="noai"><title>meta</title><p>words of meta</p>'],
    HEADER: ["<title>header</title><p>words of header</p>"],
    SIGNAL: ["<title>signal</title><p>words of signal</p>"],
    FREE: ["<title>free</title><p>words of free</p>"],
}
"""Pages that may not be used for models, for training, to be searched for; and two that say nothing."""
HEADERS = {
    HEADER: [("Content-Usage", "train-ai=n"), ("content-usage", "search=y")],
    SIGNAL: [("Content-Signal", "search=no")],
}


class Preferring(Server):
    """Serves files and headers, too. files: an answer's text, or its status, or the URL that it redirects to."""

    def __init__(
        self,
        site: Mapping[str, Reply] = SITE,
        robots: str | int = 404,
        files: Mapping[str, str | int] | None = None,
        headers: Mapping[str, list[tuple[str, str]]] = HEADERS,
    ) -> None:
        super().__init__(site, robots)
        self.files = dict(files or {})
        self.headers = headers
        self.asked_files: list[str] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        reply = self.files.get(url, 404 if request.url.path.startswith("/.well-known/") else None)
        if reply is not None:
            self.asked_files.append(url)
            if isinstance(reply, int):
                return httpx.Response(reply)
            if reply.startswith("http"):
                return httpx.Response(302, headers={"location": reply})
            return httpx.Response(200, text=reply)
        page = self.site.get(url)
        if url in self.headers and isinstance(page, list):
            self.asked.append(url)
            fields = [("content-type", "text/html"), *self.headers[url]]
            return httpx.Response(200, content=html(page).encode(), headers=fields)
        return super()._answer(request)
