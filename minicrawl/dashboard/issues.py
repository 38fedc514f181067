"""What an audit found, as JSON for the dashboard and the report."""

import json
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import Any  # Any: JSON

from minicrawl.audit.auditing import Audit
from minicrawl.audit.causes import Cause, causes
from minicrawl.audit.rules import Severity
from minicrawl.audit.words import sentence, share, summary, to_do_first
from minicrawl.reasons import meaning

_MOST_FINDINGS = 100
"""Of a rule."""
_MOST_BYTES, _SHOWN_SOURCES, _LONGEST_TEXT = 1_500_000, 3, 2_000
"""Bytes of all findings together; of each, pages concerned, and characters of a text."""


def issues(audit: Audit) -> Mapping[str, Any]:
    """The causes of the findings by rule, in the order of the audit, as many of each as have room."""
    found: dict[str, list[Cause]] = {}
    for cause in causes(audit, audit.findings):
        found.setdefault(cause.first.rule, []).append(cause)
    counts, stakes, said = audit.counts(), audit.at_stake(), audit.said()
    shown_issues, left = list[Mapping[str, Any]](), _MOST_BYTES
    for number, (name, importance) in enumerate(stakes.items()):
        rule, rows = audit.rules[name], [_shown(cause) for cause in found[name][:_MOST_FINDINGS]]
        sizes = accumulate(len(json.dumps(row)) for row in rows)
        shown = rows[: max(1, sum(size <= left // (len(stakes) - number) for size in sizes))]
        left -= len(json.dumps(shown))
        shown_issues.append({
            "rule": name, "severity": rule.severity, "found": sentence(said[name]), "why": rule.why, "how": rule.how,
            "at_stake": share(importance), "count": counts[name], "causes": len(found[name]), "findings": shown,
        })  # fmt: skip
    of_severity = Counter(audit.rules[finding.rule].severity for finding in audit.findings)
    return {
        "summary": summary(audit),
        "do_first": to_do_first(audit),
        "issues": shown_issues,
        "counts": {severity.value: of_severity[severity] for severity in Severity},
        "checked": len(audit.rules) - len(audit.not_checked),
        "not_checked": dict(sorted(audit.not_checked.items())),
    }


def _shown(cause: Cause) -> Mapping[str, Any]:
    first = cause.first
    examples = [url[:_LONGEST_TEXT] for url in first.examples[:_SHOWN_SOURCES]]
    return {
        "target": first.target[:_LONGEST_TEXT], "where": cause.where[:_LONGEST_TEXT],
        "detail": (meaning(first.detail) or first.detail)[:_LONGEST_TEXT], "sources": first.sources,
        "pages": cause.pages, "at_stake": share(cause.importance), "examples": examples,
    }  # fmt: skip
