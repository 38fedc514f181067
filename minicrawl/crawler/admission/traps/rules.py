"""Every rule that looks at a URL alone or at what the pages of its pattern brought, in one list each.

The others are `budgets`, by domain and address, and the one for dates, which looks at where a link was found, too
(traps.py).
"""

from collections.abc import Callable, Sequence

from minicrawl.crawler.admission.traps.findings import JUDGED, Findings
from minicrawl.crawler.admission.traps.url_patterns import has_session

MAX_PATH = 1024
MAX_SEGMENTS = 20
MAX_REPEATS = 2
MAX_QUERY = 1024
MAX_PARAMETERS = 32

COMBINATIONS = 128
COMBINATIONS_PER_PAGE = 8


def _has_repeated_run(stem: str, query: str) -> bool:
    """Whether a run of segments, not of numbers only, comes more than twice in a row."""
    if _segments(stem) <= MAX_REPEATS:
        return False
    segments = stem.split("/")[3:]
    return len(segments) - len(set(segments)) >= MAX_REPEATS and _has_run(segments)


def _has_run(segments: Sequence[str]) -> bool:
    for period in range(1, len(segments) // (MAX_REPEATS + 1) + 1):
        in_a_row = 0
        for place in range(period, len(segments)):
            in_a_row = in_a_row + 1 if segments[place] == segments[place - period] else 0
            if in_a_row >= MAX_REPEATS * period:
                run = segments[place - period + 1 : place + 1]
                if not all(segment.isdigit() for segment in run):
                    return True
    return False


def _segments(stem: str) -> int:
    return stem.count("/") - 2


def _combines(name: str, findings: Findings) -> bool:
    return findings.combined >= max(COMBINATIONS, COMBINATIONS_PER_PAGE * findings.parsed)


STATIC_RULES: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("trap-long-path", lambda stem, query: len(stem) > MAX_PATH),
    ("trap-deep-path", lambda stem, query: _segments(stem) > MAX_SEGMENTS),
    ("trap-repeated-path", _has_repeated_run),
    ("trap-long-query", lambda stem, query: len(query) > MAX_QUERY),
    ("trap-many-parameters", lambda stem, query: query.count("&") >= MAX_PARAMETERS),
)
"""Of what is before the "?" of a URL and what is behind it; the first rule that holds is the URL's."""

LEARNED_RULES: tuple[tuple[str, Callable[[str, Findings], bool]], ...] = (
    ("trap-calendar", lambda name, findings: findings.is_endless),
    ("trap-session", lambda name, findings: findings.is_repetitive and has_session(name)),
    ("trap-duplicates", lambda name, findings: findings.is_repetitive),
    ("trap-parameters", _combines),
)
"""Of a pattern whose pages lead nowhere else; the first rule that holds shuts it."""


def static_rule(url: str) -> str | None:
    """The rule by which a normalised URL is a trap whatever its host has shown, or None."""
    stem, _, query = url.partition("?")
    for rule, holds in STATIC_RULES:
        if holds(stem, query):
            return rule
    return None


def learned_rule(name: str, findings: Findings) -> str | None:
    """The rule that shuts a pattern for what its pages brought, or None."""
    if findings.parsed < JUDGED or not findings.leads_nowhere:
        return None
    return next((rule for rule, holds in LEARNED_RULES if holds(name, findings)), None)
