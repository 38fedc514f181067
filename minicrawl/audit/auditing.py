"""Apply the rules of an audit to a store."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.audit.crawled import Crawled, Judged
from minicrawl.audit.rules import RULES, Need, Rule
from minicrawl.errors import SettingError, counted
from minicrawl.parts import figures_of, pages_left_out
from minicrawl.store.reader import Store

MOST_EXAMPLES = 5
_AT_ONCE = 500
_ALIKE = 8
"""Decimals from which on importance is the noise of a settled book: pages that links treat alike differ by it."""
_SECONDS = 600.0
"""For the query of a rule."""


class Finding(NamedTuple):
    """A fault of one target.

    importance: share of all importance that the target has, or that flows into it. sources: number of pages concerned,
    for links those that link to it; examples: URLs of the most important of them, at most MOST_EXAMPLES.
    """

    rule: str
    target: str
    importance: float
    sources: int
    examples: tuple[str, ...]
    detail: str


@dataclass(frozen=True)
class Audit:
    """The findings in a store: errors before warnings and notices, first those with most importance at stake.

    rules: those that were asked for, by name. stakes: by rule, the importance of all pages concerned, each once;
    pages: their number. concerned: by rule and target, the numbers of the pages, the most important first, or texts
    that a query says instead; none where the target is the page. of_pages: rules whose targets are all judged pages;
    judged_pages: the number of these, by host. not_checked: why, for each rule that could not be. new, mended, unknown:
    beside the store `against`, None without one; unknown: findings there on what was not looked at again.
    """

    rules: Mapping[str, Rule]
    findings: Sequence[Finding]
    stakes: Mapping[str, float] = field(default_factory=dict)
    pages: Mapping[str, int] = field(default_factory=dict)
    concerned: Mapping[tuple[str, str], Sequence[int | str]] = field(default_factory=dict)
    of_pages: Collection[str] = ()
    judged_pages: Mapping[str, int] = field(default_factory=dict)
    not_checked: Mapping[str, str] = field(default_factory=dict)
    new: Sequence[Finding] | None = None
    mended: Sequence[Finding] | None = None
    unknown: Sequence[Finding] | None = None
    judged: Judged = field(default_factory=Judged)

    def counts(self) -> Counter[str]:
        """Number of findings by rule."""
        return Counter(finding.rule for finding in self.findings)

    def said(self) -> dict[str, str]:
        """What each rule has found, in a clause, in the order of at_stake."""
        counts = self.counts()
        return {name: self.rules[name].found(counts[name], self.pages[name]) for name in self.at_stake()}

    @property
    def gated(self) -> Sequence[Finding]:
        """The findings that --fail-on is about: only new ones beside another store."""
        return self.findings if self.new is None else self.new

    def at_stake(self) -> dict[str, float]:
        """The importance at stake with each rule that has findings, in their order."""
        order = sorted(self.stakes, key=lambda name: (self.rules[name].gravity, rank_of(self.stakes[name]), name))
        return {name: self.stakes[name] for name in order}


def audited(store: Store, rules: Mapping[str, Rule] = RULES, *, against: Store | None = None) -> Audit:
    """Audit a store, in a snapshot of it and of `against`. Raises StoreError, and SettingError for a rule's query."""
    crawled = Crawled(store)
    judged, findings, not_checked = crawled.judged(), list[Finding](), dict[str, str]()
    stakes, pages, concerned = dict[str, float](), dict[str, int](), dict[tuple[str, str], Sequence[int | str]]()
    of_pages = set[str]()
    for rule in rules.values():
        if (lack := _lack(store, rule.needs, judged)) is not None:
            not_checked[rule.name] = lack
        elif (found := _found_by(rule, crawled)).findings:
            findings += found.findings
            stakes[rule.name], pages[rule.name] = found.stake, found.pages
            concerned |= found.concerned
            of_pages |= {rule.name} if found.is_of_pages else set()
    findings.sort(key=lambda found: (rules[found.rule].gravity, rank_of(found.importance), found.rule, found.target))
    audit = Audit(
        rules, findings, stakes, pages, concerned, of_pages, crawled.judged_pages(), not_checked, judged=judged
    )
    if against is None:
        return audit
    before = audited(against, rules)
    new = [found for found in _missing(findings, before.findings) if found.rule not in before.not_checked]
    mended, unknown = list[Finding](), list[Finding]()
    gone = _missing(before.findings, findings)
    seen = crawled.looked_at({url for found in gone for url in (found.target, *found.examples)})
    for each in gone:
        is_mended = each.rule not in not_checked and _is_looked_at(each, seen)
        (mended if is_mended else unknown).append(each)
    return replace(audit, new=new, mended=mended, unknown=unknown)


def _lack(store: Store, need: Need, judged: Judged) -> str | None:
    """Why a rule with this need cannot be checked, in a clause; None if it can."""
    if need == Need.FINISHED and judged.waiting > pages_left_out(figures_of(store)):
        return f"{counted(judged.waiting, 'page')} still wait{'s' if judged.waiting == 1 else ''}; it needs {need}"
    if need not in (Need.FACTS, Need.FILES):
        return None
    if next(store.each("SELECT 1 FROM fetches WHERE facts IS NOT NULL LIMIT 1"), None):
        is_lacking = need == Need.FILES and not store.settings.get("requisites")
        return f"the crawl has not fetched files that pages need; that takes {need}" if is_lacking else None
    if not store.page_table.totals().read:
        return "no page was read"
    if store.settings.get("audit") and not judged.pages:
        return "no page of HTML was read"
    # Pages that were read are not read again for their facts.
    remedy = "'minicrawl crawl SEEDS --profile audit --store NEW' does, in a new store"
    return f"the crawl has not kept what this needs; {remedy}"


class _Found(NamedTuple):
    """What a rule has found: see Audit."""

    findings: list[Finding]
    stake: float
    pages: int
    concerned: dict[tuple[str, str], Sequence[int | str]]
    is_of_pages: bool


def _found_by(rule: Rule, crawled: Crawled) -> _Found:
    """The findings of a rule, each with the most important of its sources, and what is at stake with all of them."""
    store, stake = crawled.store, crawled.stake
    faults: dict[int | str, _Fault] = {}
    try:
        with store.questions.asked(rule.select, _SECONDS) as (_, rows):
            for target, *rest in rows:
                detail, source, importance = (*rest, *("", None, None)[len(rest) :])[:3]
                if not isinstance(importance, float | int | None):
                    raise SettingError(f"the importance at stake must be a number, not {importance!r:.80}")
                fault = faults.setdefault(_page_or_text(target, stake), _Fault(str(detail or ""), importance, []))
                if source is not None:
                    fault.sources.append(_page_or_text(source, stake))
    except SettingError as error:
        raise SettingError(f"the rule {rule.name} of the audit: {error}") from error
    texts = {each for at, fault in faults.items() for each in (at, *fault.sources) if isinstance(each, str)}
    known = store.page_table.find([text for text in texts if "://" in text])

    def worth(each: int | str) -> float:
        page = known.get(each) if isinstance(each, str) else each
        return 0.0 if page is None else stake.item(page)

    for fault in faults.values():
        fault.sources.sort(key=worth, reverse=True)
    best = {at: fault.sources[:MOST_EXAMPLES] for at, fault in faults.items()}
    named = {each for at, some in best.items() for each in (at, *some) if isinstance(each, int)}
    urls: dict[int | str, str] = {text: text for text in texts}
    for page, url in store.page_table.urls_of(named).items():
        urls[page] = url
    found, told, staked, pages = list[Finding](), 0.0, set[int | str](), set[int | str]()
    for at, fault in faults.items():
        pages.update(fault.sources or [at])
        pages_of = fault.sources if isinstance(at, str) and fault.sources else [at]
        if fault.importance is not None:
            importance = float(fault.importance)
            told += importance
        else:
            importance = sum(map(worth, pages_of))
            staked.update(pages_of)
        examples = tuple(urls[each] for each in best[at])
        found.append(Finding(rule.name, urls[at], importance, len(fault.sources), examples, fault.detail))
    concerned = {(rule.name, urls[at]): _packed(fault.sources) for at, fault in faults.items() if fault.sources}
    is_of_pages = all(isinstance(at, int) and crawled.is_page[at] for at in faults)
    return _Found(found, told + sum(map(worth, staked)), len(pages), concerned, is_of_pages)


def _packed(pages: Sequence[int | str]) -> Sequence[int | str]:
    """The same in an eighth of the memory, where there is no text among them."""
    numbers = array("i", (page for page in pages if isinstance(page, int)))
    return numbers if len(numbers) == len(pages) else tuple(pages)


class Row(NamedTuple):
    """A page concerned by a finding, with its title; "" and None if the finding is about something else."""

    finding: Finding
    page: str
    title: str | None


def rows(store: Store, audit: Audit, n: int | None = None) -> Iterator[Row]:
    """Every page of the first n findings, or of all, in their order. store: the one audited, in the same snapshot."""
    pairs = (
        (found, page)
        for found in audit.findings[:n]
        for page in audit.concerned.get((found.rule, found.target), (found.target,))
    )
    while some := list(islice(pairs, _AT_ONCE)):
        known = store.page_table.find([page for _, page in some if isinstance(page, str) and "://" in page])
        answers = store.page_table.answers({*known.values(), *(page for _, page in some if isinstance(page, int))})
        for found, page in some:
            answer = answers.get(known.get(page, -1) if isinstance(page, str) else page)
            yield Row(found, str(page), None) if answer is None else Row(found, answer.url, answer.title)


def _page_or_text(value: object, stake: npt.NDArray[np.float64]) -> int | str:
    """The number of a page, or a text: what a query says that is no such number."""
    return value if isinstance(value, int) and 0 <= value < len(stake) else str(value)


class _Fault(NamedTuple):
    detail: str
    importance: float | None
    sources: list[int | str]


def rank_of(importance: float) -> float:
    """The place of importance at stake among others, the largest first; the same for what differs by noise alone."""
    return -round(importance, _ALIKE)


def by_rule(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Findings by the name of their rule."""
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(each.rule, []).append(each)
    return found


def _missing(these: Iterable[Finding], those: Iterable[Finding]) -> list[Finding]:
    """The findings of these that are not among those, by rule and target."""
    known = {(found.rule, found.target) for found in those}
    return [found for found in these if (found.rule, found.target) not in known]


def _is_looked_at(found: Finding, seen: Mapping[str, bool | None]) -> bool:
    """True if the crawl would have had the finding again. seen: see Crawled.looked_at.

    A target that is not known any more is none of those that its sources, which were read again, lead to.
    """
    is_seen = seen[found.target]
    return all(seen[url] for url in found.examples) and bool(found.examples) if is_seen is None else is_seen
