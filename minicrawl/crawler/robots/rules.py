"""What a host's robots.txt says (RFC 9309), and when to ask for it again.

Read as the RFC has it; where it is silent, what Google's parser forgives is forgiven, and marked "Google's choice".
What that parser does beside the RFC (an allowed index.html allows its folder, long lines are cut) is not followed.
Which rule decides on a URL is in matching.py; what a missing, failing or unreachable robots.txt means, here.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from minicrawl.crawler.http.failures import PARSER_FAILED, parser_failed, unread
from minicrawl.crawler.http.response_fields import asked_rest
from minicrawl.crawler.net.tls import REASONS
from minicrawl.crawler.robots.matching import Pattern, Rules, octets_of
from minicrawl.model import Fetched, State
from minicrawl.store.rows import RobotsRow
from minicrawl.timing import STANDARD, Timing

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
    b"crawl-delay": "crawl-delay",  # not the RFC's (2.2.4 lets others in), but what hosts ask for most
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


@dataclass(slots=True)
class Group:
    """What the groups of one robot say together (RFC 9309 2.2.1).

    `blocks`: the rules of each, as (path as written, whether it is allowed). Robots that are named together share one.
    """

    blocks: list[list[tuple[bytes, bool]]] = field(default_factory=list)
    crawl_delay: float | None = None
    _rules: Rules | None = None

    @property
    def rules(self) -> Rules:
        """The rules, made ready when first asked for: a robots.txt speaks to many robots, we are one."""
        if self._rules is None:
            self._rules = Rules(self.lines)
        return self._rules

    @property
    def lines(self) -> Iterator[tuple[bytes, bool]]:
        return chain.from_iterable(self.blocks)


class RobotsRules:
    """What one robots.txt says. `sitemaps`: the addresses in it, as written."""

    def __init__(self, groups: dict[bytes, Group], sitemaps: tuple[str, ...]) -> None:
        self._groups = groups
        self.sitemaps = sitemaps

    @classmethod
    def parse(cls, body: bytes) -> "RobotsRules":
        """Read a robots.txt, its first 500 KiB. Lines that make no sense are skipped."""
        groups: dict[bytes, Group] = {}
        sitemaps: list[str] = []
        block: list[tuple[bytes, bool]] = []
        undelayed: list[Group] = []  # those the block speaks to that have no Crawl-delay yet
        is_naming = False
        for line in within_limit(body).lstrip(_BYTE_ORDER_MARK).splitlines():
            name, value = _record(line)
            match _FIELDS.get(name):
                case "user-agent":
                    # 2.1: a group starts with one line or more of these, and goes on to the next after a rule.
                    if not is_naming:
                        block, undelayed = [], []
                    is_naming = True
                    group = groups.setdefault(_addressee(value), Group())
                    if not group.blocks or group.blocks[-1] is not block:
                        group.blocks.append(block)
                        undelayed += [group] * (group.crawl_delay is None)
                case "allow" | "disallow" as kind:
                    is_naming = False
                    if value:  # 2.2.2: an empty pattern matches nothing
                        block.append((value, kind == "allow"))
                # 2.2.4: other records must not end a group, nor the list of robots it speaks to.
                case "crawl-delay":
                    seconds = _seconds(value)
                    if seconds is not None:
                        for group in undelayed:
                            group.crawl_delay = seconds
                        undelayed = []
                case "sitemap" if value:
                    sitemaps.append(value.decode("utf-8", "replace"))
        return cls(groups, tuple(sitemaps))

    def allows(self, user_agent: str, url: str) -> bool:
        """Whether a robot of that name may fetch the absolute `url`."""
        group = self._group(user_agent)
        if group is None:
            return True
        octets = octets_of(url)
        # 2.2.2: /robots.txt is implicitly allowed.
        return group.rules.allow(octets) or octets == "/robots.txt"

    def deciding_line(self, user_agent: str, url: str) -> str | None:
        """The line that decides on a URL, as written; None where none does. For people: looks at every line."""
        group = self._group(user_agent)
        octets = octets_of(url)
        matching = [
            (pattern.length, is_allowed, text)
            for text, is_allowed in (group.lines if group else ())
            if (pattern := Pattern.parse(text)).matches(octets)
        ]
        if not matching or octets == "/robots.txt":
            return None
        _, is_allowed, text = max(matching, key=lambda match: match[:2])
        return f"{'Allow' if is_allowed else 'Disallow'}: {text.decode('utf-8', 'replace')}"

    def crawl_delay(self, user_agent: str) -> float | None:
        """Seconds the host asks for between two requests, or None."""
        group = self._group(user_agent)
        return None if group is None else group.crawl_delay

    def _group(self, user_agent: str) -> Group | None:
        """2.2.1: the robot's own group, in any case of letters, else everybody's, else none."""
        own = self._groups.get(product_token(user_agent).lower().encode())
        return own or self._groups.get(_EVERYBODY)


def within_limit(body: bytes) -> bytes:
    """The whole lines among the first 500 KiB: half a rule would be another rule."""
    if len(body) <= MAX_BYTES:
        return body
    head = body[: MAX_BYTES + 1]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r"), 0)]


def _record(line: bytes) -> tuple[bytes, bytes]:
    """Name in lower case and value of a line (2.2), without comment; empty if it has none.

    Google's choices: a line ends at a NUL, and a blank may stand for the colon if there are just two words.
    """
    line = line.partition(b"#")[0].partition(b"\0")[0].strip()
    name, colon, value = line.partition(b":")
    if colon:
        return name.rstrip().lower(), value.lstrip()
    words = line.split()
    return (words[0].lower(), words[1]) if len(words) == 2 else (b"", b"")


def _addressee(value: bytes) -> bytes:
    """The product token of a user-agent line, in lower case.

    Google's choice: what follows the token, such as a version, does not count, nor what follows "* ".
    """
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
    """What robots.txt calls a robot (RFC 9309 2.2.1).

    "minicrawl" of "minicrawl/0.1 (+https://...)", "ExampleBot" of "Mozilla/5.0 (compatible; ExampleBot/0.1; ...)".
    """
    match = re.search(r"\(compatible; *([A-Za-z_-]+)", user_agent) or re.match(r"([A-Za-z_-]+)", user_agent)
    return match[1] if match else ROBOT


# Reasons that asking again a little later will not mend.
_HOPELESS = frozenset({"dns", "private-address", "bad-url", PARSER_FAILED, *REASONS})


@dataclass(frozen=True)
class RobotsState:
    """What is known of one origin's robots.txt.

    `rules`: None while unreachable, then nothing may be fetched. `expires`: Unix seconds from which on to ask
    again. `attempts`: failures in a row. `status`, `body`, `reason`: what came back, for the store.
    """

    rules: RobotsRules | None
    status: int | None
    body: bytes
    fetched_at: float
    expires: float
    attempts: int = 0
    reason: str | None = None

    def refusal(self, user_agent: str, url: str) -> tuple[State, str] | None:
        """What becomes of a page that may not be fetched: its state and reason; None if it may be."""
        if self.rules is None:
            if self.status is not None:
                return State.DISALLOWED, PARSER_FAILED if self.reason == PARSER_FAILED else "robots-unreachable"
            return State.ERROR, self.reason or "connection"
        try:
            return None if self.rules.allows(user_agent, url) else (State.DISALLOWED, "robots")
        except Exception as error:
            return State.DISALLOWED, parser_failed(url, error)

    def crawl_delay(self, user_agent: str) -> float:
        """Seconds it asks for between two requests; 0 if it asks for none, or is not known."""
        return 0.0 if self.rules is None else self.rules.crawl_delay(user_agent) or 0.0

    def row(self, origin: str) -> RobotsRow:
        """The state as the store keeps it; `restored` reads it back."""
        return RobotsRow(origin, self.status, self.reason, self.body, self.fetched_at, self.expires, self.attempts)

    @property
    def is_undecided(self) -> bool:
        """Whether the host's pages should wait for another try to reach its robots.txt."""
        return self.rules is None and self.attempts < MAX_ATTEMPTS and self.reason not in _HOPELESS


