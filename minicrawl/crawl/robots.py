"""What a host's robots.txt allows (RFC 9309), and when to ask for it again.

Matching is protego's; what a missing, failing or unreachable robots.txt means is decided here.
"""

import re
from dataclasses import dataclass

from protego import Protego

from minicrawl.model import Fetched, State
from minicrawl.store.rows import RobotsRow

MAX_BYTES = 500 * 1024  # RFC 9309 2.5: at least 500 KiB must be parsed
MAX_REDIRECTS = 5  # RFC 9309 2.3.1.2
LIFETIME = 24 * 3600.0  # RFC 9309 2.4: a copy should not be used for longer than 24 hours
MAX_ATTEMPTS = 3
_RETRY_AFTER = 10.0
ROBOT = "minicrawl"


class RobotsRules:
    """The rules of one robots.txt."""

    def __init__(self, protego: Protego) -> None:
        self._protego = protego

    @classmethod
    def parse(cls, body: bytes) -> "RobotsRules":
        """Read a robots.txt, its first 500 KiB. Lines that make no sense are skipped."""
        text = body[:MAX_BYTES].decode("utf-8-sig", "replace")
        return cls(Protego.parse(text))

    def allows(self, user_agent: str, url: str) -> bool:
        """Whether a robot of that name may fetch the absolute `url`."""
        return bool(self._protego.can_fetch(url, product_token(user_agent)))

    def crawl_delay(self, user_agent: str) -> float | None:
        """Seconds the host asks for between two requests, or None."""
        delay = self._protego.crawl_delay(product_token(user_agent))
        return None if delay is None else float(delay)


def product_token(user_agent: str) -> str:
    """ "minicrawl" of "minicrawl/0.1 (+https://...)" (RFC 9309 2.2.1)."""
    match = re.match(r"[A-Za-z_-]+", user_agent)
    return match[0] if match else ROBOT


# Reasons that asking again a little later will not mend.
_HOPELESS = frozenset({"dns", "private-address", "bad-url", "tls"})


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
                return State.DISALLOWED, "robots-unreachable"
            return State.ERROR, self.reason or "connection"
        return None if self.rules.allows(user_agent, url) else (State.DISALLOWED, "robots")

    def row(self, origin: str) -> RobotsRow:
        """The state as the store keeps it; `restored` reads it back."""
        return RobotsRow(origin, self.status, self.reason, self.body, self.fetched_at, self.expires, self.attempts)

    @property
    def is_undecided(self) -> bool:
        """Whether the host's pages should wait for another try to reach its robots.txt."""
        return self.rules is None and self.attempts < MAX_ATTEMPTS and self.reason not in _HOPELESS


def judged(fetched: Fetched, now: float, attempts: int = 0) -> RobotsState:
    """What an answer to the request for robots.txt means. `attempts`: failures before this one.

    RFC 9309 2.3.1: a success is parsed, "unavailable" (4xx) allows everything, "unreachable" (5xx, no answer,
    and too many requests) allows nothing.
    """
    status = fetched.status
    if status is not None and 200 <= status < 300:
        return RobotsState(RobotsRules.parse(fetched.body), status, fetched.body[:MAX_BYTES], now, now + LIFETIME)
    if status is not None and (300 <= status < 400 or (400 <= status < 500 and status != 429)):
        return RobotsState(RobotsRules.parse(b""), status, b"", now, now + LIFETIME)
    attempts += 1
    reason = fetched.reason or f"http-{status}"
    rest = LIFETIME if reason in _HOPELESS else _RETRY_AFTER * 2 ** (attempts - 1)
    return RobotsState(None, status, b"", now, now + rest, attempts, reason)


def restored(row: RobotsRow) -> RobotsState:
    """What the store remembers."""
    reached = row.reason is None
    return RobotsState(
        RobotsRules.parse(row.body) if reached else None,
        row.status,
        row.body,
        row.fetched_at,
        row.expires,
        row.attempts,
        row.reason,
    )
