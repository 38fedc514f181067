"""How long a page rests between two fetches of it, by the settings of a crawl."""

from dataclasses import dataclass

from minicrawl.opic.refresh import interval
from minicrawl.settings import CrawlSettings


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


def schedule_of(settings: CrawlSettings) -> ByWorth | Fixed:
    """The schedule of a crawl that fetches pages again."""
    if settings.recrawl_after is not None:
        return Fixed(settings.recrawl_after)
    return ByWorth(settings.refresh_min, settings.refresh_max)
