"""When a run has done what it was to do."""

from minicrawl.settings import CrawlSettings


def limit_reached(settings: CrawlSettings, fetched: int, size: int, seconds: float, coverage: float) -> str | None:
    """The limit that a run has reached by so many pages, bytes and seconds, if any."""
    if settings.pages is not None and fetched >= settings.pages:
        return "pages"
    if settings.time is not None and seconds >= settings.time:
        return "time"
    if settings.bytes is not None and size >= settings.bytes:
        return "bytes"
    if settings.until_coverage is not None and coverage >= settings.until_coverage:
        return "coverage"
    return None
