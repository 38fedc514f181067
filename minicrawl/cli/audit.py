"""minicrawl audit"""

import math
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.option_sources import tables_of_file
from minicrawl.cli.options import about_store, csv_options, teller
from minicrawl.cli.output import document, fitted, left_out_line, lines_of
from minicrawl.errors import SettingError, counted, held
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.audit.auditing import Audit, Finding
    from minicrawl.audit.crawled import Judged
    from minicrawl.audit.rules import Rule
    from minicrawl.store.reader import Store

_SHOWN = 20
_FOUND = 1
"""Exit code if --fail-on finds something, or a rule that it names was not checked."""
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(epilog="Example: minicrawl audit --fail-on error --sarif audit.sarif")
@click.option("--fail-on", metavar="RULES", multiple=True,
              help="Exit with 1 if one of these rules finds something or could not be checked, or if any rule of "
                   "this severity (error, warning, notice) or a higher one finds something. With --against, only "
                   "new findings count.")  # fmt: skip
@click.option("--against", type=click.Path(path_type=Path), metavar="STORE",
              help="Compare with an earlier crawl: what is new, what is fixed, and what was not checked "
              "again.")  # fmt: skip
@click.option("--rules", is_flag=False, flag_value="", metavar="[seo|FILE]",
              help="Also apply these rules: seo, or those of a TOML file. Without a value, list all rules instead of "
                   "auditing.")  # fmt: skip
@click.option("--sarif", type=_FILE, metavar="FILE", help="Also write SARIF 2.1.0 to this file; - prints only that.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Also write JUnit XML to this file; - prints only that.")
@click.option("-n", "--n", type=click.IntRange(min=1),
              help=f"Print this many findings; {_SHOWN} by default, all with --json or --csv.")  # fmt: skip
@csv_options
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    fail_on: tuple[str, ...],
    against: Path | None,
    rules: str | None,
    sarif: Path | None,
    junit: Path | None,
    n: int | None,
    csv_file: Path | None,
    csv_for: str | None,
    store: Path,
    as_json: bool,
) -> None:
    """Say what is wrong with the crawled sites, what to fix first, and how.

    Each fault is listed once, for its target: a page that does not exist, for instance, with the number of pages that
    link to it. Faults with one cause, such as a template, are one line. Errors come first, then warnings and notices;
    within each, what has most importance at stake comes first. The audit judges pages of the seeds' sites; their links
    may lead anywhere.

    Exit code 1 says that --fail-on found something, or could not be checked.

    \b
    minicrawl audit --json                       everything, for programs
    minicrawl audit --rules seo                  also lengths, language codes, canonicals, feeds, og:image
    minicrawl audit --csv audit.csv              every page of every finding
    minicrawl audit --fail-on broken-link,error  for continuous integration
    minicrawl audit --against last-week.db       what has become worse since, and better
    """
    from minicrawl.audit.auditing import audited
    from minicrawl.audit.ci_files import write_junit, write_sarif
    from minicrawl.audit.rules import RULES, SHIPPED, rules_in, rules_of
    from minicrawl.export.tables import STANDARD_OUTPUT, Table, export_table
    from minicrawl.store.reader import open_store

    alone = [file for file in (csv_file, sarif, junit) if file == STANDARD_OUTPUT]
    if as_json + len(alone) > 1:
        raise SettingError("standard output takes one of --csv, --json, --sarif - and --junit -; leave the others out")
    file, tables = tables_of_file(click.get_current_context())
    is_list, files = rules == "", [rules] if rules else []
    further = {name: rules_in(name) for name in (SHIPPED if is_list else files)}
    applied = {**RULES, **ChainMap(*further.values()), **rules_of(tables.get("audit", {}), f"{file}: audit.")}
    if is_list:
        rows = [_described(rule) for rule in applied.values()]
        click.echo(document(rows) if as_json else "\n".join(fitted(_rule_lines(applied.values(), further))))
        return
    named, failing = _failing(",".join(fail_on) if fail_on else None, applied)
    with ExitStack() as opened:
        reader = opened.enter_context(open_store(store))
        opened.enter_context(reader.snapshot())
        before = opened.enter_context(open_store(against)) if against else None
        if before is not None:
            opened.enter_context(before.snapshot())
        audit = audited(reader, applied, against=before)
        if csv_file is not None:
            table = Table(dict.fromkeys(_COLUMNS, str), _rows(reader, audit, n), for_excel=csv_for == "excel")
            count = export_table(table, csv_file, "csv")
    unchecked = [name for name in audit.not_checked if name in named]
    gate = None if not fail_on else [found for found in audit.gated if found.rule in failing]
    if sarif is not None:
        write_sarif(audit, sarif)
    if junit is not None:
        write_junit(audit, junit, gate, unchecked)
    if as_json:
        click.echo(document(_as_json(audit, n)))
    elif not alone:
        click.echo("\n".join(_lines(audit, n or _SHOWN)))
        if csv_file is not None:
            click.echo(f"{counted(count, 'row')} written to {csv_file}.")
    _tell_unchecked(audit, unchecked, failing)
    if gate or unchecked:
        click.get_current_context().exit(_FOUND)


def _tell_unchecked(audit: "Audit", unchecked: Sequence[str], failing: Collection[str]) -> None:
    """Say on standard error what --fail-on could not look at."""
    say, others = teller(), [name for name in audit.not_checked if name in failing and name not in unchecked]
    for name in unchecked:
        say(printable(f"--fail-on: {name} was not checked: {audit.not_checked[name]}"))
    if others:
        say(f"--fail-on: {counted(len(others), 'rule')} of the severity could not be checked: {', '.join(others)}")


def _failing(text: str | None, rules: "Mapping[str, Rule]") -> tuple[set[str], set[str]]:
    """The names of the rules that a user names: by themselves; and by themselves or a severity. Raises SettingError."""
    from minicrawl.audit.rules import Severity, check_name

    named, failing, severities = set[str](), set[str](), [severity.value for severity in Severity]
    for word in (word.strip().lower() for word in text.split(",")) if text is not None else ():
        if word in severities:
            least = severities[: severities.index(word) + 1]
            failing |= {name for name, rule in rules.items() if rule.severity in least}
        else:
            check_name(word, [*rules, *severities], "--fail-on")
            named.add(word)
    return named, failing | named


def _described(rule: "Rule") -> dict[str, object]:
    fields = ("name", "severity", "subject", "why", "how")
    return {**{field: str(getattr(rule, field)) for field in fields}, "needs": rule.needs.value or None}


def _row(audit: "Audit", found: "Finding") -> dict[str, object]:
    severity = audit.rules[found.rule].severity.value
    return {"rule": found.rule, "severity": severity, **found._asdict()}


def _as_json(audit: "Audit", n: int | None) -> dict[str, object]:
    from minicrawl.audit.causes import causes
    from minicrawl.audit.words import share, summary, to_do_first
    from minicrawl.export.tables import iso

    counts, at_stake, said = audit.counts(), audit.at_stake(), audit.said()
    shown: dict[str, object] = {
        "findings": [_row(audit, found) for found in audit.findings[:n]],
        "rules": [
            {
                **_described(rule),
                "found": said.get(name),
                "findings": counts[name],
                "importance": at_stake.get(name, 0.0),
            }
            for name, rule in audit.rules.items()
        ],
        "not_checked": dict(audit.not_checked),
        "summary": summary(audit),
        "do_first": to_do_first(audit),
        "causes": [
            {
                "rule": cause.first.rule,
                "where": cause.where,
                "target": cause.first.target,
                "findings": len(cause.findings),
                "pages": cause.pages,
                "importance": cause.importance,
                "at_stake": share(cause.importance),
            }
            for cause in causes(audit, audit.findings)[:n]
        ],
        "judged": {**audit.judged._asdict(), "first": iso(audit.judged.first), "last": iso(audit.judged.last)},
    }
    if audit.new is not None:
        for name in ("new", "mended", "unknown"):
            shown[name] = [_row(audit, found) for found in (getattr(audit, name) or ())[:n]]
        shown["same"] = len(audit.findings) - len(audit.new)
    return shown


_COLUMNS = (
    *("rule", "severity", "what", "target", "detail", "page", "title", "importance", "at_stake", "sources"),
    *("cause", "how"),
)
"""Of the CSV: a row is a page concerned by a finding. what, at_stake, cause: in words."""


def _rows(store: "Store", audit: "Audit", n: int | None) -> Iterator[tuple[object, ...]]:
    from minicrawl.audit.auditing import rows
    from minicrawl.audit.causes import causes
    from minicrawl.audit.words import sentence, share

    where = {found[:2]: cause.where for cause in causes(audit, audit.findings) for found in cause.findings}
    what = {name: sentence(clause) for name, clause in audit.said().items()}
    for found, page, title in rows(store, audit, n):
        rule = audit.rules[found.rule]
        yield (
            *(found.rule, rule.severity.value, what[found.rule], found.target, found.detail, page, title),
            *(found.importance, share(found.importance), found.sources, where[found[:2]], rule.how),
        )


def _lines(audit: "Audit", n: int) -> Iterator[str]:
    from minicrawl.audit.words import sentence, share, summary, to_do_first

    yield from fitted(printable(line) for line in (summary(audit), to_do_first(audit)) if line)
    yield from fitted(_judged_lines(audit.judged))
    for name, clause in audit.said().items():
        rule, stake = audit.rules[name], share(audit.stakes[name])
        yield ""
        yield from fitted([f"{printable(sentence(clause))}. ({rule.severity} {printable(name)}, {stake} at stake)"])
        yield from fitted([f"    {_advice(rule)}"])
    yield from _findings(audit, audit.findings, n, "What to fix first:")
    if audit.new is not None and audit.mended is not None and audit.unknown is not None:
        yield from _findings(audit, audit.new, n, "New:")
        yield from _findings(audit, audit.mended, n, "Fixed:")
        yield from _findings(audit, audit.unknown, n, "Not checked again:")
        same, left = len(audit.findings) - len(audit.new), len(audit.unknown)
        unknown = f" {left:,} could not be checked again." if left else ""
        yield f"{len(audit.new):,} new, {len(audit.mended):,} fixed, {same:,} unchanged.{unknown}"
    for why in dict.fromkeys(audit.not_checked.values()):
        names = ", ".join(name for name, one in audit.not_checked.items() if one == why)
        yield from fitted([f"Not checked: {printable(names)}: {printable(why)}."])
    rules = counted(len(audit.rules.keys() - audit.not_checked.keys()), "rule")
    note = "; --n shows more, --csv and --json all" if len(audit.findings) > n else ""
    yield from fitted([f"{counted(len(audit.findings), 'finding')} of {rules}{note}."])


def _judged_lines(judged: "Judged") -> Iterator[str]:
    """The part of the web that was judged, and what was left out of it."""
    from minicrawl.export.tables import iso

    when = ""
    if not math.isnan(judged.first):
        first, last = (str(iso(moment))[:16].replace("T", " ") for moment in (judged.first, judged.last))
        when = f", crawled {first if first == last else f'{first} to {last}'} UTC"
    hosts = f"{counted(judged.pages, 'page')} of {counted(judged.hosts, 'host')}"
    share = held(judged.coverage, judged.coverage_about, judged.coverage_shown)
    yield f"Judged: {hosts}{when}; the pages read hold {share}."
    parts = [
        (judged.waiting, f"{counted(judged.waiting, 'page')} not requested yet"),
        (judged.failed, f"{counted(judged.failed, 'page')} without an answer to read"),
        (judged.robots, f"{counted(judged.robots, 'page')} forbidden by robots.txt"),
        (judged.left_out, f"{left_out_line(judged.left_out)} by scope, filters and budgets"),
        (judged.traps, f"{judged.traps:,} of them too long, or beyond a site's budget"),
    ]
    if said := [words for number, words in parts if number]:
        yield f"Not judged: {', '.join(said)}."


def _findings(audit: "Audit", findings: "Sequence[Finding]", n: int, head: str) -> Iterator[str]:
    """A table of the first n causes of findings, under a heading."""
    from minicrawl.audit.causes import causes
    from minicrawl.audit.words import about, share

    if not findings:
        return
    yield ""
    yield head
    some = causes(audit, findings)[:n]
    width = max(len(cause.first.rule) for cause in some)
    starts = [f"{'at stake':>8}  {'pages':>6}  {'rule':<{width}}"]
    starts += [f"{share(each.importance):>8}  {each.pages:>6,}  {each.first.rule:<{width}}" for each in some]
    details = [cause.first.detail and f"({printable(cause.first.detail)})" for cause in some]
    yield from lines_of(starts, ["target", *(printable(about(cause)) for cause in some)], (), ["", *details])


def _rule_lines(rules: "Iterable[Rule]", further: "Mapping[str, Mapping[str, Rule]]") -> Iterator[str]:
    """further: rules of further files, by the name of the file."""
    for rule in rules:
        file = next((f", with --rules {name}" for name, some in further.items() if rule in some.values()), "")
        yield f"{rule.name} ({rule.severity}, {rule.subject}{file})"
        needs = f" Needs: {rule.needs}." if rule.needs else ""
        yield f"    {_advice(rule)}{needs}"


def _advice(rule: "Rule") -> str:
    return printable(" ".join(filter(None, (rule.why, rule.how))))
