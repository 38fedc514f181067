"""Exceptions, as a tree. Bad input from the web raises none: it becomes an outcome with a reason code.

MinicrawlError          every message is one sentence: the problem, the value, the way out
├── ConfigError         a setting is wrong; the message names it and the allowed values         exit 2
├── SeedError           a seed or seed file is wrong; the message has file and line             exit 2
├── StoreError          the store cannot be used                                                exit 3
├── NothingFetchedError not one page could be fetched                                           exit 1
├── CrawlEndedError     a request to a running crawl came after its end                         exit 1
└── FetchError          one request failed; `reason` is the code the page will carry; never leaves the crawl
"""

import math
import re
from collections.abc import Callable, Iterable

# The login before the @ of a host, in a URL or alone. A password may hold any character, but a port is none. Lengths
# are bounded, as messages may quote text from the web.
_LOGIN = re.compile(
    r"""(?<=//)(?:[^/\s]{0,256}@|[^/\s:]{0,128}:(?!\d{1,5}/)[^'"\n]{0,256}@)"""
    r"""|(?<![/\w.-])(?!mailto:)[^\s/@'"=,:]{1,128}:(?!//)[^\s@'"]{1,256}@"""
)
HIDDEN = "***@"
"""Replacement for the name and password before a host."""
_QUOTED = 100
"""Characters of a value in a message."""


def without_logins(text: str) -> str:
    """Hide names and passwords in the URLs of a text."""
    return _LOGIN.sub(HIDDEN, text)


def counted(number: int, what: str) -> str:
    """ "1 page", "22 pages"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def covered(share: float) -> str:
    """ "58 %", "0.3 %": a share, rounded down."""
    return f"{_percent(100 * share + 1e-9, math.floor)} %"


def span(seconds: float) -> str:
    """A rough duration: "3 days", "5 hours"."""
    for unit, name in ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute")):
        if seconds >= 2 * unit:
            return counted(round(seconds / unit), name)
    return counted(round(seconds), "second")


def held(low: float, about: float, shown: float) -> str:
    """ "about 64 % of the importance (between 58 and 71 %)", "100 % of the importance": a coverage, whose bounds are
    rounded outwards."""
    least, most = _percent(100 * low + 1e-9, math.floor), _percent(100 * shown - 1e-9, math.ceil)
    if least == most:
        return f"{most} % of the importance"
    return f"about {covered(about)} of the importance (between {least} and {most} %)"


def hint(given: str, known: Iterable[str], otherwise: str) -> str:
    """ "did you mean 'delay'?", or the other text if no known name is close to the given one."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    close = get_close_matches(given, known, 1)
    return f"did you mean {close[0]!r}?" if close else otherwise


def suggestion(given: str, known: Iterable[str]) -> str:
    """ "; did you mean 'delay'?", to end a sentence with; "" if no known name is close to the given one."""
    meant = hint(given, known, "")
    return f"; {meant}" if meant else ""


def quoted(given: object) -> str:
    """A value for messages, cut to one short line."""
    try:
        shown = repr(given)
    except ValueError:  # Python prints no whole number of thousands of digits
        return "a number of thousands of digits"
    return shown if len(shown) <= _QUOTED else f"{shown[:_QUOTED]}..."


def _percent(number: float, rounded: Callable[[float], int]) -> float:
    return rounded(number) if number >= 1 else rounded(10 * number) / 10


class MinicrawlError(Exception):
    """An error that the user can act on."""

    exit_code = 1

    def __str__(self) -> str:
        return without_logins(super().__str__())


class ConfigError(MinicrawlError):
    exit_code = 2


SettingError = ConfigError
"""The name within the program."""


class SeedError(MinicrawlError):
    exit_code = 2


class StoreError(MinicrawlError):
    exit_code = 3


class NothingFetchedError(MinicrawlError):
    exit_code = 1


class CrawlEndedError(MinicrawlError):
    """The crawl ended before it carried out a request."""


class FetchError(MinicrawlError):
    """A request got no usable response.

    `reason`: a reason code such as "dns" or "timeout-connect", see `minicrawl.reasons`.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason
