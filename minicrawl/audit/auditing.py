"""Apply the rules of an audit to a store."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from minicrawl.audit import link_rules, page_rules, search_engine_rules
from minicrawl.audit.crawled import Crawled, Judged, found_by
from minicrawl.audit.findings import Finding, Rule
from minicrawl.errors import SettingError
from minicrawl.parts import parts
from minicrawl.store.reader import Store

RULES: Mapping[str, Rule] = {
    each.name: each
    for module in (link_rules, search_engine_rules, page_rules)
    for each in vars(module).values()
    if isinstance(each, Rule)
} | {each.name: each for part in parts() for each in part.rules()}
"""All rules by name, in the order in which `audit --rules` lists them."""


@dataclass(frozen=True)
class Audit:
    """The findings in a store, those that lose most first.

    rules: those that were asked for, by name. not_checked: why, for each rule that could not be. new, mended, unknown:
    beside the store `against`, None without one; unknown: findings there on what was not looked at again.
    """

    rules: Mapping[str, Rule]
    findings: Sequence[Finding]
    not_checked: Mapping[str, str] = field(default_factory=dict)
    new: Sequence[Finding] | None = None
    mended: Sequence[Finding] | None = None
    unknown: Sequence[Finding] | None = None
    judged: Judged = field(default_factory=Judged)

    def counts(self) -> Counter[str]:
        """Number of findings by rule."""
        return Counter(finding.rule for finding in self.findings)

    def lost(self, finding: Finding) -> float:
        """The weight of a finding, see minicrawl.audit.findings."""
        return self.rules[finding.rule].lost(finding.importance)

    @property
    def gated(self) -> Sequence[Finding]:
        """The findings that --fail-on is about: only new ones beside another store."""
        return self.findings if self.new is None else self.new

    def lost_by_rule(self) -> dict[str, float]:
        """The weight of all findings of each rule that has any, the largest first."""
        lost: dict[str, float] = {}
        for finding in self.findings:
            lost[finding.rule] = lost.get(finding.rule, 0.0) + self.lost(finding)
        return dict(sorted(lost.items(), key=lambda each: (-each[1], each[0])))


def audited(
    store: Store,
    rules: Mapping[str, Rule] = RULES,
    *,
    against: Store | None = None,
) -> Audit:
    """Audit a store, in a snapshot of it and of `against`. Raises StoreError."""
    crawled = Crawled(store)
    findings, not_checked = list[Finding](), dict[str, str]()
    for rule in rules.values():
        if (lack := crawled.lacks(rule.needs)) is None:
            findings += found_by(rule, crawled)
        else:
            not_checked[rule.name] = lack
    findings.sort(key=lambda found: (-rules[found.rule].lost(found.importance), found.rule, found.target))
    if against is None:
        return Audit(rules, findings, not_checked, judged=crawled.judged)
    before = audited(against, rules)
    new = [found for found in _missing(findings, before.findings) if found.rule not in before.not_checked]
    mended, unknown = list[Finding](), list[Finding]()
    gone = _missing(before.findings, findings)
    seen = crawled.looked_at({url for found in gone for url in (found.target, *found.examples)})
    for found in gone:
        is_mended = found.rule not in not_checked and _is_looked_at(found, seen)
        (mended if is_mended else unknown).append(found)
    return Audit(rules, findings, not_checked, new, mended, unknown, crawled.judged)


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


def check_name(name: str, names: Iterable[str], place: str) -> None:
    """Raise SettingError if no rule has this name. place: where it was given."""
    known = list(names)
    if name not in known:
        close = get_close_matches(name, known, 3, 0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "'minicrawl audit --rules' lists them"
        raise SettingError(f"{place}: there is no rule {name!r}; {hint}")
