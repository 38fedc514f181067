"""The rules that look at a URL alone."""

from collections import Counter
from collections.abc import Sequence

MAX_LENGTH = 1024
MAX_SEGMENTS = 20
MAX_SEGMENT_REPEATS = 2
MAX_PARAMETERS = 32
MAX_SAME_PARAMETER = 3
"""Times that a parameter may be in a query: a choice of three. Links that append one without end have it once more each
time."""


def _has_run(segments: Sequence[str]) -> bool:
    """True if a run of segments, not all of them numbers, comes more than twice in a row."""
    if len(segments) - len(set(segments)) < MAX_SEGMENT_REPEATS:
        return False
    for period in range(1, len(segments) // (MAX_SEGMENT_REPEATS + 1) + 1):
        in_a_row = 0
        for place in range(period, len(segments)):
            in_a_row = in_a_row + 1 if segments[place] == segments[place - period] else 0
            if in_a_row >= MAX_SEGMENT_REPEATS * period:
                run = segments[place - period + 1 : place + 1]
                if not all(segment.isdigit() for segment in run):
                    return True
    return False


def static_rule(url: str) -> str | None:
    """The rule that makes a normalised URL a trap by itself, or None."""
    stem, _, query = url.partition("?")
    segments, parameters = stem.count("/") - 2, query.count("&") + 1
    if max(len(stem), len(query)) > MAX_LENGTH or segments > MAX_SEGMENTS or parameters > MAX_PARAMETERS:
        return "trap-long-url"
    if segments > MAX_SEGMENT_REPEATS and _has_run(stem.split("/")[3:]):
        return "trap-repeated-path"
    if parameters > MAX_SAME_PARAMETER and _has_same(query):
        return "trap-repeated-parameter"
    # Links that escape the current URL once more.
    return "trap-escaped-again" if "%2525" in url or "amp;amp;" in url else None


def _has_same(query: str) -> bool:
    """True if a parameter comes more often than it may."""
    names = Counter(part.partition("=")[0] for part in query.split("&"))
    return max(names.values()) > MAX_SAME_PARAMETER
