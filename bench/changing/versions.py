"""Versions of pages: the times of their changes, and the ETag, Last-Modified and 304 that hosts answer with.

The changes of a page are a Poisson process drawn from a name. So they are a function of the name, the rate and the
time: two servers agree, and one that is started anew goes on where it was.

    slice k = the times from k / rate to (k + 1) / rate, in which one change is expected

Every slice has its own draw. Changes happen at whole seconds, because an HTTP date has no fraction: a change within a
second is seen at its end, and two changes within one second are one.

Half of the hosts speak rightly of versions (RFC 9110, section 13), and differ as servers do. The others lie.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from itertools import pairwise
from random import Random
from typing import Literal

BEGINNING = 946_684_800
"""1 January 2000 in seconds since 1970: the date of pages that never changed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a page called `name`. rate: changes per second, 0 or more; times are seconds since 1970."""

    name: str
    rate: float

    def last(self, now: float) -> int:
        """The last change before or at `now`; BEGINNING if there was none."""
        if self.rate > 0:
            for number in range(self._slice(now), self._slice(BEGINNING) - 1, -1):
                times = [time for time in self._times(number) if time <= now]
                if times:
                    return max(times[-1], BEGINNING)
        return BEGINNING

    def between(self, since: float, now: float) -> list[int]:
        """The changes after `since` and before or at `now`, rising."""
        if self.rate == 0:
            return []
        numbers = range(self._slice(max(since, BEGINNING)), self._slice(now) + 1)
        times = {time for number in numbers for time in self._times(number)}
        return sorted(time for time in times if since < time <= now)

    def _slice(self, time: float) -> int:
        return math.floor(math.floor(time) * self.rate)

    def _times(self, number: int) -> Iterator[int]:
        """The changes of a slice, rising."""
        random = Random(f"{self.name} {number}")
        at = random.expovariate(1.0)
        while at < 1.0:
            yield math.ceil((number + at) / self.rate)
            at += random.expovariate(1.0)


@dataclass(frozen=True, slots=True)
class Absences:
    """The absences of a page called `name`: one in every `period`, for `lasting` whole seconds; none if that is 0."""

    name: str
    period: float
    lasting: int

    def is_away(self, now: float) -> bool:
        return bool(self.lasting) and any(left <= now < back for left, back in self._around(now, now))

    def turns(self, since: float, now: float) -> list[int]:
        """The times of leaving and coming back, after `since` and before or at `now`, rising."""
        if not self.lasting:
            return []
        return [turn for times in self._around(since, now) for turn in times if since < turn <= now]

    def last_turn(self, now: float) -> int:
        """The last time of leaving or coming back; BEGINNING if there was none."""
        return max(self.turns(now - 2.0 * self.period, now), default=BEGINNING)

    def _around(self, since: float, now: float) -> Iterator[tuple[int, int]]:
        # Rounded up, the end of an absence may stand in the period after it.
        for number in range(math.floor(since / self.period) - 1, math.floor(now / self.period) + 1):
            spare = self.period - self.lasting
            left = math.ceil(number * self.period + Random(f"{self.name} {number}").random() * spare)
            yield left, left + self.lasting


_YEAR = 365 * 86400
_TAG = re.compile(r'(?:W/)?("[^"]*")')


@dataclass(frozen=True, slots=True)
class Bursts:
    """The changes of a page that is quiet for long: those of `dense` that fall into the times of `busy`."""

    dense: Changes
    busy: Absences

    @property
    def rate(self) -> float:
        return self.dense.rate * self.busy.lasting / self.busy.period

    def last(self, now: float) -> int:
        """As `Changes.last`; BEGINNING if there was none in four periods."""
        return max(self.between(now - 4.0 * self.busy.period, now), default=BEGINNING)

    def between(self, since: float, now: float) -> list[int]:
        """As `Changes.between`."""
        turns = [since, *self.busy.turns(since, now), now]
        spans = [(start, end) for start, end in pairwise(turns) if self.busy.is_away(start)]
        return [time for start, end in spans for time in self.dense.between(start, end)]


@dataclass(frozen=True, slots=True)
class Manner:
    """A host's use of ETag, Last-Modified and 304.

    etag: None for none; "own" of each version, "weak" the same with W/, "long" the same with 2 kB, "stuck" never
    changes, "new" changes with every answer.
    date: None; "own" of each version; "future" a year later than that; "now" the time of the answer.
    judges: "none" ignores conditions; "equal" compares If-Modified-Since for equality, as nginx does; "later" compares
    dates, as Apache does; "always" answers 304 to all conditional requests.
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
"""Assigned to the hosts of a web in turn, the largest first: the largest hosts tell the truth."""
LIARS = frozenset({"stuck ETag", "new ETag", "future date", "date of now", "always 304"})


def validators(manner: Manner, version: int, now: float) -> dict[str, str]:
    """The header fields that identify a version, given by its time in seconds since 1970."""
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
    """True if a GET is answered 304. fields: the current `validators`; asked: the request's header fields.

    If-None-Match takes precedence: beside it If-Modified-Since is ignored, unless the host has no ETags.
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
