"""How long a host asks to be left alone (RFC 9110 10.2.3, RFC 6585 4)."""

from minicrawl.crawler.http.response_fields import http_date
from minicrawl.model import Fetched

LONGEST_REST = 3600.0  # who asks for more is asked again after this
_ABSURD = 30 * 24 * 3600.0  # who asks for more cannot mean it
_BUSY = frozenset({429, 503})  # answers about the host, not the page


def asked_rest(fetched: Fetched, now: float) -> float:
    """Seconds of rest an answer asks for its host; 0 if it asks for none, or for nothing that can be meant."""
    if fetched.status not in _BUSY or fetched.retry_after is None:
        return 0.0
    seconds = _seconds(fetched.retry_after.strip(), now)
    return min(seconds, LONGEST_REST) if 0 < seconds <= _ABSURD else 0.0


def _seconds(value: str, now: float) -> float:
    """Seconds from now on of a number of seconds or a date; 0 for neither."""
    if value.isascii() and value.isdigit():
        return float(value)
    date = http_date(value)
    return 0.0 if date is None else date - now
