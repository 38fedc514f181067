"""Scope and focus: the links that a crawl follows, the rule that refuses each other one; what the user wants more of.

The rules hold for links and for the pages that a page stands for: targets of redirects, meta refresh and rel=canonical.
Seeds are exempt, and so are the pages of their sites that they redirect to, whose host or folder is then in scope as
well. Hosts are the same with and without www. and a dot behind them, by http and by https.

--scope linked is --scope site and the targets of links from there, which are fetched only to check these links: their
redirects are followed to the end, but none of their links and hints, nor sitemaps of their hosts. A seed's redirect to
another site is refused, as with --scope site: most likely that site was meant.

Focus is a factor on the priority of a page. It moves no cash: importance is what links say.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from functools import cached_property
from urllib.parse import unquote

from minicrawl.setting import compiled
from minicrawl.settings import CrawlSettings
from minicrawl.settings.options import LINKED
from minicrawl.web.urls.keys import authority, site_of, without_www

_SHOWN = 3


class Scope:
    """The settings and the seeds' places. `places`: sites, hosts or URL prefixes of the seeds, as `kind` says."""

    def __init__(self, settings: CrawlSettings, seeds: Iterable[str]) -> None:
        """seeds: normalised URLs."""
        self.kind, self.max_depth = settings.scope, settings.max_depth
        self.places = {_place(self.kind, seed) for seed in seeds}
        self.allow = [compiled(pattern, "allow") for pattern in settings.allow]
        self.deny = [compiled(pattern, "deny") for pattern in settings.deny]

    def refuses(self, url: str, depth: int, *, source: str | None = None, is_redirect: bool = False) -> str | None:
        """The reason code of the rule that keeps a normalised URL at `depth` links out, or None. source: URL of the
        page whose link leads there, if one does. is_redirect: a redirect leads there."""
        if self._is_too_deep(depth):
            return "max-depth"
        if self.kind != "any" and not self._may_lead_to(url, source, is_redirect=is_redirect and depth > 0):
            return f"scope-{self.kind}"
        for pattern in self.deny:  # a loop: this is asked of every link
            if pattern.search(url):
                return "deny"
        return "allow" if self.allow and not any(pattern.search(url) for pattern in self.allow) else None

    def follows(self, urls: Sequence[str], depth: int, source: str) -> list[bool]:
        """True for each normalised URL at `depth` links that is in scope. source: URL of the page that links to all."""
        if self._is_too_deep(depth) or self.only_checks(source):
            return [False] * len(urls)
        if self.kind == "prefix" or self.deny or self.allow:
            return [self.refuses(url, depth, source=source) is None for url in urls]
        if self.kind in ("any", LINKED):
            return [True] * len(urls)
        # A page links to few hosts. Inlined authority(): a call for each of a hundred links would be felt.
        names = [url.split("/", 3)[2] for url in urls]
        inside = {name for name in set(names) if self._has(name)}
        return [name in inside for name in names]

    def rule(self, url: str, depth: int, *, source: str | None = None, is_redirect: bool = False) -> str | None:
        """The rule that keeps a URL out, in words: the option and its pattern; None if it is in scope."""
        reason = self.refuses(url, depth, source=source, is_redirect=is_redirect)
        match reason:
            case "max-depth":
                rule = f"--max-depth {self.max_depth}: it is {depth} links from a seed"
            case "deny":
                rule = f"--deny {next(pattern.pattern for pattern in self.deny if pattern.search(url))!r}"
            case "allow":
                rule = " ".join(["it matches no", *(f"--allow {pattern.pattern!r}" for pattern in self.allow)])
            case _:
                rule = f"--scope {self.kind}: {_place(self.kind, url)} is none of the seeds': {_some(self.places)}"
        return rule if reason else None

    @property
    def limits_depth(self) -> bool:
        return self.max_depth is not None

    def _is_too_deep(self, depth: int) -> bool:
        return self.max_depth is not None and depth > self.max_depth

    def is_inside(self, url: str) -> bool:
        """True if a normalised URL is on a site or host, or in a folder, of the seeds, as `kind` says."""
        if self.kind in ("host", "site", LINKED):
            return self._has(authority(url))
        return self.kind == "any" or any(_spoken(url).startswith(place) for place in self.places)

    def only_checks(self, url: str) -> bool:
        """True for a page that is outside, and fetched only to check the links to it."""
        return self.kind == LINKED and not self.is_inside(url)

    def _may_lead_to(self, url: str, source: str | None, *, is_redirect: bool) -> bool:
        if self.kind == LINKED and (is_redirect or source is not None):
            return source is None or self.is_inside(source)
        return self.is_inside(url)

    def _has(self, name: str) -> bool:
        """`is_inside` for an authority, which is enough for all kinds but prefix."""
        return (without_www(name) if self.kind == "host" else site_of(name)) in self.places


