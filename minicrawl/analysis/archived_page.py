"""Archived answers of a page, read again."""

import asyncio
from contextlib import closing
from pathlib import Path

from minicrawl.analysis.archives import decoded, fields_of
from minicrawl.archive.collection import Collection
from minicrawl.crawler.archiving import as_captured
from minicrawl.crawler.http.response_fields import HTML_TYPES, media_type
from minicrawl.crawler.sources.page_reading import LargePages, is_large, read_page
from minicrawl.errors import FetchError
from minicrawl.model import ParsedPage, Wanted
from minicrawl.sandbox.sandbox import ChildError
from minicrawl.store.archived import RecordRow
from minicrawl.store.reader import Store
from minicrawl.timing import STANDARD


def home_of(store: Store, url: str) -> tuple[Store, int] | None:
    """The store that has a page, of those of all partitions, and the page's number there."""
    return next(((part, found[url]) for part in store.parts if (found := part.page_table.find([url]))), None)


def archived_page(part: Store, folder: Path, url: str, row: RecordRow, wanted: Wanted) -> ParsedPage | None:
    """An archived answer, parsed; None if it is no HTML or too slow to parse. Raises StoreError."""
    with closing(Collection(folder)) as archive:
        record = archive.record(as_captured(url, part.archived.original(row)))
    try:
        content_type = fields_of(record).content_type
    except FetchError:
        return None
    if media_type(content_type) not in HTML_TYPES:
        return None
    return _parsed(decoded(record, record.payload), url, content_type, wanted)


def _parsed(body: bytes, url: str, content_type: str | None, wanted: Wanted) -> ParsedPage | None:
    """A page, parsed; a large one in a child process."""
    if not is_large(body):
        return read_page(body, url, content_type, wanted)[0]

    async def read() -> ParsedPage | None:
        pages = LargePages(STANDARD, 1)
        try:
            return (await pages.read(body, url, content_type, wanted))[0]
        except ChildError:
            return None
        finally:
            await pages.aclose()

    return asyncio.run(read())
