"""tdmrep.json, by which an origin reserves rights to text and data mining (TDMRep, W3C Community Group, May 2024), and
when to ask for it again.

The first rule whose location matches a URL counts. A file that is missing, or makes no sense, reserves nothing.
"""

import json
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.crawler.http.response_fields import asked_rest
from minicrawl.crawler.robots.matching import Pattern, octets_of
from minicrawl.crawler.robots.preferences import NOTHING, POLICY, RESERVATION, TDMREP, Preferences, Statement, read
from minicrawl.crawler.robots.rules import LIFETIME, MAX_BYTES, OriginFile, is_unreachable
from minicrawl.model import Fetched
from minicrawl.store.rows import RobotsRow
from minicrawl.timing import STANDARD, Timing

PATH = "/.well-known/tdmrep.json"
MOST_RULES = 1_000
"""Rules that are read of a file."""
_LONGEST_SHOWN = 500
_MOST_DOUBLED = 16


class TdmRule(NamedTuple):
    """A rule: its location, and as it is shown."""

    pattern: Pattern
    preferences: Preferences
    shown: str


def parse_tdmrep(body: bytes) -> tuple[TdmRule, ...]:
    """The rules of a file, without those that make no sense."""
    if len(body) > MAX_BYTES:
        return ()
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    rules = found[:MOST_RULES] if isinstance(found, list) else []
    return tuple(_rule(rule) for rule in rules if isinstance(rule, dict) and isinstance(rule.get("location"), str))


def _rule(rule: dict[str, Any]) -> TdmRule:
    location, reserved = rule["location"], rule.get(RESERVATION)
    word = str(int(reserved)) if isinstance(reserved, int) else str(reserved)
    policy = f", {POLICY} {rule[POLICY]}" if isinstance(rule.get(POLICY), str) else ""
    pattern = Pattern.parse(location.encode("utf-8", "replace"))
    shown = f"location {location}, {RESERVATION} {word}{policy}"
    return TdmRule(pattern, read(RESERVATION, word), shown[:_LONGEST_SHOWN])


class TdmrepState(OriginFile[tuple[TdmRule, ...]]):
    """A tdmrep.json."""

    def rule(self, url: str) -> TdmRule | None:
        """The rule that counts for a URL."""
        octets = octets_of(url)
        return next((rule for rule in self.rules if rule.pattern.matches(octets)), None)

    def preferences(self, url: str) -> Preferences:
        rule = self.rule(url)
        return NOTHING if rule is None else rule.preferences

    def statements(self, url: str, file: str) -> list[Statement]:
        """The rule that counts for a URL, if any. file: URL of the tdmrep.json."""
        rule = self.rule(url)
        return [] if rule is None else [Statement(TDMREP, rule.shown, rule.preferences, file)]


def judged_tdmrep(fetched: Fetched, now: float, attempts: int = 0, timing: Timing = STANDARD) -> TdmrepState:
    """The state after an answer to the request for tdmrep.json. attempts: failures before this one.

    One that cannot be had implies that the origin does not take part; after a failure it is asked for sooner.
    """
    if is_unreachable(fetched):
        reason = fetched.reason or f"http-{fetched.status}"
        rest = min(max(timing.robots_retry * 2 ** min(attempts, _MOST_DOUBLED), asked_rest(fetched, now)), LIFETIME)
        return TdmrepState((), fetched.status, b"", now, now + rest, attempts + 1, reason)
    is_there = fetched.status is not None and fetched.status < 300
    body = fetched.body if is_there else b""
    return TdmrepState(parse_tdmrep(body), fetched.status, body, now, now + LIFETIME)


def restored_tdmrep(row: RobotsRow) -> TdmrepState:
    """The state from its row in the store."""
    return TdmrepState(
        parse_tdmrep(row.body), row.status, row.body, row.fetched_at, row.expires, row.attempts, row.reason
    )
