"""Scope: the links that a crawl follows, and the rule that refuses each other one.

The rules hold for links and for the pages that a page stands for: targets of redirects, meta refresh and rel=canonical.
Seeds are exempt: a user who names a URL wants it. So are the pages of their sites that they redirect to, whose host or
folder is then in scope as well. Hosts are the same with and without www., by http and by https.

--scope linked is --scope site and the targets of links from there, which are fetched only to check these links: their
redirects are followed to the end, but none of their links and hints, nor sitemaps of their hosts. A seed's redirect to
another site is refused, as with --scope site: most likely that site was meant.

With --html-only a URL is refused if its path ends like a file that is never HTML; with --pdf, .pdf is not. Unknown
endings, endings that servers also give to pages (.php, .xml) and endings of domain names (.com, .au) may be HTML. So
may a name with a colon: a wiki's page about a picture ends like the picture (/wiki/File:Cat.jpg).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from minicrawl.crawler.urls.keys import authority, site_of, without_www
from minicrawl.settings import LINKED, CrawlSettings, compiled

_IMAGES = "avif bmp cur eps gif heic ico jpe jpeg jpg png psd svg svgz tif tiff webp"
_AUDIO_AND_VIDEO = (
    "3gp aac aif aiff avi flac flv m3u m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus ra rm wav webm "
    "wma wmv"
)
_ARCHIVES = "7z apk bz2 cab deb dmg gz iso jar lz msi rar rpm tar tbz tgz txz war whl xpi xz zip zst"
_PARTS_OF_PAGES = "css eot js json map mjs otf ttf wasm webmanifest woff woff2"
_DOCUMENTS = "doc docx dot epub key mobi odg odp ods odt pdf pps ppt pptx rtf xls xlsm xlsx"
_PROGRAMS_AND_DATA = "bin class dll dylib exe o pyc swf torrent"
_NOT_HTML = frozenset(
    f"{_IMAGES} {_AUDIO_AND_VIDEO} {_ARCHIVES} {_PARTS_OF_PAGES} {_DOCUMENTS} {_PROGRAMS_AND_DATA}".split()
)


def ending(url: str) -> str | None:
    """The ending of a normalised URL's path, such as "zip", by which it is never HTML; None if it may be."""
    path = url.partition("?")[0]
    name = path[path.rindex("/") + 1 :]
    _, dot, end = name.rpartition(".")
    end = end.lower()
    return end if dot and end in _NOT_HTML and ":" not in name else None


MAX_URL_LENGTH = 2048
_SHOWN = 3


@dataclass(frozen=True)
class Scope:
    """The settings and the seeds' places. `places`: sites, hosts or URL prefixes of the seeds, as `kind` says.

    `max_depths`: by host name, for hosts with a limit of their own.
    """

    kind: str
    places: frozenset[str]
    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]
    max_depth: int | None
    html_only: bool
    pdf: bool = False

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
            settings.pdf,
        )

    def refuses(self, url: str, depth: int, *, source: str | None = None, is_redirect: bool = False) -> str | None:
        """The reason code of the rule that keeps a normalised URL at `depth` links out, or None.

        source: URL of the page whose link leads there; None for a URL that is named otherwise. is_redirect: a redirect
        leads there.
        """
        if len(url) > MAX_URL_LENGTH:
            return "too-long"
        if self._is_too_deep(depth):
            return "max-depth"
        if self.kind != "any" and not self._may_lead_to(url, source, is_redirect=is_redirect and depth > 0):
            return f"scope-{self.kind}"
        return self._filtered(url) if self.deny or self.allow or self.html_only else None

    def follows(self, urls: Sequence[str], depth: int, source: str) -> list[bool]:
        """True for each normalised URL at `depth` links that is in scope. source: URL of the page that links to all."""
        if self._is_too_deep(depth) or self.only_checks(source):
            return [False] * len(urls)
        if self.kind == "prefix" or self.deny or self.allow or self.html_only:
            return [self.refuses(url, depth, source=source) is None for url in urls]
        if self.kind in ("any", LINKED):
            are_short = max(map(len, urls), default=0) <= MAX_URL_LENGTH  # as on most pages
            return [True] * len(urls) if are_short else [len(url) <= MAX_URL_LENGTH for url in urls]
        # A page links to few hosts. Inlined authority(): a call for each of a hundred links would be felt.
        names = [url.split("/", 3)[2] for url in urls]
        inside = {name for name in set(names) if self._has(name)}
        return [name in inside and len(url) <= MAX_URL_LENGTH for name, url in zip(names, urls, strict=True)]

    def rule(self, url: str, depth: int, *, source: str | None = None, is_redirect: bool = False) -> str | None:
        """The rule that keeps a URL out, in words: the option and its pattern; None if it is in scope."""
        reason = self.refuses(url, depth, source=source, is_redirect=is_redirect)
        match reason:
            case "too-long":
                rule = f"it has {len(url):,} characters, more than {MAX_URL_LENGTH:,}"
            case "max-depth":
                rule = f"--max-depth {self.max_depth}: it is {depth} links from a seed"
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
        """True if depths matter."""
        return self.max_depth is not None

    def _is_too_deep(self, depth: int) -> bool:
        return self.max_depth is not None and depth > self.max_depth

    def _filtered(self, url: str) -> str | None:
        if self.html_only and (end := ending(url)) is not None and not (self.pdf and end == "pdf"):
            return "type"
        for pattern in self.deny:  # a loop: this is asked of every link
            if pattern.search(url):
                return "deny"
        if self.allow and not any(pattern.search(url) for pattern in self.allow):
            return "allow"
        return None

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
    return without_www(url.partition("://")[2])
