"""URLs refused by their spelling, before anything of their pattern was read.

A spelling proves little: real URLs have long titles, many values of a parameter, three equal folders, and escapes in
escapes. So a URL is refused if it repeats a value, or if it is what a link makes of its source's URL when it adds to it
once more: of pages that do so without end, each is a page like any other but for its URL.
"""

import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote

from minicrawl.web.urls.normalise import MAX_URL_LENGTH

MAX_REPEATS = 3
"""Times that a value may be in a query, and that a parameter or a run of segments may be in a URL that has grown."""
MAX_LETTERS, MAX_SEGMENTS, MAX_PARAMETERS = 1_024, 20, 32
"""Sizes to which a URL may grow from link to link. Real URLs beyond them are mostly linked from shorter ones."""
SPELLING_RULES = ("trap-long-url", "trap-repeated-path", "trap-repeated-parameter", "trap-escaped-again")
_ESCAPES = re.compile(r"%(?:25)+|(?:amp;)+")


def spelling_rule(url: str, source: str | None = None) -> str | None:
    """The rule that refuses a normalised URL by its spelling, or None. source: URL of the page that leads there."""
    if len(url) > MAX_URL_LENGTH:
        return "trap-long-url"
    parameters = url.count("&") + 1
    if parameters > MAX_REPEATS:
        values = Counter(part for part in url.partition("?")[2].split("&") if part.partition("=")[2])
        if max(values.values(), default=0) > MAX_REPEATS:
            return "trap-repeated-parameter"
    is_escaped = "%25" in url or "amp;" in url
    is_suspect = is_escaped or parameters > MAX_REPEATS or url.count("/") >= MAX_REPEATS + 3 or len(url) > MAX_LETTERS
    return _growth_rule(url, source, is_escaped=is_escaped) if is_suspect and source is not None else None


def _growth_rule(url: str, source: str, *, is_escaped: bool) -> str | None:
    """The rule against a URL that is its source's with more of the same."""
    (path, _, query), (here, _, asked) = url.partition("?"), source.partition("?")
    is_of_host = is_escaped and path.startswith(here[: here.index("/", 8) + 1])
    if is_of_host and 1 <= _escapes(source) < _escapes(url) > 1:
        return "trap-escaped-again"
    parts, known = query.split("&"), asked.split("&")
    if path == here:
        if not asked or len(parts) <= len(known) or Counter(known) - Counter(parts):
            return None
        now, then = (Counter(part.partition("=")[0] for part in some) for some in (parts, known))
        if any(count > MAX_REPEATS and 0 < then[name] < count for name, count in now.items()):
            return "trap-repeated-parameter"
    elif path.count("/") > here.count("/") and path.startswith(here[: here.rindex("/") + 1]):
        if _has_run(path.split("/")[3:], MAX_REPEATS + 1) and _has_run(here.split("/")[3:], MAX_REPEATS):
            return "trap-repeated-path"
    else:
        return None
    # A chain of links comes from just below a limit; one link may lead from a short URL to a long one.
    sizes = len(unquote(url)), path.count("/") - 2, len(parts)
    of_source = len(unquote(source)), here.count("/") - 2, len(known)
    most = MAX_LETTERS, MAX_SEGMENTS, MAX_PARAMETERS
    passes = any(2 * was >= size > limit >= was for size, was, limit in zip(sizes, of_source, most, strict=True))
    return "trap-long-url" if passes else None


def _escapes(url: str) -> int:
    """How often the text most escaped in a URL was escaped once more."""
    return max((found.count("25") + found.count("amp;") for found in _ESCAPES.findall(url)), default=0)


def _has_run(segments: Sequence[str], times: int) -> bool:
    """True if a run of segments, not all of them numbers, comes `times` times in a row."""
    if len(segments) - len(set(segments)) < times - 1:
        return False
    for period in range(1, len(segments) // times + 1):
        in_a_row = 0
        for place in range(period, len(segments)):
            in_a_row = in_a_row + 1 if segments[place] == segments[place - period] else 0
            if in_a_row >= (times - 1) * period:
                run = segments[place - period + 1 : place + 1]
                if not all(segment.isdigit() for segment in run):
                    return True
    return False
