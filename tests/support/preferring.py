"""A site whose robots.txt and pages say what they may be used for."""

from collections.abc import Mapping
from typing import Any

from support.sites import Server, page, text

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


def preferring(
    site: Mapping[str, Any] = SITE,
    robots: str | int = 404,
    files: Mapping[str, str] = {},
    headers: Mapping[str, list[tuple[str, str]]] = HEADERS,
) -> Server:
    """Serves headers, and files as plain text, too."""
    said = {url: page(*site[url], headers=fields) for url, fields in headers.items() if url in site}
    return Server({**site, **said}, robots, beside={url: text(content) for url, content in files.items()})
