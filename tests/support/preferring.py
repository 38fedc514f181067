"""A site whose robots.txt and pages say what they may be used for."""

from collections.abc import Mapping

import httpx
from support.sites import Reply, Server, html

HOME = "http://a.test/"
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
    """Serves headers, and files as plain text, too."""

    def __init__(
        self,
        site: Mapping[str, Reply] = SITE,
        robots: str | int = 404,
        files: Mapping[str, str] = {},
        headers: Mapping[str, list[tuple[str, str]]] = HEADERS,
    ) -> None:
        super().__init__(site, robots)
        self.files, self.headers = files, headers

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url in self.files:
            return httpx.Response(200, text=self.files[url])
        page = self.site.get(url)
        if url in self.headers and isinstance(page, list):
            self.asked.append(url)
            fields = [("content-type", "text/html"), *self.headers[url]]
            return httpx.Response(200, content=html(page).encode(), headers=fields)
        return super()._answer(request)
