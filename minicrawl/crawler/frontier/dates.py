"""When pages have changed as their servers say, and how far that is believed.

Two dates say so: Last-Modified of an answer, and lastmod of a page in its sitemap. Many servers make them up: the time
of the request, the time at which the sitemap was written. So each is believed of a host only while it has proved true,
fetch by fetch, by the blocks of text that have changed or not; and no date is believed that is in the future.

belief   rises by 1 with every date that has proved true, up to 8, and falls by 2 with every one that has not: a host
         whose dates are wrong more often than once in three times is not believed for long
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BELIEVED = 3
"""From this belief on a date counts."""
_MOST = 8
_LOSS = 2


def after_proof(belief: int, *, is_true: bool) -> int:
    """The belief in a host's dates after one of them has proved true, or wrong."""
    return min(belief + 1, _MOST) if is_true else max(belief - _LOSS, 0)


def read_lastmod(text: str) -> float | None:
    """Unix seconds of a date in a sitemap (W3C-DTF: a day or more exact); None for anything else.

    A day counts from its beginning: a page that was fetched on that day may have been as it is now.
    """
    try:
        date = datetime.fromisoformat(text.strip())
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def read_last_modified(text: str) -> float | None:
    """Unix seconds of a date in a field of HTTP; None for anything else."""
    try:
        date = parsedate_to_datetime(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
