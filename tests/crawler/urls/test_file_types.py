"""Endings of paths that are never HTML."""

import pytest

from minicrawl.crawler.urls.file_types import ending

NEVER_HTML = {
    "/a.jpg": "jpg",
    "/a.JPG": "jpg",
    "/a.tar.gz": "gz",
    "/a/b.zip?download=1": "zip",
    "/.css": "css",
    "/a.b/c.pdf": "pdf",
    "/x;v=1.mp4": "mp4",
}
MAYBE_HTML = [
    "/", "/a", "/a.html", "/a.php", "/a.asp", "/a.xml", "/a.txt", "/a.cgi", "/example.com.au", "/a.jpg/",
    "/a.zip/b", "/a?b.jpg", "/a?x=/b.zip", "/wiki/File:Cat.jpg", "/jpg", "/a.", "/a.jpgx", "/v1.2", "/a%2Ejpg",
]  # fmt: skip


@pytest.mark.parametrize(("path", "end"), NEVER_HTML.items())
def test_never_html(path: str, end: str) -> None:
    assert ending(f"http://h.zip{path}") == end


@pytest.mark.parametrize("path", MAYBE_HTML)
def test_maybe_html(path: str) -> None:
    assert ending(f"http://h.zip{path}") is None
