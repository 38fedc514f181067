"""Findings with one cause, which one change mends: those on nearly all pages of a host share its template, and those on
URLs of one class, or with titles and other texts that differ by numbers only, one program of its server."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from minicrawl.audit.auditing import Audit, Finding, by_rule, rank_of
from minicrawl.errors import counted
from minicrawl.web.urls.keys import authority
from minicrawl.web.urls.shapes import shape_of

FEWEST = 5
"""Findings that make a cause; fewer stand alone."""
_NEARLY_ALL = 0.9
"""Share of the judged pages of a host."""
_NUMBER = re.compile(r"\d+")


class Cause(NamedTuple):
    """Findings of one rule, the most important first. where: on what, in words; "" for a finding that stands alone.
    pages: those concerned, each once. importance: at stake, at most that of the whole rule."""

    findings: Sequence[Finding]
    where: str
    pages: int
    importance: float

    @property
    def first(self) -> Finding:
        return self.findings[0]


def causes(audit: Audit, findings: Iterable[Finding]) -> list[Cause]:
    """The causes of findings of an audit, in the same order."""
    found = [cause for some in by_rule(findings).values() for cause in _of_rule(audit, some)]
    gravity = {name: rule.gravity for name, rule in audit.rules.items()}
    return sorted(found, key=lambda each: (gravity[each.first.rule], rank_of(each.importance), *each.first[:2]))


def _of_rule(audit: Audit, findings: Sequence[Finding]) -> Iterator[Cause]:
    of_host, is_of_pages = dict[str, list[Finding]](), findings[0].rule in audit.of_pages
    for where, of_one in _of_one_text(audit, findings).items():
        yield _cause(audit, of_one, where)
        told = {each.target for each in of_one}
        findings = [each for each in findings if each.target not in told]
    for each in findings:
        of_host.setdefault(_host(each.target), []).append(each)
    for host, some in of_host.items():
        of_class, judged = dict[str, list[Finding]](), audit.judged_pages.get(host, 0)
        for each in some:
            of_class.setdefault(_class(each.target) if host else "", []).append(each)
        most = max(len(of_one) for name, of_one in of_class.items() if name) if any(of_class) else 0
        is_on_nearly_all = is_of_pages and len(some) >= max(FEWEST, _NEARLY_ALL * judged)
        if is_on_nearly_all and len(some) - most >= _NEARLY_ALL * (judged - most):  # beside the class of most, too
            yield _cause(audit, some, f"{len(some):,} of {counted(judged, 'page')} of {host}")
            continue
        for name, of_one in of_class.items():
            if name and len(of_one) >= FEWEST:
                yield _cause(audit, of_one, f"{len(of_one):,} URLs like {name}")
            else:
                yield from (_cause(audit, [each], "") for each in of_one)


def _cause(audit: Audit, findings: Sequence[Finding], where: str) -> Cause:
    pages = {page for each in findings for page in audit.concerned.get((each.rule, each.target), (each.target,))}
    importance = min(sum(each.importance for each in findings), audit.stakes.get(findings[0].rule, 1.0))
    return Cause(findings, where, len(pages), importance)


def _host(target: str) -> str:
    """The host of a target with its port; "" for one that is not a URL."""
    is_url = target.startswith(("http://", "https://")) and target.find("/", 8) > 0
    return authority(target) if is_url else ""


def _of_one_text(audit: Audit, findings: Sequence[Finding]) -> Mapping[str, Sequence[Finding]]:
    """Findings of a rule on texts that differ by numbers only, by what they are on."""
    found = dict[str, list[Finding]]()
    if audit.rules[findings[0].rule].detail == "text":
        for each in findings:
            found.setdefault(_NUMBER.sub("{n}", each.detail), []).append(each)
    return {
        f"{len(some):,} like {text!r}": some for text, some in found.items() if "{n}" in text and len(some) >= FEWEST
    }


def _class(target: str) -> str:
    """The class of a URL, as a crawl tells its patterns; "" for a page right below the host, which is of none."""
    shape = shape_of(target.partition("#")[0])
    return f"{authority(target)}{shape.pattern}" if shape.folder or shape.names else ""
