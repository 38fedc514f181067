"""Requests that find out how pages are to be recognised: for pages that cannot exist, or without a parameter.

A probe is made in place of a request for a page, which waits on.
"""

from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.recognise.soft404 import Soft404s
from minicrawl.crawler.visits.soft_errors import SoftErrors
from minicrawl.model import Fetched


class Probes:
    """Which probe is due at an origin, and who is told the answer."""

    def __init__(self, soft404s: Soft404s | None, soft_errors: SoftErrors | None, sessions: Sessions) -> None:
        self._soft404s = soft404s
        self._soft_errors = soft_errors
        self._sessions = sessions

    def due(self, origin: str) -> str | None:
        """What to ask scheme://host[:port] for in place of a page whose turn has come, if anything."""
        found = self._soft404s.take_due(origin) if self._soft404s is not None else None
        return self._sessions.take_due(origin) if found is None else found

    def put_back(self, url: str) -> None:
        """Let a probe be made later: nothing came of it."""
        if self._sessions.is_probe(url):
            self._sessions.put_back(url)
        elif self._soft404s is not None:
            self._soft404s.put_back(url)

    def absorb(self, fetched: Fetched, now: float) -> None:
        """Note the answer to a probe."""
        if self._sessions.is_probe(fetched.url):
            self._sessions.note_answer(fetched)
        else:
            assert self._soft_errors is not None, "there are such probes only where soft 404s are looked for"
            self._soft_errors.note_probe(fetched, now)
