"""Rules of the user's own, each called in a child process under limits of time.

A rule is what `minicrawl.audit.findings.rule` makes of a function, named as MODULE:FUNCTION, FILE.py:FUNCTION or by an
entry point of the group minicrawl.rules. One that fails or does not end is told by its name, and the others go on.
"""

import asyncio
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from minicrawl.audit.crawled import Crawled, found_by
from minicrawl.audit.findings import Finding, Need, Rule, Severity
from minicrawl.errors import MinicrawlError
from minicrawl.extract.hooks import entry_point, imported
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox
from minicrawl.store.reader import open_store

GROUP = "minicrawl.rules"
_LIMITS = Limits(cpu=60.0, still=30.0, cage=Cage(forks=True))


class Asked(NamedTuple):
    """A rule of one's own, applied: the rule, its findings, and why it could not be checked."""

    rule: Rule | None
    findings: Sequence[Finding]
    lack: str | None


def installed() -> list[str]:
    """The names of rules that installed packages bring."""
    return sorted(point.name for point in entry_points(group=GROUP))


def ask(specs: Sequence[str], store: Path | None, limits: Limits = _LIMITS) -> dict[str, Asked]:
    """Apply rules to a store, each by itself; without a store, describe them."""

    async def each() -> dict[str, Asked]:
        return {spec: await _answer(spec, store, limits) for spec in dict.fromkeys(specs)}

    return asyncio.run(each()) if specs else {}


async def _answer(spec: str, store: Path | None, limits: Limits) -> Asked:
    sandbox = Sandbox(found, limits)
    try:
        fields, findings, lack = await sandbox.call(spec, store)
    except ChildError as error:
        return Asked(None, (), f"it failed: {error}")
    finally:
        await sandbox.aclose()
    return Asked(Rule(*(*fields, lambda _: ())), findings, lack)


def found(spec: str, store: Path | None) -> tuple[tuple[str, Severity, str, str, str, Need], list[Finding], str | None]:
    """The fields of a rule, its findings in a store, and why it could not be checked. Runs in the child."""
    place, _, function = spec.partition(":")
    rule = entry_point(spec, GROUP) or getattr(imported(place), function or "rule", None)
    if type(rule) is not Rule:
        raise TypeError(f"{spec} is no rule; put @rule of minicrawl.audit.findings before the function")
    fields = (rule.name, rule.severity, "own", rule.why, rule.how, rule.needs)
    if store is None:
        return fields, [], None
    try:
        with open_store(store) as reader, reader.snapshot():
            crawled = Crawled(reader)
            lack = crawled.lacks(rule.needs)
            return fields, found_by(rule, crawled) if lack is None else [], lack
    except MinicrawlError as error:
        return fields, [], str(error)
