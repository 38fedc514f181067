"""Answers that look alike though their URLs differ: a wall, a maintenance page or a login may stand before all pages.

The look of a page is its title with what it shows without its own path, or a sketch of that, or its words without
numbers and those of its URL; or that it is empty.
That of what is no page is its media type, unless its URL names a file: it has an ending that no page has had.
That of a redirect, or of a page that refreshes to another, is its target without a query, which may say where to return
to after a login. The page itself, from which some servers want a cookie first, is one target, and so is a folder behind
which the page's own path stands: of a captcha, or of a language. Not if it says that the page is there for good.
"""

from collections import OrderedDict, deque
from os.path import splitext
from typing import NamedTuple

from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.fingerprint import SAYS_SOMETHING, alike, distance, word_hashes, words_of_url
from minicrawl.web.http.response_fields import HTML_TYPES, REDIRECTS, media_type
from minicrawl.web.urls.normalise import normalise

_KEPT = 16  # answers of a host
_MOST_HOSTS = 1_024
_FEWEST_LOOKS = 3  # of a host before any is suspicious
_ALIKE = 0.8  # of the estimated J of two texts
_NEARLY_ALIKE = 0.5  # ... whose words are the same but for numbers and those of their URLs
_UNKNOWN = "unknown"
_ITSELF = "itself"
_FOR_GOOD = frozenset({301, 308})
_NO_PAGES = ("image/", "audio/", "video/", "font/")
_WITHOUT_PAGE = frozenset({202, 204, 205})  # a wall may say 202: a script is to ask for the page again


class Look(NamedTuple):
    """`sort`: of evidence, if many pages look so: alike, sent-on or empty. `title`: of a page, or where a redirect
    leads. `sketch`, `digest`, `text`: of the text, see web/fingerprint.py; `links`: their number. `url`: of the page,
    or to which a redirect leads."""

    page: int
    sort: str
    title: str = ""
    sketch: bytes | None = None
    digest: int | None = None
    links: int = 0
    url: str = ""
    text: bytes | None = None

    def is_like(self, other: "Look") -> bool:
        """True if another answer looks like this one."""
        if self.title != other.title or self.sort != other.sort:
            return False
        if self.sort != "alike" or (self.digest is not None and self.digest == other.digest):
            return self.links == other.links or bool(self.title or self.sketch)
        if self.sketch is None or other.sketch is None:
            return self.sketch is other.sketch and (bool(self.title) or self._has_words_of(other))
        likeness = alike(distance(self.sketch, other.sketch))
        return likeness >= _ALIKE or (likeness >= _NEARLY_ALIKE and self._has_words_of(other))

    def _has_words_of(self, other: "Look") -> bool:
        """True if both say the same but for numbers, as those of requests, and the words of their URLs."""
        if not self.text or not other.text:
            return False
        one, two = (word_hashes(look.text or b"") - words_of_url(look.url) for look in (self, other))
        return bool(one) and one == two


def look_of(page: int, fetched: Fetched, parsed: ParsedPage) -> Look | None:
    """The look of an answer; None for one that has none, or neither a title nor a few words."""
    target = parsed.refresh
    if fetched.status in REDIRECTS and fetched.location:
        target = normalise(fetched.location, fetched.url)
    if target is not None:
        place = _place_of(target, fetched.url, is_for_good=fetched.status in _FOR_GOOD)
        return Look(page, "sent-on", place, url=target)
    is_html = media_type(fetched.content_type) in HTML_TYPES
    has_look = fetched.payload is None or fetched.payload & SAYS_SOMETHING  # one word or two may be anything
    if fetched.digest is not None and (parsed.title or has_look):
        digest = 0 if parsed.is_shell and fetched.payload is None else fetched.digest  # its script may change
        said = fetched.sketch, digest, len(parsed.outlinks), fetched.url, fetched.short_text
        return Look(page, "alike", parsed.title or "", *said)
    may_be_page = not _ending(fetched.url) or not (fetched.content_type or "").startswith(_NO_PAGES)
    if fetched.status == 200 and not is_html and may_be_page:
        return Look(page, "alike", fetched.content_type or _UNKNOWN, url=fetched.url)
    is_blank = fetched.status == 200 and is_html and not fetched.size
    return Look(page, "empty") if is_blank or fetched.status in _WITHOUT_PAGE else None


def _place_of(target: str, url: str, *, is_for_good: bool) -> str:
    """Where a redirect of a URL leads: to the page itself, to another one, or to a folder with the page's path behind
    it. Without a folder that is the page in another spelling, or at another host; for good it is one that moved."""
    if target != url and target.split("/", 3)[3:] == url.split("/", 3)[3:]:
        return target.rstrip("/")  # the page at another host, with all of its parameters
    target, url = target.partition("?")[0], url.partition("?")[0]
    if target == url:
        return _ITSELF
    target = target.rstrip("/")
    if is_for_good:
        return target
    folder = target.removesuffix("/" + url.split("/", 3)[3].rstrip("/"))
    return folder if "/" in folder.partition("://")[2] else target


def _ending(url: str) -> str:
    """ ".html" of a URL that has it at the end of its path."""
    return splitext(url.partition("?")[0])[1]


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
        ending = _ending(look.url) if look.sort == "alike" and look.digest is None else ""
        if ending and all(other.digest is None or _ending(other.url) != ending for other in seen.last):
            return False  # it is a file
        like = [other for other in seen.last if other.is_like(look)]
        if seen.last and seen.last[-1].text and seen.last[-1] not in like[-1:]:
            seen.last[-1] = seen.last[-1]._replace(text=None)  # to save memory
        seen.different += not like and seen.different < _FEWEST_LOOKS
        seen.last.append(look)
        return seen.different >= _FEWEST_LOOKS and any(other.page != look.page for other in like)

    def pages_like(self, host: int, look: Look) -> list[int]:
        """The pages among the last answers that looked like this one."""
        seen = self._hosts.get(host)
        return [] if seen is None else [other.page for other in seen.last if other.is_like(look)]
