"""Pages as a sitemap: their URLs, importance, and time of the last change.

Source: https://www.sitemaps.org/protocol.html. A file has 50,000 URLs and 50 MB at most; of more there are several, and
an index of them. Where p_i is the importance of a page,

    priority = .1 + .9 * log(p_i / min p) / log(max p / min p)

so that the most important page has 1.0, the least 0.1, and one that is in the middle of the magnitudes 0.5 or so.
"""

import gzip
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from minicrawl.export.tables import is_packed, renamed_when_whole

MOST_URLS, MOST_BYTES = 50_000, 50 * 2**20
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


class Entry(NamedTuple):
    """A page of a sitemap. changed: date and time (ISO 8601); None if unknown."""

    url: str
    importance: float
    changed: str | None


def export_sitemap(entries: Iterable[Entry], path: Path, most: int = MOST_URLS) -> int:
    """Write a sitemap to `path`, and return its number of pages. Raises SettingError.

    Of more than `most` pages, or 50 MB, `path` is an index, and the pages stand beside it in NAME-1.xml and so on: the
    index is right where all are put into the top folder of the first page's host.
    """
    pages = list(entries)
    parts = list(_parts(_elements(pages), most))
    if len(parts) == 1:
        _write(path, "urlset", parts[0])
        return len(pages)
    name, endings = path.name.split(".", 1)
    beside = [f"{name}-{number}.{endings}" for number in range(1, len(parts) + 1)]
    for file, part in zip(beside, parts, strict=True):
        _write(path.with_name(file), "urlset", part)
    origin = "/".join(pages[0].url.split("/", 3)[:3])
    _write(path, "sitemapindex", [f"<sitemap><loc>{escape(f'{origin}/{file}')}</loc></sitemap>\n" for file in beside])
    return len(pages)


def _elements(pages: list[Entry]) -> Iterator[str]:
    least = min((page.importance for page in pages if page.importance > 0), default=1.0)
    span = math.log(max((page.importance for page in pages), default=1.0) / least) if pages else 0.0
    for url, importance, changed in pages:
        size = math.log(max(importance, least) / least) / span if span > 0 else 1.0
        lastmod = f"<lastmod>{changed}</lastmod>" if changed else ""
        yield f"<url><loc>{escape(url)}</loc>{lastmod}<priority>{0.1 + 0.9 * size:.1f}</priority></url>\n"


def _parts(elements: Iterable[str], most: int) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for element in elements:
        if len(part) == most or size + len(element.encode()) > MOST_BYTES - 200:  # what stands around them
            yield part
            part, size = [], 0
        part.append(element)
        size += len(element.encode())
    yield part


def _write(path: Path, root: str, elements: list[str]) -> None:
    document = f"{_HEAD}<{root} {_NAMESPACE}>\n{''.join(elements)}</{root}>\n".encode()
    with renamed_when_whole(path) as temporary:
        temporary.write_bytes(gzip.compress(document, mtime=0) if is_packed(path) else document)
