"""Parsing robots.txt (RFC 9309), the meaning of a missing, failing or unreachable one, and when to ask for it again.

Parsed by the RFC; where it is silent, mistakes that Google's parser tolerates are tolerated, marked "Google's choice".
That parser's departures from the RFC (an allowed index.html allows its folder, long lines are cut) are not followed.
The rule that decides on a URL is found in matching.py.
"""

import math
import re
from functools import cached_property, lru_cache

from msgspec import Struct, field

from minicrawl.model import Fetched, State
from minicrawl.reasons import LASTS, has
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.response_fields import asked_rest
from minicrawl.web.http.transport import PARSER_FAILED, parser_failed, unread
from minicrawl.web.robots.matching import Pattern, Rules, octets_of
from minicrawl.web.robots.preferences import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    NOTHING,
    ROBOTS_TXT,
    Preferences,
    Statement,
    UsageLine,
    UsageRules,
    combined,
)

MAX_BYTES = 500 * 1024  # RFC 9309 2.5: at least 500 KiB must be parsed
MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2
LIFETIME = 24 * 3600.0  # RFC 9309 2.4: a copy should not be used for longer than 24 hours
MAX_ATTEMPTS = 3
ROBOT = "minicrawl"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EVERYBODY = b"*"
_FIELDS = {
    b"user-agent": "user-agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"sitemap": "sitemap",
    b"crawl-delay": "crawl-delay",  # not in the RFC (2.2.4 allows other records), but the most common of these
    b"content-usage": CONTENT_USAGE,
    b"content-signal": CONTENT_SIGNAL,
    # Misspellings: Google's choice.
    b"useragent": "user-agent",
    b"user agent": "user-agent",
    b"dissallow": "disallow",
    b"dissalow": "disallow",
    b"disalow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"site-map": "sitemap",
}


class Group(Struct, dict=True):
    """All groups for one robot, combined (RFC 9309 2.2.1). `lines`: paths as written, and whether they are allowed;
    `usage`: rules on use."""

    lines: list[tuple[bytes, bool]] = field(default_factory=list)
    crawl_delay: float | None = None
    usage: list[UsageLine] = field(default_factory=list)

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.lines)

    @cached_property
    def usage_rules(self) -> UsageRules:
        return UsageRules(self.usage)


class RobotsRules:
    """A parsed robots.txt. `sitemaps`: their addresses, as written."""

    def __init__(self, records: list[tuple[str, bytes]]) -> None:
        self._records = records
        self._everybody = _group_of(_EVERYBODY, records)
        self._groups: dict[str, Group] = {}  # by user agent
        sitemaps = (value.decode("utf-8", "replace") for kind, value in records if kind == "sitemap")
        self.sitemaps = tuple(filter(None, sitemaps))

    @classmethod
    def parse(cls, body: bytes) -> "RobotsRules":
        """Parse the first 500 KiB of a robots.txt. Skips lines without meaning."""
        lines = map(_record, within_limit(body).lstrip(_BYTE_ORDER_MARK).splitlines())
        return cls([(_FIELDS[name], value) for name, value in lines if name in _FIELDS])

    def allows(self, user_agent: str, url: str) -> bool:
        """True if a robot with this name may fetch the absolute `url`."""
        octets = octets_of(url)
        # 2.2.2: /robots.txt is implicitly allowed.
        return self._group(user_agent).rules.allow(octets) or octets == "/robots.txt"

    def deciding_line(self, user_agent: str, url: str) -> str | None:
        """The line that decides on a URL, as written; None if none does. For people: tries every line."""
        octets = octets_of(url)
        matching = [
            (pattern.length, is_allowed, text)
            for text, is_allowed in self._group(user_agent).lines
            if (pattern := Pattern.parse(text)).matches(octets)
        ]
        if not matching or octets == "/robots.txt":
            return None
        _, is_allowed, text = max(matching, key=lambda match: match[:2])
        return f"{'Allow' if is_allowed else 'Disallow'}: {text.decode('utf-8', 'replace')}"

    def preferences(self, user_agent: str, url: str) -> Preferences:
        """The verdicts on the use of a URL, which must be one that may be fetched."""
        group = self._group(user_agent)
        if not group.usage:
            return NOTHING
        return combined(says for _, says in group.usage_rules.deciding(octets_of(url)))

    def statements(self, user_agent: str, url: str, file: str) -> list[Statement]:
        """The lines that decide on the use of a URL; none if it may not be fetched. file: URL of the robots.txt."""
        if not self.allows(user_agent, url):
            return []
        found = self._group(user_agent).usage_rules.deciding(octets_of(url))
        return [Statement(ROBOTS_TXT, *each, file) for each in found]

    def crawl_delay(self, user_agent: str) -> float | None:
        """Seconds between two requests that the host demands, or None."""
        return self._group(user_agent).crawl_delay

    def _group(self, user_agent: str) -> Group:
        """2.2.1: the robot's own group, in any case of letters, else everybody's, else one without rules."""
        group = self._groups.get(user_agent)
        if group is None:
            own = _group_of(product_token(user_agent).lower().encode(), self._records)
            group = self._groups[user_agent] = own or self._everybody or Group()
        return group


