"""The interval between two fetches of a page, by worth or fixed; how far dates are believed.

Two dates say when a page has changed: Last-Modified of an answer, and lastmod of a page in its sitemap. Many servers
make them up: the time of the request, the time at which the sitemap was written. So the dates of a host are believed
only while they prove true, fetch by fetch, by the blocks of text that changed or did not; no date in the future is
believed.

belief   rises by 1 with every date that proved true, up to 8, and falls by 2 with every other one, down to -1: a host
         whose dates are wrong more often than once in three times is not believed for long

Change rates that are assumed of pages before they are fetched again, by what similar pages have shown.

Similar pages are those of one folder and media type of a host, then those of the host, then all pages. The closest
group with enough pages fetched twice tells the rate: the mean m of a Gamma distribution of shape PRIOR_SHAPE. A group
learns as a single page does (opic/refresh.py), from the second fetch of each of its pages: whether it had changed by
then. As rates differ, so many changes have passed in a gap as leave the same share of the pages unchanged:

    e^-x = (1 + m gap / PRIOR_SHAPE)^-PRIOR_SHAPE

Before enough of these, the median of the dates of Last-Modified tells its rate. A new group begins with the rate of the
larger one.

Before anything is known a page is assumed to change once in 168 of the least intervals, a week at most: a user who lets
pages be fetched every few seconds expects them to change.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.refresh import PRIOR_SHAPE, WEEK, interval, learned, running_median
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store
from minicrawl.store.refreshes import GroupRate

CHANGED = math.inf
"""The rate of a page believed to have changed: it is due after `q`, see opic/refresh.py."""


class ByWorth(Struct, frozen=True):
    """An interval by importance and change rate, within bounds; fixed if these are equal. Seconds."""

    least: float
    most: float

    def interval(self, price: float, worth: float, rate: float) -> float:
        """worth: importance in terms of the mean. rate: changes per second."""
        return min(max(interval(price, worth, rate), self.least), self.most)

    def intervals(self, price: float, worths: FloatArray, rates: FloatArray) -> FloatArray:
        """`interval` of many pages."""
        return np.clip(interval(price, worths, rates), self.least, self.most)

    def reason(self, seconds: float) -> str:
        """The reason for an interval: fixed, least, most or worth."""
        if self.least == self.most:
            return "fixed"
        if seconds <= self.least:
            return "least"
        return "most" if seconds >= self.most else "worth"


LONGEST = 90 * 86_400.0
"""Most seconds between two fetches of a page."""


def schedule_of(settings: CrawlSettings) -> ByWorth:
    """The schedule of a crawl that fetches pages again."""
    fixed = settings.recrawl_after
    return ByWorth(settings.refresh_min, LONGEST) if fixed is None else ByWorth(fixed, fixed)


_LEAST_INTERVALS = 168.0
"""A week, if the least interval is an hour."""


def first_interval(least: float) -> float:
    """Assumed seconds between two changes of an unknown page. least: seconds between two fetches of it."""
    return min(WEEK, _LEAST_INTERVALS * least)


BELIEVED = 3
"""From this belief on a date counts."""
_MOST = 8
_LOSS = 2


def after_proof(belief: int, *, is_true: bool) -> int:
    """The belief in a host's dates after one of them proved true or wrong."""
    return min(belief + 1, _MOST) if is_true else max(belief - _LOSS, -1)


EVERY_HOST = -1
_ENOUGH = 8.0
"""Pages of a group that were fetched twice, from which on it tells the rate of its other pages."""
_MOST_FOLDERS = 64
"""Folders of a host that are groups of their own."""
_DATED = 0.25
"""Weight of a page with a date, in terms of pages fetched twice."""
_MEDIAN = PRIOR_SHAPE * (2.0 ** (1.0 / PRIOR_SHAPE) - 1.0)
"""Median of m times the time since the last change of a page."""
_MOST_SHAPE = 64.0
"""A group forgets little: changes are often certain later than their absence, and come in a row."""
UNPROVED = 0.5
"""Weight of the date of a page that was fetched once."""
BY_DATE = PRIOR_SHAPE / 2.0
"""Information about the rate of a page of which only such a date tells."""
_HTML = {None, "text/html", "application/xhtml+xml"}


def folder_of(url: str, content_type: str | None) -> str:
    """The first folder of a URL's path; a media type other than HTML stands before it."""
    parts = url.split("/", 4)
    folder = parts[3] if len(parts) > 4 and "?" not in parts[3] else ""
    media_type = content_type.partition(";")[0].strip() if content_type else None
    return folder if media_type in _HTML else f"{media_type}:{folder}"


