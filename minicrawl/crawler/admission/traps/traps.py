"""The trap defence: verdicts on URLs by the findings on their patterns and by the budgets of their sites."""

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from minicrawl.crawler.admission.traps.budgets import Budgets
from minicrawl.crawler.admission.traps.findings import KnownPatterns, PatternStore
from minicrawl.crawler.admission.traps.rules import static_rule
from minicrawl.crawler.admission.traps.url_patterns import UrlPattern, leads_away, pattern_of
from minicrawl.crawler.urls.keys import politeness_key, site_of
from minicrawl.store.patterns import PatternRow
from minicrawl.store.writer import Writer


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


class Traps:
    """The findings on all patterns, the budgets of sites, and the verdicts that follow.

    Invariant: verdicts depend on the rows, the digests, the seeds and the numbers of pages alone, so a crawl that goes
    on from these judges alike.
    """

    def __init__(
        self,
        store: PatternStore | None = None,
        budgets: Budgets | None = None,
        *,
        is_empty: bool = False,
    ) -> None:
        """budgets: None if sites may have any number of pages. is_empty: the store has no rows yet."""
        self._patterns = KnownPatterns(store, is_empty=is_empty)
        self._budgets = budgets

    def protect(self, seeds: Iterable[str]) -> None:
        """Exempt the sites of these URLs from budgets."""
        if self._budgets is not None:
            self._budgets.protect(map(politeness_key, seeds))

    def verdict(self, url: str) -> tuple[str, str] | None:
        """The rule that makes a URL a trap, known or not, and the name of its pattern; or None."""
        pattern = _pattern_of_page(url)
        rule = static_rule(url)
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
        domain = site_of(url)
        for name in [domain] if is_host_known else [domain, f"*.{domain}"]:
            rule = self._patterns.shut_by(name)
            if rule is not None:
                return rule, name
        return None

    def refusals(self, source: str, content: PageContent, urls: Sequence[str]) -> list[str | None]:
        """Learn from the page at `source`, and judge the distinct unknown URLs that it links to.

        Returns the rule against each URL, or None: it is known from now on.
        """
        if (content.digest is None or content.is_not_found) and not urls:
            return []
        pattern = _pattern_of_page(source)
        rules: list[str | None] = []
        is_fruitful = False
        for url in urls:
            target = pattern_of(url)
            rule = self._refusal(url, target, source, pattern)
            rules.append(rule)
            is_fruitful = is_fruitful or (rule is None and leads_away(pattern, target) and not self._is_barren(target))
        if content.digest is not None:
            self._learn(pattern, content.digest, content.wording, is_fruitful=is_fruitful)
        return rules

    def is_news(self, digest: int) -> bool:
        """True if no page has had this content yet."""
        return not self._patterns.is_known(digest)

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and new digests since the last call."""
        return self._patterns.take_rows()

    def save(self, writer: Writer) -> None:
        patterns, digests = self.take_rows()
        writer.put(PatternRow, patterns)
        writer.save_digests(digests)

    def _refusal(self, url: str, pattern: UrlPattern, source: str, found_on: UrlPattern) -> str | None:
        """The rule against an unknown URL, or None: it counts as known from now on."""
        rule, host = static_rule(url), politeness_key(url)
        if rule is not None:
            # Recorded by host: the pattern may have other URLs that are fine.
            self._patterns.drop(f"{host} {rule}", rule)
            return rule
        rule = self._rule_of(pattern, found_on)
        if rule is not None:
            self._patterns.drop(pattern.name, rule)
            return rule
        if self._budgets is not None:
            refusal = self._budgets.refusal(host)
            if refusal is not None:
                rule, name = refusal
                self._patterns.drop(name, rule)
                return rule
            self._budgets.add(host)
        self._note_admitted(url, pattern, source, is_own=found_on.name == pattern.name)
        return None

    def _note_admitted(self, url: str, pattern: UrlPattern, source: str, *, is_own: bool) -> None:
        """Record a newly known URL in the findings. is_own: it was found on a page of its pattern."""
        has_combinations = pattern.month is None and pattern.name.count("&") >= 2
        if not pattern.is_numbered and not has_combinations:
            return
        findings = self._patterns.changed(pattern.name)
        if pattern.is_numbered:
            findings.add_numbered(url, source if is_own else None)
        if pattern.month is not None:
            findings.add_month(pattern.month)
        elif has_combinations:
            findings.add_parameters(url, is_own=is_own)

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

    def _may_say_news(self, url: str, name: str) -> bool:
        """True if a URL is a sample of its pattern, or the last page read, or enough of the last ones, had new
        content."""
        findings = self._patterns.findings(name)
        if findings is None:
            return False
        says_news = not (findings.last & 1 and findings.is_repetitive)
        return says_news or (is_sample(url) and not findings.is_sampled)

    def _has_month(self, pattern: UrlPattern) -> bool:
        """True if a URL of this month is known."""
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
