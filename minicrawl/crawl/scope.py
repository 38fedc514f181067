"""Which links are followed, and why not."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from minicrawl.crawl.urls import authority, hostname, site
from minicrawl.settings import CrawlSettings, compiled

MAX_URL_LENGTH = 2048


@dataclass(frozen=True)
class Scope:
    """What the settings and the seeds allow. `places`: seeds' sites, hosts or URL prefixes, as `kind` says."""

    kind: str
    places: frozenset[str]
    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]
    max_depth: int | None

    @classmethod
    def of(cls, settings: CrawlSettings, seeds: Iterable[str]) -> "Scope":
        """The scope of a crawl from `seeds`: normalised URLs."""
        return cls(
            settings.scope,
            frozenset(_place(settings.scope, seed) for seed in seeds),
            tuple(compiled(pattern, "allow") for pattern in settings.allow),
            tuple(compiled(pattern, "deny") for pattern in settings.deny),
            settings.max_depth,
        )

    def refuses(self, url: str, depth: int) -> str | None:
        """The reason code of the rule that keeps a normalised URL at `depth` links out, or None."""
        if len(url) > MAX_URL_LENGTH:
            return "too-long"
        if self.max_depth is not None and depth > self.max_depth:
            return "max-depth"
        if not self.is_inside(url):
            return f"scope-{self.kind}"
        if any(pattern.search(url) for pattern in self.deny):
            return "deny"
        if self.allow and not any(pattern.search(url) for pattern in self.allow):
            return "allow"
        return None

    def is_inside(self, url: str) -> bool:
        """Whether a normalised URL is on a site or host, or in a folder, of the seeds, as `kind` says."""
        if self.kind == "any":
            return True
        if self.kind == "prefix":
            return any(url.startswith(place) for place in self.places)
        return _place(self.kind, url) in self.places


def _place(kind: str, url: str) -> str:
    if kind == "site":
        return site(hostname(url))
    if kind == "host":
        return authority(url)
    if kind == "prefix":
        path = url.partition("?")[0]
        return path[: path.rindex("/") + 1]
    return ""
