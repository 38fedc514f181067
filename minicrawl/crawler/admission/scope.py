"""Which links are followed, and why not.

The rules hold for links and for what a page stands for: targets of redirects, meta refresh and rel=canonical. A seed is
crawled whatever they say: who names a URL means it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from minicrawl.crawler.urls.file_types import ending
from minicrawl.crawler.urls.host_rules import by_host
from minicrawl.crawler.urls.keys import authority, hostname, politeness_key, site_of
from minicrawl.settings import CrawlSettings, compiled, parse_host_limit

MAX_URL_LENGTH = 2048
_SHOWN = 3


@dataclass(frozen=True)
class Scope:
    """What the settings and the seeds allow. `places`: seeds' sites, hosts or URL prefixes, as `kind` says.

    `max_depths`: of some hosts, by name, instead of `max_depth`.
    """

    kind: str
    places: frozenset[str]
    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]
    max_depth: int | None
    html_only: bool
    max_depths: Mapping[str, int]

    @classmethod
    def of(cls, settings: CrawlSettings, seeds: Iterable[str]) -> "Scope":
        """The scope of a crawl from `seeds`: normalised URLs."""
        return cls(
            settings.scope,
            frozenset(_place(settings.scope, seed) for seed in seeds),
            tuple(compiled(pattern, "allow") for pattern in settings.allow),
            tuple(compiled(pattern, "deny") for pattern in settings.deny),
            settings.max_depth,
            settings.html_only,
            by_host(parse_host_limit("host_max_depth", rule) for rule in settings.host_max_depth),
        )

    def refuses(self, url: str, depth: int) -> str | None:
        """The reason code of the rule that keeps a normalised URL at `depth` links out, or None."""
        if len(url) > MAX_URL_LENGTH:
            return "too-long"
        if self._is_too_deep(url, depth):
            return "max-depth"
        if self.kind != "any" and not self.is_inside(url):
            return f"scope-{self.kind}"
        return self._filtered(url) if self.deny or self.allow or self.html_only else None

    def follows(self, urls: Sequence[str], depth: int) -> list[bool]:
        """Which of some normalised URLs at `depth` links may become known."""
        if not self.max_depths and self._is_too_deep("", depth):
            return [False] * len(urls)
        if self.kind == "prefix" or self.deny or self.allow or self.html_only or self.max_depths:
            return [self.refuses(url, depth) is None for url in urls]
        if self.kind == "any":
            return [len(url) <= MAX_URL_LENGTH for url in urls]
        # The links of a page lead to few hosts. As authority() has them: of a hundred links, a call each would be felt.
        names = [url.split("/", 3)[2] for url in urls]
        inside = {name for name in set(names) if self._has(name)}
        return [name in inside and len(url) <= MAX_URL_LENGTH for name, url in zip(names, urls, strict=True)]

    def rule(self, url: str, depth: int) -> str | None:
        """The rule that keeps a URL out, in words: which option, and which of its patterns; None if there is none."""
        reason = self.refuses(url, depth)
        match reason:
            case "too-long":
                rule = f"it has {len(url):,} characters, more than {MAX_URL_LENGTH:,}"
            case "max-depth":
                host = politeness_key(url)
                own = f"--host-max-depth {host}={self.max_depths[host]}" if host in self.max_depths else None
                rule = f"{own or f'--max-depth {self.max_depth}'}: it is {depth} links from a seed"
            case "type":
                rule = f"--html-only: .{ending(url)} is never HTML"
            case "deny":
                rule = f"--deny {next(pattern.pattern for pattern in self.deny if pattern.search(url))!r}"
            case "allow":
                rule = " ".join(["it matches no", *(f"--allow {pattern.pattern!r}" for pattern in self.allow)])
            case _:
                rule = f"--scope {self.kind}: {_place(self.kind, url)} is none of the seeds': {_some(self.places)}"
        return rule if reason else None

    @property
    def limits_depth(self) -> bool:
        """Whether it matters how far from a seed any URL is."""
        return self.max_depth is not None or bool(self.max_depths)

    def _is_too_deep(self, url: str, depth: int) -> bool:
        most = self.max_depths.get(politeness_key(url), self.max_depth) if self.max_depths else self.max_depth
        return most is not None and depth > most

    def _filtered(self, url: str) -> str | None:
        if self.html_only and ending(url) is not None:
            return "type"
        for pattern in self.deny:  # a loop: this is asked of every link
            if pattern.search(url):
                return "deny"
        if self.allow and not any(pattern.search(url) for pattern in self.allow):
            return "allow"
        return None

    def is_inside(self, url: str) -> bool:
        """Whether a normalised URL is on a site or host, or in a folder, of the seeds, as `kind` says."""
        if self.kind in ("host", "site"):
            return self._has(authority(url))
        return self.kind == "any" or any(url.startswith(place) for place in self.places)

    def _has(self, name: str) -> bool:
        """The same of an authority, for the kinds that ask for no more."""
        return (_site_of(name) if self.kind == "site" else name) in self.places


@lru_cache(maxsize=10_000)
def _site_of(name: str) -> str:
    """The registrable domain of an authority."""
    return site_of(hostname(f"http://{name}/"))


def _some(places: Iterable[str]) -> str:
    first, more = sorted(places)[:_SHOWN], sorted(places)[_SHOWN:]
    return ", ".join(first) + (f" and {len(more):,} more" if more else "")


def _place(kind: str, url: str) -> str:
    if kind == "site":
        return _site_of(authority(url))
    if kind == "host":
        return authority(url)
    if kind == "prefix":
        path = url.partition("?")[0]
        return path[: path.rindex("/") + 1]
    return ""
