"""Whether the pages of a pattern only count: a calendar by days since some day, by weeks, by offsets, with no end.

Such pages say the same but for numbers, are known from each other, and lead to ever more of themselves. Each of these
is true of honest pages, too: of tables of measurements, of articles that have a link to the next one, of lists. Those
have words of their own, are found elsewhere, or end: threads of ten pages each count to ten, however many they are.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping

PAGES = 100
"""Pages that are looked at together, the most wordings kept of them, and the least that they must have counted to."""
PAGES_PER_WORDING = 4
_NUMBERS = re.compile(r"-?\d{1,18}")
_WORDING = 0xFFFF_FFFF


class Counting:
    """What the numbered pages of a pattern said, and where links to them were.

    `known`: URLs that were let in, `own` of them found on pages of the pattern; `spans`: of the numbers in which these
    differ from the page they were found on the least and the greatest, by their place in the URL; `pages`: looked at of
    late, and `wordings` what they said but for numbers.
    """

    __slots__ = ("known", "own", "pages", "spans", "wordings")

    def __init__(
        self,
        known: int = 0,
        own: int = 0,
        pages: int = 0,
        spans: Mapping[str, tuple[int, int]] | None = None,
        wordings: Iterable[int] = (),
    ) -> None:
        self.known, self.own, self.pages = known, own, pages
        self.spans, self.wordings = dict(spans or {}), set(wordings)

    def add_url(self, url: str, source: str | None) -> None:
        """Take in a URL of the pattern that is known from now on. source: where it was found, if that is one, too."""
        self.known += 1
        if source is None:
            return
        self.own += 1
        steps = zip(_NUMBERS.findall(source), _NUMBERS.findall(url), strict=False)
        for place, (start, end) in enumerate(steps):
            if start != end:
                low, high = self.spans.get(str(place), (int(start), int(start)))
                self.spans[str(place)] = min(low, int(start), int(end)), max(high, int(start), int(end))

    def add_page(self, wording: int) -> None:
        """Take in what a page said but for numbers. Where there are too many wordings, pages are counted anew."""
        self.pages += 1
        self.wordings.add(wording & _WORDING)
        if len(self.wordings) > PAGES:
            self.pages = 0
            self.wordings.clear()

    @property
    def is_endless(self) -> bool:
        """Whether the pages only count."""
        is_monotonous = self.pages >= PAGES and PAGES_PER_WORDING * len(self.wordings) <= self.pages
        reach = math.prod(high - low + 1 for low, high in self.spans.values())
        return is_monotonous and reach >= PAGES and 4 * self.own > 3 * self.known

    def to_json(self) -> str:
        return json.dumps([self.known, self.own, self.pages, self.spans, sorted(self.wordings)])

    @classmethod
    def from_json(cls, text: str) -> "Counting":
        return cls(*json.loads(text))
