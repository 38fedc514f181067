"""Crawler traps: pages that a server makes up without end. docs/traps.md has the rules and their limits.

Some URLs are refused by their spelling (spelling.py). Learned rules look at the findings on the pages of one pattern so
far. Only unknown URLs are judged, and pages whose first turn has come. No clock, no randomness: the same pages in the
same order lead to the same verdicts, and all that was learned goes to the store and back.

A pattern leads nowhere else when less than a quarter of its pages made URLs known of other patterns with new content:
/a/1?id=x and /b/1?id=y do not save each other. Sites that exist two or three times (http and https, with and without
en/) stay below three quarters of duplicates. Numbered articles that only link to the next one are no calendar: their
words differ.

Budgets of sites grow with the sites that link there (IRLbot's STAR, WWW 2008). The owner of a site can make up hosts
(wildcard DNS) and pages without end, but not links from others that are trusted. So pages are counted by site, and the
sites that link to it vouch for it, each as far as it is trusted (opic/sites.py). Each full voucher makes room for PAGES
more. Sites of seeds, sites with MANY vouchers, and those that became known since trust was worked out last have none.
"""

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from minicrawl.crawler.admission.scope import Focus, Scope
from minicrawl.crawler.admission.spelling import SPELLING_RULES, spelling_rule
from minicrawl.crawler.admission.trap_findings import (
    FEWEST_CHOICES,
    JUDGED,
    TURNED_ROUND,
    Counting,
    KnownPatterns,
    UrlPattern,
    has_list,
    is_export,
    leads_away,
    pattern_of,
    turned_round,
)
from minicrawl.settings import CrawlSettings
from minicrawl.store.recognised import PatternRow, Patterns
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import politeness_key, site_of
from minicrawl.web.urls.normalise import MAX_URL_LENGTH

PAGES = 5_000
PAGES_PER_HOST = 50
HOSTS = PAGES // PAGES_PER_HOST
MANY = 100
"""Vouchers from which on a site has no budget."""

Vouchers = Callable[[str], float | None]
"""The vouchers of a site by name; None: it is new."""


class Budgets:
    """The pages and hosts of every site. Verdicts depend on the seeds, the vouchers and the numbers of pages alone."""

    def __init__(self, vouchers: Vouchers, pages: Mapping[str, int] | None = None) -> None:
        """pages: number of known pages by host, with its port if it has one."""
        self._vouchers = vouchers
        self._site_of: dict[str, str] = {}  # by host that has pages
        self._pages, self._hosts = Counter[str](), Counter[str]()
        self._seeds: set[str] = set()
        for host, known in (pages or {}).items():
            if known:
                self.add(host, known)

    def protect(self, hosts: Iterable[str]) -> None:
        """Exempt the sites of these hosts from budgets: the user wants them crawled."""
        self._seeds.update(map(self._site, hosts))

    def refusal(self, host: str) -> tuple[str, str] | None:
        """The rule that refuses more pages of a host, and the name of the budget; None: there is room."""
        site = self._site(host)
        known, hosts = self._pages[site], self._hosts[site]
        has_many_hosts = hosts >= HOSTS and host not in self._site_of
        if not (known >= PAGES or has_many_hosts) or site in self._seeds:
            return None
        vouchers = self._vouchers(site)
        most = math.inf if vouchers is None or vouchers >= MANY else PAGES * (1.0 + vouchers)
        if known >= most:
            return "trap-host-budget", site
        return ("trap-many-hosts", f"*.{site}") if has_many_hosts and PAGES_PER_HOST * hosts >= most else None

    def add(self, host: str, pages: int = 1) -> None:
        site = self._site_of.get(host)
        if site is None:
            site = self._site_of[host] = self._site(host)
            self._hosts[site] += 1
        self._pages[site] += pages

    def _site(self, host: str) -> str:
        # Looking up a suffix takes long: a host that is known as a site is its own.
        return self._site_of.get(host) or (host if host in self._pages else site_of(host))


class PageContent(NamedTuple):
    """Digests of a page's text (fingerprint.py): all of it, and its wording without numbers; None: it was read before,
    has no text, or has no number.

    `is_not_found`: its host answers the same for pages that do not exist. Then it is no evidence on its pattern, unless
    it links on.
    """

    digest: int | None
    wording: int | None = None
    is_not_found: bool = False


NO_CONTENT = PageContent(None)


# The pattern of a page whose turn it is, which is asked for before it is fetched, and once or twice when it was read.
_pattern_of_page = lru_cache(maxsize=1_000)(pattern_of)


MONTHS = 40
SAMPLED = 10
"""One in so many known pages of a pattern that is shut for duplicates is a sample."""
SAMPLES = 2
"""Pages read of these, in case only the first ones repeat each other."""


