"""How a host speaks of versions: ETag, Last-Modified, and when it says 304 (RFC 9110, section 13).

Half of the manners are right, and differ as servers do. The others lie.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from typing import Literal

_YEAR = 365 * 86400
_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True)
class Manner:
    """What a host says of the versions of its pages.

    etag: None where it says nothing; "own" of each version, "weak" the same with W/, "long" the same with 2 kB,
    "stuck" never changes, "new" changes with every answer.
    date: None; "own" of each version; "future" a year later than that; "now" the time of the answer.
    judges: "none" answers 200 whatever is asked; "equal" takes If-Modified-Since at its word, as nginx does; "later"
    compares dates, as Apache does; "always" says 304 to all that has a condition.
    """

    etag: Literal["own", "weak", "long", "stuck", "new"] | None
    date: Literal["own", "future", "now"] | None
    judges: Literal["none", "equal", "later", "always"]


MANNERS = {
    "nginx": Manner("own", "own", "equal"),
    "Apache": Manner("own", "own", "later"),
    "dates only": Manner(None, "own", "equal"),
    "weak ETag": Manner("weak", "own", "later"),
    "nothing": Manner(None, None, "none"),
    "ETag only": Manner("own", None, "later"),
    "stuck ETag": Manner("stuck", None, "none"),
    "new ETag": Manner("new", "own", "later"),
    "future date": Manner("own", "future", "equal"),
    "date of now": Manner(None, "now", "equal"),
    "always 304": Manner("own", "own", "always"),
    "long ETag": Manner("long", None, "later"),
}
"""The hosts of a web take them in turn, the largest host the first: the largest hosts tell the truth."""
LIARS = frozenset({"stuck ETag", "new ETag", "future date", "date of now", "always 304"})


def validators(manner: Manner, version: int, now: float) -> dict[str, str]:
    """The header fields that tell a version; version: when it came, in seconds since 1970."""
    tags = {
        "own": f'"{version:x}"',
        "weak": f'W/"{version:x}"',
        "long": f'"{version:x}{"-" * 2048}"',
        "stuck": '"1"',
        "new": f'"{now!r}"',
    }
    dates = {"own": version, "future": version + _YEAR, "now": int(now)}
    fields = {}
    if manner.etag is not None:
        fields["ETag"] = tags[manner.etag]
    if manner.date is not None:
        fields["Last-Modified"] = formatdate(dates[manner.date], usegmt=True)
    return fields


def is_not_modified(manner: Manner, fields: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """Whether the answer to a GET is 304. fields: the `validators` of now; asked: the request's header fields.

    If-None-Match goes first: where it stands, If-Modified-Since is not looked at, unless the host has no ETags.
    """
    tags, since = asked.get("If-None-Match"), asked.get("If-Modified-Since")
    if manner.judges == "none" or (tags is None and since is None):
        return False
    if manner.judges == "always":
        return True
    if tags is not None and "ETag" in fields:
        # Compared weakly: W/ does not count (section 8.8.3.2).
        return tags.strip() == "*" or fields["ETag"].removeprefix("W/") in _TAG.findall(tags)
    date = fields.get("Last-Modified")
    if since is None or date is None:
        return False
    return since == date if manner.judges == "equal" else _is_by(date, since)


def _is_by(date: str, since: str) -> bool:
    try:
        return parsedate_to_datetime(date) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):  # no date, or one without a zone
        return False
