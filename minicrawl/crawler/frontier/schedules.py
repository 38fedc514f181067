"""How long a page rests between two fetches of it, by the settings of a crawl."""

import math
import re
from dataclasses import dataclass

from minicrawl.opic.refresh import interval
from minicrawl.settings import CrawlSettings, parse_refresh_rule

NEVER = math.inf
CHANGED = math.inf
"""The rate of a page that has changed, as is believed: it is due after `q`, see opic/refresh.py."""


@dataclass(frozen=True)
class ByWorth:
    """An interval by importance and change rate, within bounds. Seconds."""

    least: float
    most: float

    def interval(self, price: float, worth: float, rate: float) -> float:
        """worth: importance in terms of the mean. rate: changes per second."""
        return min(max(interval(price, worth, rate), self.least), self.most)

    def reason(self, seconds: float) -> str:
        """What an interval follows from: least, most or worth."""
        if seconds <= self.least:
            return "least"
        return "most" if seconds >= self.most else "worth"


@dataclass(frozen=True)
class Fixed:
    """The same interval for every page. Seconds."""

    seconds: float

    @property
    def least(self) -> float:
        return self.seconds

    @property
    def most(self) -> float:
        return self.seconds

    def interval(self, price: float, worth: float, rate: float) -> float:
        """As `ByWorth.interval`."""
        return self.seconds

    def reason(self, seconds: float) -> str:
        """The same: always fixed."""
        return "fixed"


@dataclass(frozen=True)
class RefreshRule:
    """How long pages rest whose URL matches. seconds: NEVER if they are not fetched again. text: as it was given."""

    pattern: re.Pattern[str]
    seconds: float
    text: str


@dataclass(frozen=True)
class RefreshRules:
    """The rules of --refresh-rule, in their order."""

    rules: tuple[RefreshRule, ...] = ()

    def of(self, url: str) -> RefreshRule | None:
        """The first rule that a URL matches."""
        return next((rule for rule in self.rules if rule.pattern.search(url)), None)


def rules_of(settings: CrawlSettings) -> RefreshRules:
    """The rules of a crawl."""
    rules = []
    for text in settings.refresh_rule:
        pattern, seconds = parse_refresh_rule(text)
        rules.append(RefreshRule(pattern, NEVER if seconds is None else seconds, text))
    return RefreshRules(tuple(rules))


def schedule_of(settings: CrawlSettings) -> ByWorth | Fixed:
    """The schedule of a crawl that fetches pages again."""
    if settings.recrawl_after is not None:
        return Fixed(settings.recrawl_after)
    return ByWorth(settings.refresh_min, settings.refresh_max)