def _group_of(robot: bytes, records: list[tuple[str, bytes]]) -> Group | None:
    """The group of a robot, None if there is none."""
    group: Group | None = None
    is_naming = is_naming_for_usage = is_meant = is_meant_for_usage = is_delayed = False
    for kind, value in records:
        if kind == "user-agent":
            # 2.1: a group starts with one line or more of these, and goes on to the next after a rule.
            is_meant = is_meant and is_naming
            is_meant_for_usage = is_meant_for_usage and is_naming_for_usage
            is_naming = is_naming_for_usage = True
            if _addressee(value) == robot:
                group = group or Group()
                is_delayed = group.crawl_delay is not None
                is_meant = is_meant_for_usage = True
        elif kind in ("allow", "disallow"):
            is_naming = is_naming_for_usage = False
            if group and is_meant and value:  # 2.2.2: an empty pattern matches nothing
                group.lines.append((value, kind == "allow"))
        # 2.2.4: other records must not end a group, nor its list of robots.
        elif kind == "crawl-delay":
            if group and is_meant and not is_delayed:
                group.crawl_delay = _seconds(value)
                is_delayed = group.crawl_delay is not None
        # A rule by its draft, which ends the list of robots, but for access another record, which must not.
        elif kind != "sitemap":
            is_naming_for_usage = False
            if group and is_meant_for_usage:
                group.usage.append((kind, value))
    return group


def within_limit(body: bytes) -> bytes:
    """The whole lines among the first 500 KiB: half a rule would be another rule."""
    if len(body) <= MAX_BYTES:
        return body
    head = body[: MAX_BYTES + 1]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)]


def _record(line: bytes) -> tuple[bytes, bytes]:
    """The lower-case name and the value of a line (2.2), without comment; empty if it has none. Google's choices: a
    line ends at a NUL, and a blank may stand for the colon if there are just two words."""
    line = line.partition(b"#")[0].partition(b"\0")[0].strip()
    name, colon, value = line.partition(b":")
    if colon:
        return name.rstrip().lower(), value.lstrip()
    words = line.split()
    return (words[0].lower(), words[1]) if len(words) == 2 else (b"", b"")


def _addressee(value: bytes) -> bytes:
    """The product token of a user-agent line, in lower case. Google's choice: text behind the token, such as a version,
    is ignored, and so is text behind "* "."""
    if value[:1] == b"*" and not value[1:2].strip():
        return _EVERYBODY
    match = re.match(rb"[A-Za-z_-]*", value)
    return match[0].lower() if match else b""


def _seconds(value: bytes) -> float | None:
    """A number of seconds, also with a decimal comma."""
    try:
        seconds = float(value.replace(b",", b"."))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


