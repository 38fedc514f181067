"""Take screenshots of a page in Chromium."""

import asyncio
import base64
import contextlib

from minicrawl import log

with contextlib.suppress(ImportError):  # an extra: see `installed.find_chromium`
    from playwright.async_api import CDPSession, Error, Page

VIEW, FULL_PAGE, THUMBNAIL = "view", "fullPage", "thumbnail"
MEDIA_TYPE = "image/webp"
Screenshot = tuple[str, str, bytes]
"""Its name, media type and bytes."""
_WIDTH, _HEIGHT = 1280, 720
_THUMBNAIL_SCALE = 0.25
_HIGHEST = 10_000
"""Pixels of a page that are shown; Chromium draws about 16,000 at most."""
_MOST_BYTES = 16 * 2**20
_SECONDS = 20.0
"""For all screenshots of a page."""
_QUALITY = 80


async def taken(page: "Page") -> list[Screenshot]:
    """The screenshots of a page as it is now; fewer if Chromium fails, takes too long or makes too large ones."""
    found: list[Screenshot] = []
    try:
        async with asyncio.timeout(_SECONDS):
            session = await page.context.new_cdp_session(page)
            height = int((await session.send("Page.getLayoutMetrics"))["cssContentSize"]["height"])
            view = await _drawn(session, _HEIGHT)
            found.append((VIEW, MEDIA_TYPE, view))
            found.append((THUMBNAIL, MEDIA_TYPE, await _drawn(session, _HEIGHT, _THUMBNAIL_SCALE)))
            whole = view if height <= _HEIGHT else await _drawn(session, min(height, _HIGHEST))
            found.append((FULL_PAGE, MEDIA_TYPE, whole))
    except (Error, TimeoutError, KeyError) as error:
        log.event("page-not-pictured", url=page.url, why=str(error) or f"it takes more than {_SECONDS:.0f} s")
    return [one for one in found if len(one[2]) <= _MOST_BYTES]


async def _drawn(session: "CDPSession", height: int, scale: float = 1.0) -> bytes:
    """A picture of the top of a page. height: in pixels of the page."""
    clip = {"x": 0, "y": 0, "width": _WIDTH, "height": height, "scale": scale}
    asked = {"format": "webp", "quality": _QUALITY, "clip": clip, "captureBeyondViewport": height > _HEIGHT}
    return base64.b64decode((await session.send("Page.captureScreenshot", asked))["data"])
