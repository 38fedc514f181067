"""The report for people: the dashboard's pages of a store in one HTML file, with the answers that they ask for.

The scripts and the style are those of the dashboard. They write no markup, so text from the web stays text. Should it
be taken for markup after all, the policy of the file lets a browser run and load nothing: it names script and style by
their digests.
"""

import base64
import hashlib
import math
import re
import time
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.rules import RULES, Rule
from minicrawl.dashboard.http_server import json_answer
from minicrawl.dashboard.issues import issues
from minicrawl.dashboard.looks import at_rest
from minicrawl.dashboard.readings import Reading, Readings
from minicrawl.dashboard.serving import static_files
from minicrawl.export.tables import iso, renamed_when_whole
from minicrawl.log import printable
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

BEST, TOP = 10, 100
"""Pages in the overview, and in the list of all."""
_IMPORT = re.compile(r'^import (\{.+\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|function|const) (\w+))", re.MULTILINE)


def report_on(store: Store, rules: Mapping[str, Rule] = RULES) -> Reading:
    """The answers in a report, by the path at which the dashboard gives them, as of one commit; beside them `title`,
    `subtitle`, and what the audit found, `issues`. Raises StoreError, and SettingError for a rule's query."""
    with store.snapshot():
        readings, audit = Readings(store.path, store), audited(store, rules)
        status, *_ = found = readings.at_rest()
        look = {**at_rest(found), "store": str(store.path)}
        if status.running:
            look |= {"crawl": "resting", "state": "running"}
        seeds = list(dict.fromkeys(url.split("/")[2] for url in store.page_table.seeds()))
        more = f" and {len(seeds) - 3:,} more" if len(seeds) > 3 else ""
        return {
            "title": f"Crawl report: {', '.join(seeds[:3]) + more or store.path.stem}",
            "subtitle": _times(audit) + (" The crawl was still running." if status.running else ""),
            "issues": issues(audit),
            "/api/now": look,
            "/api/top": readings.top(RANKINGS[0], BEST),
            "/api/pages": readings.pages("", TOP),
            "/api/course": readings.course(),
            "/api/sites": readings.sites(),
            "/api/hosts": readings.hosts(),
        }


def write_report(report: Reading, path: Path) -> int:
    """Write a report to `path` atomically; returns the number of bytes. Raises SettingError."""
    static = {name: answer.body.decode() for name, answer in static_files().items()}
    style = static["/uplot.min.css"] + static["/style.css"]
    script = static["/uplot.min.js"] + "\nconst modules = {};\n" + "\n".join(_modules("report", static, set()))
    # Neither a comment nor the end of a script can begin in it.
    answers = json_answer(report).body.decode().replace("<", "\\u003c")
    title, subtitle = (escape(printable(str(report[name]))) for name in ("title", "subtitle"))
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    body = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="report">
<header class="top"><h1>{title}</h1><p class="quiet">{subtitle}</p></header>
<main id="main"></main>
<noscript><p class="notice">The report needs JavaScript; 'minicrawl audit' and 'minicrawl top' do not.</p></noscript>
<script type="application/json" id="answers">{answers}</script>
<script>{script}</script>
</body>
</html>
""".encode()
    with renamed_when_whole(path) as temporary:
        temporary.write_bytes(body)
    return len(body)


def _modules(name: str, static: Mapping[str, str], done: set[str]) -> Sequence[str]:
    """A module and those that it imports, each once and as a function that is called: a file of its own has none."""
    done.add(name)
    text = static[f"/{name}.js"]
    before = [part for _, each in _IMPORT.findall(text) if each not in done for part in _modules(each, static, done)]
    exports = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = modules.\2;", text))
    return [*before, f'modules.{name} = (() => {{\n"use strict";\n{body}return {{{exports}}};\n}})();']


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _times(audit: Audit) -> str:
    """When the report was made, and the times of the answers, to the minute."""
    made, first, last = (
        "" if math.isnan(at) else str(iso(at))[:16].replace("T", " ")
        for at in (time.time(), audit.judged.first, audit.judged.last)
    )
    fetched = f"between {first} and {last} UTC" if first != last else f"on {first} UTC" if first else "nothing yet"
    return f"Made on {made} UTC. Fetched {fetched}."