@lru_cache(maxsize=16)
def product_token(user_agent: str) -> str:
    """The product token by which robots.txt names a robot (RFC 9309 2.2.1).

    "minicrawl" of "minicrawl/1.0 (+https://...)", "ExampleBot" of "Mozilla/5.0 (compatible; ExampleBot/0.1; ...)".
    """
    match = re.search(r"\(compatible; *([A-Za-z_-]+)", user_agent) or re.match(r"([A-Za-z_-]+)", user_agent)
    return match[1] if match else ROBOT


class RobotsState(Struct, frozen=True):
    """A robots.txt, as far as it is known. `rules`: None while unreachable, then nothing may be fetched.

    `expires`: Unix seconds from which on to ask again. `attempts`: failures in a row. `status`, `body`, `reason`: of
    the answer.
    """

    rules: RobotsRules | None
    status: int | None
    body: bytes
    fetched_at: float
    expires: float
    attempts: int = 0
    reason: str | None = None

    def refusal(self, user_agent: str, url: str) -> tuple[State, str] | None:
        """State and reason of a page that may not be fetched; None if it may be."""
        if self.rules is None:
            if self.status is not None:
                return State.DISALLOWED, PARSER_FAILED if self.reason == PARSER_FAILED else "robots-unreachable"
            return State.ERROR, self.reason or "connection"
        try:
            return None if self.rules.allows(user_agent, url) else (State.DISALLOWED, "robots")
        except Exception as error:
            return State.DISALLOWED, parser_failed(url, error)

    def crawl_delay(self, user_agent: str) -> float:
        """Seconds between two requests that it asks for; 0 if none, or not known."""
        return 0.0 if self.rules is None else self.rules.crawl_delay(user_agent) or 0.0

    @property
    def is_undecided(self) -> bool:
        """True if the host's pages should wait for another try to reach its robots.txt."""
        return self.rules is None and self.attempts < MAX_ATTEMPTS and not (self.reason and has(self.reason, LASTS))


def judged(fetched: Fetched, now: float, attempts: int = 0, timing: Timing = STANDARD) -> RobotsState:
    """The state after an answer to the request for robots.txt. `attempts`: failures before this one.

    RFC 9309 2.3.1: a success is parsed, "unavailable" (4xx) allows everything, "unreachable" (5xx, no answer,
    and too many requests) allows nothing. A file that our parser fails on allows nothing, either.
    """
    status = fetched.status
    if is_unreachable(fetched):
        return _unreachable(fetched, now, attempts, timing)
    try:
        body = within_limit(fetched.body) if status is not None and status < 300 else b""
        return RobotsState(RobotsRules.parse(body), status, body, now, now + LIFETIME)
    except Exception as error:
        return _unreachable(unread(fetched, error), now, attempts, timing)


def is_unreachable(fetched: Fetched) -> bool:
    """True if a robots.txt is unreachable: no answer, or one that asks for another try (2.3.1.4)."""
    status = fetched.status
    return status is None or fetched.reason is not None or status == 429 or not 200 <= status < 500


def _unreachable(fetched: Fetched, now: float, attempts: int, timing: Timing) -> RobotsState:
    attempts += 1
    reason = fetched.reason or f"http-{fetched.status}"
    wait = timing.robots_retry * 2 ** (attempts - 1)
    rest = LIFETIME if has(reason, LASTS) else max(wait, asked_rest(fetched, now))
    return RobotsState(None, fetched.status, b"", now, now + rest, attempts, reason)


def restored(  # noqa: PLR0913 - what is kept of a file, as it was given
    origin: str, status: int | None, reason: str | None, body: bytes, fetched_at: float, expires: float, attempts: int
) -> RobotsState:
    """The state of an origin's file from what was kept of it."""
    rules = None
    if reason is None:
        try:
            rules = RobotsRules.parse(body)
        except Exception as error:
            reason = parser_failed(f"{origin}/robots.txt", error)
    return RobotsState(rules, status, body, fetched_at, expires, attempts, reason)
