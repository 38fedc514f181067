"""Uses that a crawl respects (--respect-usage): pages that robots.txt does not want used so are refused."""

from collections.abc import Sequence

from minicrawl.crawler.http.failures import parser_failed
from minicrawl.crawler.requests.request import Refusal
from minicrawl.crawler.requests.robots import RobotsFiles
from minicrawl.crawler.robots.preferences import USAGE
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import State


class UsageRefusals:
    """Refuses URLs whose site disallows a use that is respected. uses: of USES."""

    def __init__(self, uses: Sequence[str], agent: str, robots: RobotsFiles) -> None:
        self._uses = uses
        self._agent = agent
        self._robots = robots

    def refusal(self, url: str) -> Refusal | None:
        """The refusal of a URL that may be fetched, by its robots.txt if that is known."""
        robots = self._robots.state(origin_of(url))
        try:
            if robots and robots.rules and robots.rules.preferences(self._agent, url).forbids(self._uses):
                return Refusal(State.DISALLOWED, USAGE, robots.expires)
        except Exception as error:
            return Refusal(State.DISALLOWED, parser_failed(url, error), 0.0)
        return None