class Traps:
    """The findings on all patterns, the budgets of sites, and the verdicts that follow.

    Invariant: verdicts depend on the rows, the digests, the seeds and the numbers of pages alone, so a crawl that goes
    on from these judges alike.
    """

    def __init__(
        self,
        store: Patterns | None = None,
        budgets: Budgets | None = None,
        *,
        is_empty: bool = False,
        knows: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """budgets: None if sites may have any number of pages. is_empty: the store has no rows yet. knows: True for a
        known URL."""
        self._knows = knows
        self._patterns = KnownPatterns(store, is_empty=is_empty)
        self.budgets = budgets

    def verdict(self, url: str) -> tuple[str, str] | None:
        """The rule that makes a URL a trap, known or not, and the name of its pattern; or None."""
        pattern = _pattern_of_page(url)
        rule = spelling_rule(url)
        if rule is not None:
            return rule, pattern.name
        rule = self._patterns.shut_by(pattern.name)
        if rule is None or (pattern.month is not None and self._has_month(pattern)):
            return None
        return rule, pattern.name

    def turns_away(self, url: str) -> str | None:
        """The rule that keeps a known URL from being read, or None.

        The first pages read of a pattern may be the only ones that repeat each other. So if it is shut for duplicates,
        a few samples are read, and others as long as the last pages read have new content. Unknown URLs that such pages
        link to stay unknown, so this comes to an end.
        """
        found = self.verdict(url)
        if found is None:
            return None
        rule, name = found
        return None if rule == "trap-duplicates" and self._may_say_news(url, name) else rule

    def verdict_on_new(self, url: str, *, is_host_known: bool) -> tuple[str, str] | None:
        """`verdict` for an unknown URL, whose site must have had room at its last refusal."""
        found = self.verdict(url)
        if found is not None:
            return found
        host, domain = politeness_key(url), site_of(url)
        for spelling in SPELLING_RULES:
            if self._patterns.is_unread(host, spelling, url):
                return spelling, _pattern_of_page(url).name
        for name in [domain] if is_host_known else [domain, f"*.{domain}"]:
            rule = self._patterns.shut_by(name)
            if rule is not None:
                return rule, name
        return None

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> list[str | None]:
        """Learn from the page at `source`, and judge the distinct unknown URLs that it links to: the rule against each,
        or None: it is known from now on."""
        if (content.digest is None or content.is_not_found) and not urls:
            return []
        pattern = _pattern_of_page(source)
        rules: list[str | None] = []
        is_fruitful = False
        for url in urls:
            target = pattern_of(url)
            rule = self._refusal(url, target, source, pattern)
            rules.append(rule)
            if rule is None and leads_away(pattern, target) and not is_fruitful:
                is_fruitful = not (
                    is_export(url) or self._is_barren(target) or self._is_choice(target, source, pattern)
                )
        if content.digest is not None:
            self._learn(pattern, content.digest, content.wording, is_fruitful=is_fruitful)
        return rules

    def news_of(self, url: str) -> int:
        """Number of pages of a URL's pattern that said something new."""
        findings = self._patterns.findings(_pattern_of_page(url).name)
        return 0 if findings is None else findings.parsed - findings.repeated

    def is_news(self, digest: int) -> bool:
        """True if no page has had this content yet."""
        return not self._patterns.is_known(digest)

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and new digests since the last call."""
        return self._patterns.take_rows()

    def save(self, writer: Writer) -> None:
        patterns, digests = self.take_rows()
        writer.put(PatternRow, patterns)
        writer.add("digests", ((digest,) for digest in digests), if_new=True)

    def _refusal(self, url: str, pattern: UrlPattern, source: str, found_on: UrlPattern) -> str | None:
        """The rule against an unknown URL, or None: it counts as known from now on."""
        rule, host = spelling_rule(url, source), politeness_key(url)
        if rule is not None:
            self._patterns.drop_unread(host, rule, url)
            return rule
        rule = self._rule_of(pattern, found_on)
        if rule is not None:
            self._patterns.drop(pattern.name, rule)
            return rule
        if self.budgets is not None:
            refusal = self.budgets.refusal(host)
            if refusal is not None:
                rule, name = refusal
                self._patterns.drop(name, rule)
                return rule
            self.budgets.add(host)
        self._note_admitted(url, pattern, source, found_on)
        return None

    def _note_admitted(self, url: str, pattern: UrlPattern, source: str, found_on: UrlPattern) -> None:
        is_own = found_on.name == pattern.name
        if is_own and (other := turned_round(source, url)) is not None and self._knows(other):
            self._patterns.changed(pattern.name).combined += TURNED_ROUND
        has_combinations = pattern.month is None and (
            pattern.name.count("&") >= FEWEST_CHOICES - 1 or ("?" in pattern.name and has_list(url))
        )
        if not pattern.is_numbered and not has_combinations:
            return
        findings = self._patterns.changed(pattern.name)
        if pattern.is_numbered:
            findings.counting = findings.counting or Counting()
            findings.counting.add_url(url, source if is_own else None)
        if pattern.month is not None:
            findings.add_month(pattern.month)
        elif has_combinations:
            findings.add_parameters(url, is_own=is_own or self._is_choice(pattern, source, found_on))

    def _rule_of(self, pattern: UrlPattern, found_on: UrlPattern) -> str | None:
        """The rule that shuts a URL's pattern to it; the URL may be the one that shuts it for good."""
        rule = self._patterns.shut_by(pattern.name)
        if rule == "trap-duplicates" and self._patterns.shut_by(found_on.name) is None and not self._is_barren(pattern):
            return None
        if pattern.month is None:
            return rule
        findings = self._patterns.findings(pattern.name)
        if findings is None or pattern.month in findings.values:
            return None
        is_endless = len(findings.values) >= MONTHS and found_on.month is not None and findings.leads_nowhere
        return "trap-calendar" if rule is None and is_endless else rule

    def _is_barren(self, pattern: UrlPattern) -> bool:
        """True if the pages of a pattern are known to have nothing new."""
        findings = self._patterns.findings(pattern.name)
        return findings is not None and (findings.is_repetitive or findings.is_endless)

    def _is_choice(self, pattern: UrlPattern, source: str, found_on: UrlPattern) -> bool:
        """True if a pattern makes one more choice from the list on a page, see `KnownPatterns.is_choice`; a parameter
        that has a list itself is such a choice."""
        same = pattern.name.partition("?")[0] == found_on.name.partition("?")[0]
        return same and (self._patterns.is_choice(pattern.name) or has_list(source))

    def _may_say_news(self, url: str, name: str) -> bool:
        """True if a URL is a sample of its pattern, or the last page read, or enough of the last ones, had new
        content."""
        findings = self._patterns.findings(name)
        if findings is None:
            return False
        says_news = not (findings.last & 1 and findings.is_repetitive)
        are_repeated = findings.parsed >= JUDGED + SAMPLES and findings.last.bit_count() == JUDGED  # its samples, too
        return says_news or (is_sample(url) and not are_repeated)

    def _has_month(self, pattern: UrlPattern) -> bool:
        findings = self._patterns.findings(pattern.name)
        return findings is not None and pattern.month in findings.values

    def _learn(self, pattern: UrlPattern, digest: int, wording: int | None, *, is_fruitful: bool) -> None:
        findings = self._patterns.changed(pattern.name)
        is_repeated = self._patterns.is_known(digest)
        if not is_repeated:
            self._patterns.add_digest(digest)
        numbered_wording = wording if pattern.is_numbered else None
        findings.add_page(numbered_wording, is_repeated=is_repeated, is_fruitful=is_fruitful)
        if self._patterns.shut_by(pattern.name) is None:
            rule = findings.rule(pattern.name)
            if rule is not None:
                self._patterns.shut(pattern.name, rule)


def is_sample(url: str) -> bool:
    """True for known pages that are read first when their pattern is shut for duplicates."""
    return zlib.crc32(url.encode()) % SAMPLED == 0


class Admission:
    """Scope, focus and traps. `scope`: set anew when the seeds are known. `traps`: None if switched off."""

    def __init__(
        self, settings: CrawlSettings, traps: Traps | None = None, is_own: Callable[[str], bool] | None = None
    ) -> None:
        """is_own: True for a URL of this partition; those of others become known, and their homes judge them. None: all
        are."""
        self._settings = settings
        self._is_own = is_own
        self.focus = Focus(settings)
        self.scope = Scope(settings, ())
        self.traps = traps

    def begin(self, seeds: Iterable[str]) -> None:
        self.scope = Scope(self._settings, seeds)

    def adjust(self, settings: CrawlSettings, seeds: Iterable[str] | None) -> None:
        """Go on with another scope and focus. seeds: all of them; None keeps the seeds' places."""
        self._settings = settings
        self.focus = Focus(settings)
        places = self.scope.places
        self.scope = Scope(settings, seeds or ())
        if seeds is None:
            self.scope.places = places

    def widen(self, seeds: Iterable[str]) -> None:
        """Add the places of more seeds to the scope."""
        self.scope.places |= Scope(self._settings, seeds).places

    def protect(self, urls: Iterable[str]) -> None:
        """Exempt the domains of these URLs, which are seeds or stand for seeds, from budgets."""
        if self.traps is not None and self.traps.budgets is not None:
            self.traps.budgets.protect(map(politeness_key, urls))

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> Sequence[str | None]:
        """The rule that refuses each unknown URL in scope, or None: it is known from now on. source: URL of the page
        that links to them. content: that page's, if this is its first turn."""
        if self.traps is None:
            return ["too-long" if len(url) > MAX_URL_LENGTH else None for url in urls]
        if self._is_own is None:
            return self.traps.refusals(source, content, urls)
        own = list(map(self._is_own, urls))
        judged = iter(self.traps.refusals(source, content, list(compress(urls, own))))
        return [next(judged, None) if is_own else None for is_own in own]

    def refusal(self, source: str, url: str) -> str | None:
        """`refusals` for one URL that the page at `source` stands for."""
        return next(iter(self.refusals(source, NO_CONTENT, [url])), None)
