"""Thumbnails of pages, which a crawl with --screenshots keeps in the archive."""

import base64
from pathlib import Path

from minicrawl.store.archived import RecordRow
from minicrawl.store.reader import Store

_LARGEST = 64 * 1024
_RIFF, _WEBP = slice(0, 4), slice(8, 12)


def name_of(url: str) -> str:
    """The URL of a page's thumbnail in the archive."""
    return f"urn:thumbnail:{url}"


def has_thumbnail(store: Store, url: str) -> bool:
    """True if the archive has a thumbnail of a page."""
    return _row(store, url) is not None


def thumbnail(store: Store, url: str) -> str | None:
    """The last thumbnail of a page as a data: URL; None where there is none, or none that can be read."""
    from minicrawl.archive.reading import record_at  # noqa: PLC0415 - few crawls keep screenshots
    from minicrawl.archive.unpacking import DamagedError  # noqa: PLC0415
    from minicrawl.archive.writer import FILES  # noqa: PLC0415

    row, folder = _row(store, url), store.settings.get("archive")
    if row is None or folder is None:
        return None
    try:
        body = record_at(Path(folder, FILES, Path(row.file).name), row.start, row.length).payload
    except (OSError, DamagedError):
        return None
    if len(body) > _LARGEST or (body[_RIFF], body[_WEBP]) != (b"RIFF", b"WEBP"):
        return None
    return f"data:image/webp;base64,{base64.b64encode(body).decode()}"


def _row(store: Store, url: str) -> RecordRow | None:
    if not store.settings.get("archive"):
        return None
    found = (part.archived.last_resource(name_of(url)) for part in store.parts)
    return next((row for row in found if row is not None), None)