def judged(fetched: Fetched, now: float, attempts: int = 0, timing: Timing = STANDARD) -> RobotsState:
    """What an answer to the request for robots.txt means. `attempts`: failures before this one.

    RFC 9309 2.3.1: a success is parsed, "unavailable" (4xx) allows everything, "unreachable" (5xx, no answer,
    and too many requests) allows nothing. Nor does one that we fail to read: what it forbids is not known.
    """
    try:
        return _judged(fetched, now, attempts, timing)
    except Exception as error:
        return _unreachable(unread(fetched, error), now, attempts, timing)


def _judged(fetched: Fetched, now: float, attempts: int, timing: Timing) -> RobotsState:
    status = fetched.status
    if is_unreachable(fetched):
        return _unreachable(fetched, now, attempts, timing)
    body = within_limit(fetched.body) if status is not None and status < 300 else b""
    return RobotsState(RobotsRules.parse(body), status, body, now, now + LIFETIME)


def is_unreachable(fetched: Fetched) -> bool:
    """Whether an answer to the request for robots.txt is none, or one that asks for another try (2.3.1.4)."""
    status = fetched.status
    return status is None or fetched.reason is not None or status == 429 or not 200 <= status < 500


def _unreachable(fetched: Fetched, now: float, attempts: int, timing: Timing) -> RobotsState:
    attempts += 1
    reason = fetched.reason or f"http-{fetched.status}"
    wait = timing.robots_retry * 2 ** (attempts - 1)
    rest = LIFETIME if reason in _HOPELESS else max(wait, asked_rest(fetched, now))
    return RobotsState(None, fetched.status, b"", now, now + rest, attempts, reason)


def restored(row: RobotsRow) -> RobotsState:
    """What the store remembers."""
    rules, reason = None, row.reason
    if reason is None:
        try:
            rules = RobotsRules.parse(row.body)
        except Exception as error:
            reason = parser_failed(f"{row.origin}/robots.txt", error)
    return RobotsState(rules, row.status, row.body, row.fetched_at, row.expires, row.attempts, reason)
