"""What the user wants more of: a factor on the priority of a page. It moves no cash: importance is what links say."""

import re
from dataclasses import dataclass
from functools import cached_property

from minicrawl.settings import CrawlSettings
from minicrawl.settings.values import parse_boost

MOST = 1e6
"""The largest factor."""
_OF_LINK = 300.0
_AROUND = 3.0


@dataclass(frozen=True)
class Focus:
    """Factors on the priority of pages.

    boosts: patterns on URLs with their factors. words: the topic. Where n of them are in the URL of a page or in the
    text of a link to it, and m in the title of the page with that link:

        factor = boost * (1 + 300 n) (1 + 3 m)
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

    def boost(self, url: str) -> float:
        """The product of the factors of all patterns that match a URL."""
        factor = 1.0
        for pattern, boost in self.boosts:
            if pattern.search(url):
                factor *= boost
        return factor

    def topic(self, url: str, anchor: str = "", title: str = "") -> float:
        """The factor by the topic. anchor: text of a link to the URL; title: of the page with that link."""
        if not self.words:
            return 1.0
        return (1.0 + _OF_LINK * self._found(f"{url} {anchor}")) * (1.0 + _AROUND * self._found(title))

    def _found(self, text: str) -> int:
        return len(self.words.intersection(re.findall(r"[^\W_]+", text.lower())))
