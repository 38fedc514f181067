"""Weights of links: pages that match the user's focus get more of the cash. Bends the crawl, never the importance."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from minicrawl.settings import CrawlSettings, parse_boost

_STEPS = 100  # a factor of 1 is this many parts, so factors down to .01 can be told apart
_TOPIC_FACTOR = 4.0


@dataclass(frozen=True)
class Focus:
    """Factors on the weight of links.

    boosts: patterns on URLs with their factors. words: topic words; n of them in a link's anchor or URL multiply its
    factor by 1 + 4n.
    """

    boosts: tuple[tuple[re.Pattern[str], float], ...] = ()
    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: CrawlSettings) -> "Focus":
        return cls(
            tuple(parse_boost(boost) for boost in settings.boost),
            frozenset(re.findall(r"\w+", settings.topic.lower())),
        )

    @cached_property
    def is_off(self) -> bool:
        return not self.boosts and not self.words

    def weights(self, urls: Sequence[str], anchors: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """One positive integer per link of a page, its part of the cash; None when all are equal."""
        if self.is_off:
            return None
        factors = list(map(self.factor, urls, anchors))
        weights: npt.NDArray[np.int64] = np.maximum(1, np.rint(np.array(factors) * _STEPS)).astype(np.int64)
        return weights

    def factor(self, url: str, anchor: str = "") -> float:
        """The factor of a link to `url`, from the URL and the link's text."""
        factor = 1.0
        for pattern, boost in self.boosts:
            if pattern.search(url):
                factor *= boost
        if self.words:
            found = self.words & set(re.findall(r"\w+", f"{url} {anchor}".lower()))
            factor *= 1.0 + _TOPIC_FACTOR * len(found)
        return min(factor, 1000.0)
