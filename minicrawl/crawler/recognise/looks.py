"""Answers that look alike though their URLs differ: a wall, a maintenance page or a login may stand before all pages.

The look of a page is its title with a sketch of its text, or that it is empty. That of a redirect is its target without
a query, which may say where to return to after a login.
"""

from collections import OrderedDict, deque
from typing import NamedTuple

from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.fingerprint import alike, distance
from minicrawl.web.http.response_fields import HTML_TYPES, REDIRECTS, media_type
from minicrawl.web.urls.normalise import normalise

_KEPT = 16  # answers of a host
_MOST_HOSTS = 1_024
_FEWEST_LOOKS = 3  # of a host before any is suspicious
_ALIKE = 0.8  # of the estimated J of two texts
_WITHOUT_PAGE = frozenset({202, 204, 205})  # a wall may say 202: a script is to ask for the page again


class Look(NamedTuple):
    """`sort`: of evidence, if many pages look so: alike, sent-on or empty. `title`: of a page, or the target of a
    redirect without its query. `sketch`, `payload`: of the text, see web/fingerprint.py."""

    page: int
    sort: str
    title: str = ""
    sketch: bytes | None = None
    payload: int | None = None

    def is_like(self, other: "Look") -> bool:
        """True if another answer looks like this one."""
        if self.title != other.title or self.sort != other.sort:
            return False
        if self.sort != "alike" or (self.payload is not None and self.payload == other.payload):
            return True
        if self.sketch is None or other.sketch is None:
            return bool(self.title) and self.sketch is other.sketch
        return alike(distance(self.sketch, other.sketch)) >= _ALIKE


def look_of(page: int, fetched: Fetched, parsed: ParsedPage) -> Look | None:
    """The look of an answer; None for one that has none, or neither a title nor much text."""
    if fetched.digest is not None and (parsed.title or fetched.sketch):
        return Look(page, "alike", parsed.title or "", fetched.sketch, fetched.payload)
    if fetched.status in REDIRECTS and fetched.location:
        target = normalise(fetched.location, fetched.url)
        return None if target is None else Look(page, "sent-on", target.partition("?")[0])
    is_blank = fetched.status == 200 and not fetched.size and media_type(fetched.content_type) in HTML_TYPES
    return Look(page, "empty") if is_blank or fetched.status in _WITHOUT_PAGE else None


class _OfHost:
    def __init__(self) -> None:
        self.last: deque[Look] = deque(maxlen=_KEPT)
        self.different = 0


class Looks:
    """The looks of the last answers of hosts, by number; those asked longest ago are forgotten."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _OfHost] = OrderedDict()

    def note(self, host: int, look: Look) -> bool:
        """Note an answer. Returns True if another page looked like it before, on a host that has shown that its pages
        differ."""
        seen = self._hosts.get(host)
        if seen is None:
            seen = self._hosts[host] = _OfHost()
            if len(self._hosts) > _MOST_HOSTS:
                self._hosts.popitem(last=False)
        else:
            self._hosts.move_to_end(host)
        like = [other.page for other in seen.last if other.title == look.title and other.is_like(look)]
        seen.different += not like and seen.different < _FEWEST_LOOKS
        seen.last.append(look)
        return seen.different >= _FEWEST_LOOKS and any(page != look.page for page in like)

    def pages_like(self, host: int, look: Look) -> list[int]:
        """The pages among the last answers that looked like this one."""
        seen = self._hosts.get(host)
        return [] if seen is None else [other.page for other in seen.last if other.is_like(look)]
