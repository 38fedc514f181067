"""An audit as files for continuous integration: SARIF 2.1.0 and JUnit."""

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from minicrawl.audit.auditing import Audit, Finding, by_rule
from minicrawl.audit.rules import Severity
from minicrawl.errors import counted
from minicrawl.export.tables import renamed_when_whole
from minicrawl.web.urls.normalise import percent_encoded

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_MOST_LISTED = 100
"""Targets in the text of a failure."""
_NO_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def write_sarif(audit: Audit, path: Path) -> None:
    """Write an audit as SARIF 2.1.0. Raises SettingError."""
    order = list(audit.rules)
    rules = [
        {
            "id": rule.name,
            "shortDescription": {"text": rule.why},
            "fullDescription": {"text": rule.why},
            "help": {"text": rule.how},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"tags": [rule.subject]},
        }
        for rule in audit.rules.values()
    ]
    notes = [
        {"level": "note", "message": {"text": f"{name} was not checked: {why}"}}
        for name, why in audit.not_checked.items()
    ]
    run = {
        "tool": {"driver": {"name": "minicrawl", "rules": rules}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [_result(audit, found, order.index(found.rule)) for found in audit.findings],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    text = json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1)
    with renamed_when_whole(path) as temporary:
        temporary.write_text(text)


def _result(audit: Audit, found: Finding, index: int) -> dict[str, object]:
    rule = audit.rules[found.rule]
    identity = f"{found.rule} {found.target}"
    return {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": _LEVELS[rule.severity],
        "message": {"text": f"{rule.why} {_line(found)}"},
        "partialFingerprints": {
            "target/v1": identity,
            "primaryLocationLineHash": hashlib.sha256(identity.encode(errors="replace")).hexdigest()[:16],
        },
        "locations": [_location(found.target)],
        "relatedLocations": [_location(url) | {"message": {"text": url}} for url in found.examples],
        "properties": {"url": found.target, "importance": found.importance, "sources": found.sources},
    }


def _location(target: str) -> dict[str, object]:
    """A target, in full and as a file: code scanning takes files below the folder that it has checked out, such as
    "a.test/x", where ":", "?" and dots for a folder would mean something else."""
    path = percent_encoded(target.partition("://")[2] or target).lstrip("/")
    path = re.sub("[?#:]", lambda found: f"%{ord(found[0]):02X}", path)
    parts = (
        part.replace("%", "%25").replace(".", "%252E") if {".", ".."} & set(unquote(part).split("/")) else part
        for part in path.split("/")
    )
    artifact = {"uri": "/".join(parts)}
    return {
        "physicalLocation": {"artifactLocation": artifact, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": target}],
    }


def _line(found: Finding) -> str:
    """A finding in a line: its target, detail, and pages."""
    detail = f": {found.detail}" if found.detail else ""
    pages = f" ({counted(found.sources, 'page')})" if found.sources else ""
    return f"{found.target}{detail}{pages}"


def write_junit(
    audit: Audit, path: Path, failing: Sequence[Finding] | None = None, unchecked: Collection[str] = ()
) -> None:
    """Write an audit as JUnit: a test case per rule, that fails with its findings. Raises SettingError.

    failing: findings that make their rules fail, None: all. The others are printed by a test case that passes.
    unchecked: rules that fail because they could not be checked.
    """
    findings = by_rule(audit.findings)
    faults = findings if failing is None else by_rule(failing)
    skipped = [name for name in audit.not_checked if name not in findings and name not in unchecked]
    totals = {"tests": len(audit.rules), "failures": len({*faults, *unchecked}), "skipped": len(skipped)}
    attributes = {"name": "minicrawl audit", **{key: str(value) for key, value in totals.items()}, "errors": "0"}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", attributes)
    for name, rule in audit.rules.items():
        case = ElementTree.SubElement(suite, "testcase", {"name": name, "classname": f"audit.{rule.subject}"})
        if name in faults:
            message = f"{len(faults[name]):,} found. {rule.how}"
            failure = ElementTree.SubElement(case, "failure", {"message": message, "type": rule.severity.value})
            failure.text = _listed(faults[name])
        elif name in findings:
            ElementTree.SubElement(case, "system-out").text = _listed(findings[name])
        if name in audit.not_checked and name not in faults and (name in unchecked or name not in findings):
            kind = "failure" if name in unchecked else "skipped"
            ElementTree.SubElement(case, kind, {"message": _xml(f"not checked: {audit.not_checked[name]}")})
    with renamed_when_whole(path) as temporary:
        temporary.write_bytes(ElementTree.tostring(suites, "utf-8", xml_declaration=True))


def _listed(findings: Sequence[Finding]) -> str:
    lines = [_line(found) for found in findings[:_MOST_LISTED]]
    more = [f"and {len(findings) - _MOST_LISTED:,} more"] if len(findings) > _MOST_LISTED else []
    return _xml("\n".join((*lines, *more)))


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
