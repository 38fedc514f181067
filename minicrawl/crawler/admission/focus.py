"""Links that get a larger, or smaller, part of their page's cash. Bends the crawl, never the importance."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.seen_types import SeenTypes
from minicrawl.crawler.urls.keys import hostname, site_of
from minicrawl.settings import CrawlSettings, parse_boost

_STEPS = 100  # a factor of 1 is this many parts, so factors down to .01 can be told apart
_TOPIC_FACTOR = 4.0


@dataclass(frozen=True)
class Focus:
    """How much more a link is worth.

    boosts: patterns on URLs with their factors. words: topic words; each one found in a link's anchor or URL
    makes it worth another 4 times. intrinsic: factor of links within one registrable domain. types: what tells URLs of
    the wanted types.
    """

    boosts: tuple[tuple[re.Pattern[str], float], ...] = ()
    words: frozenset[str] = frozenset()
    intrinsic: float = 1.0
    types: SeenTypes | None = None

    @classmethod
    def of(cls, settings: CrawlSettings, types: SeenTypes | None = None) -> "Focus":
        return cls(
            tuple(parse_boost(boost) for boost in settings.boost),
            frozenset(re.findall(r"\w+", settings.topic.lower())),
            settings.intrinsic_weight,
            types,
        )

    @property
    def is_off(self) -> bool:
        return not self.boosts and not self.words and self.intrinsic == 1.0 and self.types is None

    def weights(self, source: str, urls: Sequence[str], anchors: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """One positive integer per link from `source`, its part of the cash; None when all are equal."""
        if self.is_off:
            return None
        home = site_of(hostname(source))
        factors = [
            self.factor(url, anchor) * (self.intrinsic if site_of(hostname(url)) == home else 1.0)
            for url, anchor in zip(urls, anchors, strict=True)
        ]
        weights: npt.NDArray[np.int64] = np.maximum(1, np.rint(np.array(factors) * _STEPS)).astype(np.int64)
        return weights

    def factor(self, url: str, anchor: str = "", listed_by: str = "") -> float:
        """How much more a page at `url` is worth for its URL and the text of a link to it. listed_by: the sitemap that
        names it, if one does."""
        factor = 1.0 if self.types is None else self.types.likelihood(url, listed_by).factor
        for pattern, boost in self.boosts:
            if pattern.search(url):
                factor *= boost
        if self.words:
            found = self.words & set(re.findall(r"\w+", f"{url} {anchor}".lower()))
            factor *= 1.0 + _TOPIC_FACTOR * len(found)
        return min(factor, 1000.0)
