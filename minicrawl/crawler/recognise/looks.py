"""Answers that look alike though their URLs differ: a wall, a maintenance page or a login may stand before all pages.

The look of a page is its title with what it shows without its own path, or a sketch of that; or that it is empty.
That of what is no page, at a URL that does not name a file, is its media type.
That of a redirect, or of a page that refreshes to another, is its target without a query, which may say where to return
to after a login. The page itself, from which some servers want a cookie first, is one target, and so is a folder behind
which the page's own path stands: of a captcha, or of a language. Not if it says that the page is there for good.
"""

from collections import OrderedDict, deque
from typing import NamedTuple

from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.fingerprint import SAYS_SOMETHING, alike, distance
from minicrawl.web.http.response_fields import HTML_TYPES, REDIRECTS, media_type
from minicrawl.web.urls.normalise import normalise

_KEPT = 16  # answers of a host
_MOST_HOSTS = 1_024
_FEWEST_LOOKS = 3  # of a host before any is suspicious
_ALIKE = 0.8  # of the estimated J of two texts
_UNKNOWN = "unknown"
_ITSELF = "itself"
_FOR_GOOD = frozenset({301, 308})
_WITHOUT_PAGE = frozenset({202, 204, 205})  # a wall may say 202: a script is to ask for the page again


class Look(NamedTuple):
    """`sort`: of evidence, if many pages look so: alike, sent-on or empty. `title`: of a page, or where a redirect
    leads. `sketch`, `digest`: of the text, see web/fingerprint.py; `links`: their number."""

    page: int
    sort: str
    title: str = ""
    sketch: bytes | None = None
    digest: int | None = None
    links: int = 0

    def is_like(self, other: "Look") -> bool:
        """True if another answer looks like this one."""
        if self.title != other.title or self.sort != other.sort:
            return False
        if self.sort != "alike" or (self.digest is not None and self.digest == other.digest):
            return self.links == other.links or bool(self.title or self.sketch)
        if self.sketch is None or other.sketch is None:
            return bool(self.title) and self.sketch is other.sketch
        return alike(distance(self.sketch, other.sketch)) >= _ALIKE


def look_of(page: int, fetched: Fetched, parsed: ParsedPage) -> Look | None:
    """The look of an answer; None for one that has none, or neither a title nor a few words."""
    target = parsed.refresh
    if fetched.status in REDIRECTS and fetched.location:
        target = normalise(fetched.location, fetched.url)
    if target is not None:
        return Look(page, "sent-on", _place_of(target, fetched.url, is_for_good=fetched.status in _FOR_GOOD))
    is_html = media_type(fetched.content_type) in HTML_TYPES
    has_look = fetched.payload is None or fetched.payload & SAYS_SOMETHING  # one word or two may be anything
    if fetched.digest is not None and (parsed.title or has_look):
        return Look(page, "alike", parsed.title or "", fetched.sketch, fetched.digest, len(parsed.outlinks))
    if fetched.status == 200 and not is_html and "." not in fetched.url.rpartition("/")[2]:
        return Look(page, "alike", fetched.content_type or _UNKNOWN)
    is_blank = fetched.status == 200 and is_html and not fetched.size
    return Look(page, "empty") if is_blank or fetched.status in _WITHOUT_PAGE else None


def _place_of(target: str, url: str, *, is_for_good: bool) -> str:
    """Where a redirect of a URL leads: to the page itself, to another one, or to a folder with the page's path behind
    it. Without a folder that is the page in another spelling, or at another host; for good it is one that moved."""
    if target != url and target.split("/", 3)[3:] == url.split("/", 3)[3:]:
        return target  # the page at another host, with all of its parameters
    target, url = target.partition("?")[0], url.partition("?")[0]
    if target == url:
        return _ITSELF
    target = target.rstrip("/")
    if is_for_good:
        return target
    folder = target.removesuffix("/" + url.split("/", 3)[3].rstrip("/"))
    return folder if "/" in folder.partition("://")[2] else target


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
        like = [other.page for other in seen.last if other.is_like(look)]
        seen.different += not like and seen.different < _FEWEST_LOOKS
        seen.last.append(look)
        return seen.different >= _FEWEST_LOOKS and any(page != look.page for page in like)

    def pages_like(self, host: int, look: Look) -> list[int]:
        """The pages among the last answers that looked like this one."""
        seen = self._hosts.get(host)
        return [] if seen is None else [other.page for other in seen.last if other.is_like(look)]