def shapes(information: FloatArray) -> FloatArray:
    """Shapes of the distributions of pages' rates, by the information about them."""
    by_others = np.where(information > 0.0, PRIOR_SHAPE + UNPROVED, PRIOR_SHAPE)
    return np.where(information < PRIOR_SHAPE, by_others, information)


class ChangeRates:
    """Assumed change rates, per second, by number of a group; number 0 has all pages.

    first_rate: assumed before anything is known.
    """

    def __init__(self, first_rate: float) -> None:
        self._groups = [GroupRate(EVERY_HOST, "", first_rate, PRIOR_SHAPE, 0.0)]
        self._parents = [0]  # by number: the larger group
        self._numbers = {(EVERY_HOST, ""): 0}
        self._folders: dict[int, int] = {}
        self._changed: set[int] = set()

    def load(self, store: Store) -> None:
        """Load the rates that a crawl has learned so far; larger groups stand before their parts."""
        for row in store.records(GroupRate, "group_rates ORDER BY host <> -1, folder <> '', host, folder"):
            number = self.group(row.host, row.folder) if row.host != EVERY_HOST else 0
            self._groups[number] = self._groups[number]._replace(
                rate=row.rate, information=row.information, fetched_twice=row.fetched_twice
            )

    def groups(self, store: Store) -> IntArray:
        """For each page without a rate of its own the number of its group, for all others 0; shape (size,)."""
        groups = np.zeros(store.size(), dtype=np.int64)
        unlearned = """
            SELECT pages.id, host, url, content_type
            FROM pages JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id
            WHERE state IN ('fetched', 'alias') AND coalesce(information, 0.0) < ?"""
        for page, host, url, content_type in store.each(unlearned, PRIOR_SHAPE):
            groups[page] = self.group(host, folder_of(url, content_type))
        return groups

    def group(self, host: int, folder: str) -> int:
        """The number of the group of a host's pages, or of those in one folder. folder: as `folder_of`."""
        number = self._numbers.get((host, folder))
        if number is not None:
            return number
        parent = 0
        if folder:
            parent = self.group(host, "")
            if self._folders.get(host, 0) >= _MOST_FOLDERS:
                return parent
            self._folders[host] = self._folders.get(host, 0) + 1
        number = self._numbers[host, folder] = len(self._groups)
        self._groups.append(GroupRate(host, folder, self.of(parent), PRIOR_SHAPE, 0.0))
        self._parents.append(parent)
        return number

    def of(self, number: int) -> float:
        """The rate assumed of a group's pages."""
        while self._groups[number].fetched_twice < _ENOUGH and number:
            number = self._parents[number]
        return self._groups[number].rate

    def of_all(self, numbers: IntArray) -> FloatArray:
        """`of` for many pages at once. numbers: of their groups."""
        return np.array([self.of(number) for number in range(len(self._groups))])[numbers]

    def note_second_fetch(self, number: int, gap: float, *, changed: bool) -> None:
        """Learn from the second fetch of a group's page, `gap` seconds after the first."""
        for place, group in self._up_from(number):
            x = PRIOR_SHAPE * math.log1p(group.rate * gap / PRIOR_SHAPE)
            rate, shape = learned(
                group.rate, group.information, x / group.rate, changed, most_shape=_MOST_SHAPE, most_gaps=math.inf
            )
            self._groups[place] = group._replace(rate=rate, information=shape, fetched_twice=group.fetched_twice + 1.0)

    def note_date(self, number: int, age: float) -> None:
        """Learn from the first fetch of a group's page, that had changed `age` seconds before."""
        for place, group in self._up_from(number):
            if group.fetched_twice < _ENOUGH:
                rate = running_median(group.rate, round(group.fetched_twice / _DATED), _MEDIAN / max(age, 1.0))
                self._groups[place] = group._replace(rate=rate, fetched_twice=group.fetched_twice + _DATED)

    def _up_from(self, number: int) -> Iterator[tuple[int, GroupRate]]:
        """A group and the larger ones, with their numbers."""
        while True:
            self._changed.add(number)
            yield number, self._groups[number]
            if not number:
                return
            number = self._parents[number]

    def changed(self) -> Iterable[GroupRate]:
        """The rates learned since the last call."""
        changed = [self._groups[number] for number in sorted(self._changed)]
        self._changed.clear()
        return changed
