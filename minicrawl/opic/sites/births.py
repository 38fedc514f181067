"""Birth cash: starts of walkers, and their jumps when they follow no link. In whole units.

B_p  birth cash of page p
v    the chance to jump to a page, in proportion to B

Births       walkers jump to all pages alike, as in the papers:          B_p = alike
KnownBirths  as a store has them
SiteBirths   they jump to a site s, and there to a door (sites.py):      B_p = page_level(s) + e(p) door_level(s)

A page that has gone has none. With SiteBirths an alias has only the part by its door weight, which its target gets.
Levels are two numbers a site, for any number of pages: when pages, doors or trust have changed, new levels change the
birth cash of all its pages at once. A page's pending cash may then be negative; virtual visits settle it.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, grown
from minicrawl.opic.sites.trust import DOORS

UNIT = 2**24
"""Birth cash of a page where all are born alike, in units."""
ALL_BIRTHS = 2**56
"""Birth cash of all pages together where sites share it."""
DOOR_UNIT = 256
"""Units for door weight 1."""


class Births:
    """The rule for the birth cash of pages: `alike` for each that is not gone. gone, alias: the book's flags of the
    pages asked about."""

    def __init__(self, alike: int | None = UNIT) -> None:
        """alike: B of every page that is not gone; None where pages differ."""
        self.alike = alike

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        """B of some pages, shape (pages,)."""
        return np.where(gone, 0, self.alike or 0)

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        """B of one page."""
        return 0 if gone else self.alike or 0

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1."""


class KnownBirths(Births):
    """Birth cash as given, in units."""

    def __init__(self, units: IntArray) -> None:
        super().__init__(None)
        self._units = units

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        return np.where(gone, 0, self._units[pages])

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        return 0 if gone else self._units.item(page)


class SiteBirths(Births):
    """Birth cash by the trust of a page's site, as last shared out.

    Site 0 holds pages that became known since: each has one unit.
    """

    def __init__(self, total: int = ALL_BIRTHS) -> None:
        super().__init__(None)
        self._total = total
        self.site: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """Number of the site of every page."""
        self.door: npt.NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)
        """Door weight of every page, in DOOR_UNITs."""
        self.page_level: IntArray = np.ones(1, dtype=np.int64)
        """Units of every standing page, by site."""
        self.door_level: IntArray = np.zeros(1, dtype=np.int64)
        """Units for every DOOR_UNIT of a page's door weight, by site."""

    def grow(self, size: int) -> None:
        self.site = grown(self.site, size)
        self.door = grown(self.door, size)

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        site = self.site[pages]
        births: IntArray = self.page_level[site]
        births[alias] = 0
        births += self.door[pages] * self.door_level[site]
        births[gone] = 0
        return births

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        if gone:
            return 0
        site = self.site.item(page)
        of_site = 0 if alias else self.page_level.item(site)
        return of_site + self.door.item(page) * self.door_level.item(site)

    def share_out(self, trust: FloatArray, standing: Flags, gone: Flags) -> None:
        """Recompute the levels from the current `site` and `door`.

            page_level(s) = total t(s) (1 - m) / N(s)      door_level(s) = total t(s) m / E(s)

        trust: t by site, that of site 0 is 0. standing: pages that have neither gone nor are aliases, shape (size,). A
        page has one unit at least, so it can pass on some; a site without doors gives all to its pages,
        one without pages all to its doors.
        """
        site = self.site[: len(standing)]
        pages = np.bincount(site, standing, minlength=len(trust))
        doors = np.bincount(site, np.where(gone, 0, self.door[: len(standing)]), minlength=len(trust))
        to_doors = np.where(doors > 0, np.where(pages > 0, DOORS, 1.0), 0.0)
        units = self._total * trust
        self.page_level = np.maximum(units * (1.0 - to_doors) / np.maximum(pages, 1.0), 1.0).astype(np.int64)
        self.door_level = (units * to_doors / np.maximum(doors, 1.0)).astype(np.int64)


def counted_doors(weights: FloatArray) -> npt.NDArray[np.uint16]:
    """Door weights as whole numbers of DOOR_UNITs."""
    return np.minimum(np.rint(DOOR_UNIT * weights), np.iinfo(np.uint16).max).astype(np.uint16)