def _some(places: Iterable[str]) -> str:
    first, more = sorted(places)[:_SHOWN], sorted(places)[_SHOWN:]
    return ", ".join(first) + (f" and {len(more):,} more" if more else "")


def _place(kind: str, url: str) -> str:
    if kind in ("site", LINKED):
        return site_of(authority(url))
    if kind == "host":
        return without_www(authority(url))
    if kind == "prefix":
        path = _spoken(url).partition("?")[0]
        return path[: path.rindex("/") + 1]
    return ""


def _spoken(url: str) -> str:
    """A URL as people say it: without scheme and www."""
    host, slash, path = url.partition("://")[2].partition("/")
    return f"{without_www(host)}{slash}{path}"


MOST = 1e6
"""The largest factor of boosts; and how much more a link that says all of the topic counts, on a page whose title does,
than one that says nothing: with more, all pages with a word of it come before any that many link to."""
_AROUND = 0.25
"""What the title counts, where the URL and the text of the link count 1."""
OFF_TOPIC = 1.001 * math.pow(MOST, _AROUND / (1.0 + _AROUND) - 0.5)
"""Most of the factor of a page that says no more of the topic than a title around a link to it. Rounded up."""
_UNSPACED = (  # Thai, Lao, Burmese, Khmer, Japanese, Chinese
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(f"{_UNSPACED}+|(?:(?!{_UNSPACED})[^\\W_])+")
_LONG, _ENDING, _COMPOUND = 6, 3, 3
"""Fewest letters of a part that is found anywhere in a word; most of an ending; fewest in front in a compound."""


class Focus:
    """Factors on the priority of pages.

    boosts: patterns on URLs with their factors. words: the topic's, each as the patterns of its parts. By the shares of
    its words (`found`) in the URL of a page or the text of a link to it, and in the title of the page with that link:

        factor = boost * 1e6 ** ((link + title / 4) / 1.25 - 1/2)

    Where the link has none of the words, the title counts if it has all: else any page on something near the topic
    leads to all that its menu names.
    """

    def __init__(self, settings: CrawlSettings) -> None:
        self.boosts = settings.boost
        words = dict.fromkeys(_WORD.findall(_folded(settings.topic)))
        self.words = [list(map(re.compile, _parts(word, words.keys() - {word}))) for word in words]

    @cached_property
    def is_off(self) -> bool:
        return not self.boosts and not self.words

    def boost(self, url: str) -> float:
        """The product of the factors of all patterns that match a URL."""
        factor = 1.0
        for pattern, boost in self.boosts:
            if pattern.search(url):
                factor *= boost
        return min(factor, MOST)

    def topic(self, url: str, anchor: str = "", around: float = 0.0) -> float:
        """The factor by the topic. anchor: text of a link to the URL; around: `found` in the title of its page."""
        if not self.words:
            return 1.0
        link = self.found(f"{unquote(url.partition('//')[2])} {anchor}")
        if not link and around < 1.0:
            around = 0.0
        return float(MOST ** ((link + _AROUND * around) / (1.0 + _AROUND) - 0.5))

    def found(self, text: str) -> float:
        """The share of the topic's words that a text has, 0 to 1: of a word, the share of its parts."""
        text = _folded(text)
        shares = [sum(part.search(text) is not None for part in parts) / len(parts) for parts in self.words]
        return sum(shares) / max(len(shares), 1)


def _folded(text: str) -> str:
    """A text in lower case without accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")


def _parts(word: str, others: Set[str]) -> list[str]:
    """Patterns of the parts of a word of the topic; of a script without spaces, each two characters.

    Else it has one, without the ending, as words are inflected. A short part is in many words by chance: it counts at
    the beginning of a word, or as the last of a compound, with at most an ending or another word of the topic behind.
    """
    if re.match(_UNSPACED, word):
        return [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
    is_long = len(word) >= _LONG
    part = word[: len(word) - len(word) // 5] if is_long else re.sub(r"(?<=....)s\Z", "", word)
    if len(part) >= _LONG:
        return [part]
    before, behind = ("".join(f"|(?{look}{other})" for other in sorted(others)) for look in ("<=", "="))
    if len(part) > _COMPOUND:
        before += f"|(?<=[^\\W\\d_]{{{_COMPOUND}}})"
    ends = "" if is_long else f"(?:(?![^\\W\\d_]{{{_ENDING + 1}}}){behind})"
    return [f"(?:(?<![^\\W\\d_]){before}){part}{ends}"]
