"""An audit in words, the same in the terminal, in files and in the report."""

from minicrawl.audit.auditing import Audit
from minicrawl.audit.causes import Cause, causes
from minicrawl.errors import counted

_SUMMED_UP = 4
"""Rules in the summary."""


def share(importance: float) -> str:
    """A share in percent, with two figures: "12 %", "5.8 %", "0.05 %"."""
    percent = 100 * min(importance, 1.0)
    if 0 < percent < 0.01:
        return "<0.01 %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def sentence(clause: str) -> str:
    """A clause as the beginning of a sentence."""
    return clause[:1].upper() + clause[1:]


def summary(audit: Audit) -> str:
    """What was found, in a sentence: "23 pages link to 7 that are missing; 12 pages have no description." """
    said = list(audit.said().values())
    if not said:
        return f"None of {counted(len(audit.rules) - len(audit.not_checked), 'rule')} found anything."
    more = len(said) - _SUMMED_UP
    rest = [f"{counted(more, 'other rule')} found something, too"] if more > 0 else []
    return f"{sentence('; '.join([*said[:_SUMMED_UP], *rest]))}."


def to_do_first(audit: Audit) -> str:
    """What to do first, and where; "" if there is nothing to do."""
    if not audit.findings:
        return ""
    worst = causes(audit, audit.findings)[0]
    how = audit.rules[worst.first.rule].how.removesuffix(".") or "Look at"
    return f"First: {how}: {about(worst)} ({counted(worst.pages, 'page')})"


def about(cause: Cause) -> str:
    """What a cause is about: its target, or the class of them with one for an example."""
    return f"{cause.where}, such as {cause.first.target}" if cause.where else cause.first.target
