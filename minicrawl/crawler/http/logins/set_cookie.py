"""What a header field Set-Cookie says (RFC 6265 5.1.1, 5.2), and what a browser would not believe of it.

Beyond that RFC, as browsers do (draft 6265bis): what has control characters in it, and names that promise more than
their attributes keep (__Secure-, __Host-), are ignored.
"""

import calendar
import re
from typing import NamedTuple

LONGEST = 4096
"""Characters of a name and its value (RFC 6265 6.1); a longer cookie is ignored."""
_LONGEST_ATTRIBUTE = 1024
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_DELIMITER = re.compile(r"[\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?", re.ASCII | re.DOTALL)
_DAY = re.compile(r"(\d{1,2})(?:\D.*)?", re.ASCII | re.DOTALL)
_YEAR = re.compile(r"(\d{2,4})(?:\D.*)?", re.ASCII | re.DOTALL)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LAST = 253402300799.0  # the last second of the year 9999


class SetCookie(NamedTuple):
    """A cookie as a host sets it.

    `expires`: Unix seconds; None: it has no end. `domain`: "" for the host alone. `path`: "" for the folder of the URL.
    """

    name: str
    value: str
    expires: float | None = None
    domain: str = ""
    path: str = ""
    is_secure: bool = False
    is_http_only: bool = False


def parse_set_cookie(text: str, now: float) -> SetCookie | None:
    """Read the value of a field; None for one that is to be ignored."""
    pair, *attributes = text.split(";")
    name, equals, value = (part.strip(" \t") for part in pair.partition("="))
    if not equals or not name or len(name) + len(value) > LONGEST or _CONTROL.search(text):
        return None
    found: dict[str, str] = {}
    for attribute in attributes:
        key, _, given = (part.strip(" \t") for part in attribute.partition("="))
        if len(given) <= _LONGEST_ATTRIBUTE and _is_meant(key.lower(), given):
            found[key.lower()] = given
    cookie = SetCookie(
        name,
        value,
        _expires(found, now),
        found.get("domain", "").removeprefix(".").lower(),
        found.get("path", ""),
        "secure" in found,
        "httponly" in found,
    )
    return cookie if _keeps_promise(cookie) else None


def _is_meant(key: str, given: str) -> bool:
    """Whether an attribute counts at all; of several that do, the last one is taken."""
    match key:
        case "expires":
            return parse_date(given) is not None
        case "max-age":
            return re.fullmatch(r"-?\d+", given, re.ASCII) is not None
        case "domain":
            return given != ""
    return True


def _expires(found: dict[str, str], now: float) -> float | None:
    if "max-age" in found:
        # More digits than a time can have mean for ever, and are not to be worked with.
        age = found["max-age"]
        seconds = int(age) if len(age) <= 15 else (-1 if age.startswith("-") else _LAST)
        return min(now + seconds, _LAST) if seconds > 0 else 0.0
    return parse_date(found["expires"]) if "expires" in found else None


def _keeps_promise(cookie: SetCookie) -> bool:
    name = cookie.name.lower()
    if name.startswith("__host-"):
        return cookie.is_secure and not cookie.domain and cookie.path == "/"
    return cookie.is_secure or not name.startswith("__secure-")


def parse_date(text: str) -> float | None:
    """Unix seconds of a date, in any of the forms that servers write; None for what is none (RFC 6265 5.1.1)."""
    time: tuple[int, ...] | None = None
    day = month = year = None
    for token in _DELIMITER.split(text):
        if time is None and (match := _TIME.fullmatch(token)):
            time = tuple(map(int, match.groups()))
        elif day is None and (match := _DAY.fullmatch(token)):
            day = int(match[1])
        elif month is None and token[:3].lower() in _MONTHS:
            month = _MONTHS.index(token[:3].lower()) + 1
        elif year is None and (match := _YEAR.fullmatch(token)):
            year = int(match[1])
    if time is None or day is None or month is None or year is None:
        return None
    year += 1900 if 70 <= year <= 99 else 2000 if year <= 69 else 0
    hour, minute, second = time
    if not (1 <= day <= 31 and year >= 1601 and hour <= 23 and minute <= 59 and second <= 59):
        return None
    if day > calendar.monthrange(year, month)[1]:
        return None
    return float(calendar.timegm((year, month, day, hour, minute, second)))
